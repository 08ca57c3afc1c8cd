"""Every reader keeps its rules for any bytes, and its time grows with the size of the file."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.notes.documents.read_document import READERS
from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import Unparsable, parse_note
from ragd.notes.wordpiece import WordPiece
from tests.notes.documents.fuzz import fuzz
from tests.notes.documents.reader_rules import check_reader
from tests.notes.documents.samples import SAMPLES

PIECES = st.sampled_from(
    [
        *("{", "}", "[", "]", '"', "\\", ",", ":", '"nodes":', '"elements":', '"text":', "null"),
        *("<", ">", "<!--", "-->", "<script>", "<h1>", "</h1>", "<title>", "&lt;", "&#10;", "&"),
        *("* ", ":PROPERTIES:", ":END:", "#+TITLE: ", "[[", "]]", "][", "===", "---", ".. "),
        *("```json", "```", "%%", "## Text Elements", " ^ab", "\n", "\r", "\x00", "\u202e", "é"),
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("nodes", "edges", "elements", "id", "type", "text", "label", "x", "y"),
                    *("width", "height", "file", "url", "fromNode", "toNode", "name", "link"),
                ]
            ),
            inner | st.sampled_from(["text", "group", "frame", "file"]),
            max_size=6,
        )
    ),
    max_leaves=30,
)


@pytest.mark.parametrize("suffix", sorted(READERS))
@given(data=st.binary(max_size=300))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_read_or_refused(suffix: str, data: bytes) -> None:
    check_reader(f"a{suffix}", data)


@pytest.mark.parametrize("suffix", sorted(READERS))
@given(parts=st.lists(PIECES | st.text(max_size=20), max_size=40))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_or_refused(suffix: str, parts: list[str]) -> None:
    check_reader(f"a{suffix}", "".join(parts).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("suffix", [".canvas", ".excalidraw"])
@given(value=JSON)
@settings(max_examples=150, deadline=None)
def test_any_json_is_read_or_refused(suffix: str, value: object) -> None:
    check_reader(f"a{suffix}", json.dumps(value).encode())


@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_mutations_of_real_documents_are_read_or_refused(path: str) -> None:
    assert fuzz(path, 150, seed=7).read > 0


@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_the_passages_of_a_document_are_in_order_and_have_no_tag(
    path: str, wordpiece: WordPiece
) -> None:
    for data in SAMPLES[path]:
        note = parse_note(path, data, ChunkOptions(chunk_size=20), wordpiece.count)
        if isinstance(note, Unparsable):
            continue
        assert isinstance(note, Note)
        assert [one.index for one in note.chunks] == list(range(len(note.chunks)))
        starts = [one.start_line for one in note.chunks]
        assert starts == sorted(starts)
        assert not any("<script" in one.text for one in note.chunks)
