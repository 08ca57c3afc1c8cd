"""The vault's files, mainly unusual and hostile ones."""

import errno
import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragd.notes.documents.kinds import MARKDOWN
from ragd.vault import files as vault_files
from ragd.vault import files as vault_module
from ragd.vault import leftover_files, safe_open, walk
from ragd.vault.files import (
    ChangedWhileRead,
    FileUnreadable,
    NoteMissing,
    SkipPath,
    VaultFiles,
    VaultGone,
    WalkResult,
)
from ragd.vault.folder_rules import TEMPLATES, FolderRules
from ragd.vault.safe_open import DOCUMENT_TOO_LARGE, LINK, NOT_REGULAR, TOO_LARGE

NOBODY = 65534


@pytest.fixture(params=["descriptors", "paths"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty vault, walked by descriptors and by paths, as it is on Windows."""
    monkeypatch.setattr(safe_open, "HAS_DESCRIPTORS", request.param == "descriptors")
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def put(root: Path, path: str, text: str = "text") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def scan(root: Path, patterns: tuple[str, ...] = ("*.md",), **rules: tuple[str, ...]) -> WalkResult:
    return VaultFiles(str(root)).scan(FolderRules(**rules), patterns)


def paths(found: WalkResult) -> set[str]:
    return {seen.path for seen in found.notes}


def reasons(found: WalkResult) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in found.skipped}


@pytest.fixture
def reachable(root: Path) -> Iterator[Path]:
    """A vault that a user without rights can reach: pytest's own folders are private."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything, so the test drops its rights for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


# Scanning


def test_notes_are_found_at_any_depth_with_size_and_time(root: Path) -> None:
    file = put(root, "Journal/2024/01/15.md", "some text")
    put(root, "top.md")
    os.utime(file, ns=(1, 1_700_000_000_123_456_789))
    found = {seen.path: seen for seen in scan(root).notes}
    assert set(found) == {"top.md", "Journal/2024/01/15.md"}
    assert found["Journal/2024/01/15.md"].size == 9
    assert found["Journal/2024/01/15.md"].mtime_ns == 1_700_000_000_123_456_789


def test_only_what_the_patterns_name_is_a_note(root: Path) -> None:
    for name in ("a.md", "B.MD", "c.txt", "d.canvas", "md"):
        put(root, name)
    assert paths(scan(root)) == {"a.md", "B.MD"}
    found = VaultFiles(str(root)).scan(FolderRules(), ["*.txt", "?.canvas"])
    assert paths(found) == {"c.txt", "d.canvas"}


def test_allow_and_deny_lists_and_hidden_folders_hold(root: Path) -> None:
    for path in ("top.md", "A/a.md", "A/Private/p.md", "B/b.md", ".obsidian/x.md", "A/.h/h.md"):
        put(root, path)
    assert paths(scan(root)) == {"top.md", "A/a.md", "A/Private/p.md", "B/b.md"}
    assert paths(scan(root, deny=("private", "B"))) == {"top.md", "A/a.md"}
    assert paths(scan(root, allow=("A",), deny=("Private",))) == {"A/a.md"}
    assert paths(scan(root, allow=("A/Private",))) == {"A/Private/p.md"}


def test_template_folders_of_obsidian_are_skipped_with_a_reason(root: Path) -> None:
    put(root, ".obsidian/templates.json", '{"folder": "Templates"}')
    put(root, ".obsidian/plugins/templater-obsidian/data.json", '{"templates_folder": "Meta/T/"}')
    for path in ("Templates/t.md", "Meta/T/u.md", "Meta/note.md"):
        put(root, path)
    folders = VaultFiles(str(root)).template_folders()
    assert folders == ("Templates", "Meta/T/")
    found = scan(root, templates=folders)
    assert paths(found) == {"Meta/note.md"}
    assert reasons(found) == {"Templates": TEMPLATES, "Meta/T": TEMPLATES}


def test_the_notes_in_template_folders_are_counted_and_the_folders_not_entered(root: Path) -> None:
    for path in ("T/a.md", "T/deep/b.md", "T/c.png", "T/.hidden/d.md", "T/Denied/e.md", "n/f.md"):
        put(root, path)
    (root / "T" / "link.md").symlink_to(root / "n" / "f.md")
    (root / "T" / "out").symlink_to(root / "n")
    found = scan(root, deny=("Denied",), templates=("T",))
    assert found.templates == [("T", 3)]  # a link with the name of a note is counted too
    assert found.folders == ["n"]


def test_a_vault_without_settings_has_no_template_folders(root: Path) -> None:
    assert VaultFiles(str(root)).template_folders() == ()


def test_conflict_copies_and_placeholders_are_skipped_with_a_reason(root: Path) -> None:
    for name in ("a.sync-conflict-20240115-123456-ABCDEFG.md", ".b.md.icloud", ".c.md", "d.md"):
        put(root, name)
    put(root, ".picture.png.icloud")
    found = scan(root)
    assert paths(found) == {"d.md"}
    assert reasons(found) == {
        "a.sync-conflict-20240115-123456-ABCDEFG.md": leftover_files.CONFLICT,
        ".b.md.icloud": leftover_files.PLACEHOLDER,
        ".c.md": leftover_files.HIDDEN,
    }


def test_links_are_not_followed(root: Path, tmp_path: Path) -> None:
    secret = put(tmp_path, "outside/secret.md")
    put(root, "note.md")
    (root / "link.md").symlink_to(secret)
    (root / "inside.md").symlink_to("note.md")
    (root / "broken.md").symlink_to("nowhere")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    found = scan(root)
    assert paths(found) == {"note.md"}
    assert reasons(found) == dict.fromkeys(
        ["link.md", "inside.md", "broken.md", "folder", "loop"], LINK
    )


def test_a_fifo_a_socket_and_a_folder_called_like_a_note_are_harmless(root: Path) -> None:
    os.mkfifo(root / "fifo.md")
    put(root, "folder.md/note.md")
    here = Path.cwd()
    os.chdir(root)  # a socket's path must be short
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("socket.md")
            found = scan(root)
    finally:
        os.chdir(here)
    assert paths(found) == {"folder.md/note.md"}
    assert reasons(found) == {"fifo.md": NOT_REGULAR, "socket.md": NOT_REGULAR}


def test_a_device_is_not_opened(root: Path) -> None:
    try:
        os.mknod(root / "zero.md", 0o20666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("no permission to make a device here")
    assert reasons(scan(root)) == {"zero.md": NOT_REGULAR}
    with pytest.raises(SkipPath) as refused:
        VaultFiles(str(root)).read("zero.md")
    assert refused.value.reason == NOT_REGULAR


def test_a_file_of_three_gigabytes_is_skipped_by_its_size(root: Path) -> None:
    os.truncate(put(root, "huge.md"), 3 * 1024**3)
    os.truncate(put(root, "just.md"), MARKDOWN.most_bytes)
    found = scan(root)
    assert paths(found) == {"just.md"}
    assert reasons(found) == {"huge.md": TOO_LARGE}
    with pytest.raises(SkipPath):
        VaultFiles(str(root)).read("huge.md")


def test_a_document_may_be_larger_than_a_note(root: Path) -> None:
    os.truncate(put(root, "a.pdf"), MARKDOWN.most_bytes + 1)
    os.truncate(put(root, "b.pdf"), 101 * 1024**2)
    found = scan(root, patterns=("*.pdf",))
    assert paths(found) == {"a.pdf"}
    assert reasons(found) == {"b.pdf": DOCUMENT_TOO_LARGE}


def test_files_that_no_pattern_includes_are_counted_by_kind(root: Path) -> None:
    for name in ("a.pdf", "b/c.PDF", "d.canvas", "e.md", "f.xyz", ".g.pdf", "h.excalidraw.md"):
        put(root, name)
    assert scan(root).not_included == {"pdf": 2, "canvas": 1}
    assert scan(root, patterns=("*.pdf",)).not_included == {
        "canvas": 1,
        "markdown": 1,
        "excalidraw": 1,
    }


def test_names_with_a_newline_an_emoji_or_quotes_are_notes(root: Path) -> None:
    names = {"new\nline.md", "🎉 party.md", "'\"$(x);&.md", " space .md", "日本語.md", "a\\b.md"}
    for name in names:
        put(root, name, name)
    assert paths(scan(root)) == names
    for name in names:
        assert VaultFiles(str(root)).read(name)[0] == name.encode()


def test_names_that_are_not_utf8_are_skipped_with_a_reason(root: Path) -> None:
    try:
        (root / os.fsdecode(b"bad\xff.md")).write_text("x")
    except OSError:
        pytest.skip("this file system has UTF-8 names only")
    put(root, os.fsdecode(b"fold\xe9r") + "/note.md")
    put(root, "good.md")
    found = scan(root)
    assert paths(found) == {"good.md"}
    assert reasons(found) == {
        "bad\\xff.md": walk.NAME_NOT_UTF8,
        "fold\\xe9r": walk.NAME_NOT_UTF8,
    }


def test_a_very_deep_tree_ends_with_a_reason(root: Path) -> None:
    folder = "/".join("d" for _ in range(walk.DEEPEST + 20))
    put(root, f"{folder}/too-deep.md")
    put(root, "/".join("d" for _ in range(walk.DEEPEST)) + "/deep.md")
    found = scan(root)
    assert [path.rpartition("/")[2] for path in paths(found)] == ["deep.md"]
    assert list(reasons(found).values()) == [walk.FOLDER_TOO_DEEP]


def test_a_path_too_long_for_the_log_is_skipped_and_shown_cut(root: Path) -> None:
    put(root, "/".join(["x" * 200] * 4) + "/" + "y" * 220 + ".md")
    found = scan(root)
    assert paths(found) == set()
    ((shown, reason),) = reasons(found).items()
    assert reason == walk.PATH_TOO_LONG
    assert len(shown) == walk.LONGEST_PATH + 1


def test_a_folder_that_cannot_be_read_is_unknown_not_empty(reachable: Path) -> None:
    put(reachable, "closed/note.md")
    put(reachable, "open.md")
    (reachable / "closed").chmod(0)
    try:
        with as_nobody():
            found = scan(reachable)
    finally:
        (reachable / "closed").chmod(0o755)
    assert paths(found) == {"open.md"}
    assert found.unreadable_folders == ["closed"]
    assert reasons(found) == {"closed": walk.FOLDER_UNREADABLE}


def test_a_folder_that_becomes_a_link_while_it_is_walked_is_not_followed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "outside/secret.md")
    put(root, "a/note.md")
    opening = safe_open.open_folder

    def swapped(place: safe_open.OpenFolder, steps: list[str]) -> safe_open.OpenFolder:
        if steps == ["a"]:
            (root / "a").rename(root / "was-a")
            (root / "a").symlink_to(tmp_path / "outside")
        return opening(place, steps)

    monkeypatch.setattr(walk, "open_folder", swapped)
    found = scan(root)
    assert paths(found) == set()
    assert reasons(found) == {"a": LINK}


# The root


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        (lambda root: root.rmdir(), "missing"),
        (lambda root: None, "empty"),
        (lambda root: (root.rmdir(), root.write_text("a file")), "missing"),
    ],
)
def test_a_root_that_is_not_a_vault_says_why(
    root: Path, prepare: Callable[[Path], object], reason: str
) -> None:
    prepare(root)
    with pytest.raises(VaultGone) as gone:
        scan(root)
    assert gone.value.reason == reason


def test_a_root_that_cannot_be_read_is_unreadable(reachable: Path) -> None:
    put(reachable, "note.md")
    reachable.chmod(0)
    try:
        with as_nobody(), pytest.raises(VaultGone) as gone:
            scan(reachable)
    finally:
        reachable.chmod(0o755)
    assert gone.value.reason == "unreadable"


def test_a_root_on_another_device_has_moved(root: Path) -> None:
    put(root, "note.md")
    device, inode = VaultFiles(str(root)).identity()
    rules = FolderRules()
    assert VaultFiles(str(root)).scan(rules, ["*.md"], (device, inode)).identity == (device, inode)
    assert VaultFiles(str(root)).scan(rules, ["*.md"], (device, inode + 1)).notes
    with pytest.raises(VaultGone) as gone:
        VaultFiles(str(root)).scan(rules, ["*.md"], (device + 1, inode))
    assert gone.value.reason == "moved"


def test_a_root_may_itself_be_a_link(root: Path, tmp_path: Path) -> None:
    put(root, "note.md")
    (tmp_path / "link").symlink_to(root)
    assert paths(scan(tmp_path / "link")) == {"note.md"}
    assert VaultFiles(str(tmp_path / "link")).read("note.md")[0] == b"text"


def test_nothing_stays_open(root: Path) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("no /proc here")
    for number in range(20):
        put(root, f"a/b{number}/note.md")
    (root / "link").symlink_to("a")
    before = len(list(descriptors.iterdir()))
    found = VaultFiles(str(root))
    for _ in range(3):
        scan(root)
        found.read("a/b1/note.md")
        found.identity()
        found.stat(["a/b1/note.md", "a/none.md", "link/b1/note.md"])
        for path in ("a/none.md", "none/x.md", "link/b1/note.md", "a/b1", "../x"):
            with pytest.raises((NoteMissing, SkipPath)):
                found.read(path)
    assert len(list(descriptors.iterdir())) == before


# Reading


def test_a_file_is_read_with_its_facts(root: Path) -> None:
    file = put(root, "a/b/note.md", "some text")
    data, facts = VaultFiles(str(root)).read("a/b/note.md")
    assert data == b"some text"
    assert (facts.size, facts.mtime_ns) == (9, file.stat().st_mtime_ns)
    put(root, "empty.md", "")
    assert VaultFiles(str(root)).read("empty.md")[0] == b""


@pytest.mark.parametrize("path", ["none.md", "none/note.md", "note.md/x.md", "x" * 300 + ".md"])
def test_what_is_not_there_is_missing(root: Path, path: str) -> None:
    put(root, "note.md")
    with pytest.raises(NoteMissing):
        VaultFiles(str(root)).read(path)


@pytest.mark.parametrize(
    "path", ["../secret.md", "a/../../secret.md", "/etc/passwd", "", "a//b", "./x"]
)
def test_a_path_that_leaves_is_refused(root: Path, tmp_path: Path, path: str) -> None:
    put(tmp_path, "secret.md")
    with pytest.raises(SkipPath) as refused:
        VaultFiles(str(root)).read(path)
    assert refused.value.reason == vault_files.OUTSIDE


@pytest.mark.parametrize("swapped", ["folder", "file"])
def test_a_step_replaced_by_a_link_after_the_scan_leads_nowhere(
    root: Path, tmp_path: Path, swapped: str
) -> None:
    put(tmp_path, "outside/note.md", "secret")
    put(root, "a/note.md")
    assert paths(scan(root)) == {"a/note.md"}
    if swapped == "folder":
        (root / "a").rename(root / "was-a")
        (root / "a").symlink_to(tmp_path / "outside")
    else:
        (root / "a" / "note.md").unlink()
        (root / "a" / "note.md").symlink_to(tmp_path / "outside" / "note.md")
    with pytest.raises(SkipPath) as refused:
        VaultFiles(str(root)).read("a/note.md")
    assert refused.value.reason == LINK


def test_a_file_replaced_by_a_fifo_does_not_hang(root: Path) -> None:
    os.mkfifo(root / "note.md")
    with pytest.raises(SkipPath) as refused:
        VaultFiles(str(root)).read("note.md")
    assert refused.value.reason == NOT_REGULAR


def test_a_file_replaced_by_a_fifo_between_look_and_open_does_not_hang(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(root, "note.md")
    opening = os.open

    def late(path: str, *rest: object, **more: object) -> int:
        if str(path).endswith("note.md"):
            file.unlink()
            os.mkfifo(file)
        return opening(path, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", late)
    with pytest.raises(SkipPath) as refused:
        VaultFiles(str(root)).read("note.md")
    assert refused.value.reason == NOT_REGULAR


def test_a_file_that_changes_while_it_is_read_has_to_be_read_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(root, "note.md", "first")
    reading = os.read

    def meanwhile(descriptor: int, size: int) -> bytes:
        data = reading(descriptor, size)
        with file.open("a") as more:
            more.write(" and more")
        return data

    monkeypatch.setattr(os, "read", meanwhile)
    with pytest.raises(ChangedWhileRead):
        VaultFiles(str(root)).read("note.md")
    monkeypatch.undo()
    assert VaultFiles(str(root)).read("note.md")[0] == b"first and more"


def test_a_file_that_shrinks_while_it_is_read_has_to_be_read_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(root, "note.md", "first")
    monkeypatch.setattr(os, "read", lambda *_: b"")
    with pytest.raises(ChangedWhileRead):
        VaultFiles(str(root)).read("note.md")
    assert file.exists()


def test_a_file_without_permission_is_unreadable(reachable: Path) -> None:
    put(reachable, "note.md").chmod(0)
    with as_nobody(), pytest.raises(FileUnreadable) as refused:
        VaultFiles(str(reachable)).read("note.md")
    assert refused.value.reason == vault_files.PERMISSION_DENIED


def test_a_vault_that_is_away_says_so_when_a_note_is_read(root: Path) -> None:
    root.rmdir()
    for ask in (
        lambda: VaultFiles(str(root)).read("note.md"),
        lambda: VaultFiles(str(root)).stat(["x.md"]),
    ):
        with pytest.raises(VaultGone) as gone:
            ask()
        assert gone.value.reason == "missing"


def test_the_facts_of_many_notes_are_asked_at_once(root: Path, tmp_path: Path) -> None:
    file = put(root, "a/note.md", "text")
    put(tmp_path, "secret.md")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    asked = ["a/note.md", "none.md", "link.md", "../secret.md", "a"]
    found = dict(VaultFiles(str(root)).stat(asked))
    assert list(found) == asked
    facts = found["a/note.md"]
    assert facts is not None
    assert (facts.size, facts.mtime_ns) == (4, file.stat().st_mtime_ns)
    assert [path for path in asked if found[path] is None] == asked[1:]


def test_a_folder_is_opened_once_for_all_of_its_notes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["a/1.md", "b/1.md", "a/2.md", "3.md", "/3.md", "a//1.md", "gone/1.md", "gone/2.md"]
    for path in ("a/1.md", "b/1.md", "a/2.md", "3.md"):
        put(root, path)
    opened: list[list[str]] = []
    open_folder = safe_open.open_folder

    def counted(
        place: safe_open.OpenFolder, steps: list[str], *, exactly: bool
    ) -> safe_open.OpenFolder:
        opened.append(steps)
        return open_folder(place, steps, exactly=exactly)

    monkeypatch.setattr(vault_files, "open_folder", counted)
    found = VaultFiles(str(root)).stat(asked)
    assert [path for path, _ in found] == asked
    assert [path for path, facts in found if facts] == asked[:4]
    assert opened == [["a"], ["b"], [], ["gone"]]


def test_what_is_at_a_path_is_a_file_or_a_folder_or_nothing(root: Path, tmp_path: Path) -> None:
    put(root, "a/note.md")
    put(tmp_path, "outside/x.md")
    (root / "link.md").symlink_to(tmp_path / "outside" / "x.md")
    (root / "away").symlink_to(tmp_path / "outside")
    os.mkfifo(root / "fifo.md")
    asked = ["a/note.md", "a", "link.md", "fifo.md", "away", "away/x.md", "none.md", "a/note.md/x"]
    asked += ["../outside/x.md", "x" * 300]
    assert VaultFiles(str(root)).kinds(asked) == {
        "a/note.md": "file",
        "a": "folder",
        "link.md": "file",
        "fifo.md": "file",
        "away": "file",
    }
    with pytest.raises(VaultGone):
        VaultFiles(str(root / "none")).kinds(["x.md"])


def test_what_cannot_be_looked_at_may_be_there(reachable: Path) -> None:
    put(reachable, "closed/note.md")
    (reachable / "closed").chmod(0)
    with as_nobody():
        assert VaultFiles(str(reachable)).kinds(["closed/note.md"]) == {"closed/note.md": "file"}


@pytest.fixture
def any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case-insensitive file system, as on macOS and Windows."""
    exactly = safe_open.stat_entry

    def found(folder: safe_open.OpenFolder, name: str) -> os.stat_result:
        names = [one for one in os.listdir(folder) if one.lower() == name.lower()]
        return exactly(folder, names[0] if names else name)

    monkeypatch.setattr(safe_open, "stat_entry", found)
    monkeypatch.setattr(vault_files, "stat_entry", found)


@pytest.mark.usefixtures("any_case")
def test_another_spelling_is_another_note_where_the_file_system_does_not_care(root: Path) -> None:
    put(root, "Journal/Note.md")
    asked = ["Journal/Note.md", "Journal/note.md", "journal/Note.md", "JOURNAL"]
    assert VaultFiles(str(root)).kinds(asked) == {"Journal/Note.md": "file"}
    assert [path for path, facts in VaultFiles(str(root)).stat(asked) if facts] == [
        "Journal/Note.md"
    ]
    assert VaultFiles(str(root)).read("Journal/Note.md")[0] == b"text"
    for other in asked[1:3]:
        with pytest.raises(NoteMissing):
            VaultFiles(str(root)).read(other)


def test_two_spellings_of_one_file_are_two_notes_where_the_file_system_cares(root: Path) -> None:
    (root / "note.md").hardlink_to(put(root, "Note.md"))
    asked = {"Note.md": "file", "note.md": "file"}
    assert VaultFiles(str(root)).kinds(asked) == asked


def test_a_vault_is_verified_by_its_device_and_its_content(root: Path) -> None:
    here = VaultFiles(str(root))
    device, inode = here.identity()
    with pytest.raises(VaultGone) as gone:
        here.verify(None)
    assert gone.value.reason == "empty"
    put(root, "note.md")
    here.verify(None)
    here.verify((device, inode + 1))
    with pytest.raises(VaultGone) as gone:
        here.verify((device + 1, inode))
    assert gone.value.reason == "moved"
    with pytest.raises(VaultGone) as gone:
        VaultFiles(str(root / "none")).verify(None)
    assert gone.value.reason == "missing"


def test_a_note_that_cannot_be_looked_at_is_not_taken_for_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("a")

    def ill(*_: object) -> None:
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(vault_module, "stat_entry", ill)
    assert dict(VaultFiles(str(tmp_path)).stat(["a.md"])) == {"a.md": vault_module.UNKNOWN_STAT}
