"""Whole notes: ids, dates, names, warnings."""

import hashlib
import uuid

import pytest

from ragd.notes import chunk_maker, decoding
from ragd.notes import parse as module
from ragd.notes.chunk_maker import CHUNK_NAMESPACE, chunk_id
from ragd.notes.markdown import frontmatter
from ragd.notes.model import Chunk, ChunkOptions, Note
from ragd.notes.parse import Unparsable, fingerprint, parse_note
from ragd.notes.wordpiece import WordPiece
from tests.notes.conftest import Parse

# Made once from the notes below. If this test fails, the chunks of a note have changed: raise
# parse.FINGERPRINT by one, so that every index is rebuilt, then put the new value here.
GOLDEN = (7, "822e03bc7fe50118b2fd343e1f182d8a99b3171aae5083e997a5799ae093e42d")
GOLDEN_NOTES = {
    "Journal/2024-01-15.md": "---\ntags: [day]\nmood: 3\n---\n# Monday\n#health\nWell. #sleep\n",
    "Luna.md": "---\npeople: [Luna]\n---\n" + "We talked about films again. " * 200,
    "Long.md": "# Long\n" + "A sentence of several words. " * 400 + "\n## Next\n- one\n- two\n",
    "HTML.md": "a < b <b>bold</b> [[Note|shown]] %%gone%% `<x>`\n```py\ncode\n```\nend",
    "日本.md": "今日は天気がいいですね。" * 120,
    "日本/Notes.md": "価格は3,500円で、彼は「散歩に行く」と言った、" * 90
    + "http://a.b/c "
    + "漢字" * 900,
    "2024/Empty.md": "%%nothing%%",
    "한국.md": "한국어를 공부합니다\r\n\r\n\r\nsecond\u202e line",
}


def test_the_chunks_of_a_note_change_only_with_the_fingerprint(
    wordpiece: WordPiece,
) -> None:
    digest = hashlib.sha256()
    for path, text in GOLDEN_NOTES.items():
        for code_blocks in ("remove", "keep"):
            options = ChunkOptions(code_blocks=code_blocks)
            digest.update(repr(parse_note(path, text.encode(), options, wordpiece.count)).encode())
    assert (module.FINGERPRINT, digest.hexdigest()) == GOLDEN


def test_the_fingerprint_has_the_code_and_the_options() -> None:
    default = fingerprint(ChunkOptions())
    assert default == f"{module.FINGERPRINT}:500:100:remove"
    others = [ChunkOptions(chunk_size=400), ChunkOptions(chunk_overlap=50)]
    others.append(ChunkOptions(code_blocks="keep"))
    assert len({default, *map(fingerprint, others)}) == 4


def test_a_chunk_s_id_is_the_documented_uuid() -> None:
    namespace = uuid.uuid5(uuid.NAMESPACE_URL, "ragd:chunk")
    assert namespace.bytes == CHUNK_NAMESPACE
    for index in range(64):
        name = f"Journal/日記.md\0{index}\0{'ab' * 32}"
        assert chunk_id("Journal/日記.md", index, "ab" * 32) == str(uuid.uuid5(namespace, name))


def test_the_same_bytes_give_the_same_note(parse: Parse) -> None:
    text = "# A\n" + "some words " * 2000
    assert parse(text, "a.md") == parse(text, "a.md")


def test_another_path_or_index_gives_another_id(parse: Parse) -> None:
    here, there = parse("text", "a.md").chunks[0], parse("text", "b/a.md").chunks[0]
    assert here.chunk_id != there.chunk_id
    assert here.content_hash == there.content_hash
    twice = parse("# A\nthe same words every time\n" * 2).chunks
    assert twice[0].chunk_id != twice[1].chunk_id
    assert twice[0].content_hash == twice[1].content_hash


def test_the_embedded_text_begins_with_title_and_path(parse: Parse) -> None:
    chunk: Chunk = parse("---\ntitle: T\n---\n# A\n## B\ntext").chunks[0]
    assert chunk.embed_text == f"T\nA > B\n\n{chunk.text}"
    assert chunk.content_hash == hashlib.sha256(chunk.embed_text.encode()).hexdigest()
    assert parse("text", "Ideas/Tea.md").chunks[0].embed_text == "Tea\n\ntext"


def test_the_searched_text_has_all_names(parse: Parse) -> None:
    chunk = parse("---\naliases: [Other name]\ntags: [x]\n---\n# H\ntext #y", "Tea.md").chunks[0]
    for name in ("Tea", "Other name", "H", "#x", "#y", "text"):
        assert name in chunk.search_text


@pytest.mark.parametrize(
    ("path", "text", "day"),
    [
        ("2024-01-15.md", "---\ndate: 2020-02-02\n---\n## 2021-03-03\nx", "2024-01-15"),
        ("Log.md", "---\ndate: 2020-02-02\n---\n## 2021-03-03\nx", "2020-02-02"),
        ("Log.md", "## 2021-03-03\nx", "2021-03-03"),
        ("Log.md", "---\ncreated: 2020-02-02\n---\n## 2021-03-03\nx", "2021-03-03"),
        ("Log.md", "---\ncreated: 2020-02-02\n---\nx", "2020-02-02"),
        ("Log.md", "---\nstart: 2023-09-03\ncreated: 2020-02-02\n---\nx", "2023-09-03"),
        ("Log.md", "---\nstart: soon\ndate created: 2020-02-02\n---\nx", "2020-02-02"),
        ("Log.md", "---\nstart: 2023-09-03\n---\n## 2023-09-05\nx", "2023-09-05"),
        ("Log.md", "---\nstart: 2023-09-03\ndate: 2024-01-01\n---\nx", "2024-01-01"),
        ("2021-03.md", "## 2021-03-03\nx", "2021-03-03"),
        ("2021-03.md", "x", "2021-03-01"),
        ("Log.md", "---\ndate: yesterday\n---\nx", None),
    ],
)
def test_the_day_comes_from_the_name_then_the_properties_then_the_heading(
    parse: Parse, path: str, text: str, day: str | None
) -> None:
    assert parse(text, path).chunks[0].date == day


def test_a_hidden_note_has_no_chunks(parse: Parse) -> None:
    note = parse("---\nrag: false\n---\nsecret")
    assert note.hidden == module.HIDDEN
    assert note.chunks == ()


def test_the_title_is_the_file_name_without_its_extension(parse: Parse) -> None:
    assert parse("x", "a/b/My Note.v2.md").title == "My Note.v2"
    assert parse("x", ".md").title == ".md"
    assert parse("---\ntitle: Set\n---\nx", "a.md").title == "Set"


def test_warnings_are_phrases_from_the_lists(parse: Parse) -> None:
    note = parse(b"---\na: [\n---\nna\xefve caf\xe9 r\xe9sum\xe9 d\xe9j\xe0 vu \xe0 la carte")
    assert note.warnings == (decoding.OTHER_ENCODING, frontmatter.NOT_YAML)
    assert "naïve café" in note.chunks[0].text


def test_a_binary_file_fails_with_a_reason(wordpiece: WordPiece) -> None:
    note = parse_note("x.md", bytes(range(256)) * 8, ChunkOptions(), wordpiece.count)
    assert note == Unparsable(decoding.BINARY)


def test_properties_are_searchable_text(parse: Parse) -> None:
    note: Note = parse("---\nauthor: '[[Ursula K. Le Guin]]'\nisbn: 9780060512750\n---\n")
    assert note.chunks[0].text == "author: 'Ursula K. Le Guin'\nisbn: 9780060512750"


def test_broken_properties_lose_neither_their_words_nor_the_body(parse: Parse) -> None:
    note: Note = parse("---\nauthor: [Ursula\n# remark\n---\n# H\nbody")
    assert note.chunks[0].text == "author: [Ursula\n# remark\n\n# H\nbody"
    assert note.chunks[0].section == "H"


def test_a_note_with_too_many_passages_is_left_out_with_a_reason(parse: Parse) -> None:
    words = " ".join(f"w{number}" for number in range(chunk_maker.MOST_CHUNKS + 10))
    note = parse(words, chunk_size=2, chunk_overlap=0)
    assert (note.hidden, note.chunks) == (chunk_maker.TOO_MANY, ())
    assert parse(words).hidden is None
