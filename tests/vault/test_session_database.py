"""Sessions in the database of another program: listed and read as if they were files."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragd.notes.documents.session_lines import read_messages, read_start
from ragd.store.lance.zstandard import decompress
from ragd.vault import foreign_database, session_database
from ragd.vault.files import FileUnreadable, NoteMissing, SkipPath, VaultGone
from ragd.vault.foreign_database import read_database
from ragd.vault.session_database import UNREADABLE_MESSAGE, SessionDatabase
from ragd.vault.walk import NoteFile
from tests.notes.documents.transcripts import message, text_part
from tests.patience import PATIENCE_S
from tests.vault.host_database import HostDatabase

LONG = "the kingfisher " * 200
MOMENT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[HostDatabase]:
    host = HostDatabase(tmp_path / "agents")
    yield host
    host.close()


@pytest.fixture
def sessions(host: HostDatabase) -> SessionDatabase:
    return SessionDatabase(str(host.path), decompress)


def listed(sessions: SessionDatabase) -> dict[str, NoteFile]:
    return {note.path: note for note in sessions.scan(None, None).notes}


def said(sessions: SessionDatabase, path: str = "s1.jsonl") -> list[str]:
    return [one.text for one in read_messages(sessions.read(path)[0])]


def beside(host: HostDatabase) -> dict[str, tuple[int, int]]:
    """The files of the database, as far as a reader must not change them."""
    found = {path.name: path.stat() for path in host.path.parent.iterdir()}
    return {
        name: (stat.st_size, stat.st_mtime_ns)
        for name, stat in found.items()
        if not name.endswith("-shm")  # readers and writers coordinate in it
    }


def test_a_session_is_listed_with_its_size_and_the_time_of_its_last_event(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    host.say("s1", "Where is the heron?", "At the weir.", moment=MOMENT)
    [note] = sessions.scan(None, None).notes
    data, stat = sessions.read("s1.jsonl")
    assert (note.path, note.size, note.mtime_ns) == ("s1.jsonl", len(data), stat.mtime_ns)
    assert note.mtime_ns == int(MOMENT.timestamp()) * 1_000_000_000
    assert sessions.stat(["s1.jsonl", "s2.jsonl"]) == [("s1.jsonl", stat), ("s2.jsonl", None)]
    assert sessions.kinds(["s1.jsonl", "s2.jsonl"]) == {"s1.jsonl": "file"}
    start = read_start(data)
    assert start is not None and start.time == MOMENT


def test_a_compressed_message_is_read(host: HostDatabase, sessions: SessionDatabase) -> None:
    host.say("s1", LONG, "At the weir.")
    assert host.execute("SELECT count(*) FROM transcript_events WHERE event_json IS NULL") == [(1,)]
    assert said(sessions) == [LONG.strip(), "At the weir."]


def test_tools_and_other_events_are_never_read(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    host.say("s1", "Where is the heron?")
    host.add(
        "s1",
        message("toolResult", [text_part("HIDDEN")]),
        message("toolResult", [text_part("HIDDEN " * 1000)]),
        {"type": "compaction", "summary": "HIDDEN"},
        {"type": "custom", "data": "HIDDEN"},
        message("assistant", [text_part("At the weir.")]),
    )
    data, _ = sessions.read("s1.jsonl")
    assert b"HIDDEN" not in data
    assert said(sessions) == ["Where is the heron?", "At the weir."]
    assert listed(sessions)["s1.jsonl"].size == len(data)


def test_a_part_is_what_the_whole_has_there(host: HostDatabase, sessions: SessionDatabase) -> None:
    host.say("s1", "Where is the heron?", LONG, "It is back.", LONG)
    data, _ = sessions.read("s1.jsonl")
    for first, most in ((0, 10), (0, len(data)), (500, 3000), (len(data) - 7, 99), (len(data), 1)):
        assert sessions.read_part("s1.jsonl", first, most) == data[first : first + most]
    with pytest.raises(FileNotFoundError):
        sessions.read_part("s2.jsonl", 0, 1)


def test_what_was_added_or_rewritten_changes_what_is_listed(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    host.say("s1", "Where is the heron?")
    host.say("s2", "Where is the kingfisher?")
    before = listed(sessions)
    assert listed(sessions) == before
    host.say("s1", "At the weir.", "Thanks.")
    added = listed(sessions)
    assert added["s1.jsonl"].size == len(sessions.read("s1.jsonl")[0]) > before["s1.jsonl"].size
    assert added["s2.jsonl"] == before["s2.jsonl"]
    host.replace_first_message("s1", "Where?")
    rewritten = listed(sessions)["s1.jsonl"]
    assert rewritten.size == len(sessions.read("s1.jsonl")[0]) < added["s1.jsonl"].size
    assert rewritten.ctime_ns > added["s1.jsonl"].ctime_ns


def test_a_deleted_session_is_gone_although_the_host_archives_it(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    host.say("s1", "Where is the heron?")
    assert list(listed(sessions)) == ["s1.jsonl"]
    host.delete("s1")
    assert listed(sessions) == {}
    with pytest.raises(NoteMissing):
        sessions.read("s1.jsonl")


def test_a_session_without_events_or_with_another_name_is_not_listed(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    for name in ("s1", "a.b", "x/y"):
        host.say(name, "Where is the heron?")
    host.execute("INSERT INTO session_windows VALUES ('cold', 'k', 1, 1, NULL, NULL)")
    assert list(listed(sessions)) == ["s1.jsonl"]
    for path in ("a.b.jsonl", "../s1.jsonl", "s1", "s1\0.jsonl", ""):
        assert sessions.kinds([path]) == {}


def test_only_the_latest_sessions_are_listed(
    host: HostDatabase, sessions: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        host.say(f"s{number}", "Where is the heron?", moment=MOMENT.replace(hour=number))
    monkeypatch.setattr(session_database, "MOST_SESSIONS", 2)
    assert list(listed(sessions)) == ["s4.jsonl", "s3.jsonl"]


def test_nothing_of_the_host_changes_while_it_runs(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    host.say("s1", "Where is the heron?")
    before = beside(host)
    listed(sessions)
    sessions.read("s1.jsonl")
    assert beside(host) == before
    assert host.path.name + "-wal" in before


def test_nothing_appears_beside_a_database_that_nobody_has_open(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    host.say("s1", "Where is the heron?")
    host.close()
    before = beside(host)
    assert list(before) == [host.path.name]
    assert said(sessions) == ["Where is the heron?"]
    assert {path.name for path in host.path.parent.iterdir()} == {host.path.name}
    assert beside(host) == before


def test_what_a_killed_host_left_behind_is_read(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    host.say("s1", "Where is the heron?")
    host.close()
    killed = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('UPDATE transcript_events SET event_json = replace(event_json, '"
        "\"'heron', 'swift')\");"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", killed, str(host.path)], check=True)
    before = beside(host)
    assert len(before) == 2
    assert said(sessions) == ["Where is the swift?"]
    assert beside(host) == before, "its log is neither applied nor removed"


def test_a_host_that_starts_meanwhile_is_noticed(host: HostDatabase) -> None:
    host.say("s1", "Where is the heron?")
    host.close()
    seen: list[int] = []

    def count(opened: sqlite3.Connection) -> int:
        [found] = opened.execute("SELECT count(*) FROM transcript_events").fetchone()
        if not seen:
            host.open()
            host.say("s1", "At the weir.")
        seen.append(found)
        return seen[-1]

    assert read_database(str(host.path), count) == 3
    assert seen == [2, 3]


def test_a_reader_sees_one_moment_while_a_host_writes(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    """Every transaction of the host adds a question and its answer."""
    ended, started = threading.Event(), threading.Event()
    failed: list[BaseException] = []

    def write() -> None:
        try:
            other = HostDatabase.__new__(HostDatabase)
            other.path = host.path
            other.open()
            number = 0
            while not ended.is_set():
                pair = [message(role, f"{number} {LONG}") for role in ("user", "assistant")]
                other.add("s1", *pair)
                number += 1
                started.set()
            other.close()
        except BaseException as why:
            failed.append(why)
            raise

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert started.wait(PATIENCE_S)
        for _ in range(30):
            data, stat = sessions.read("s1.jsonl")
            numbers = [int(one.text.split()[0]) for one in read_messages(data)]
            assert numbers == [number // 2 for number in range(len(numbers))]
            assert len(numbers) % 2 == 0 and stat.size == len(data)
            assert listed(sessions)["s1.jsonl"].size >= len(data)
    finally:
        ended.set()
        writer.join(PATIENCE_S)
    assert failed == []


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_database, "BUSY_S", 0.05)


def reason(sessions: SessionDatabase) -> str:
    for call in (sessions.verify, lambda _: sessions.scan(None, None)):
        with pytest.raises(VaultGone) as gone:
            call(None)
    return gone.value.reason


def test_a_locked_database_is_named_as_that(
    host: HostDatabase, sessions: SessionDatabase, soon: None
) -> None:
    host.say("s1", "Where is the heron?")
    host.close()
    host.open()
    host.execute("PRAGMA locking_mode = EXCLUSIVE")
    host.say("s1", "At the weir.")
    assert reason(sessions) == "locked"
    host.close()
    assert len(said(sessions)) == 2


@pytest.mark.parametrize("text", [b"", b"not a database at all" * 99])
def test_what_is_no_database_is_named_as_that(
    host: HostDatabase, sessions: SessionDatabase, text: bytes
) -> None:
    host.close()
    host.path.write_bytes(text)
    assert reason(sessions) == ("damaged" if text else "unknown_format")


def test_a_damaged_database_is_named_as_that(host: HostDatabase, sessions: SessionDatabase) -> None:
    for number in range(50):
        host.say(f"s{number}", "Where is the heron?" * 20)
    host.close()
    data = bytearray(host.path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    host.path.write_bytes(data)
    assert reason(sessions) == "damaged"


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE transcript_events",
        "ALTER TABLE transcript_events RENAME COLUMN event_json TO event",
        "ALTER TABLE session_windows RENAME TO windows",
    ],
)
def test_a_schema_that_is_not_known_is_named_as_that(
    host: HostDatabase, sessions: SessionDatabase, change: str
) -> None:
    host.say("s1", "Where is the heron?")
    host.execute(change)
    assert reason(sessions) == "unknown_format"


def test_a_database_that_is_gone_or_a_link_is_not_read(
    host: HostDatabase, sessions: SessionDatabase, tmp_path: Path
) -> None:
    host.say("s1", "Where is the heron?")
    host.close()
    host.path.rename(tmp_path / "elsewhere.sqlite")
    assert reason(sessions) == "missing"
    host.path.symlink_to(tmp_path / "elsewhere.sqlite")
    assert reason(sessions) == "unreadable"
    host.path.unlink()
    (tmp_path / "elsewhere.sqlite").rename(host.path)
    assert len(said(sessions)) == 1


def test_another_device_is_another_database(host: HostDatabase, sessions: SessionDatabase) -> None:
    identity = sessions.identity()
    sessions.verify(identity)
    for call in (sessions.verify, lambda known: sessions.scan(None, None, known)):
        with pytest.raises(VaultGone) as gone:
            call((identity[0] + 1, identity[1]))
        assert gone.value.reason == "moved"


def test_a_message_that_cannot_be_decompressed_costs_its_session_only(
    host: HostDatabase, sessions: SessionDatabase
) -> None:
    host.say("s1", LONG)
    host.say("s2", "Where is the heron?")
    host.execute("UPDATE transcript_events SET event_zstd = x'00' WHERE event_json IS NULL")
    with pytest.raises(FileUnreadable) as unreadable:
        sessions.read("s1.jsonl")
    assert unreadable.value.reason == UNREADABLE_MESSAGE
    with pytest.raises(OSError):
        sessions.read_part("s1.jsonl", 0, 1)
    assert said(sessions, "s2.jsonl") == ["Where is the heron?"]
    assert len(listed(sessions)) == 2


def test_what_is_no_text_harms_nothing(host: HostDatabase, sessions: SessionDatabase) -> None:
    host.say("s1", "Where is the heron?", "At the weir.", "Thanks.")
    host.execute("UPDATE transcript_events SET event_json = CAST(x'ff00fe' AS TEXT) WHERE seq = 1")
    host.execute("UPDATE transcript_events SET event_json = '{' WHERE seq = 2")
    assert said(sessions) == ["Thanks."]


def test_a_session_over_the_limit_is_skipped(
    host: HostDatabase, sessions: SessionDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.say("s1", LONG, LONG)

    class Small:
        most_bytes = len(LONG)

    monkeypatch.setattr(session_database, "kind_of", lambda path: Small)
    with pytest.raises(SkipPath):
        sessions.read("s1.jsonl")
