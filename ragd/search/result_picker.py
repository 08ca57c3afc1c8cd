"""Picks the results of one search from ranked candidates. Passages with equal text count once,
and neighbouring passages of one section are joined.

With `each_note`, equal passages count once in each note.

Rows and file checks are kept while the search goes deeper, so nothing is read twice. It never looks
up candidates itself.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import UNSET, Struct, structs

from ragd.access.scope import Permits
from ragd.notes.markdown.code_marks import readable
from ragd.search.dates.candidate_dates import latest_day
from ragd.search.file_check import FileCheck
from ragd.search.passage_scoring import ScoredPassage
from ragd.search.ranking.fusion import Candidate
from ragd.search.ranking.passage_joining import join_passages, may_join, place_in_joined
from ragd.search.ranking.result_explanation import linked_explanation
from ragd.search.ranking.score import EVIDENCE_DEPTH, Evidence, is_answered
from ragd.search.results import Result, cite
from ragd.store.lance import ChunkIndex, ChunkRow
from ragd.vault.files import UNKNOWN_STAT, FileStat

LOOK_AHEAD = 64  # notes with the same passage that are checked at once, if the first is gone
OTHER_NOTES_LISTED = 5  # other notes with the same passage
OTHER_NOTES_CHECKED = 200  # of these, whether they still exist
PLACES_WITHIN_S = 2.0

ShownPassage = tuple[ChunkRow, Result]
ScorePassage = Callable[[ChunkRow, Candidate, FileStat], ScoredPassage]
Score = Callable[[Sequence[Evidence]], list[float]]


class _PickedPassage(Struct, frozen=True):
    """A passage that is shown, and all candidates with its text."""

    row: ChunkRow
    result: Result
    equal: list[Candidate]
    evidence: Evidence
    fits: bool
    parts: int = 1  # number of stored passages that it is joined from


class ResultPicker:
    """The results of one search so far: `best` can be returned at any time."""

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
        self._rows: dict[str, ChunkRow | None] = {}  # None: no longer in the index
        self._file_stats: dict[str, FileStat | None] = {}  # None: no longer in the vault
        self.dated: list[tuple[str, str]] = []  # dates and texts of all candidates
        self._best: list[_PickedPassage] = []
        self._further: list[Evidence] = []  # of the next best passages, which are not shown
        self._scored: tuple[list[_PickedPassage], list[ShownPassage]] = (self._best, [])

    @property
    def best(self) -> list[ShownPassage]:
        """The results so far. No score is higher than the score of a result before it."""
        if self._scored[0] is self._best:  # each change makes a new list
            return self._scored[1]
        given = self._score(self._evidence)
        found: list[ShownPassage] = []
        ranked = 0
        for pick in self._best:
            # A linked note was ranked among linked notes only: it has the score of the next result.
            score = given[ranked] if ranked < len(given) else 0.0
            ranked += pick.result.via is None
            found.append((pick.row, structs.replace(pick.result, score=round(score, 4))))
        self._scored = (self._best, found)
        return found

    def is_answered(self, needed: float) -> bool:
        """Whether the results may answer the question."""
        return is_answered(self._evidence, needed)

    @property
    def _evidence(self) -> list[Evidence]:
        ranked = (pick.evidence for pick in self._best if pick.result.via is None)
        return [*ranked, *self._further]

    async def pick(self, ranked: Sequence[Candidate]) -> bool:
        """Fill `best` from these. Returns whether deeper candidates may fill more places."""
        permitted = [one for one in ranked if self._permits(one.source_file)]
        self.dated = [(one.date, one.text) for one in permitted if one.date]
        passages = _group_by_text(permitted, self._each_note)
        dropped = len(ranked) - len(passages)
        kept: list[_PickedPassage] = []
        wanted = max(self._most, EVIDENCE_DEPTH)
        # Some passages are joined or do not fit. Checking the next notes now saves a second call.
        ahead = [equal[0].source_file for equal in passages[: 2 * wanted]]
        await self._check_files(ahead)
        for start in range(0, len(passages), wanted):
            some = passages[start : start + wanted]
            await self._load(some)
            existing = [pick for equal in some if (pick := self._pick_passage(equal)) is not None]
            good = [pick for pick in existing if pick.fits]
            dropped += len(some) - len(existing)
            for pick in good:
                _add_or_join(kept, pick)
            if len(kept) > len(self._best):  # an earlier round may have found more
                self._set_best(kept)
            if len(kept) >= wanted:
                break
            if existing and not good:  # later passages fit even less
                dropped = 0
                break
        self._set_best(kept)
        return len(kept) < self._most and dropped > 0

    def _set_best(self, kept: Sequence[_PickedPassage]) -> None:
        self._best = list(kept[: self._most])
        self._further = [pick.evidence for pick in kept[self._most : EVIDENCE_DEPTH]]

    async def add_linked(
        self, ranked: Sequence[Candidate], via: Mapping[str, str], places: Sequence[int]
    ) -> None:
        """Insert the best of these at `places`, or at the end; `via` has the reason by path.

        The last results are dropped if there is no room.
        """
        free = [place for place in places if place < self._most]
        permitted = [one for one in ranked if self._permits(one.source_file)]
        for equal in _group_by_text(_best_of_each_note(permitted), True):
            if not free:
                return
            await self._load([equal])
            pick = self._pick_passage(equal)
            if pick is not None and pick.fits:
                self._insert_linked(pick, via[pick.row.source_file], free.pop(0))

    def _insert_linked(self, pick: _PickedPassage, why: str, at: int) -> None:
        reason = structs.replace(pick.result, via=why)
        if reason.explanation is not UNSET:
            explanation = linked_explanation(reason.explanation)
            reason = structs.replace(reason, explanation=explanation)
        kept, last = self._best[: self._most - 1], self._best[self._most - 1 :]
        kept.insert(at, structs.replace(pick, result=reason))
        self._best = kept
        self._further = [*(one.evidence for one in last), *self._further]

    async def list_other_notes(self) -> None:
        """Add the other notes with the same text to passages that were found more than once."""
        repeated = [pick for pick in self._best if len(pick.equal) > 1]
        if not repeated:
            return
        texts = [pick.row.chunk_text for pick in repeated]
        try:
            async with asyncio.timeout(PLACES_WITHIN_S):
                places = await self._index.find_exact_texts(texts, self._where)
        except TimeoutError:  # only the notes that this search found are known
            places = {pick.row.chunk_text: _count_by_note(pick.equal) for pick in repeated}
        named: dict[int, _PickedPassage] = {}
        for pick in repeated:
            counted = places.get(pick.row.chunk_text, {})
            named[id(pick)] = await self._with_places(pick, counted)
        self._best = [named.get(id(pick), pick) for pick in self._best]

    def mark_superseded(self) -> None:
        """Mark older statements with the newer passage of the answer that supersedes them. A note
        without a date is older than a passage of a day after its file's time."""
        newest: dict[str, _PickedPassage] = {}
        for pick in self._best:
            chain = pick.equal[0].chain
            if chain and _stated_at(pick) > _stated_at(newest.get(chain)):
                newest[chain] = pick
        self._best = [
            _with_superseded_by(pick, newest.get(pick.equal[0].chain)) for pick in self._best
        ]

    def mark_maybe_newer(self) -> None:
        """Name the newest passage that probably states the asked fact at older ones above it."""
        likely = [pick for pick in self._best if pick.equal[0].likely and pick.row.date]
        if not likely:
            return
        newest = max(likely, key=lambda pick: pick.row.date or "")
        below = self._best.index(newest)
        self._best[:below] = [_with_maybe_newer(pick, newest) for pick in self._best[:below]]

    async def _with_places(
        self, pick: _PickedPassage, counted: Mapping[str, int]
    ) -> _PickedPassage:
        own = pick.row.source_file
        found = [one.source_file for one in pick.equal]
        in_order = {} if self._each_note else dict.fromkeys([*found, *sorted(counted)])
        others = [path for path in in_order if path != own and self._permits(path)]
        await self._check_files(others[:OTHER_NOTES_CHECKED])
        others = [path for path in others if self._file_stats.get(path, UNKNOWN_STAT) is not None]
        result = structs.replace(
            pick.result,
            also_in=tuple(others[:OTHER_NOTES_LISTED]),
            also_in_total=len(others),
            places=sum(max(1, counted.get(path, 0)) for path in (own, *others)),
        )
        return structs.replace(pick, result=result)

    async def _load(self, passages: Sequence[list[Candidate]]) -> None:
        """Read rows and files until each passage has a note that exists, or none is left."""
        while True:
            firsts = [(equal, self._first_existing(equal)) for equal in passages]
            wanted = [(equal, first) for equal, first in firsts if first and self._is_unread(first)]
            if not wanted:
                return
            paths = [path for equal, first in wanted for path in self._next_paths(equal, first)]
            ids = [first.chunk_id for _, first in wanted if first.chunk_id not in self._rows]
            rows = await self._read(paths, ids)
            self._rows.update(dict.fromkeys(ids))
            self._rows.update({row.chunk_id: row for row in rows})

    async def _read(self, paths: Sequence[str], ids: Sequence[str]) -> list[ChunkRow]:
        """These rows. Checks the files that were not checked before, at the same time."""
        if all(path in self._file_stats for path in paths):
            return await self._index.read_chunks(ids)
        _, rows = await asyncio.gather(self._check_files(paths), self._index.read_chunks(ids))
        return rows

    async def _check_files(self, paths: Iterable[str]) -> None:
        new = [path for path in dict.fromkeys(paths) if path not in self._file_stats]
        if new:
            stats = await self._file_check.check(new)
            # If the vault is unavailable, every note may still exist.
            self._file_stats.update(dict.fromkeys(new, UNKNOWN_STAT) if stats is None else stats)

    def _first_existing(self, equal: Sequence[Candidate]) -> Candidate | None:
        """The best candidate whose row and note are not known to be gone."""
        for one in equal:
            is_gone = self._file_stats.get(one.source_file, UNKNOWN_STAT) is None
            if not is_gone and self._rows.get(one.chunk_id, one) is not None:
                return one
        return None

    def _is_unread(self, one: Candidate) -> bool:
        return one.source_file not in self._file_stats or one.chunk_id not in self._rows

    def _next_paths(self, equal: Sequence[Candidate], first: Candidate) -> list[str]:
        """The notes to check next: several at once if the best one is gone."""
        if first is equal[0]:
            return [first.source_file]
        paths = dict.fromkeys(one.source_file for one in equal)
        return [path for path in paths if path not in self._file_stats][:LOOK_AHEAD]

    def _pick_passage(self, equal: list[Candidate]) -> _PickedPassage | None:
        first = self._first_existing(equal)
        row = self._rows.get(first.chunk_id) if first is not None else None
        if first is None or row is None:
            return None
        stat = self._file_stats[row.source_file] or UNKNOWN_STAT
        scored = self._score_passage(row, first, stat)
        return _PickedPassage(row, scored.result, equal, scored.evidence, scored.fits)


def _add_or_join(kept: list[_PickedPassage], pick: _PickedPassage) -> None:
    """Add a passage, or join it to a neighbour that is already kept and stays in its place.
    Passages that are in several notes are not joined."""
    for place, one in enumerate(kept):
        is_single = len(one.equal) == len(pick.equal) == 1
        if is_single and may_join(one.row, one.parts, pick.row):
            row = join_passages(one.row, pick.row)
            result = structs.replace(
                one.result,
                chunk_text=readable(row.chunk_text),
                chunk_index=row.chunk_index,
                tags=row.tags,
                best_part=place_in_joined(row.chunk_text, one.row.chunk_text, one.result.best_part),
                start_line=row.start_line,
                end_line=row.end_line,
                citation=cite(row),
            )
            kept[place] = _PickedPassage(
                row, result, one.equal, one.evidence, one.fits, one.parts + pick.parts
            )
            return
    kept.append(pick)


def _stated_at(pick: _PickedPassage | None) -> str:
    """The day or month of a passage's statement; empty if it is not known."""
    return "" if pick is None else pick.row.date or pick.equal[0].stated_month


def _with_superseded_by(pick: _PickedPassage, newest: _PickedPassage | None) -> _PickedPassage:
    if newest is None:
        return pick
    day = _stated_at(pick) or latest_day(None, pick.row.modified_at, datetime.astimezone)
    if not day or day >= _stated_at(newest):
        return pick
    result = structs.replace(pick.result, superseded_by=newest.result.citation)
    return structs.replace(pick, result=result)


def _with_maybe_newer(pick: _PickedPassage, newest: _PickedPassage) -> _PickedPassage:
    found = pick.equal[0]
    is_older = found.likely and (pick.row.date or "9999") < (newest.row.date or "")
    if not is_older or found.chain:  # of a chain, the newest statement is known
        return pick
    result = structs.replace(pick.result, maybe_newer=newest.result.citation)
    return structs.replace(pick, result=result)


def _best_of_each_note(ranked: Sequence[Candidate]) -> list[Candidate]:
    first: dict[str, Candidate] = {}
    for one in ranked:
        first.setdefault(one.source_file, one)
    return list(first.values())


def _group_by_text(ranked: Iterable[Candidate], each_note: bool) -> list[list[Candidate]]:
    """Groups of candidates with the same text; the groups and each group are in rank order."""
    found: dict[tuple[bytes, str], list[Candidate]] = {}
    for one in ranked:
        found.setdefault((one.text_key, one.source_file if each_note else ""), []).append(one)
    return list(found.values())


def _count_by_note(equal: Iterable[Candidate]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in equal:
        found[one.source_file] = found.get(one.source_file, 0) + 1
    return found
