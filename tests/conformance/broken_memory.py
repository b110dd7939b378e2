"""Memory corpora that each break one promise. The docstring says how; ``caught_by`` names a test that must notice."""

from __future__ import annotations

import time
import unicodedata
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import CorpusDescription, Record, RecordShape, Reply
from darnel.core.plant import KIT_KEY, STAMP_KEY, Plant, check_plant, read_stamp
from darnel.core.planting.guard import refuse_foreign


class Broken(MemoryCorpus):
    """Sound, for a start; ``put`` writes one plant."""

    caught_by: ClassVar[str]

    def inject(self, plants: Sequence[Plant]) -> None:
        for plant in plants:
            check_plant(plant)
            refuse_foreign(self.read([plant.id]), plant.campaign)
        for plant in plants:
            self.put(plant)
        self._fitted = None

    def put(self, plant: Plant) -> None:
        self.set(plant.id, plant.text, dict(plant.metadata))

    def set(self, id_: str, text: str, metadata: Mapping[str, Any]) -> None:
        self.records[id_] = Record(id_, text, metadata)

    def drop(self, ids: Sequence[str]) -> None:
        for id_ in ids:
            self.records.pop(id_, None)
        self._fitted = None


# writing


class SilentNoOp(Broken):
    """inject reports success and writes nothing"""

    caught_by = "test_inject_writes_exactly_the_plants"

    def inject(self, plants: Sequence[Plant]) -> None:
        pass


class InsertsInsteadOfReplacing(Broken):
    """inject is ignored where the id exists"""

    caught_by = "test_other_text_replaces_the_text"

    def put(self, plant: Plant) -> None:
        if plant.id not in self.records:
            super().put(plant)


class RefusesTheSecondInject(Broken):
    """inject raises where its own plant is there already"""

    caught_by = "test_inject_twice_is_inject_once"

    def put(self, plant: Plant) -> None:
        if plant.id in self.records:
            raise KeyError(f"duplicate id {plant.id}")
        super().put(plant)


class AppendsCopies(Broken):
    """a second inject adds a second copy beside the first"""

    caught_by = "test_inject_twice_is_inject_once"

    def put(self, plant: Plant) -> None:
        self.set(plant.id if plant.id not in self.records else f"{plant.id}-2", plant.text, dict(plant.metadata))


class MergesMetadata(Broken):
    """upsert merges: metadata keys of the first inject survive the second"""

    caught_by = "test_other_metadata_replaces_the_metadata"

    def put(self, plant: Plant) -> None:
        old = self.records.get(plant.id)
        self.set(plant.id, plant.text, {**((old and old.metadata) or {}), **plant.metadata})


class KeepsOldMetadataWhenNoneIsGiven(Broken):
    """ "no metadata" is taken for "leave the old metadata\""""

    caught_by = "test_no_metadata_of_its_own_replaces_the_metadata"

    def put(self, plant: Plant) -> None:
        old = self.records.get(plant.id)
        bare = plant.metadata.keys() == {KIT_KEY, STAMP_KEY}
        self.set(
            plant.id, plant.text, {**((old and old.metadata) or {}), **plant.metadata} if bare else dict(plant.metadata)
        )


class WritesHalfTheBatch(Broken):
    """the second half of a batch is lost, and success reported"""

    caught_by = "test_inject_writes_exactly_the_plants"

    def inject(self, plants: Sequence[Plant]) -> None:
        super().inject(plants[: (len(plants) + 1) // 2])


class TruncatesIds(Broken):
    """ids are cut to 8 characters, everywhere"""

    caught_by = "test_inject_writes_exactly_the_plants"

    def put(self, plant: Plant) -> None:
        self.set(plant.id[:8], plant.text, dict(plant.metadata))

    def remove(self, ids: Sequence[str]) -> None:
        super().remove([i[:8] for i in ids])

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        found = super().read([i[:8] for i in ids])
        return {i: replace(found[i[:8]], id=i) for i in ids if i[:8] in found}


class FoldsIds(Broken):
    """ids are compared without regard to case"""

    caught_by = "test_ids_are_compared_exactly"

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        folded = {id_.casefold(): record for id_, record in self.records.items()}
        return {id_: folded[id_.casefold()] for id_ in ids if id_.casefold() in folded}


class AddsKeys(Broken):
    """a timestamp is added to each plant's metadata"""

    caught_by = "test_plants_carry_nothing_more"

    def put(self, plant: Plant) -> None:
        self.set(plant.id, plant.text, {**plant.metadata, "_added_at": "2026-11-30"})


class LosesTheStamp(Broken):
    """one of the kit's two metadata keys is dropped"""

    caught_by = "test_the_stamp_is_kept"

    def put(self, plant: Plant) -> None:
        self.set(plant.id, plant.text, {k: v for k, v in plant.metadata.items() if k != KIT_KEY})


class MakesStringsOfValues(Broken):
    """metadata values are turned into strings"""

    caught_by = "test_metadata_values_are_kept"

    def put(self, plant: Plant) -> None:
        self.set(plant.id, plant.text, {k: str(v) for k, v in plant.metadata.items()})


class MakesNumbersOfTruth(Broken):
    """True and False become 1 and 0"""

    caught_by = "test_metadata_values_are_kept"

    def put(self, plant: Plant) -> None:
        self.set(plant.id, plant.text, {k: int(v) if isinstance(v, bool) else v for k, v in plant.metadata.items()})


class DropsEmptyStrings(Broken):
    """metadata keys with an empty string are dropped"""

    caught_by = "test_metadata_values_are_kept"

    def put(self, plant: Plant) -> None:
        self.set(plant.id, plant.text, {k: v for k, v in plant.metadata.items() if v != ""})


class StripsText(Broken):
    """white space at both ends of a text is stripped"""

    caught_by = "test_unusual_text_is_kept"

    def put(self, plant: Plant) -> None:
        self.set(plant.id, plant.text.strip(), dict(plant.metadata))


class ComposesText(Broken):
    """text is normalised to NFC"""

    caught_by = "test_unusual_text_is_kept"

    def put(self, plant: Plant) -> None:
        self.set(plant.id, unicodedata.normalize("NFC", plant.text), dict(plant.metadata))


class CutsLongText(Broken):
    """text over 20,000 characters is cut"""

    caught_by = "test_unusual_text_is_kept"

    def put(self, plant: Plant) -> None:
        self.set(plant.id, plant.text[:20_000], dict(plant.metadata))


class TakesBadText(Broken):
    """NUL and lone surrogates are dropped from the text instead of refused"""

    caught_by = "test_bad_text_is_refused_before_any_write"

    def inject(self, plants: Sequence[Plant]) -> None:
        clean = [replace(p, text=p.text.replace("\0", "").encode(errors="ignore").decode() or "-") for p in plants]
        super().inject(clean)


class MutatesThePlants(Broken):
    """the metadata of the plants given is completed in place"""

    caught_by = "test_inject_leaves_the_plants_alone"

    def put(self, plant: Plant) -> None:
        super().put(plant)
        plant.metadata.update(written=True)  # type: ignore[attr-defined]


class WritesAManifest(Broken):
    """a bookkeeping record is written beside the plants, and stays"""

    caught_by = "test_inject_adds_no_other_record"

    def inject(self, plants: Sequence[Plant]) -> None:
        super().inject(plants)
        self.set("darnel-manifest", f"{len(plants)} plants", {"kind": "manifest"})


class TouchesTheOwners(Broken):
    """a field is added to every record while planting"""

    caught_by = "test_the_same_while_planted"

    def inject(self, plants: Sequence[Plant]) -> None:
        super().inject(plants)
        for id_, record in list(self.records.items()):
            if plants and read_stamp(record.metadata) is None:
                self.records[id_] = replace(record, metadata={**(record.metadata or {}), "checked": True})


class ForgetsTheShape(Broken):
    """describe learns nothing of the application's records, so plants carry no tenant key"""

    caught_by = "test_plants_carry_the_keys_of_the_records"

    def describe(self) -> CorpusDescription:
        return replace(super().describe(), shape=RecordShape())


class LearnsFromPlants(Broken):
    """plants that are there are sampled as if they were the application's records"""

    caught_by = "test_shape_ignores_plants"

    def describe(self) -> CorpusDescription:
        found = super().describe()
        extra = {k: v for r in self.plants() for k, v in (r.metadata or {}).items() if k == STAMP_KEY}
        return replace(found, shape=replace(found.shape, template={**found.shape.template, **extra}))


# foreign records


class OverwritesForeign(Broken):
    """no look at what is under a planned id before writing"""

    caught_by = "test_a_foreign_record_under_a_planned_id_is_refused"

    def inject(self, plants: Sequence[Plant]) -> None:
        for plant in plants:
            check_plant(plant)
            self.put(plant)
        self._fitted = None


class OverwritesOtherCampaigns(Broken):
    """any record with the kit's key passes for this campaign's own"""

    caught_by = "test_another_campaigns_plant_is_refused"

    def inject(self, plants: Sequence[Plant]) -> None:
        for plant in plants:
            check_plant(plant)
            found = self.read([plant.id])
            refuse_foreign({i: r for i, r in found.items() if KIT_KEY not in (r.metadata or {})}, plant.campaign)
        for plant in plants:
            self.put(plant)
        self._fitted = None


class ChecksAsItGoes(Broken):
    """each plant is checked just before it is written, after the earlier ones were"""

    caught_by = "test_a_foreign_record_under_a_planned_id_is_refused"

    def inject(self, plants: Sequence[Plant]) -> None:
        for plant in plants:
            super().inject([plant])


class DeletesForeign(Broken):
    """remove deletes whatever is under an id"""

    caught_by = "test_an_owners_record_is_never_removed"

    def remove(self, ids: Sequence[str]) -> None:
        self.drop(ids)


class BelievesItsOwnList(Broken):
    """remove deletes every id that this object ever wrote, and no other"""

    caught_by = "test_a_record_that_lost_its_stamp_is_left"

    def inject(self, plants: Sequence[Plant]) -> None:
        super().inject(plants)
        self.written = {*getattr(self, "written", ()), *(p.id for p in plants)}

    def remove(self, ids: Sequence[str]) -> None:
        self.drop([i for i in ids if i in getattr(self, "written", ())])


# removing


class LyingDelete(Broken):
    """remove reports success and deletes nothing"""

    caught_by = "test_remove_takes_every_plant_out"

    def remove(self, ids: Sequence[str]) -> None:
        pass


class DeletesAllButOne(Broken):
    """the last id of a removal is forgotten"""

    caught_by = "test_remove_takes_every_plant_out"

    def remove(self, ids: Sequence[str]) -> None:
        super().remove(list(ids)[:-1])


class RaisesOnMissing(Broken):
    """remove raises where an id is not there"""

    caught_by = "test_remove_twice"

    def remove(self, ids: Sequence[str]) -> None:
        for id_ in ids:
            if id_ not in self.records:
                raise KeyError(id_)
        super().remove(ids)


class StopsAtMissing(Broken):
    """remove stops, without a word, at the first id that is not there"""

    caught_by = "test_remove_some_that_are_there_and_some_not"

    def remove(self, ids: Sequence[str]) -> None:
        for id_ in ids:
            if id_ not in self.records:
                return
            super().remove([id_])


class DeletesEveryPlant(Broken):
    """remove deletes by a filter on the kit's key"""

    caught_by = "test_remove_takes_only_what_was_asked"

    def remove(self, ids: Sequence[str]) -> None:
        if ids:
            self.drop([r.id for r in self.plants()])


class DeletesTheCampaign(Broken):
    """remove deletes all plants of the campaigns that the ids belong to"""

    caught_by = "test_remove_takes_only_what_was_asked"

    def remove(self, ids: Sequence[str]) -> None:
        stamps = [s for r in self.read(ids).values() if (s := read_stamp(r.metadata))]
        gone = {s.campaign for s in stamps}
        self.drop([r.id for r in self.plants() if (s := read_stamp(r.metadata)) and s.campaign in gone])


class DeletesByPrefix(Broken):
    """remove deletes every id that starts like one of those given"""

    caught_by = "test_ids_are_compared_exactly"

    def remove(self, ids: Sequence[str]) -> None:
        self.drop([i for i in self.records for given in ids if i.startswith(given[:8])])


class EmptyMeansEveryPlant(Broken):
    """an empty removal deletes every plant"""

    caught_by = "test_remove_nothing"

    def remove(self, ids: Sequence[str]) -> None:
        super().remove(ids or [r.id for r in self.plants()])


class EmptyMeansEverything(Broken):
    """an empty removal deletes the corpus"""

    caught_by = "test_remove_nothing"

    def remove(self, ids: Sequence[str]) -> None:
        if ids:
            super().remove(ids)
        else:
            self.drop(list(self.records))


class RemembersWhatItRemoved(Broken):
    """an id once removed is taken for done, and never planted again"""

    caught_by = "test_plant_and_remove_again_and_again"

    def put(self, plant: Plant) -> None:
        if plant.id not in getattr(self, "done", ()):
            super().put(plant)

    def remove(self, ids: Sequence[str]) -> None:
        self.done = {*getattr(self, "done", ()), *(i for i in ids if i in self.records)}
        super().remove(ids)


# reading


class StaleRead(Broken):
    """records once read are served from a cache"""

    caught_by = "test_read_sees_what_the_application_writes"

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        cache: dict[str, Record] = self.__dict__.setdefault("cache", {})
        cache.update((i, r) for i, r in super().read([i for i in ids if i not in cache]).items())
        return {i: cache[i] for i in ids if i in cache}


class ReadsItsOwnWrites(Broken):
    """read answers from what this object wrote, whatever became of it"""

    caught_by = "test_read_sees_what_the_application_writes"

    def put(self, plant: Plant) -> None:
        super().put(plant)
        self.__dict__.setdefault("mine", {})[plant.id] = self.records[plant.id]

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        mine = self.__dict__.setdefault("mine", {})
        return {**super().read(ids), **{i: mine[i] for i in ids if i in mine}}

    def remove(self, ids: Sequence[str]) -> None:
        super().remove(ids)
        for id_ in ids:
            self.__dict__.setdefault("mine", {}).pop(id_, None)


class InventsTheAbsent(Broken):
    """read gives an empty record for an id that is not there"""

    caught_by = "test_absent_is_absent"

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        return {i: self.records.get(i, Record(i, None)) for i in ids}

    def inject(self, plants: Sequence[Plant]) -> None:
        for plant in plants:
            self.put(plant)
        self._fitted = None


class ReadsTheFirstPageForNothing(Broken):
    """an empty read gives the first records of the corpus"""

    caught_by = "test_read_nothing"

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        return super().read(ids or list(self.records)[:10])


class ReadsWithoutMetadata(Broken):
    """read leaves the metadata out"""

    caught_by = "test_read_gives_what_is_there"

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        return {i: replace(r, metadata=None) for i, r in super().read(ids).items()}

    def inject(self, plants: Sequence[Plant]) -> None:
        for plant in plants:
            check_plant(plant)
            refuse_foreign(super().read([plant.id]), plant.campaign)
        for plant in plants:
            self.put(plant)


class LosesTheLastPage(Broken):
    """a scan ends before its last, short page"""

    caught_by = "test_scan_gives_every_record_once"

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        for page in super().scan(batch, vectors=vectors):
            if len(page) == batch or batch > len(self.records):
                yield page


class ListsThreePlants(Broken):
    """the reader's list of plants stops at a default limit"""

    caught_by = "test_plants_are_all_plants"

    def plants(self) -> Sequence[Record]:
        return list(super().plants())[:3]


class CountsItself(Broken):
    """describe counts one record too many"""

    caught_by = "test_size_is_the_number_of_records"

    def describe(self) -> CorpusDescription:
        return replace(super().describe(), size=len(self.records) + 1)


class NewIdentityEachTime(Broken):
    """the identity is that of the object rather than of the container"""

    caught_by = "test_identity_outlives_the_injector"

    def describe(self) -> CorpusDescription:
        return replace(super().describe(), identity=uuid.uuid4().hex)


# asking, and several at once


class WorstFirst(Broken):
    """the retriever returns its list upside down"""

    caught_by = "test_the_targets_retriever_finds_plants"

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        return [Reply(reply.sources[::-1]) for reply in super().retrieve(queries, k)]


class StaleSearch(Broken):
    """the retriever keeps its answers"""

    caught_by = "test_the_targets_retriever_goes_back_to_what_it_gave"

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        cache: dict[Any, Reply] = self.__dict__.setdefault("answers", {})
        for query in queries:
            if (query, k) not in cache:
                cache[query, k] = super().retrieve([query], k)[0]
        return [cache[query, k] for query in queries]


class LosesConcurrentWrites(Broken):
    """inject copies the corpus, adds the plants, and puts the copy in its place"""

    caught_by = "test_campaigns_at_the_same_time"

    def inject(self, plants: Sequence[Plant]) -> None:
        before = self.records
        self.records = dict(before)
        super().inject(plants)
        after, self.records = self.records, before
        time.sleep(0.02)
        self.records = after
