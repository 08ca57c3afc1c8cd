"""What a reader shows of a note: the passages of the index, at the lines of the note."""

from msgspec import structs

from ragd.gateway.reader_mode import excerpt_of_passages
from ragd.notes.excerpt import ExcerptLimits
from ragd.protocol.tool_schemas import NoteRequest
from ragd.store.lance import ChunkRow

ROOM = ExcerptLimits(100, 10_000)


def row(index: int, text: str, first: int, last: int, position: str = "") -> ChunkRow:
    return ChunkRow(
        chunk_id=f"c{index}",
        chunk_text=text,
        source_file="Garden.md",
        source_directory="",
        section=None,
        date=None,
        tags=[],
        chunk_index=index,
        total_chunks=2,
        modified_at="2026-11-16T12:00:00.000000Z",
        indexed_at="2026-11-16T12:00:00.000000Z",
        content_hash="h",
        file_sha256="s",
        start_line=first,
        end_line=last,
        title="Garden",
        heading_path="",
        position=position,
    )


ROWS = [row(0, "The pear tree\nis old.", 1, 2), row(1, "The gate\nsqueaks.", 5, 6)]


def test_the_lines_have_the_numbers_of_the_note() -> None:
    found = excerpt_of_passages(NoteRequest("Garden.md"), ROWS, ROOM)
    assert found is not None
    assert found.lines == ["The pear tree", "is old.", "", "", "The gate", "squeaks."]
    assert (found.first, found.last, found.total) == (1, 6, 6)


def test_only_the_passages_with_the_lines_are_shown() -> None:
    found = excerpt_of_passages(NoteRequest("Garden.md", 6, 6), ROWS, ROOM)
    assert found is not None
    assert found.lines == ["The gate", "squeaks."]
    assert [part.chunk_text for part in found.parts] == ["The gate\nsqueaks."]
    assert excerpt_of_passages(NoteRequest("Garden.md", 7, 9), ROWS, ROOM) is None


def test_a_passage_with_more_text_than_lines_loses_nothing() -> None:
    long = [row(0, "one\ntwo\nthree", 1, 2)]
    found = excerpt_of_passages(NoteRequest("Garden.md"), long, ROOM)
    assert found is not None
    assert found.lines == ["one", "two three"]


def test_a_place_names_its_passages() -> None:
    pages = [row(0, "first", 1, 1, "page=1"), row(1, "second", 2, 2, "page=2")]
    wanted = structs.replace(NoteRequest("paper.pdf"), place="page=2")
    found = excerpt_of_passages(wanted, pages, ROOM)
    assert found is not None
    assert found.lines == ["second"]


def test_a_long_note_is_cut_to_the_room() -> None:
    found = excerpt_of_passages(NoteRequest("Garden.md"), ROWS, ExcerptLimits(100, 20))
    assert found is not None
    assert found.lines == ["The pear tree"]
    assert found.is_cut
