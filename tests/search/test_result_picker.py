"""Picking results: equal passages count once, and nothing is read or checked twice."""

import asyncio
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import structs

from ragd.notes.markdown.code_marks import stored_mark
from ragd.search.passage_scoring import ScoredPassage
from ragd.search.ranking.fusion import Candidate
from ragd.search.ranking.score import Evidence, scores
from ragd.search.result_picker import LOOK_AHEAD, OTHER_NOTES_LISTED, ResultPicker
from ragd.search.results import make_result
from ragd.store.lance import ChunkRow
from ragd.vault.files import UNKNOWN_STAT, FileStat

HERE = FileStat(1, 1)


def row(number: int, text: str) -> ChunkRow:
    path = f"{number:04}.md"
    where: Any = (path, "", None, None, [], 0, 1, "", "", "", "", 1, 1, f"{number:04}", "")
    return ChunkRow(f"id{number}", text, *where)


class Index:
    """Rows in memory; it counts the calls."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.rows = {one.chunk_id: one for one in map(row, range(len(texts)), texts)}
        self.fetched: list[str] = []
        self.asked_places = 0
        self.hangs = False

    def candidates(self, most: int) -> list[Candidate]:
        """By rank."""
        rows = list(self.rows.values())[:most]
        return [Candidate(r.chunk_id, r.source_file, r.chunk_text.encode()) for r in rows]

    async def read_chunks(self, chunk_ids: Sequence[str]) -> list[ChunkRow]:
        self.fetched += chunk_ids
        return [self.rows[one] for one in chunk_ids if one in self.rows]

    async def find_exact_texts(
        self, texts: Sequence[str], where: str | None = None
    ) -> dict[str, dict[str, int]]:
        self.asked_places += 1
        if self.hangs:
            raise TimeoutError
        found: dict[str, dict[str, int]] = {text: {} for text in texts}
        for one in self.rows.values():
            if one.chunk_text in found:
                counted = found[one.chunk_text]
                counted[one.source_file] = counted.get(one.source_file, 0) + 1
        return found


class FileCheck:
    """Notes that exist, except for some; it counts the checks of each."""

    def __init__(self, gone: Iterable[str] = (), *, is_away: bool = False) -> None:
        self.gone = set(gone)
        self.looks: list[str] = []
        self.calls = 0
        self._is_away = is_away

    async def check(self, paths: Iterable[str]) -> Mapping[str, FileStat | None] | None:
        self.calls += 1
        self.looks += list(paths)
        if self._is_away:
            return None
        return {path: None if path in self.gone else HERE for path in paths}


def score_passage(row: ChunkRow, found: Candidate, now: FileStat) -> ScoredPassage:
    shown = make_result(row, 0.0, "vault", unverified=now == UNKNOWN_STAT)
    return ScoredPassage(shown, Evidence(covered=1.0, lead=1.0), fits=row.chunk_text != "weak")


def picking(index: Index, presence: FileCheck, most: int = 5, denied: str = "-") -> ResultPicker:
    def permits(path: str) -> bool:
        return not path.startswith(denied)

    def score(found: Sequence[Evidence]) -> list[float]:
        return scores(found, None)

    return ResultPicker(index, None, presence, permits, score_passage, score, most)  # type: ignore[arg-type]


async def with_linked(most: int, ordinary: int, linked: int) -> list[str | None]:
    """The reasons of the results, in order."""
    index = Index([f"text {number}" for number in range(ordinary + linked)])
    every = index.candidates(ordinary + linked)
    picked = picking(index, FileCheck(), most)
    await picked.pick(every[:ordinary])
    twice = [one for one in every[ordinary:] for _ in range(2)]  # two passages of each note
    await picked.add_linked(twice, {one.source_file: "linked" for one in twice}, (4, 7, 9))
    assert len({row.source_file for row, _ in picked.best}) == len(picked.best)
    return [result.via for _, result in picked.best]


def test_linked_notes_take_some_of_the_later_places() -> None:
    def places(most: int, ordinary: int, linked: int) -> list[int]:
        reasons = asyncio.run(with_linked(most, ordinary, linked))
        return [place for place, why in enumerate(reasons) if why]

    assert places(5, 20, 5) == [4]
    assert places(8, 20, 5) == [4, 7]
    assert places(10, 20, 5) == [4, 7, 9]
    assert places(10, 20, 2) == [4, 7]
    assert places(10, 2, 5) == [2, 3, 4]  # at the end of a short list


def test_a_thousand_equal_passages_are_one_result_that_is_read_once() -> None:
    async def search() -> None:
        index, presence = Index(["same"] * 1000 + ["other"]), FileCheck()
        picked = picking(index, presence)
        has_room = False
        for depth in (50, 200, 800, 3200):
            has_room = await picked.pick(index.candidates(depth))
            assert has_room
        assert index.fetched == ["id0", "id1000"]
        assert [r.chunk_text for r, _ in picked.best] == ["same", "other"]
        await picked.list_other_notes()
        [(_, first), (_, second)] = picked.best
        assert (first.also_in_total, first.places) == (999, 1000)
        assert first.also_in == ("0001.md", "0002.md", "0003.md", "0004.md", "0005.md")
        assert (second.also_in, second.also_in_total, second.places) == ((), 0, 1)
        assert len(presence.looks) == len(set(presence.looks))

    asyncio.run(search())


def test_without_equal_passages_no_other_notes_are_looked_up() -> None:
    async def search() -> None:
        index = Index(["one", "two", "three"])
        picked = picking(index, FileCheck())
        assert not await picked.pick(index.candidates(50))
        await picked.list_other_notes()
        assert index.asked_places == 0
        assert [found.places for _, found in picked.best] == [1, 1, 1]

    asyncio.run(search())


def test_the_best_note_that_exists_is_shown_and_missing_ones_are_not_named() -> None:
    async def search() -> None:
        index = Index(["same"] * 10)
        gone = [f"{number:04}.md" for number in (0, 1, 2, 4)]
        picked = picking(index, FileCheck(gone))
        assert await picked.pick(index.candidates(50))
        await picked.list_other_notes()
        [(shown, found)] = picked.best
        assert shown.source_file == "0003.md"
        assert found.also_in == ("0005.md", "0006.md", "0007.md", "0008.md", "0009.md")
        assert (found.also_in_total, found.places) == (5, 6)

    asyncio.run(search())


def test_notes_that_are_not_permitted_are_neither_shown_nor_counted() -> None:
    async def search() -> None:
        index = Index(["same"] * 3)
        picked = picking(index, FileCheck(), denied="0000")
        assert await picked.pick(index.candidates(50))
        await picked.list_other_notes()
        [(shown, found)] = picked.best
        assert (shown.source_file, found.also_in) == ("0001.md", ("0002.md",))
        assert (found.also_in_total, found.places) == (1, 2)

    asyncio.run(search())


def test_a_deleted_folder_of_equal_notes_is_checked_in_large_steps() -> None:
    async def search() -> None:
        index = Index(["same"] * 600)
        presence = FileCheck(f"{number:04}.md" for number in range(599))
        picked = picking(index, presence)
        await picked.pick(index.candidates(600))
        assert [shown.source_file for shown, _ in picked.best] == ["0599.md"]
        assert presence.calls <= 600 // LOOK_AHEAD + 3

    asyncio.run(search())


def test_while_the_vault_is_unavailable_all_notes_are_named_unverified() -> None:
    async def search() -> None:
        index = Index(["same"] * 9)
        picked = picking(index, FileCheck(is_away=True))
        await picked.pick(index.candidates(50))
        await picked.list_other_notes()
        [(_, found)] = picked.best
        assert found.unverified
        assert (len(found.also_in), found.also_in_total) == (OTHER_NOTES_LISTED, 8)

    asyncio.run(search())


def test_if_the_lookup_times_out_the_notes_found_so_far_are_named() -> None:
    async def search() -> None:
        index = Index(["same"] * 100)
        index.hangs = True
        picked = picking(index, FileCheck())
        await picked.pick(index.candidates(4))
        await picked.list_other_notes()
        [(_, found)] = picked.best
        assert (found.also_in, found.places) == (("0001.md", "0002.md", "0003.md"), 4)

    asyncio.run(search())


def test_results_can_be_returned_while_the_search_goes_on() -> None:
    async def search() -> None:
        index, presence = Index(["one", *["weak"] * 30, "two", "three"]), FileCheck()
        picked = picking(index, presence, most=2)
        assert await picked.pick(index.candidates(20))
        assert [r.chunk_text for r, _ in picked.best] == ["one"]
        assert not await picked.pick(index.candidates(50))
        assert [r.chunk_text for r, _ in picked.best] == ["one", "two"]

    asyncio.run(search())


def test_neighbouring_passages_of_a_section_are_one_result() -> None:
    async def search() -> None:
        mark = stored_mark("python", 3)
        index = Index([f"first\n{mark}", "second", "far away"])
        for number, (chunk, lines) in enumerate(((0, (1, 4)), (1, (4, 9)), (7, (40, 41)))):
            old = index.rows[f"id{number}"]
            index.rows[f"id{number}"] = structs.replace(
                old,
                source_file="long.md",
                chunk_index=chunk,
                start_line=lines[0],
                end_line=lines[1],
            )
        picked = picking(index, FileCheck(), most=2)
        await picked.pick(index.candidates(50))
        [(row, found), (_, other)] = picked.best
        assert row.chunk_text == f"first\n{mark}\nsecond"
        assert found.chunk_text == "first\n[code: python, 3 lines]\nsecond"
        assert found.citation == "long.md#L1-L9"
        assert other.chunk_text == "far away"

    asyncio.run(search())


async def test_the_score_does_not_depend_on_how_many_results_are_shown() -> None:
    """The evidence for the ten best results counts, even if only one is shown."""
    index = Index([f"text {number}" for number in range(12)])
    best = {f"id{number}": 0.1 * number for number in range(12)}

    def score_passage(row: ChunkRow, found: Candidate, now: FileStat) -> ScoredPassage:
        evidence = Evidence(0.2, covered=min(1.0, best[row.chunk_id]), lead=0.5)
        return ScoredPassage(make_result(row, 0.0, "vault"), evidence, fits=True)

    firsts = set()
    for most in (1, 3, 10, 12):
        picking = ResultPicker(
            index,  # type: ignore[arg-type]
            None,
            FileCheck(),  # type: ignore[arg-type]
            lambda path: True,
            score_passage,
            functools.partial(scores, model="english"),
            most,
        )
        await picking.pick(index.candidates(12))
        assert len(picking.best) == most
        firsts.add(picking.best[0][1].score)
    assert len(firsts) == 1


async def test_the_search_goes_no_deeper_if_nothing_fits() -> None:
    """Equal passages leave empty places, but deeper passages would fit even less."""
    index = Index(["weak"] * 30)
    found = picking(index, FileCheck())
    assert not await found.pick(index.candidates(30))
    assert found.best == []


def test_an_older_passage_above_a_newer_one_that_may_say_more_names_it() -> None:
    async def marks(*said: tuple[str | None, float]) -> list[str | None]:
        index = Index(["passage"] * len(said))
        for at, (day, _) in enumerate(said):
            row = index.rows[f"id{at}"]
            index.rows[f"id{at}"] = structs.replace(row, date=day, chunk_text=f"passage {at}")
        picked = picking(index, FileCheck())
        found = index.candidates(len(said))
        for one, (_, likely) in zip(found, said, strict=True):
            one.likely = likely
        await picked.pick(found)
        picked.mark_maybe_newer()
        return [result.maybe_newer for _, result in picked.best]

    async def search() -> None:
        newer = "0002.md#L1-L1"
        assert await marks(("2025-01-01", 1), ("2024-01-01", 0), ("2026-01-01", 1)) == [
            *(newer, None, None)
        ]
        assert await marks(("2026-01-01", 1), ("2025-01-01", 1)) == [None, None]
        assert await marks(("2025-01-01", 1), ("2026-01-01", 0)) == [None, None]
        assert await marks((None, 1), ("2026-01-01", 1)) == [None, None]

    asyncio.run(search())


def test_a_note_without_a_date_is_superseded_only_after_the_day_of_its_file() -> None:
    async def marks(modified_at: str) -> list[str | None]:
        index = Index(["newer", "undated"])
        newer, undated = index.rows.values()
        index.rows["id0"] = structs.replace(newer, date="2026-05-02")
        index.rows["id1"] = structs.replace(undated, modified_at=modified_at)
        picked = picking(index, FileCheck())
        found = index.candidates(2)
        for one in found:
            one.chain = "id0"
        await picked.pick(found)
        picked.mark_superseded()
        return [result.superseded_by for _, result in picked.best]

    async def search() -> None:
        assert await marks("2026-04-30T12:00:00Z") == [None, "0000.md#L1-L1"]
        assert await marks("2026-05-02T12:00:00Z") == [None, None]
        assert await marks("2026-05-04T12:00:00Z") == [None, None]
        assert await marks("") == [None, None]

    asyncio.run(search())
