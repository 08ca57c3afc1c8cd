"""What the process that reads documents may not do, tried in a process that is confined."""

import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ragd.runtime import subprocesses
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
by_kernel = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="the kernel's filter is written for Linux on two processors",
)


def run_confined(code: str, *arguments: str) -> object:
    """What `found` is after some code that runs within the limits."""
    script = (
        "import ctypes, json, os, sys\n"
        "from ragd.vault.foreign_readers.confinement import allow_for, confine\n"
        "native = ctypes.CDLL(None, use_errno=True)\n"
        "by_kernel = confine()\n"
        "allow_for('pdf')\n"
        f"{code}\n"
        "print(json.dumps(found))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=subprocesses.environment(),
        stdout=subprocess.PIPE,
        timeout=PATIENCE_S,
        check=True,
    )
    return json.loads(done.stdout)


def raised(call: str) -> str:
    return (
        f"try:\n found = repr({call})\nexcept BaseException as error:\n"
        " found = type(error).__name__"
    )


@by_kernel
def test_the_kernel_takes_the_filter() -> None:
    assert run_confined("found = by_kernel") is True


@by_kernel
@pytest.mark.parametrize(
    "call",
    [
        "native.socket(2, 1, 0)",
        "native.socket(1, 1, 0)",
        "native.fork()",
        "native.execve(b'/bin/true', None, None)",
        "native.kill(os.getppid(), 0)",
        "native.open(sys.argv[1].encode(), os.O_WRONLY | os.O_CREAT, 0o600)",
        "native.open(sys.argv[1].encode(), os.O_RDWR)",
        "native.creat(sys.argv[1].encode(), 0o600)",
        "native.mkdir(sys.argv[1].encode(), 0o700)",
        "native.unlink(sys.argv[1].encode())",
        "native.rename(sys.argv[1].encode(), b'/tmp/elsewhere')",
    ],
)
def test_the_kernel_refuses_native_code(call: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    if "unlink" in call or "O_RDWR" in call or "rename" in call:
        file.write_text("kept")
    found = run_confined(f"found = [{call}, ctypes.get_errno()]", str(file))
    assert found == [-1, 13]  # EACCES
    assert file.exists() == ("unlink" in call or "O_RDWR" in call or "rename" in call)


@pytest.mark.parametrize(
    "call",
    [
        "__import__('socket').create_connection(('127.0.0.1', 9))",
        "__import__('socket').getaddrinfo('localhost', 9)",
        "__import__('subprocess').run(['true'])",
        "os.system('true')",
        "open(sys.argv[1], 'w')",
        "os.mkdir(sys.argv[1])",
        "os.posix_spawn('/bin/true', ['true'], {})",
    ],
)
def test_python_itself_refuses(call: str, tmp_path: Path) -> None:
    assert run_confined(raised(call), str(tmp_path / "file")) == "PermissionError"
    assert list(tmp_path.iterdir()) == []


def test_an_open_file_cannot_be_written(tmp_path: Path) -> None:
    """It was opened before the limits were set."""
    with (tmp_path / "file").open("wb") as file:
        os.set_inheritable(file.fileno(), True)
        script = (
            "import os, sys\n"
            "from ragd.vault.foreign_readers.confinement import confine\n"
            "confine()\n"
            "try:\n os.write(int(sys.argv[1]), b'x')\nexcept OSError:\n sys.exit(7)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(file.fileno())],
            env=subprocesses.environment(),
            pass_fds=[file.fileno()],
            timeout=PATIENCE_S,
        )
    assert done.returncode == 7
    assert (tmp_path / "file").read_bytes() == b""


@pytest.mark.skipif(sys.platform != "linux", reason="macOS does not enforce it")
def test_memory_is_limited() -> None:
    assert run_confined(raised("len(bytearray(2 << 30))")) == "MemoryError"


def test_few_files_can_be_open() -> None:
    code = raised("[open(os.devnull, 'rb') for _ in range(200)]")
    assert run_confined(code) == "OSError"


def test_threads_are_allowed() -> None:
    code = (
        "import threading\n"
        "found = []\n"
        "thread = threading.Thread(target=found.append, args=('ran',))\n"
        "thread.start(); thread.join()"
    )
    assert run_confined(code) == ["ran"]


def test_computing_time_is_counted_from_each_file_on() -> None:
    code = (
        "import resource\n"
        "from ragd.vault.foreign_readers import limits\n"
        "soft, hard = resource.getrlimit(resource.RLIMIT_CPU)\n"
        "found = [limits.CPU_S < soft <= limits.CPU_S + 30, soft]"
    )
    assert isinstance(found := run_confined(code), list) and found[0]


def test_a_process_that_computes_too_long_is_ended() -> None:
    script = (
        "from ragd.vault.foreign_readers import confinement, limits\n"
        "limits.CPU_S = 0\n"
        "confinement.allow_for('pdf')\n"
        "while True:\n pass"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=subprocesses.environment(), timeout=PATIENCE_S
    )
    assert done.returncode == -signal.SIGXCPU


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such an order")
def test_it_is_the_first_to_go_when_memory_runs_out() -> None:
    code = "found = int(open('/proc/self/oom_score_adj').read())"
    assert run_confined(code) == 500
