"""Cold starts: the CPU time of whole commands, and the time to the daemon's first answer.

The commands take turns with a bare interpreter, many times; the median counts.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.measured_daemon import environment
from bench.table import Row, ms, ratio

BARE = "import argparse, json, socket"
LIBRARIES = "import aiohttp, msgspec, structlog"
RUNS = 40
STARTS = 7
WITHIN_S = 30.0
GOAL = "at most 1.6"

# What an installed console script does, for a checkout without one.
SCRIPT = "import sys\nfrom ragctl.__main__ import main\nsys.exit(main())\n"


def rows() -> Iterator[Row]:
    """All figures of this part."""
    with TemporaryDirectory(prefix="ragd-bench-") as folder:
        home = _home(Path(folder))
        _run(
            ["-c", f"{LIBRARIES}; import ragd.daemon"], home
        )  # compile the bytecode, as an installation does
        yield _starting(home)
        if find_spec("ragctl") is None:
            yield Row("ragctl status, ragctl --version", "not installed", "", None, GOAL)
        else:
            yield from _commands(Path(folder), home)


def _home(folder: Path) -> Path:
    home, vault = folder / "h", folder / "vault"
    home.mkdir(mode=0o700)
    vault.mkdir()
    (home / "config.json").write_text(json.dumps({"vault_path": str(vault)}))
    return home


# Commands


def _commands(folder: Path, home: Path) -> Iterator[Row]:
    script = folder / "ragctl"
    script.write_text(SCRIPT)
    commands = {
        "ragctl status": [str(script), "status"],
        "ragctl --version": [str(script), "--version"],
        "bare": ["-c", BARE],
    }
    daemon = _start(home)
    try:
        _until_it_answers(home, daemon, settled=True)
        took: dict[str, list[float]] = {name: [] for name in commands}
        for arguments in commands.values():
            _run(arguments, home)
        for _ in range(RUNS):
            for name, arguments in commands.items():
                took[name].append(_run(arguments, home))
    finally:
        daemon.terminate()
        daemon.wait(WITHIN_S)
    bare = took.pop("bare")
    for name, seconds in took.items():
        beside = f"{ms(median(bare))} python -c '{BARE}'"
        yield Row(f"cold {name}, CPU time", ms(median(seconds)), beside, ratio(seconds, bare), GOAL)


def _run(arguments: list[str], home: Path) -> float:
    """The CPU time of a whole run. Wall time would include other processes."""
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment(str(home)), stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{arguments} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


# The daemon


def _starting(home: Path) -> Row:
    ours, libraries = [], []
    for _ in range(STARTS):
        began = time.perf_counter()
        daemon = _start(home)
        try:
            _until_it_answers(home, daemon)
            ours.append(time.perf_counter() - began)
        finally:
            daemon.terminate()
            daemon.wait(WITHIN_S)
        began = time.perf_counter()
        _run(["-c", LIBRARIES], home)
        libraries.append(time.perf_counter() - began)
    return Row(
        "daemon, from start to first status",
        ms(median(ours)),
        f"{ms(median(libraries))} python -c '{LIBRARIES}'",
        ratio(ours, libraries),
    )


def _start(home: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "ragd", "--home", str(home)], env=environment(str(home))
    )


def _until_it_answers(
    home: Path, daemon: subprocess.Popen[bytes], *, settled: bool = False
) -> None:
    """`settled`: also until its first probes are done, for which `ragctl status` would wait."""
    end = time.perf_counter() + WITHIN_S
    while time.perf_counter() < end and daemon.poll() is None:
        answer = _status(home)
        if answer and not (settled and b'"STARTING"' in answer):
            return
        time.sleep(0.002)
    raise RuntimeError("the daemon did not answer")


def _status(home: Path) -> bytes:
    """The whole answer; empty if there is none."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(WITHIN_S)
            connection.connect(str(home / "ragd.sock"))
            connection.sendall(b"GET /v1/status HTTP/1.0\r\n\r\n")
            return b"".join(iter(lambda: connection.recv(65_536), b""))
    except OSError:
        return b""
