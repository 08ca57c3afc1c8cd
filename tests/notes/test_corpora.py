"""Public notes and stress-test files: all of them parse, and no text is lost."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from ragd.notes import decoding
from ragd.notes.documents.kinds import kind_of
from ragd.notes.markdown import frontmatter
from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import Unparsable, parse_note
from ragd.notes.wordpiece import WordPiece

MARKER = re.compile(r"zq\w+zq")


def parse_folder(folder: Path, wordpiece: WordPiece) -> tuple[list[Note], Counter[str]]:
    notes: list[Note] = []
    failed: Counter[str] = Counter()
    for file in sorted(folder.rglob("*.md")):
        path = file.relative_to(folder).as_posix()
        note = parse_note(path, file.read_bytes(), ChunkOptions(), wordpiece.count)
        if isinstance(note, Unparsable):
            failed[note.reason] += 1
        else:
            notes.append(note)
    return notes, failed


@pytest.mark.parametrize(
    ("vault", "notes", "least_chunks"),
    [
        ("kepano-obsidian", 103, 120),
        ("obsidian-tasks-demo", 205, 420),
        ("lyz-blue-book", 1120, 10_500),
        ("vaultofknowledge", 2585, 6_000),
    ],
)
@pytest.mark.slow
def test_every_note_of_the_vaults_is_read(
    shared: Path, wordpiece: WordPiece, vault: str, notes: int, least_chunks: int
) -> None:
    found, failed = parse_folder(shared / "vaults" / vault, wordpiece)
    assert not failed
    assert len(found) == notes
    chunks = [chunk for note in found for chunk in note.chunks]
    assert len(chunks) >= least_chunks
    assert max(len(chunk.text) for chunk in chunks) <= 2000
    assert max(wordpiece.count(chunk.text) for chunk in chunks) <= 500


@pytest.mark.slow
def test_plain_notes_of_the_vaults_lose_no_word(shared: Path, wordpiece: WordPiece) -> None:
    checked = 0
    for file in sorted((shared / "vaults").rglob("*.md")):
        raw = file.read_bytes().decode("utf-8", "replace")
        if re.search(r"<[A-Za-z/!]|`|~~~|%%|\[\[|base64|[\x00\ufffd]", raw):
            continue
        note = parse_note("Note.md", raw.encode(), ChunkOptions(), wordpiece.count)
        assert isinstance(note, Note)
        shown = " ".join(chunk.text for chunk in note.chunks)
        for run in re.findall(r"\w+", raw):
            assert run in shown or not run.isprintable()
        checked += 1
    assert checked > 1000


def test_the_body_below_any_hostile_yaml_is_found(shared: Path, wordpiece: WordPiece) -> None:
    folder = shared / "security" / "yaml-frontmatter-vault"
    files = sorted(folder.glob("*.md"))
    assert len(files) > 150
    warnings: Counter[str] = Counter()
    for file in files:
        raw = file.read_bytes()
        note = parse_note(file.name, raw, ChunkOptions(), wordpiece.count)
        assert isinstance(note, Note)
        warnings.update(note.warnings)
        markers = MARKER.findall(raw.decode())
        assert markers
        for marker in markers:
            assert any(marker in chunk.text for chunk in note.chunks), file.name
            assert any(marker in chunk.search_text for chunk in note.chunks), file.name
    assert warnings[frontmatter.NOT_YAML] > 20


def test_no_hostile_yaml_loses_the_body(shared: Path, wordpiece: WordPiece) -> None:
    with (shared / "security" / "yaml_cases.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            raw = f"---\n{case['yaml']}\n---\n\nzqbodyzq\n".encode("utf-8", "surrogatepass")
            note = parse_note("Note.md", raw, ChunkOptions(), wordpiece.count)
            assert isinstance(note, Note)
            assert any("zqbodyzq" in chunk.text for chunk in note.chunks), case["id"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sample-arabic-1", "المنطقة المغاربية"),
        ("sample-chinese", "維基大典"),
        ("sample-english.bom", "About 2 months ago"),
        ("sample-french-1", "MOLIÈRE"),
        ("sample-greek-2", "ελληνική"),
        ("sample-greek", "ελληνική"),
        ("sample-hebrew-2", "אזוריים עבריים"),
        ("sample-hebrew-3", "אזוריים עבריים"),
        ("sample-korean", "연구자들은 복음서나"),
        ("sample-polish", "SYSTEM"),
        ("sample-russian", "В гимназии он не был"),
        ("sample-russian-3", "столица России"),
        ("sample-spanish", "La creación"),
        ("sample-turkish", "İstanbul, Türkiye'nin"),
    ],
)
def test_old_encodings_are_read(shared: Path, wordpiece: WordPiece, name: str, words: str) -> None:
    file = shared / "security" / "encodings-vault" / "mixed" / f"{name}.md"
    note = parse_note(file.name, file.read_bytes(), ChunkOptions(), wordpiece.count)
    assert isinstance(note, Note)
    assert any(words in chunk.text for chunk in note.chunks)
    assert set(note.warnings) <= {decoding.OTHER_ENCODING}


@pytest.mark.parametrize("name", ["naughty_strings", "xss", "prompt_injection", "path_traversal"])
def test_every_hostile_string_is_a_note_and_a_name(
    shared: Path, wordpiece: WordPiece, name: str
) -> None:
    with (shared / "security" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            text: str = json.loads(line)["text"]
            if kind_of(text).is_slow:  # `../../a.pdf` is read in the worker
                continue
            data = text.encode("utf-8", "surrogatepass")
            for raw in (data, b"---\ntitle: " + data + b"\ntags: [" + data + b"]\n---\nbody"):
                note = parse_note(text, raw, ChunkOptions(), wordpiece.count)
                assert isinstance(note, Note)
                for chunk in note.chunks:
                    chunk.search_text.encode()


def test_every_markdown_sample_is_read(shared: Path, wordpiece: WordPiece) -> None:
    for folder in ("markdown-it", "bipia-email-vault-train"):
        files = [file for file in (shared / "security" / folder).rglob("*") if file.is_file()]
        assert files
        for file in files:
            for code_blocks in ("keep", "remove"):
                options = ChunkOptions(code_blocks=code_blocks)
                note = parse_note(file.name, file.read_bytes(), options, wordpiece.count)
                assert isinstance(note, Note)
