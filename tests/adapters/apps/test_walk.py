"""The walk finds a store wherever an application keeps it, calls nothing and changes nothing."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from darnel.adapters.apps import walk as walk_module
from darnel.adapters.apps.walk import walk


class Store:
    """What is sought."""


class Holder:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)

    def ask(self, question: str) -> str:
        return question


class Slotted:
    __slots__ = ("never_set", "store")

    def __init__(self, store: Store) -> None:
        self.store = store


class SlottedChild(Slotted):
    __slots__ = ("more",)


@dataclass(frozen=True, slots=True)
class Settings:
    store: Store


class Trap:
    """Whose properties must not run."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def client(self) -> Any:
        raise AssertionError("a property was run")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AssertionError(f"{name} was looked up")


STORE = Store()


def through_a_global(_question: str) -> Store:
    return STORE


def through_an_inner_function(_question: str) -> Any:
    def inner() -> Store:
        return STORE

    return inner


class Shared:
    """Holds it in the class."""

    store = STORE


class Method:
    """Whose code names it."""

    def ask(self, _question: str) -> Store:
        return STORE


class Property:
    @property
    def store(self) -> Store:
        return STORE


class Child(Method):
    """Inherits the code."""


class Lazy(Mapping[str, Any]):
    """A mapping that asks a database for its items."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __getitem__(self, key: str) -> Any:
        raise AssertionError(key)

    __iter__ = __len__ = __getitem__  # type: ignore[assignment]


def closure(store: Store) -> Any:
    def ask(question: str) -> Any:
        return store, question

    return ask


def deep_closure(store: Store) -> Any:
    return lambda: lambda: store


def decorated(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return args

    return wrapper


def with_default(question: str, store: Store = STORE, *, again: Store | None = None) -> Any:
    return store, again, question


def unbound_closure() -> Any:
    def ask() -> Any:
        return late

    if STORE is None:
        late = 1
    return ask


def paths(root: Any, into: Any = lambda _item: True) -> list[str]:
    found = walk(root, "app", lambda item: isinstance(item, Store), into)
    assert all(isinstance(item, Store) for _, item in found)
    return [path for path, _ in found]


@pytest.mark.parametrize(
    ("root", "path"),
    [
        (STORE, "app"),
        (Holder(store=STORE), "app.store"),
        (Holder(deep=[1, ("a", {"k": Holder(x=STORE)})]), "app.deep[1][1]['k'].x"),
        ({STORE}, "app[0]"),
        (Slotted(STORE), "app.store"),
        (SlottedChild(STORE), "app.store"),
        (Settings(STORE), "app.store"),
        (Trap(STORE), "app._store"),
        (Lazy(STORE), "app.store"),
        (Shared(), "app.store"),
        (Method(), "app.ask.<STORE>"),
        (Child(), "app.ask.<STORE>"),
        (Property(), "app.store.<STORE>"),
        (closure(STORE), "app.<store>"),
        (deep_closure(STORE), "app.<store>"),
        (through_a_global, "app.<STORE>"),
        (through_an_inner_function, "app.<STORE>"),
        (with_default, "app.<default 0>"),
        (functools.partial(print, STORE), "app.args[0]"),
        (functools.partial(print, file=STORE), "app.keywords['file']"),
        (functools.partial(closure(STORE)), "app.func.<store>"),
        (Holder(store=STORE).ask, "app.__self__.store"),
        (decorated(closure(STORE)), "app.__wrapped__.<store>"),
    ],
)
def test_where_a_store_may_be(root: Any, path: str) -> None:
    assert paths(root)[0] == path


def test_pydantic_private_attributes() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic comes with the frameworks")

    class Model(pydantic.BaseModel):
        name: str = "m"
        _client: Any = pydantic.PrivateAttr(default=None)

    model = Model()
    model._client = Holder(store=STORE)
    assert paths(model) == ["app._client.store"]


def test_every_store_once_nearest_first_and_circles_end() -> None:
    near, far = Store(), Store()
    root = Holder(far=Holder(deeper=Holder(store=far)), near=near, again=near)
    root.far.back = root
    assert paths(root) == ["app.near", "app.far.deeper.store"]


def test_it_goes_only_into_what_is_worth_it_and_always_into_the_root() -> None:
    root = Holder(chosen=Slotted(Store()), left=Settings(Store()))
    assert paths(root, lambda item: isinstance(item, Slotted)) == ["app.chosen.store"]


def test_a_cell_that_is_not_bound_yet() -> None:
    assert paths(unbound_closure()) == []


def test_it_stops_at_depth_and_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def nested(levels: int) -> Any:
        return STORE if not levels else Holder(next=nested(levels - 1))

    assert paths(nested(walk_module.DEEPEST))
    assert not paths(nested(walk_module.DEEPEST + 1))
    monkeypatch.setattr(walk_module, "MOST_OBJECTS", 10)
    assert paths([[] for _ in range(8)] + [STORE])
    assert not paths([[] for _ in range(20)] + [STORE])


def test_nothing_is_changed() -> None:
    root = Holder(store=STORE, trap=Trap(STORE))
    before = dict(vars(root)), dict(vars(root.trap))
    paths(root)
    assert (dict(vars(root)), dict(vars(root.trap))) == before
