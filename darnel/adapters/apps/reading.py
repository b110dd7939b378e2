"""Read what an application returned: by the paths that were given, else by the names that such things usually have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from darnel.adapters.apps.calls import as_calls
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.apps.output import as_sources, as_text, read_output
from darnel.core.corpus import Reply
from darnel.core.errors import TargetError, UsageError

Find = Callable[[Any], Any]
HINT = "; say where they are with --answer-path and --sources-path"


class OutputReader:
    """Turns outputs into replies.

    Args:
        options: ``answer_path`` and ``sources_path`` are used.

    Raises:
        UsageError: a path is no JMESPath.
    """

    def __init__(self, options: AppOptions) -> None:
        self._answer = _compile(options.answer_path, "--answer-path")
        self._sources = _compile(options.sources_path, "--sources-path")

    def read(self, output: Any) -> Reply:
        """The reply in an output; one of darnel's own is what it is.

        Raises:
            TargetError: it has no answer and no sources, or a path leads nowhere.
        """
        if isinstance(output, Reply):
            return output
        answer, sources = read_output(output)
        if self._answer is not None:
            answer = as_text(self._answer(output))
            if answer is None:
                raise TargetError(f"no text is at the answer path in {_outline(output)}; check --answer-path")
        if self._sources is not None:
            sources = as_sources(self._sources(output))
            if sources is None:
                raise TargetError(
                    f"no list of sources is at the sources path in {_outline(output)}; check --sources-path"
                )
        calls = as_calls(output)
        if answer is None and sources is None and not calls:
            raise TargetError(f"neither an answer nor sources can be recognised in {_outline(output)}{HINT}")
        return Reply(sources=sources or (), answer=answer, searched=sources is not None, calls=calls)


def _compile(path: str | None, option: str) -> Find | None:
    if path is None:
        return None
    try:
        import jmespath
        from jmespath.exceptions import JMESPathError
    except ImportError:
        raise UsageError(f"{option} needs the package jmespath; run: pip install 'darnel[http]'") from None
    try:
        find: Find = jmespath.compile(path).search
    except JMESPathError as error:
        raise UsageError(f"{option} {path!r} is no JMESPath: {' '.join(str(error).split())}") from None

    def found(output: Any) -> Any:
        try:
            return find(output)
        except JMESPathError as error:  # a function applied to what it does not take
            raise TargetError(
                f"{option} {path!r} does not fit {_outline(output)}: {' '.join(str(error).split())}"
            ) from None

    return found


def _outline(output: Any) -> str:
    """What an output is, without its content."""
    if isinstance(output, dict):
        keys = ", ".join(str(key)[:30] for key in list(output)[:10])
        return f"the reply with the keys {keys}" if keys else "the empty reply"
    return f"the reply, a {type(output).__name__}"
