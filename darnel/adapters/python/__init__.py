"""Python functions of the application's: a question in; an answer, sources, or both out."""

from darnel.adapters.python.call import python_target
from darnel.adapters.python.load import open_python

__all__ = ["open_python", "python_target"]
