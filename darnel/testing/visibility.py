"""Promise: the application sees plants when they are there, and not once they are gone, however long it has run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from darnel.core.asking.evidence import PlantIndex
from darnel.core.corpus import CorpusInjector, Retriever, Source, Target
from darnel.core.plant import Plant
from darnel.testing.plants import changed
from darnel.testing.scenarios import Scenarios

K = 5


class Visibility(Scenarios):
    """Search, not only read, shows the state of the store."""

    def test_seen_by_an_application_that_was_there_before(
        self, store: Any, injector: CorpusInjector, plants: list[Plant]
    ) -> None:
        """An application that was built, and had asked, before the inject finds the plants, and afterwards does not.

        If it fails, look at retrievers that copy ids or an index when they are built; say so in ``checks``.
        """
        ask = self.app(store)
        assert not _seen(ask, plants)
        self.sow(injector, plants)
        assert _seen(ask, plants) == {p.id for p in plants}
        self.pull(injector, plants)
        assert not _seen(ask, plants)

    def test_seen_by_an_application_that_comes_later(
        self, store: Any, injector: CorpusInjector, plants: list[Plant]
    ) -> None:
        """An application started after the inject finds the plants; one started after the removal does not.

        If it fails, look at writes that reach memory and not the store.
        """
        self.sow(injector, plants)
        assert _seen(self.app(store), plants) == {p.id for p in plants}
        self.pull(injector, plants)
        assert not _seen(self.app(store), plants)

    def test_seen_by_a_second_client(self, store: Any, injector: CorpusInjector, plants: list[Plant]) -> None:
        """A second client of the application's, open all along, sees plants come and go.

        If it fails, look at clients that keep their own copy; ``checks`` must warn of it.
        """
        self.declared.need("second_client")
        ask = self.second_app(store)
        assert not _seen(ask, plants)
        self.sow(injector, plants)
        assert _seen(ask, plants) == {p.id for p in plants}
        self.pull(injector, plants)
        assert not _seen(ask, plants)

    def test_a_changed_text_is_found_by_its_new_words(
        self, store: Any, injector: CorpusInjector, planted: list[Plant]
    ) -> None:
        """After a second inject the application finds the new text, and nowhere the old one.

        If it fails, look at an index that keeps the old entry.
        """
        other = changed(planted[0], text="Quicksilver barometers hang in the observatory.")
        self.sow(injector, [other])
        texts = [s.text for s in self.app(store)(other.text, K)]
        assert other.text in texts
        assert planted[0].text not in texts

    def test_the_targets_retriever_finds_plants(self, target: Target, planted: list[Plant]) -> None:
        """The adapter's own retriever: one reply a question, at most k sources, best first, every plant recognised.

        If it fails, look at ``retrieve``: order, k, the sign of the score, and ids or metadata that it drops.
        """
        self.declared.need("search")
        replies = _retriever(target).retrieve([p.text for p in planted], K)
        assert len(replies) == len(planted)
        index = PlantIndex(planted)
        for plant, reply in zip(planted, replies, strict=True):
            assert 0 < len(reply.sources) <= K
            scores = [s.score for s in reply.sources if s.score is not None]
            assert scores == sorted(scores, reverse=True), "a higher score is a better one"
            matches = [index.match(source) for source in reply.sources]
            assert any(m is not None and plant in m.plants for m in matches), f"{plant.name} is not in its own list"

    def test_the_targets_retriever_goes_back_to_what_it_gave(self, target: Target, plants: list[Plant]) -> None:
        """The same questions before planting and after removal bring the same lists, and in between the plants.

        If it fails, look at a cache of answers, and at an index that a removal leaves in another order.
        """
        self.declared.need("search")
        questions = [*(r.text or "" for r in self.records()), plants[0].text]
        before = _ids(target, questions)
        self.sow(target.injector, plants)
        during = _ids(target, questions)
        self.pull(target.injector, plants)
        assert during != before, "the plants were in no list"
        assert _ids(target, questions) == before

    def test_the_targets_retriever_takes_no_questions(self, target: Target) -> None:
        """No question, no reply; and k = 1 brings one source.

        If it fails, look at requests that your store refuses when they are empty.
        """
        self.declared.need("search")
        assert list(_retriever(target).retrieve([], K)) == []
        assert [len(r.sources) for r in _retriever(target).retrieve([self.records()[0].text or ""], 1)] == [1]


def _retriever(target: Target) -> Retriever:
    assert target.retriever is not None
    return target.retriever


def _ids(target: Target, questions: list[str]) -> list[list[str | None]]:
    return [[s.id for s in reply.sources] for reply in _retriever(target).retrieve(questions, K)]


def _seen(ask: Callable[[str, int], Sequence[Source]], plants: list[Plant]) -> set[str]:
    """Ids of the plants that the application returns for their own texts."""
    index = PlantIndex(plants)
    matches = [index.match(source) for plant in plants for source in ask(plant.text, K)]
    return {p.id for m in matches if m is not None for p in m.plants}
