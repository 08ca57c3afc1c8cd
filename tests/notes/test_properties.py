"""Properties of every note, checked against the raw note and not against our own parser."""

import re
from collections.abc import Callable

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import Unparsable, parse_note
from ragd.notes.wordpiece import WordPiece

Parse = Callable[..., Note]

# Words as people write them; no HTML, no code, no comments, no wikilinks.
WORDS = st.sampled_from(
    [
        *["the", "Sentence.", "really?!", "naïve", "don't", "e.g.,", "(so)", "**bold**", "1.5"],
        *["x", "http://example.com/a/b?c=d&e=f", "[shown](address)", "#tag", "#nested/tag", "->"],
        *["Привет", "한국어를", "e\u0301te\u0301", "🎉", "👩\u200d💻", "🇪🇺", "50%", "a|b", "a<3"],
        *["pneumono" * 9, "C#"],
    ]
)
UNSPACED = st.sampled_from(
    [
        *["日本語", "漢字。", "今日は天気、", "สวัสดีครับ", "这是中文，", "彼は「今日」と", "（笑）"],
        *["50％の", "と言った」。", "……", "カタカナ・リスト", "か\u3099", "我的《祖国》"],
    ]
)
GLUED = st.lists(st.one_of(WORDS, UNSPACED, UNSPACED), min_size=2, max_size=12).map("".join)
LINES = st.lists(st.one_of(WORDS, WORDS, WORDS, UNSPACED, GLUED), min_size=1, max_size=60).map(
    " ".join
)
STARTS = st.sampled_from(["", "", "", "- ", "> ", "  * ", "1. ", "# ", "### ", "#", "    ", "\t"])
NOTES = st.lists(
    st.one_of(
        st.tuples(STARTS, LINES).map("".join),
        st.sampled_from(["", "", "#mentalhealth", "## 2024-01-15", "---", "| a | b |", "####"]),
    ),
    max_size=25,
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n\n"])
FRONT = st.sampled_from(["", "---\nmood: 3\ntags: [a]\n---\n", "---\nbroken: [\n---\n"])
OPTIONS = st.builds(
    lambda size, share, code: ChunkOptions(size, int(size * share), code),
    st.sampled_from([10, 25, 60, 200, 500]),
    st.floats(0, 0.99),
    st.sampled_from(["keep", "remove"]),
)


LETTERS = "[\\w\u0301\u0e30-\u0e4e\u200d\u3099]+"  # with the marks on them


def lines_of(raw: str) -> list[str]:
    return re.split("\r\n|\r|\n", raw)


def letters(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=150, deadline=None)
@given(front=FRONT, lines=NOTES, end=ENDS, options=OPTIONS)
@example(front="", lines=["the the 这是中文， 今日は天気、"], end="\n", options=ChunkOptions(10, 0))
@example(front="", lines=["e.g., don't 今日は天気、"], end="\n", options=ChunkOptions(10, 0))
@example(front="", lines=["http://example.com/a/b?c=d&e=f"], end="\n", options=ChunkOptions(10, 0))
def test_every_word_is_in_a_chunk_and_every_chunk_is_in_its_lines(
    wordpiece: WordPiece, front: str, lines: list[str], end: str, options: ChunkOptions
) -> None:
    raw = (front or "x\n") + end.join(lines)
    note = parse_note("Note.md", raw.encode(), options, wordpiece.count)
    assert isinstance(note, Note)
    found = {word for chunk in note.chunks for word in chunk.text.split()}
    for word in raw.split():
        fits = wordpiece.count(word) <= options.chunk_size
        if fits and word.isascii() and not (front and word == "---"):
            assert word in found
    everything = " ".join(chunk.text for chunk in note.chunks)
    for word in raw.split():
        around = len(re.sub(LETTERS, "", word))  # marks around the letters may be cut off
        for run in re.findall(LETTERS, word):
            if wordpiece.count(run) + around <= options.chunk_size:
                assert run in everything
    in_lines = lines_of(raw)
    if front:
        in_lines[0] = in_lines[front.count("\n") - 1] = ""  # the `---` around the properties
    for number, chunk in enumerate(note.chunks):
        assert chunk.index == number
        assert 1 <= len(chunk.text) <= 2000
        assert wordpiece.count(chunk.text) <= options.chunk_size
        source = "\n".join(in_lines[chunk.start_line - 1 : chunk.end_line])
        assert letters(chunk.text) in letters(source)
        assert letters(chunk.text.split("\n")[0]) in letters(in_lines[chunk.start_line - 1])
        assert letters(chunk.text.split("\n")[-1]) in letters(in_lines[chunk.end_line - 1])
    assert len({chunk.chunk_id for chunk in note.chunks}) == len(note.chunks)


@settings(max_examples=60, deadline=None)
@given(lines=NOTES, size=st.sampled_from([10, 40, 500]))
def test_without_overlap_the_chunks_are_the_note_once(
    wordpiece: WordPiece, lines: list[str], size: int
) -> None:
    raw = "x\n" + "\n".join(lines)
    note = parse_note("Note.md", raw.encode(), ChunkOptions(size, 0), wordpiece.count)
    assert isinstance(note, Note)
    assert letters("".join(chunk.text for chunk in note.chunks)) == letters(raw)


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=600), options=OPTIONS)
def test_no_bytes_raise(wordpiece: WordPiece, data: bytes, options: ChunkOptions) -> None:
    note = parse_note("Note.md", data, options, wordpiece.count)
    assert note == parse_note("Note.md", data, options, wordpiece.count)
    if not isinstance(note, Unparsable):
        for chunk in note.chunks:
            assert len(chunk.text) <= 2000
            chunk.search_text.encode()


MARKUP = st.sampled_from(
    [
        *["```", "~~~", "````py", "> ```", "`", "``", "%%", "<!--", "-->", "<script>", "</script>"],
        *["<b>", "[[", "]]", "[[a|b]]", "![[c]]", "---", "# h", "#tag", "\n", "\n", " ", "a: b"],
        *["- x", "\t", "{{date}}", "<% x %>", "word", "字", ";base64," + "A" * 300, "\ud800"],
        *["\x00", "\u202e", "\r"],
    ]
)


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(MARKUP, max_size=80), path=st.text(max_size=30), options=OPTIONS)
def test_no_mixture_of_markup_raises(
    wordpiece: WordPiece, parts: list[str], path: str, options: ChunkOptions
) -> None:
    data = "".join(parts).encode("utf-8", "surrogatepass")
    note = parse_note(path, data, options, wordpiece.count)
    if isinstance(note, Unparsable):
        return
    lines = lines_of(data.decode("utf-8", "replace"))
    for chunk in note.chunks:
        assert 1 <= chunk.start_line <= chunk.end_line <= len(lines)
        assert len(chunk.text) <= 2000
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", chunk.text.replace("\t", " "))
