"""Promise: what the adapter says of the corpus is true, and saying it writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from darnel.core.corpus import CorpusDescription, CorpusInjector, CorpusReader, Retriever, Target
from darnel.core.plant import Plant
from darnel.testing.scenarios import Scenarios
from darnel.testing.witness import Witness


class Describing(Scenarios):
    """What ``describe`` says is so."""

    def test_it_is_an_injector(self, injector: CorpusInjector) -> None:
        """The injector has the four methods of the protocol.

        If it fails, look at the names of your methods: describe, inject, remove, read.
        """
        assert isinstance(injector, CorpusInjector)

    def test_size_is_the_number_of_records(self, where: CorpusDescription, eye: Witness) -> None:
        """``size`` counts the records of this container, and only of this one.

        If it fails, look at whether your count is an estimate, is cached, or spans containers.
        """
        assert where.size == len(eye.records())

    def test_dimension_is_that_of_the_vectors(self, where: CorpusDescription, eye: Witness) -> None:
        """``dimension`` is the length of the stored vectors.

        If it fails, look at where you read it: from the container, not from the embedder.
        """
        self.declared.need("vectors")
        assert {len(r.vector) for r in eye.records().values()} == {where.dimension}

    def test_identity_outlives_the_injector(
        self, where: CorpusDescription, injector: CorpusInjector, again: Callable[[], Target], plants: list[Plant]
    ) -> None:
        """Identity and container are the same before, during and after planting, and for a fresh injector.

        If it fails, look at what ``identity`` is made of: it must be the container's own, not this object's.
        """
        self.sow(injector, plants)
        during, afresh = injector.describe(), again().injector.describe()
        self.pull(injector, plants)
        seen = {(d.backend, d.container, d.identity) for d in (where, during, afresh, injector.describe())}
        assert seen == {(where.backend, where.container, where.identity)}

    def test_shape_is_learned_from_the_records(self, where: CorpusDescription) -> None:
        """The shape holds the metadata keys that most records share, which of them are constant and which are unique.

        If it fails, look at the sample you give to ``learn_shape``: real records, their metadata as the app sees it.
        """
        own = [dict(r.metadata or {}) for r in self.records()]
        shared = {k for m in own for k in m if 2 * sum(k in other for other in own) > len(own)}
        assert where.shape.sampled > 0
        assert set(where.shape.template) == shared
        constant = {k: own[0][k] for k in shared if all(m.get(k) == own[0].get(k) for m in own)}
        assert dict(where.shape.constant) == constant

    def test_shape_ignores_plants(
        self, where: CorpusDescription, injector: CorpusInjector, planted: list[Plant]
    ) -> None:
        """Plants that are there do not change the shape that the next plants are given.

        If it fails, look at whether plants are left out of the sample.
        """
        assert injector.describe().shape.template == where.shape.template, f"{len(planted)} plants changed the shape"

    def test_describing_writes_nothing(self, store: Any, injector: CorpusInjector, eye: Witness) -> None:
        """Describing twice, and running the preflight, leaves everything as it is.

        If it fails, look at what your open and describe call: get_or_create, a probe write, a migration.
        """
        with self.unharmed(store, "describe"), eye.unchanged("describe"):
            injector.describe()
            list(self.open(store, self.embedder()).checks())
            injector.describe()

    def test_limits_are_usable(self, where: CorpusDescription) -> None:
        """The batch limits are positive, and a text of ordinary length fits in.

        If it fails, look at ``max_batch``, ``max_batch_bytes`` and ``max_text_bytes``.
        """
        assert where.max_batch >= 1
        assert where.max_batch_bytes >= 10_000
        assert where.max_text_bytes is None or where.max_text_bytes >= 1_000

    def test_capabilities_are_what_the_target_can_do(self, target: Target, where: CorpusDescription) -> None:
        """Capabilities, the target's parts and what was declared to this suite agree.

        If it fails, look at ``describe().capabilities``, and at the reader and retriever that ``open`` gives.
        """
        able = where.capabilities
        assert able.scan == (target.reader is not None) == self.declared.scan
        assert able.vectors == self.declared.vectors
        assert (target.retriever is not None) == self.declared.search
        assert target.reader is None or isinstance(target.reader, CorpusReader)
        assert target.retriever is None or isinstance(target.retriever, Retriever)
