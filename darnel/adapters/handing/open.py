"""Open what answers from passages: a function, a LangChain runnable, a LlamaIndex synthesizer, or a URL."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

from darnel.adapters.apps.options import PASSAGES, AppOptions, fill
from darnel.adapters.apps.reading import OutputReader
from darnel.adapters.handing.app import HandedApp
from darnel.adapters.python.call import finished
from darnel.adapters.python.load import load_object, takes
from darnel.adapters.registry import require
from darnel.adapters.spec import TargetSpec, is_loopback, parse_spec
from darnel.core.corpus import Reply
from darnel.core.errors import UsageError
from darnel.core.secrets import redact

IN_PROCESS = ("python", "langchain", "llamaindex")
INPUT = """say what it takes with --input, for instance '{"question": "{query}", "context": "{passages}"}'"""

Ask = Callable[[str, Sequence[str]], Any]
"""From a question and its passages to whatever the application returns."""


def open_handed(target: Any, options: AppOptions, allow_hosts: Collection[str] = ()) -> HandedApp:
    """An application that answers from passages: ``python:module:attr``, ``langchain:...``, ``llamaindex:...``, a URL, or an
    object of any of these kinds.

    Raises:
        UsageError: it takes no passages, or nobody knows how; says what to name.
        TargetError: importing or making it failed, or a package is not installed.
        HostNotAllowedError: the URL is on another machine that ``allow_hosts`` does not name.
    """
    if options.input is not None and PASSAGES not in options.input:
        raise UsageError(f"the input {options.input!r} has no {PASSAGES} in it, so nothing would be handed over")
    if not isinstance(target, str):
        return _of_object(target, type(target).__name__, options)
    spec = parse_spec(target)
    if spec.adapter == "http":
        spec.check_host(allow_hosts)
        return _of_url(spec, options)
    if spec.adapter not in IN_PROCESS:
        raise UsageError(f"a target of the {spec.adapter} adapter takes no passages; name what answers from them")
    require(spec.adapter)
    return _of_object(load_object(spec.where), f"{spec.adapter} {spec.where}", options)


def _of_url(spec: TargetSpec, options: AppOptions) -> HandedApp:
    from darnel.adapters.http.ask import HttpAsker

    require("http")
    url = spec.where + (f"?{spec.query}" if spec.query else "")
    if options.input is None:
        raise UsageError(f"what does {redact(url)} take? {INPUT[0].upper()}{INPUT[1:]}")
    asker = HttpAsker(url, options, OutputReader(options), direct=is_loopback(urlsplit(url).hostname or ""))
    return HandedApp(asker.ask, redact(url), options, asker.close)


def _of_object(found: Any, name: str, options: AppOptions) -> HandedApp:
    ask, reader = _asking(found, name, options.input), OutputReader(options)

    def answer(question: str, passages: Sequence[str]) -> Reply:
        return reader.read(finished(ask(question, passages)))

    return HandedApp(answer, name, options)


def _asking(found: Any, name: str, template: str | None) -> Ask:
    call: Any = found.invoke if hasattr(found, "invoke") else found
    if template is not None and callable(call):
        return lambda question, passages: call(fill(template, question, passages))
    if hasattr(found, "synthesize"):
        return lambda question, passages: found.synthesize(question, nodes=_nodes(passages))
    if hasattr(found, "invoke"):
        raise UsageError(f"{name} is run with one input: {INPUT}")
    if not callable(found) or inspect.isclass(found):
        raise UsageError(
            f"{name} is a {type(found).__name__} and cannot be asked; name a function of question and passages"
        )
    needed, room = takes(found)
    if needed > 2 or room < 2:
        raise UsageError(f"{name} must take two arguments, the question and the list of passages; or {INPUT}")
    return lambda question, passages: found(question, list(passages))


def _nodes(passages: Sequence[str]) -> list[Any]:
    schema = importlib.import_module("llama_index.core.schema")
    return [schema.NodeWithScore(node=schema.TextNode(text=text), score=1.0) for text in passages]
