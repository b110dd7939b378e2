"""Methods of classes replaced for a while, and put back exactly."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterator
from typing import Any

Before = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""Called with the object and the arguments before a method runs; what it returns is handed to ``After``."""
After = Callable[[Any, Any], None]
"""Called with what ``Before`` returned and what the method returned, or the exception that it raised."""


def _nothing(_begun: Any, _result: Any) -> None:
    return None


class Patches:
    """Replaced methods; ``restore`` puts back the very objects that were there."""

    def __init__(self) -> None:
        self._replaced: list[tuple[type, str, Any]] = []
        self._done: set[tuple[type, str]] = set()

    def around(
        self, classes: Collection[type], names: Collection[str], before: Before, after: After = _nothing
    ) -> None:
        """Put calls around the methods of these names, in each of the classes that defines them itself."""
        for cls in classes:
            for name in names:
                original = cls.__dict__.get(name)
                if original is None or (cls, name) in self._done:
                    continue
                self._done.add((cls, name))
                self.replace(cls, name, _wrapped(original, before, after))

    def replace(self, cls: type, name: str, new: Any) -> None:
        """Put something else in the place of what a class itself defines."""
        self._replaced.append((cls, name, cls.__dict__[name]))
        setattr(cls, name, new)

    def restore(self) -> None:
        """Put everything back."""
        while self._replaced:
            cls, name, original = self._replaced.pop()
            setattr(cls, name, original)
        self._done.clear()


def family(base: type) -> list[type]:
    """A class and all the subclasses of it that are loaded."""
    found: dict[type, None] = {base: None}
    waiting: list[type] = [base]
    while waiting:
        below: list[type] = waiting.pop().__subclasses__()
        waiting.extend(cls for cls in below if cls not in found)
        found.update(dict.fromkeys(below))
    return list(found)


def definers(cls: type, names: Collection[str]) -> Iterator[type]:
    """The classes whose methods of these names an object of the class runs."""
    for name in names:
        owner = next((c for c in cls.__mro__ if name in c.__dict__), None)
        if owner is not None:
            yield owner


def _wrapped(original: Any, before: Before, after: After) -> Any:
    bind = original.__get__  # whatever it is: a function, or a wrapper of one that is bound in its own way

    @functools.wraps(original)
    async def asynchronous(self: Any, *args: Any, **kwargs: Any) -> Any:
        begun = before(self, args, kwargs)
        try:
            result = await bind(self, type(self))(*args, **kwargs)
        except BaseException as error:
            after(begun, error)
            raise
        after(begun, result)
        return result

    @functools.wraps(original)
    def synchronous(self: Any, *args: Any, **kwargs: Any) -> Any:
        begun = before(self, args, kwargs)
        try:
            result = bind(self, type(self))(*args, **kwargs)
        except BaseException as error:
            after(begun, error)
            raise
        after(begun, result)
        return result

    return asynchronous if inspect.iscoroutinefunction(original) else synchronous
