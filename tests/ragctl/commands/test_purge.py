"""`ragctl purge`: removes all files of ragd and no others, in any layout of folders."""

import fcntl
import json
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from ragctl.commands import purge
from ragctl.purge.owned_files import RULES
from ragd.embed.providers import local_model
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl, StartTerminal, pid_of

needs_model = pytest.mark.skipif(local_model.unavailable() is not None, reason="no embedded model")
GENERATION = "01M7J1X3PE7Z95X9XZM9P8PP9Z"


def fill(home: Home, vectors: str | None = None) -> None:
    """Files of every kind that ragd writes, including leftovers of crashes."""
    table = f"{vectors or home.vectors}/{GENERATION}/obsidian_chunks.lance"
    names = [
        *(
            "sync-result.json",
            ".sync-result.json.tmp",
            "config.json.bak",
            "ragd.lock",
            "memories.key",
        ),
        *("embeddings.sqlite", "embeddings.sqlite-wal", "embeddings.sqlite-shm"),
        *("embeddings.sqlite.aside", "memories.sqlite", "logs/ragd.log", "logs/ragd.log.1"),
        *("events/0000000000000001.ndjson", "events/0000000000000009.ndjson.tmp"),
        "events/aside/0000000000000001.ndjson.0000000000000042-1.tail.pending",
        "snapshots/0000000000000042.json",
        *("memory/main/MEMORY.md", "memory/main/memory/2026-11-16.md", "memory/main/.LOG.md.tmp"),
        "memory-versions/main/MEMORY.md/00000001.md",
        *(f"{table}/data/01.lance", f"{table}/_versions/7.manifest", f"{table}/_versions/.tmp_x"),
        *(f"{table}/_versions/8.manifest#1", f"{table}/_versions/latest_version_hint.json"),
        *(f"{table}/_transactions/1-a.txn", f"{table}/_deletions/0-1-2.arrow"),
        f"{table}/_indices/2438f541-27aa-46c8-98f9-a2e06c6b4c6e/part_0_docs.lance",
    ]
    for name in names:
        path = Path(home.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}" if name != "config.json.bak" else Path(home.config).read_text())
    os.makedirs(f"{vectors or home.vectors}/.tmp-{GENERATION}/obsidian_chunks.lance", exist_ok=True)


def tree(folder: Path) -> dict[str, bytes | None]:
    """All files and folders below, links with their targets."""
    found: dict[str, bytes | None] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path).encode()
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def configure(home: Home, short: Path, **more: Any) -> None:
    config = {"vault_path": str(short / "vault"), **more}
    Path(home.config).write_text(json.dumps(config))


def test_everything_is_removed_and_the_vault_stays(ragctl: Ragctl, home: Home, short: Path) -> None:
    fill(home)
    before = tree(short / "vault")
    result = ragctl("purge", "--yes")
    assert result.code == 0 and "Removed: " in result.out
    assert not os.path.lexists(home.root) and tree(short / "vault") == before
    again = ragctl("purge", "--yes")
    assert again.code == 0 and "no files from ragd" in again.out


def test_a_dry_run_lists_sizes_and_changes_nothing(ragctl: Ragctl, home: Home, short: Path) -> None:
    fill(home)
    before = tree(short)
    result = ragctl("purge", "--dry-run")
    assert result.code == 0 and tree(short) == before
    assert f"{home.root}/events  (3 files)" in result.out and "To be removed: " in result.out
    said = ragctl("purge", "--dry-run", "--json").json
    assert said["removed"] is False and said["foreign"] == said["stuck"] == []
    sizes = {entry["path"]: entry["size_bytes"] for entry in said["entries"]}
    assert sizes[home.config] == os.path.getsize(home.config)
    assert sum(sizes.values()) == said["size_bytes"]
    assert list(sizes)[-2:] == [
        home.config,
        home.lock,
    ]  # the files that are needed to find the others are last


def test_files_of_others_stay_and_are_named(ragctl: Ragctl, home: Home, short: Path) -> None:
    fill(home)
    kept = [
        *("notes.txt", "events/diary.md", "logs/other.log", "vectors.lance/README", "cache/x"),
        f"vectors.lance/{GENERATION}/obsidian_chunks.lance/mine.txt",
        f"vectors.lance/{GENERATION}/obsidian_chunks.lance/data/mine.txt",
    ]
    for name in kept:
        path = Path(home.root) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    result = ragctl("purge", "--yes")
    assert result.code == 0
    left = {name for name, content in tree(Path(home.root)).items() if content is not None}
    assert left == set(kept)
    assert all(f"{home.root}/{name}" in result.err for name in kept if name != "cache/x")
    assert f"  {home.root}/cache\n" in result.err


def test_no_link_is_followed(ragctl: Ragctl, home: Home, short: Path) -> None:
    outside = short / "outside"
    (outside / "aside").mkdir(parents=True)
    for name in ("0000000000000001.ndjson", "ragd.log", "config.json", "memories.sqlite"):
        (outside / name).write_text("mine")
    before = tree(outside)
    for name in ("events", "logs", "vectors.lance"):
        (Path(home.root) / name).symlink_to(outside)
    for name in ("memories.sqlite", "sync-result.json"):
        (Path(home.root) / name).symlink_to(outside / "memories.sqlite")
    result = ragctl("purge", "--yes")
    assert result.code == 0 and tree(outside) == before
    assert not os.path.exists(home.config)
    assert f"{home.root}/events" in result.err


def test_a_home_that_is_a_link_is_emptied_and_the_link_stays(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    fill(home)
    os.rename(home.root, short / "elsewhere")
    os.symlink(short / "elsewhere", home.root)
    (short / "beside.md").write_text("mine")
    assert ragctl("purge", "--yes").code == 0
    assert os.path.islink(home.root) and os.listdir(short / "elsewhere") == []
    assert (short / "beside.md").exists()


@pytest.mark.parametrize("place", ["index/deep", "h/index", "vault-index"])
def test_an_index_elsewhere_is_removed_and_other_files_stay(
    ragctl: Ragctl, home: Home, short: Path, place: str
) -> None:
    vectors = short / place
    configure(home, short, vector_store={"path": str(vectors)})
    fill(home, str(vectors))
    (vectors.parent / "neighbour.md").write_text("mine")
    assert ragctl("purge", "--yes").code == 0
    assert not vectors.exists() and (vectors.parent / "neighbour.md").read_text() == "mine"


def test_an_index_folder_without_files_of_ragd_is_left_alone(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    (short / "empty").mkdir()
    configure(home, short, vector_store={"path": str(short / "empty")})
    assert ragctl("purge", "--yes").code == 0 and (short / "empty").is_dir()


def test_a_vault_inside_the_home_stays(ragctl: Ragctl, home: Home, short: Path) -> None:
    fill(home)
    vault = Path(home.root) / "Notes"
    os.rename(short / "vault", vault)
    (vault / "config.json").write_text("{}")
    Path(home.config).write_text(json.dumps({"vault_path": "Notes"}))
    before = tree(vault)
    assert ragctl("purge", "--yes").code == 0
    assert tree(vault) == before and os.listdir(home.root) == ["Notes"]


@pytest.mark.parametrize(
    ("vault", "vectors"),
    [
        ("{home}", None),
        ("{short}", None),
        ("{home}/events", None),
        ("{short}/vault", "{short}/vault/.index"),
        ("{short}/index/vault", "{short}/index"),
        ("{short}/link", None),
    ],
)
def test_where_the_vault_is_in_danger_nothing_is_removed(
    ragctl: Ragctl, home: Home, short: Path, vault: str, vectors: str | None
) -> None:
    fill(home)
    (short / "link").symlink_to(home.root)
    names = {"home": home.root, "short": str(short)}
    store = {"path": vectors.format(**names)} if vectors else {}
    config = {"vault_path": vault.format(**names), "vector_store": store}
    Path(home.config).write_text(json.dumps(config))
    before = tree(short)
    result = ragctl("purge", "--yes")
    assert result.code == 1 and "othing was removed" in result.err
    assert tree(short) == before


@pytest.mark.parametrize("root", ["{home}", "{short}", "{home}/events"])
def test_where_a_collection_is_in_danger_nothing_is_removed(
    ragctl: Ragctl, home: Home, short: Path, root: str
) -> None:
    fill(home)
    place = root.format(home=home.root, short=short)
    collections = {"papers": {"path": place}}
    config = {"vault_path": str(short / "vault"), "collections": collections}
    Path(home.config).write_text(json.dumps(config))
    before = tree(short)
    assert ragctl("purge", "--yes").code == 1
    assert tree(short) == before


@pytest.mark.parametrize("content", ["not json", "[]", '{"name": "a project"}', "[" * 99999])
def test_a_folder_that_is_not_ragds_is_left_alone(
    ragctl: Ragctl, home: Home, short: Path, content: str
) -> None:
    fill(home)
    Path(home.config).write_text(content)
    before = tree(short)
    result = ragctl("purge", "--yes")
    assert result.code == 78 and "names no vault" in result.err and tree(short) == before


def test_without_a_terminal_it_needs_the_option_yes(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    before = tree(short)
    for argv in (("purge",), ("purge", "--json")):
        result = ragctl(*argv)
        assert result.code == 2 and "--yes" in result.err and tree(short) == before


@pytest.mark.parametrize(("typed", "goes"), [("y", True), ("h", True), ("", False), ("no", False)])
def test_on_a_terminal_it_asks(terminal: StartTerminal, home: Home, typed: str, goes: bool) -> None:
    screen = terminal("purge")
    screen.until("Type y or h:")
    assert "\\x1b" not in screen.raw
    assert home.config in screen.text and "Your notes are not touched." in screen.text
    screen.type(f"{typed}\n")
    assert screen.ended() == (0 if goes else 1)
    assert os.path.exists(home.config) is not goes


def test_nothing_is_removed_if_the_daemon_does_not_stop(
    ragctl: Ragctl, fake: FakeDaemon, home: Home, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "STOPPED_WITHIN_S", 0.1)
    fake.heeds_stop = False
    before = tree(short / "h")
    result = ragctl("purge", "--yes")
    assert result.code == 75 and "Nothing was removed." in result.err
    assert tree(short / "h") == before


def test_nothing_is_removed_if_the_lock_is_taken_meanwhile(
    ragctl: Ragctl, home: Home, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "stop_daemon", lambda home: None)
    with open(home.lock, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = ragctl("purge", "--yes")
    assert result.code == 1 and "nothing was removed" in result.err
    assert os.path.exists(home.config)


def test_an_interrupted_purge_is_finished_by_the_next(
    ragctl: Ragctl, home: Home, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = short / "index"
    for cut in range(1, 22):
        os.makedirs(home.root, exist_ok=True)
        configure(home, short, vector_store={"path": str(vectors)})
        fill(home, str(vectors))
        left = [cut]

        def unlink(path: str, *, dir_fd: int, real: Any = os.unlink, left: Any = left) -> None:
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt
            real(path, dir_fd=dir_fd)

        with monkeypatch.context() as patched:
            patched.setattr(os, "unlink", unlink)
            assert ragctl("purge", "--yes").code == 130
        assert ragctl("purge", "--yes").code == 0
        assert not os.path.lexists(home.root) and not vectors.exists(), cut


def test_files_that_cannot_be_removed_are_named(
    ragctl: Ragctl, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(home)

    def refuse(path: str, *, dir_fd: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", refuse)
        result = ragctl("purge", "--yes")
    assert result.code == 1 and f"{home.root}/memories.key" in result.err


def test_a_socket_outside_the_home_is_removed_and_others_stay(
    ragctl: Ragctl, home: Home, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short / "run"))
    long = Home(str(short / ("long" * 30)))
    os.rename(home.root, long.root)
    other = short / "run" / "ragd" / "0123456789abcdef.sock"
    other.parent.mkdir(parents=True)
    ends = []
    for path in (long.socket, str(other)):
        ends.append(socket.socket(socket.AF_UNIX))
        ends[-1].bind(path)
    assert ragctl("purge", "--yes", "--home", long.root).code == 0
    assert os.listdir(other.parent) == [other.name] and not os.path.lexists(long.root)
    for end in ends:
        end.close()


def test_every_file_of_a_home_is_known_to_purge(home: Home) -> None:
    """Without this, a purge would leave a new file of paths.py behind."""
    names = {
        name: getattr(home, name)
        for name in dir(Home)
        if isinstance(getattr(Home, name), property) and name not in ("pipe", "fingerprint")
    }
    for name, path in names.items():
        first = os.path.relpath(path, home.root).split(os.sep)[0]
        rule = RULES["home"]
        known = rule.files.fullmatch(first) or any(p.fullmatch(first) for p, _ in rule.folders)
        assert known, name


@needs_model
@pytest.mark.slow
def test_nothing_is_left_of_a_real_daemon(ragctl: Ragctl, home: Home, short: Path) -> None:
    configure(home, short, embedding={"provider": "embedded"})
    for n in range(30):
        (short / "vault" / f"{n}.md").write_text(f"# Note {n}\n\nAbout kingfishers, {n}.\n")
    before = tree(short / "vault")
    assert ragctl("index").code == 0
    (short / "vault" / "3.md").write_text("Changed.\n")
    assert ragctl("sync").code == 0
    assert ragctl("reindex").code == 0
    (short / "vault" / "3.md").write_bytes(before["3.md"] or b"")
    os.kill(pid_of(home), signal.SIGKILL)
    with open(home.lock, "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    assert ragctl("search", "kingfishers").code == 0
    ragctl("init", str(short / "vault"), "--force")
    result = ragctl("purge", "--yes", "--json")
    assert result.code == 0 and result.json["foreign"] == [] and result.json["removed"]
    assert not os.path.lexists(home.root) and tree(short / "vault") == before
    assert sorted(p.name for p in short.iterdir()) == ["vault"]
