"""The worker that reads documents: whatever its process does, only the file pays for it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from ragd.notes.documents.model import Document, Unreadable
from ragd.runtime import subprocesses
from ragd.vault import document_worker
from ragd.vault.document_worker import CannotRead, DocumentWorker
from ragd.vault.foreign_readers import limits, reasons
from tests.patience import PATIENCE_S, wait_until
from tests.vault.foreign_readers.fake_reader import GOOD
from tests.vault.foreign_readers.pdf_files import simple_pdf

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in uses signals")

FAKE = (sys.executable, str(Path(__file__).parent / "foreign_readers" / "fake_reader.py"))
Make = Callable[..., DocumentWorker]


@pytest.fixture
def make() -> Iterator[Make]:
    """Workers whose process is the stand-in."""
    made: list[DocumentWorker] = []

    def one(idle_s: float = PATIENCE_S, within_s: float = PATIENCE_S) -> DocumentWorker:
        made.append(DocumentWorker(idle_s, within_s, FAKE))
        return made[-1]

    yield one
    for worker in made:
        worker.close()


def is_gone(pid: int) -> bool:
    """Whether a process has ended, even if nobody has asked for its exit code yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_no_process_runs_before_the_first_file(make: Make) -> None:
    worker = make()
    assert worker.pid is None
    assert worker.read("pdf", b"good") == GOOD
    assert worker.pid is not None


def test_one_process_reads_file_after_file(make: Make) -> None:
    worker = make()
    assert worker.read("pdf", b"pid") == worker.read("docx", b"pid")


@pytest.mark.parametrize("command", ["crash", "killed", "half", "garbage", "too-long"])
def test_a_file_on_which_it_fails_gets_a_reason_and_the_next_is_read(
    make: Make, command: str
) -> None:
    worker = make()
    assert worker.read("pdf", command.encode()) == Unreadable(reasons.CRASHED)
    assert worker.read("pdf", b"good") == GOOD


def test_a_file_on_which_it_hangs_gets_a_reason_and_the_next_is_read(make: Make) -> None:
    worker = make(within_s=0.5)
    assert worker.read("pdf", b"hang") == Unreadable(reasons.TOO_SLOW)
    assert worker.pid is None
    worker.within_s = PATIENCE_S
    assert worker.read("pdf", b"good") == GOOD


def test_a_process_that_takes_no_input_costs_only_time(make: Make) -> None:
    """The pipe is full, so even the request cannot be sent."""
    worker = DocumentWorker(PATIENCE_S, 0.5, (sys.executable, "-c", "import time; time.sleep(999)"))
    assert worker.read("pdf", bytes(10_000_000)) == Unreadable(reasons.TOO_SLOW)
    worker.close()


def test_the_kernel_s_limit_on_computing_time_has_its_own_reason(make: Make) -> None:
    assert make().read("pdf", b"out-of-time") == Unreadable(reasons.TOO_SLOW)


def test_a_crash_in_a_used_process_is_not_held_against_the_file(make: Make) -> None:
    worker = make()
    assert worker.read("pdf", b"good") == GOOD
    assert worker.read("pdf", b"crash-if-used") == GOOD


def test_lack_of_memory_in_a_used_process_is_not_held_against_the_file(make: Make) -> None:
    worker = make()
    assert worker.read("pdf", b"good") == GOOD
    assert worker.read("pdf", b"full-if-used") == GOOD


def test_a_kill_from_outside_is_not_held_against_the_file(make: Make, tmp_path: Path) -> None:
    assert make().read("pdf", f"killed-once {tmp_path / 'pids'}".encode()) == GOOD


def test_a_file_that_crashes_a_new_process_is_not_tried_again(make: Make, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    assert make().read("pdf", f"crash {pids}".encode()) == Unreadable(reasons.CRASHED)
    assert len(pids.read_text().split()) == 1


def test_a_file_that_crashes_every_process_is_tried_twice_at_most(
    make: Make, tmp_path: Path
) -> None:
    pids, worker = tmp_path / "pids", make()
    assert worker.read("pdf", b"good") == GOOD
    assert worker.read("pdf", f"crash {pids}".encode()) == Unreadable(reasons.CRASHED)
    assert len(set(pids.read_text().split())) == 2


def test_words_of_a_file_cannot_become_a_reason(make: Make) -> None:
    assert make().read("pdf", b"unknown-reason") == Unreadable(reasons.CRASHED)


def test_an_error_of_the_reader_itself_costs_only_the_file(make: Make) -> None:
    worker = make()
    assert worker.read("pdf", b"defect") == Unreadable(reasons.CRASHED)
    assert worker.read("pdf", b"good") == GOOD


def test_a_kind_that_no_reader_knows(make: Make) -> None:
    worker = make()
    assert worker.read("exe", b"good") == Unreadable(reasons.UNKNOWN_KIND)
    assert worker.pid is None


def test_a_file_that_is_too_large_is_not_sent(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "INPUT_BYTES", 3)
    worker = make()
    assert worker.read("pdf", b"good") == Unreadable(reasons.TOO_LARGE)
    assert worker.pid is None


def test_the_process_gets_none_of_our_variables(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGD_TEST_TOKEN", "secret")
    found = make().read("pdf", b"environment")
    assert isinstance(found, Document)
    assert "RAGD_TEST_TOKEN" not in found.text and "PYTHONSAFEPATH" in found.text
    assert "HOME" not in found.text.split()


async def test_the_process_ends_when_it_is_not_needed(make: Make) -> None:
    worker = make(idle_s=0.05)
    assert worker.read("pdf", b"good") == GOOD
    await wait_until(lambda: worker.pid is None)
    assert worker.read("pdf", b"good") == GOOD


def test_a_process_is_replaced_after_many_files(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_worker, "FILES_PER_PROCESS", 2)
    worker = make()
    first, second, third = (worker.read("pdf", b"pid") for _ in range(3))
    assert first == second != third


def test_what_follows_an_image_gets_a_process_without_the_models(make: Make) -> None:
    worker = make()
    first, second, third = (worker.read(kind, b"pid") for kind in ("image", "image", "pdf"))
    assert first == second != third


def test_many_threads_share_one_process(make: Make) -> None:
    worker = make()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: worker.read("pdf", b"pid"), range(40)))
    assert len({one.text for one in found if isinstance(one, Document)}) == 1
    assert len(found) == 40


def test_threads_get_their_own_answers_while_files_crash(make: Make) -> None:
    worker = make()
    commands = [b"good", b"crash", b"garbage", b"good"] * 5
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda command: worker.read("pdf", command), commands))
    expected = [GOOD if one == b"good" else Unreadable(reasons.CRASHED) for one in commands]
    assert found == expected


async def test_closing_ends_a_read_at_once_and_says_nothing_about_the_file(
    make: Make, tmp_path: Path
) -> None:
    worker, began = make(), tmp_path / "began"
    with ThreadPoolExecutor(1) as pool:
        reading: Future[object] = pool.submit(worker.read, "pdf", f"hang {began}".encode())
        await wait_until(began.exists)
        worker.close()
        assert isinstance(reading.exception(PATIENCE_S), CannotRead)
    assert worker.pid is None


async def test_files_that_wait_are_not_read_after_closing(make: Make, tmp_path: Path) -> None:
    worker, began = make(), tmp_path / "began"
    with ThreadPoolExecutor(4) as pool:
        first: Future[object] = pool.submit(worker.read, "pdf", f"hang {began}".encode())
        await wait_until(began.exists)
        others = [pool.submit(worker.read, "pdf", b"good") for _ in range(3)]
        worker.close()
        found = [first.exception(PATIENCE_S), *(one.exception(PATIENCE_S) for one in others)]
    assert all(isinstance(one, CannotRead) for one in found)


def test_a_closed_worker_starts_no_process(make: Make) -> None:
    worker = make()
    worker.close()
    with pytest.raises(CannotRead):
        worker.read("pdf", b"good")
    worker.close()


def test_a_process_that_cannot_start_says_nothing_about_the_file() -> None:
    worker = DocumentWorker(command=("/nowhere/python",))
    with pytest.raises(CannotRead):
        worker.read("pdf", b"good")
    worker.close()


def test_no_thread_is_left_after_closing(make: Make) -> None:
    worker = make()
    worker.read("pdf", b"good")
    worker.close()
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(PATIENCE_S)
    assert not [one for one in threading.enumerate() if isinstance(one, threading.Timer)]


PARENT = """
import sys, threading
from ragd.vault.document_worker import DocumentWorker
worker = DocumentWorker(command=sys.argv[2:])
data = sys.argv[1].encode("latin-1")
threading.Thread(target=worker.read, args=("pdf", data), daemon=True).start()
while worker.pid is None:
    pass
print(worker.pid, flush=True)
threading.Event().wait()
"""


def start_parent(data: bytes, command: tuple[str, ...]) -> tuple["subprocess.Popen[bytes]", int]:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, data.decode("latin-1"), *command],
        env=subprocesses.environment(),
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


async def test_the_process_ends_in_the_middle_of_a_file_when_the_daemon_is_killed(
    tmp_path: Path,
) -> None:
    began = tmp_path / "began"
    parent, pid = start_parent(f"hang {began}".encode(), FAKE)
    with parent:
        await wait_until(began.exists)
        assert not is_gone(pid)
        parent.send_signal(signal.SIGKILL)
    await wait_until(lambda: is_gone(pid))


async def test_the_real_process_ends_when_the_daemon_is_killed() -> None:
    parent, pid = start_parent(b"%PDF-", document_worker.COMMAND)
    with parent:
        parent.send_signal(signal.SIGKILL)
    await wait_until(lambda: is_gone(pid))


def test_the_daemon_never_imports_pdfium() -> None:
    """With a real process, because that is where it is imported."""
    script = (
        "import sys\n"
        "from ragd.vault.document_worker import DocumentWorker\n"
        "worker = DocumentWorker()\n"
        "found = worker.read('pdf', sys.stdin.buffer.read())\n"
        "worker.close()\n"
        "print(found.text)\n"
        "print([name for name in sys.modules if 'pdfium' in name or name == 'ctypes'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=simple_pdf("Seven boats."),
        env=subprocesses.environment(),
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stdout.decode().splitlines() == ["Seven boats.", "[]"]
