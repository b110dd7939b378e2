"""Walk through an application's objects to find what lies inside: attributes, items, closures, and the globals that its
code names. Nothing of the application's is called and nothing is changed.
"""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

MOST_OBJECTS = 20_000
"""Objects looked at before the walk gives up."""
MOST_ITEMS = 500
"""Items of one container that are looked at: a longer one is a corpus, and no list of components."""
DEEPEST = 40
_PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), type, types.ModuleType)

Found = tuple[str, Any]
"""A path such as ``chain.steps[0].retriever.vectorstore``, and the object there."""


def walk(root: Any, name: str, wanted: Callable[[Any], bool], into: Callable[[Any], bool]) -> list[Found]:
    """Every object that is ``wanted``, nearest first, each once; what is wanted is not looked into.

    Args:
        root: where to start.
        name: how the root is called in paths.
        wanted: says whether an object is sought.
        into: says whether an object is worth looking into; the application's and its framework's are.
    """
    found: list[Found] = []
    seen: set[int] = set()
    keep: list[Any] = []  # an id is only an object's while it lives
    queue: deque[tuple[str, Any, int]] = deque([(name, root, 0)])
    while queue and len(seen) < MOST_OBJECTS:
        path, item, depth = queue.popleft()
        if isinstance(item, _PLAIN) or id(item) in seen:
            continue
        seen.add(id(item))
        keep.append(item)
        if wanted(item):
            found.append((path, item))
        elif depth < DEEPEST and (item is root or into(item)):
            queue.extend((f"{path}{step}", child, depth + 1) for step, child in _children(item))
    return found


def _children(item: Any) -> Iterator[Found]:
    if isinstance(item, dict):  # of any other mapping, the attributes: to list what it holds may ask a database
        yield from ((f"[{key!r}]", value) for key, value in list(islice(dict.items(item), MOST_ITEMS)))
    elif isinstance(item, list | tuple | set | frozenset):
        yield from ((f"[{number}]", value) for number, value in enumerate(list(islice(item, MOST_ITEMS))))
    elif isinstance(item, functools.partial):
        yield from ((".func", item.func), (".args", item.args), (".keywords", item.keywords))
    elif isinstance(item, types.MethodType):
        yield from ((".__self__", item.__self__), (".__func__", item.__func__))
    elif isinstance(item, types.FunctionType):
        yield from _of_function(item)
    else:
        yield from ((f".{key}", value) for key, value in _attributes(item))
        yield from ((f".{key}", value) for base in type(item).__mro__ if _is_own(base) for key, value in _shared(base))


def _attributes(item: Any) -> Iterator[Found]:
    """Instance attributes, without running a property."""
    with suppress(AttributeError):
        yield from list(object.__getattribute__(item, "__dict__").items())
    with suppress(AttributeError):
        yield from list((object.__getattribute__(item, "__pydantic_private__") or {}).items())
    for base in type(item).__mro__:
        for slot in _slots(base):
            member = inspect.getattr_static(item, slot, None)
            if isinstance(member, types.MemberDescriptorType):
                try:
                    yield slot, member.__get__(item)
                except AttributeError:
                    continue  # never set


def _is_own(base: type) -> bool:
    """Whether a class is the application's, rather than Python's or of an installed package."""
    module = sys.modules.get(base.__module__)
    file = getattr(module, "__file__", None) or ""
    installed = {"site-packages", "dist-packages"} & set(Path(file).parts)
    return bool(file) and not installed and base.__module__.partition(".")[0] not in sys.stdlib_module_names


def _shared(base: type) -> Iterator[Found]:
    """What a class itself holds: attributes of all its objects, and the code of its methods."""
    for key, value in list(vars(base).items()):
        method = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        method = value.fget if isinstance(value, property) else method
        if isinstance(method, types.FunctionType) or not (key.startswith("__") or hasattr(type(value), "__get__")):
            yield key, method


def _slots(base: type) -> tuple[str, ...]:
    slots = base.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _of_function(function: types.FunctionType) -> Iterator[Found]:
    """Closure cells, defaults, the function it wraps, and the globals that its code names."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield f".<{name}>", cell.cell_contents
        except ValueError:
            continue  # not bound yet
    yield from ((f".<{key}>", value) for key, value in (function.__kwdefaults__ or {}).items())
    yield from ((f".<default {number}>", value) for number, value in enumerate(function.__defaults__ or ()))
    yield from ((f".{key}", value) for key, value in list(vars(function).items()))  # what it wraps among them
    for name in sorted(_names(function.__code__)):
        if name in function.__globals__:
            yield f".<{name}>", function.__globals__[name]


def _names(code: types.CodeType) -> set[str]:
    """Globals that a function's code, and the functions defined in it, read."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            names |= _names(inner)
    return names
