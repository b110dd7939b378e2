"""Promise: unusual text comes back as it was written, and what no store keeps is refused before any write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from darnel.core.corpus import CorpusDescription, CorpusInjector
from darnel.core.errors import PlantError
from darnel.core.plant import MetaValue, Plant
from darnel.core.planting.ledger import Ledger
from darnel.testing.plants import changed, make_plants
from darnel.testing.scenarios import CAMPAIGN, Scenarios
from darnel.testing.witness import Witness, assert_holds

UNUSUAL = {
    "spaces at both ends": "  \t between spaces \u00a0 ",
    "line ends": "one\r\ntwo\n\n\nthree\rfour\u2028five",
    "composed and decomposed": "caf\u00e9 cafe\u0301 \ufb01 \u212b",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0627\u0644\u0633\u0644\u0627\u0645 \u202eabc\u202c",
    "emoji and joiners": "\U0001f469\u200d\U0001f33e \U0001f1e9\U0001f1ea \u200b\ufeff\u2060 \U00010348",
    "markup and quoting": "<b>&amp;</b> ' \" \\ ${HOME} {{x}} %s %(a)s '; DROP TABLE docs; -- \\u0041",
    "control characters": "bell\x07 escape\x1b[31m delete\x7f unit\x1f",
    "long": "the same few words over and over " * 1_500,
}
BAD = {"a NUL": "a\0b", "a lone surrogate": "a\ud800b", "nothing": "   "}
VALUES: Mapping[str, MetaValue] = {
    "empty": "",
    "spaces": "  x  ",
    "line": "a\r\nb",
    "accents": "cafe\u0301 \u00e9",
    "digits": "007",
    "truth": True,
    "falsehood": False,
    "one": 1,
    "zero": 0,
    "minus": -17,
    "large": 2**53 - 1,
    "whole": 3.0,
    "fraction": 0.1 + 0.2,
    "tiny": 1e-9,
}


class Texts(Scenarios):
    """Text and metadata are kept to the letter or refused."""

    def test_unusual_text_is_kept(self, injector: CorpusInjector, where: CorpusDescription, eye: Witness) -> None:
        """White space, composition, direction marks, control characters and length survive, for witness and read.

        If it fails, look at strip(), Unicode normalisation, templates, and silent cuts.
        """
        room = where.max_text_bytes or 10**9
        texts = [text for text in UNUSUAL.values() if len(text.encode()) + 100 < room]
        made = make_plants(where, CAMPAIGN, len(texts))
        plants = self.sow(injector, [changed(p, text=text) for p, text in zip(made, texts, strict=True)])
        assert_holds(eye.records(), plants)
        assert_holds(injector.read([p.id for p in plants]), plants)

    def test_metadata_values_are_kept(self, injector: CorpusInjector, plants: list[Plant], eye: Witness) -> None:
        """Strings, ints, floats and bools come back with value and type.

        If it fails, look at casts: bool to int, int to float, everything to str, empty string to nothing.
        """
        plant = changed(plants[0], metadata={**plants[0].metadata, **VALUES})
        self.sow(injector, [plant])
        assert_holds(eye.records(), [plant])
        assert_holds(injector.read([plant.id]), [plant])

    def test_a_missing_value_is_no_value(self, injector: CorpusInjector, plants: list[Plant], eye: Witness) -> None:
        """A metadata value of None means that the key is not there, written or read.

        If it fails, look at stores that keep null, or turn it into a string; ``make_plant`` drops it.
        """
        plant = changed(plants[0], metadata={"page": 1, "chapter": None})
        self.sow(injector, [plant])
        assert "chapter" not in (eye.records()[plant.id].metadata or {})
        assert_holds(eye.records(), [plant])

    def test_bad_text_is_refused_before_any_write(
        self, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """NUL, a lone surrogate or no text at all, third of five: a ``PlantError``, and not one of the five written.

        If it fails, look at ``check_plant`` for every plant before the first write (``batches`` calls it).
        """
        for name, text in BAD.items():
            with eye.unchanged(f"an inject of a text with {name}"):
                with pytest.raises(PlantError):
                    injector.inject([*plants[:2], replace(plants[2], text=text), *plants[3:]])
                self.settle()

    def test_bad_metadata_is_refused_before_any_write(
        self, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """A lone surrogate in a key or a value: a ``PlantError``, and nothing written.

        If it fails, look at ``check_plant`` for every plant before the first write.
        """
        for extra in ({"note": "a\udc00"}, {"a\udc00": "note"}):
            bad = replace(plants[2], metadata={**plants[2].metadata, **extra})
            with eye.unchanged("an inject of bad metadata"):
                with pytest.raises(PlantError):
                    injector.inject([*plants[:2], bad, *plants[3:]])
                self.settle()

    def test_an_oversize_plant_is_refused_before_any_write(
        self, injector: CorpusInjector, where: CorpusDescription, plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """A plant over the store's limit: the campaign refuses the whole batch, and nothing is written or announced.

        If it fails, look at ``max_text_bytes`` and ``max_batch_bytes``: state what the store really takes.
        """
        limit = min(where.max_text_bytes or where.max_batch_bytes, where.max_batch_bytes)
        huge = replace(plants[2], text=f"{'x' * limit} {plants[2].marker}")
        with eye.unchanged("planting an oversize text"), self.campaign(injector, ledger, id=CAMPAIGN) as campaign:
            with pytest.raises(PlantError):
                campaign.plant([*plants[:2], huge, *plants[3:]])
            assert not ledger.plants(campaign.id)
