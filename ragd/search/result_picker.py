"""Picks the results of one search from ranked candidates; passages with equal text count once,
and neighbouring passages of one section are joined.

With `each_note`, equal passages count once in each note.

What was read from the index or looked at in the vault is kept while the search goes deeper. It
never looks for candidates itself.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, structs

from ragd.search.file_check import FileCheck
from ragd.search.passage_scoring import ScoredPassage
from ragd.search.ranking.fusion import Candidate
from ragd.search.ranking.passage_joining import join_passages, may_join
from ragd.search.ranking.score import JUDGED, Evidence, is_answered
from ragd.search.results import Result, citation
from ragd.store.lance import ChunkIndex, ChunkRow
from ragd.vault.files import UNKNOWN_STAT, FileStat

LOOK_AHEAD = 64  # of a passage's places, once one of them turned out to be gone
LISTED = 5  # other notes with the same passage
CHECKED = 200  # of them, when there are more: whether they are still there
PLACES_WITHIN_S = 2.0

ShownPassage = tuple[ChunkRow, Result]
Permits = Callable[[str], bool]
ScorePassage = Callable[[ChunkRow, Candidate, FileStat], ScoredPassage]
Score = Callable[[Sequence[Evidence]], list[float]]


class _PickedPassage(Struct, frozen=True):
    """A passage that is shown, and all candidates that have its text."""

    row: ChunkRow
    result: Result
    equal: list[Candidate]
    evidence: Evidence
    fits: bool
    parts: int = 1  # passages of the index that it is made of


class ResultPicker:
    """The results of one search, as far as it has come: `best` can be served at any time."""

    def __init__(
        self,
        index: ChunkIndex,
        where: str | None,
        file_check: FileCheck,
        permits: Permits,
        score_passage: ScorePassage,
        score: Score,
        most: int,
        *,
        each_note: bool = False,
    ) -> None:
        self._index = index
        self._where = where
        self._file_check = file_check
        self._permits = permits
        self._score_passage = score_passage
        self._score = score
        self._most = most
        self._each_note = each_note
        self._rows: dict[str, ChunkRow | None] = {}  # None: not in the index any more
        self._facts: dict[str, FileStat | None] = {}  # None: not in the vault any more
        self.dated: list[tuple[str, str]] = []  # dates and texts of all candidates
        self._best: list[_PickedPassage] = []
        self._further: list[Evidence] = []  # of the next best, which are not shown

    @property
    def best(self) -> list[ShownPassage]:
        """What has been found up to now; no score is higher than that of a result before it."""
        given = self._score(self._evidence)
        found: list[ShownPassage] = []
        ranked = 0
        for pick in self._best:
            # A linked note is worth what comes after it is: it was ranked among linked notes only.
            score = given[ranked] if ranked < len(given) else 0.0
            ranked += pick.result.via is None
            found.append((pick.row, structs.replace(pick.result, score=round(score, 4))))
        return found

    def is_answered(self, needed: float) -> bool:
        """Whether what has been found may answer the question."""
        return is_answered(self._evidence, needed)

    @property
    def _evidence(self) -> list[Evidence]:
        ranked = (pick.evidence for pick in self._best if pick.result.via is None)
        return [*ranked, *self._further]

    async def pick(self, ranked: Sequence[Candidate]) -> bool:
        """Fill `best` from these. Whether places are left that more candidates may fill."""
        permitted = [one for one in ranked if self._permits(one.source_file)]
        self.dated = [(one.date, one.text) for one in permitted if one.date]
        passages = _by_text(permitted, self._each_note)
        dropped = len(ranked) - len(passages)
        kept: list[_PickedPassage] = []
        wanted = max(self._most, JUDGED)
        for start in range(0, len(passages), wanted):
            some = passages[start : start + wanted]
            await self._load(some)
            there = [pick for equal in some if (pick := self._picked(equal)) is not None]
            good = [pick for pick in there if pick.fits]
            dropped += len(some) - len(there)
            for pick in good:
                _add(kept, pick)
            if len(kept) > len(self._best):  # else a less deep look had more
                self._show(kept)
            if len(kept) >= wanted:
                break
            if there and not good:  # what comes after these fits even less
                dropped = 0
                break
        self._show(kept)
        return len(kept) < self._most and dropped > 0

    def _show(self, kept: Sequence[_PickedPassage]) -> None:
        self._best = list(kept[: self._most])
        self._further = [pick.evidence for pick in kept[self._most : JUDGED]]

    async def add_linked(
        self, ranked: Sequence[Candidate], via: Mapping[str, str], at: int
    ) -> None:
        """Give the best of these a place, the one at `at` or the last; `via` says why it is here.

        What is last goes if there is no room.
        """
        for equal in _by_text([one for one in ranked if self._permits(one.source_file)], True):
            await self._load([equal])
            pick = self._picked(equal)
            if pick is None or not pick.fits:
                continue
            reason = structs.replace(pick.result, via=via[pick.row.source_file])
            kept, last = self._best[: self._most - 1], self._best[self._most - 1 :]
            kept.insert(at, structs.replace(pick, result=reason))
            self._best = kept
            self._further = [*(one.evidence for one in last), *self._further]
            return

    async def list_other_places(self) -> None:
        """Say in which other notes the passages stand, of those that were met more than once."""
        repeated = [pick for pick in self._best if len(pick.equal) > 1]
        if not repeated:
            return
        texts = [pick.row.chunk_text for pick in repeated]
        try:
            async with asyncio.timeout(PLACES_WITHIN_S):
                places = await self._index.find_exact_texts(texts, self._where)
        except TimeoutError:  # then only those are known that the search came upon
            places = {pick.row.chunk_text: _counted(pick.equal) for pick in repeated}
        named: dict[int, _PickedPassage] = {}
        for pick in repeated:
            counted = places.get(pick.row.chunk_text, {})
            named[id(pick)] = await self._with_places(pick, counted)
        self._best = [named.get(id(pick), pick) for pick in self._best]

    def mark_superseded(self) -> None:
        """Say by which newer passage of the answer an older statement is superseded."""
        newest: dict[str, _PickedPassage] = {}
        for pick in self._best:
            chain = pick.equal[0].chain
            if chain and (pick.row.date or "") > (_date_of(newest.get(chain)) or ""):
                newest[chain] = pick
        self._best = [_superseded(pick, newest.get(pick.equal[0].chain)) for pick in self._best]

    async def _with_places(
        self, pick: _PickedPassage, counted: Mapping[str, int]
    ) -> _PickedPassage:
        own = pick.row.source_file
        met = [one.source_file for one in pick.equal]
        in_order = {} if self._each_note else dict.fromkeys([*met, *sorted(counted)])
        others = [path for path in in_order if path != own and self._permits(path)]
        await self._check_files(others[:CHECKED])
        others = [path for path in others if self._facts.get(path, UNKNOWN_STAT) is not None]
        result = structs.replace(
            pick.result,
            also_in=tuple(others[:LISTED]),
            also_in_total=len(others),
            places=sum(max(1, counted.get(path, 0)) for path in (own, *others)),
        )
        return structs.replace(pick, result=result)

    # What is known of candidates

    async def _load(self, passages: Sequence[list[Candidate]]) -> None:
        """Until of each passage a place is known that is there, or that there is none."""
        while True:
            firsts = [(equal, self._first(equal)) for equal in passages]
            wanted = [(equal, first) for equal, first in firsts if first and self._is_new(first)]
            if not wanted:
                return
            paths = [path for equal, first in wanted for path in self._next_paths(equal, first)]
            ids = [first.chunk_id for _, first in wanted if first.chunk_id not in self._rows]
            _, rows = await asyncio.gather(self._check_files(paths), self._index.read_chunks(ids))
            self._rows.update(dict.fromkeys(ids))
            self._rows.update({row.chunk_id: row for row in rows})

    async def _check_files(self, paths: Iterable[str]) -> None:
        new = [path for path in dict.fromkeys(paths) if path not in self._facts]
        if new:
            facts = await self._file_check.check(new)
            # If the vault is away, every note may be there.
            self._facts.update(dict.fromkeys(new, UNKNOWN_STAT) if facts is None else facts)

    def _first(self, equal: Sequence[Candidate]) -> Candidate | None:
        """The best place of a passage that is not known to be gone."""
        for one in equal:
            is_gone = self._facts.get(one.source_file, UNKNOWN_STAT) is None
            if not is_gone and self._rows.get(one.chunk_id, one) is not None:
                return one
        return None

    def _is_new(self, one: Candidate) -> bool:
        return one.source_file not in self._facts or one.chunk_id not in self._rows

    def _next_paths(self, equal: Sequence[Candidate], first: Candidate) -> list[str]:
        """Where to look next: further ahead if the best place was gone already."""
        if first is equal[0]:
            return [first.source_file]
        paths = dict.fromkeys(one.source_file for one in equal)
        return [path for path in paths if path not in self._facts][:LOOK_AHEAD]

    def _picked(self, equal: list[Candidate]) -> _PickedPassage | None:
        first = self._first(equal)
        row = self._rows.get(first.chunk_id) if first is not None else None
        if first is None or row is None:
            return None
        facts = self._facts[row.source_file] or UNKNOWN_STAT
        judged = self._score_passage(row, first, facts)
        return _PickedPassage(row, judged.result, equal, judged.evidence, judged.fits)


def _add(kept: list[_PickedPassage], pick: _PickedPassage) -> None:
    """Add a passage, or join it to its neighbour, which came before it and keeps its place. What
    stands in several notes is not joined: it is a passage of all of them."""
    for place, one in enumerate(kept):
        is_single = len(one.equal) == len(pick.equal) == 1
        if is_single and may_join(one.row, one.parts, pick.row):
            row = join_passages(one.row, pick.row)
            result = structs.replace(
                one.result,
                chunk_text=row.chunk_text,
                chunk_index=row.chunk_index,
                tags=row.tags,
                start_line=row.start_line,
                end_line=row.end_line,
                citation=citation(row.source_file, row.start_line, row.end_line),
            )
            kept[place] = _PickedPassage(
                row, result, one.equal, one.evidence, one.fits, one.parts + pick.parts
            )
            return
    kept.append(pick)


def _date_of(pick: _PickedPassage | None) -> str | None:
    return pick.row.date if pick else None


def _superseded(pick: _PickedPassage, newest: _PickedPassage | None) -> _PickedPassage:
    if newest is None or (pick.row.date or "") >= (newest.row.date or ""):
        return pick
    result = structs.replace(pick.result, superseded_by=newest.result.citation)
    return structs.replace(pick, result=result)


def _by_text(ranked: Iterable[Candidate], each_note: bool) -> list[list[Candidate]]:
    """Candidates with the same text together, each list and the lists by rank."""
    found: dict[tuple[bytes, str], list[Candidate]] = {}
    for one in ranked:
        found.setdefault((one.text_key, one.source_file if each_note else ""), []).append(one)
    return list(found.values())


def _counted(equal: Iterable[Candidate]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in equal:
        found[one.source_file] = found.get(one.source_file, 0) + 1
    return found
