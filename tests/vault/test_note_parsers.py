"""Notes are split in processes of their own; whatever happens to those, no note is lost."""

import os
import select
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragd.notes.model import ChunkOptions
from ragd.notes.parse import Unparsable, parse_note
from ragd.vault import note_parsers
from ragd.vault.collection_paths import VAULT
from ragd.vault.note_parsers import COMMAND, NoteParsers
from ragd.vault.parse_worker import UnparsedNote
from ragd.vault.token_count import shipped_word_pieces
from tests.patience import PATIENCE_S

OPTIONS = ChunkOptions(120, 20, "remove")
count_tokens = shipped_word_pieces().count

pytestmark = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="these tests wait for processes by Linux's pidfd"
)

Start = Callable[..., NoteParsers]


def some_notes(count: int = 100) -> list[UnparsedNote]:
    """Notes of several kinds, and one file that cannot be parsed."""
    line = "Rain on the *boathouse* roof, #weather, see [[Heron]] and 2024-03-01. "
    notes = [
        UnparsedNote(
            f"@papers/Folder/{number}.md",
            f"---\ntags: [a, b{number}]\n---\n# Note {number}\n\n{line * (number % 40)}\n".encode(),
        )
        for number in range(count - 2)
    ]
    return [*notes, UnparsedNote("a.md", b"\x00\x01\x02" * 9), UnparsedNote("b.txt", b"plain")]


def expected(notes: list[UnparsedNote], collection: str = VAULT) -> list[object]:
    return [
        parse_note(note.path, note.data, OPTIONS, count_tokens, collection=collection)
        for note in notes
    ]


@pytest.fixture
def start() -> Iterator[Start]:
    """Makes parsers whose processes first run some code."""
    made: list[NoteParsers] = []

    def begin(code: str = "", **how: float) -> NoteParsers:
        command: tuple[str, ...] = COMMAND
        if code:
            program = "from ragd.vault.parse_worker import __main__ as worker\n"
            program += f"{textwrap.dedent(code)}\nraise SystemExit(worker.main())"
            command = (sys.executable, "-P", "-c", program)
        made.append(NoteParsers(command, **how))
        return made[-1]

    yield begin
    for parsers in made:
        parsers.close()


def has_gone(pid: int) -> bool:
    """Wait until this process has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], PATIENCE_S)[0])
    finally:
        os.close(handle)


def test_chunks_are_the_same_as_in_the_daemon(start: Start) -> None:
    parsers, notes = start(), some_notes()
    found = parsers.parse("papers", notes, OPTIONS)
    assert found == expected(notes, "papers")
    assert any(isinstance(note, Unparsable) for note in found)
    assert 1 <= len(parsers.pids) <= note_parsers.MOST_PROCESSES


def test_a_few_notes_start_no_process(start: Start) -> None:
    parsers, notes = start(), some_notes(3)
    assert parsers.parse(VAULT, notes, OPTIONS) == expected(notes)
    assert parsers.parse(VAULT, [], OPTIONS) == []
    assert parsers.pids == []


def test_a_single_long_note_is_split_in_a_process(start: Start) -> None:
    parsers = start()
    notes = [UnparsedNote("long.md", b"A line of a long note.\n\n" * 20_000)]
    assert parsers.parse(VAULT, notes, OPTIONS) == expected(notes)
    assert len(parsers.pids) == 1


def test_processes_stay_for_the_next_read_until_they_are_closed(start: Start) -> None:
    parsers, notes = start(), some_notes()
    parsers.parse(VAULT, notes, OPTIONS)
    first = parsers.pids
    parsers.parse(VAULT, notes, OPTIONS)
    assert parsers.pids == first
    parsers.close()
    assert parsers.pids == [] and all(map(has_gone, first))


def test_idle_processes_end(start: Start, tmp_path: Path) -> None:
    started = tmp_path / "started"
    code = f"import os\nopen({str(started)!r}, 'a').write(f'{{os.getpid()}}\\n')"
    start(code, idle_s=0.0).parse(VAULT, some_notes(), OPTIONS)
    pids = [int(pid) for pid in started.read_text().split()]
    assert pids and all(map(has_gone, pids))


def test_a_process_killed_between_two_reads_is_replaced(start: Start) -> None:
    parsers, notes = start(), some_notes()
    parsers.parse(VAULT, notes, OPTIONS)
    killed = parsers.pids
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    assert all(map(has_gone, killed))
    assert parsers.parse(VAULT, notes, OPTIONS) == expected(notes)


CRASHES = """
import os
worker.parse_note = lambda *what, **how: os._exit(1)
"""
NONSENSE = """
worker.encode_reply = lambda notes: b"\\0\\0\\0\\1\\xc1"
"""
OTHER_NOTES = """
own = worker.encode_reply
worker.encode_reply = lambda notes: own(notes[1:])
"""
RAISES = """
def fail(*what, **how):
    raise ValueError
worker.parse_note = fail
"""


@pytest.mark.parametrize("code", [CRASHES, NONSENSE, OTHER_NOTES, RAISES])
def test_a_process_that_fails_costs_no_note(start: Start, code: str) -> None:
    parsers, notes = start(code), some_notes()
    assert parsers.parse(VAULT, notes, OPTIONS) == expected(notes)


def test_a_process_that_hangs_is_killed_and_costs_no_note(start: Start) -> None:
    hanging = start(
        "import time\nworker.parse_note = lambda *what, **how: time.sleep(3600)", within_s=0.5
    )
    notes = some_notes()
    assert hanging.parse(VAULT, notes, OPTIONS) == expected(notes)
    assert hanging.pids == []


def test_a_command_that_does_not_exist_costs_no_note() -> None:
    parsers, notes = NoteParsers(("/nowhere/python",)), some_notes()
    assert parsers.parse(VAULT, notes, OPTIONS) == expected(notes)
    parsers.close()


def test_after_several_failures_no_process_is_started_for_a_while(
    start: Start, tmp_path: Path
) -> None:
    starts = tmp_path / "starts"
    code = f"import os\nopen({str(starts)!r}, 'a').write('x')\nos._exit(1)"
    parsers, notes = start(code), some_notes()
    for _ in range(8):
        assert parsers.parse(VAULT, notes, OPTIONS) == expected(notes)
    most = note_parsers.MOST_FAILURES - 1 + note_parsers.MOST_PROCESSES
    assert 1 <= len(starts.read_text()) <= most


HANGING_DAEMON = """
import sys, textwrap, threading, time
from pathlib import Path
from ragd.vault.note_parsers import NoteParsers
from tests.vault.test_note_parsers import OPTIONS, some_notes
code = '''
from ragd.vault.parse_worker import __main__ as worker
import sys, time
from pathlib import Path
def hang(*what, **how):
    Path(sys.argv[1]).write_text("")
    time.sleep(3600)
worker.parse_note, worker.confine = hang, lambda: None
worker.main()
'''
hangs = Path(sys.argv[1])
parsers = NoteParsers((sys.executable, "-P", "-c", code, str(hangs)))
read = threading.Thread(target=parsers.parse, args=("v", some_notes(), OPTIONS), daemon=True)
read.start()
while not hangs.exists():
    time.sleep(0.01)
print(*parsers.pids, flush=True)
read.join()
"""


def test_a_process_in_the_middle_of_a_note_ends_with_the_daemon(tmp_path: Path) -> None:
    """Also if the daemon is killed."""
    command = (sys.executable, "-c", HANGING_DAEMON, str(tmp_path / "hangs"))
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as daemon:
        assert daemon.stdout is not None
        pids = [int(pid) for pid in daemon.stdout.readline().split()]
        daemon.kill()
    assert pids and all(map(has_gone, pids))


def test_a_process_can_neither_write_files_nor_connect(start: Start, tmp_path: Path) -> None:
    target = tmp_path / "written"
    code = f"""
    import socket
    own = worker.parse_note
    def attack(*what, **how):
        write = lambda: open({str(target)!r}, "w")
        connect = lambda: socket.create_connection(("127.0.0.1", 1))
        for attempt in (write, connect):
            try:
                attempt()
            except PermissionError:
                continue
            raise SystemExit(1)
        return own(*what, **how)
    worker.parse_note = attack
    """
    parsers, notes = start(code), some_notes()
    assert parsers.parse(VAULT, notes, OPTIONS) == expected(notes)
    assert parsers.pids and not target.exists()  # none ended, so both were refused
