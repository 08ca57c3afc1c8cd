"""Nothing leaves this machine, checked in three ways.

An audit hook in the daemon and its worker records every connection of Python. strace also records
those of native libraries. And in a network namespace that has only loopback, everything works as
usual.
"""

import asyncio
import contextlib
import ipaddress
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragctl.doctor.checks.network import connections
from ragd.embed.providers import local_model
from ragd.paths import Home
from tests.daemon.processes import REPOSITORY, Process, environment, write_config
from tests.patience import PATIENCE_S

Start = Callable[..., Process]

AUDIT = Path(__file__).with_name("audit")
OFFLINE = Path(__file__).with_name("offline.py")
EXAMPLES = REPOSITORY / "examples" / "vault"
SHOWN = 1 + sum("rag: false" not in note.read_text() for note in EXAMPLES.rglob("*.md"))
IN_CI = bool(os.environ.get("CI"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        local_model.unavailable() is not None, reason="the embedded model cannot run here"
    ),
]


@pytest.fixture
def vault(home: Home) -> Path:
    """The example vault next to the home."""
    found = Path(home.root).parent / "vault"
    shutil.copytree(EXAMPLES, found, dirs_exist_ok=True)
    write_config(home, health={"probe_s": 0.2})  # `auto`: Ollama is looked for
    return found


async def used(daemon: Process) -> None:
    """A daemon that has indexed the vault and answered every tool once."""
    await daemon.wait_until_ready()
    job = (await daemon.ask("POST", "/v1/jobs", {"mode": "full"})).data["job_id"]
    *_, last = (await daemon.ask("GET", f"/v1/jobs/{job}?follow=1")).body.splitlines()
    assert json.loads(last)["outcome"] == "complete", last
    fact = {"key": "k", "value": "v", "source": "note.md"}
    assert (await daemon.ask("POST", "/v1/tools/obsidian_rag_memory_store", fact)).data["stored"]
    await daemon.ask("POST", "/v1/tools/obsidian_rag_search", {"query": "how much do I owe?"})
    status = (await daemon.ask("POST", "/v1/tools/obsidian_rag_status", {})).data
    assert status["total_docs"] == SHOWN and status["chunks_embedded"] == status["total_chunks"]


def is_local(whom: Any) -> bool:
    """A Unix socket's path, a name for this machine, or an address of it."""
    if isinstance(whom, list):
        whom = whom[0]
    if whom == "localhost" or str(whom).startswith("/"):
        return True
    try:
        return ipaddress.ip_address(whom).is_loopback
    except ValueError:
        return False


async def test_the_daemon_and_its_worker_talk_to_this_machine_only(
    home: Home, vault: Path, start: Start, tmp_path: Path
) -> None:
    record = tmp_path / "audit"
    path = os.pathsep.join([str(AUDIT), str(REPOSITORY)])
    daemon = start(PYTHONPATH=path, RAGD_AUDIT=str(record))
    await used(daemon)
    assert await daemon.stop() == 0
    heard = [json.loads(line) for line in record.read_text().splitlines()]
    began = [said["to"] for said in heard if said["event"] == "began"]
    assert len(began) >= 2 and any("ragd.embed.worker" in command for command in began)
    talked = [said for said in heard if said["event"] != "began"]
    assert ["127.0.0.1", 11434] in [said["to"] for said in talked]  # Ollama was looked for
    assert [said for said in talked if not is_local(said["to"])] == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process has open")
async def test_no_port_is_open(home: Home, vault: Path, start: Start) -> None:
    daemon = start()
    await used(daemon)
    worker = Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text().split()
    for pid in (daemon.pid, *map(int, worker)):
        assert [one for one in connections(pid) if one.listens] == []
    assert await daemon.stop() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process has open")
def test_an_open_port_would_be_seen() -> None:
    with socket.create_server(("127.0.0.1", 0)):
        assert any(one.listens for one in connections(os.getpid()))


def test_the_hook_records_outgoing_calls(tmp_path: Path) -> None:
    """Tests the hook itself: a connection, a datagram and a look-up are recorded."""
    record = tmp_path / "audit"
    calls = (
        "import socket, contextlib as c\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "with c.suppress(OSError): s.connect(('192.0.2.1', 9))\n"
        "with c.suppress(OSError): s.sendto(b'', ('192.0.2.2', 9))\n"
        "with c.suppress(OSError): socket.getaddrinfo('192.0.2.3', 9)\n"
    )
    subprocess.run(
        [sys.executable, "-c", calls],
        env=environment(PYTHONPATH=str(AUDIT), RAGD_AUDIT=str(record)),
        check=True,
        timeout=PATIENCE_S,
    )
    _, *heard = (json.loads(line) for line in record.read_text().splitlines())
    assert len(heard) == 3 and not any(is_local(said["to"]) for said in heard)


_CALL = re.compile(r"\b(?:connect|sendto|sendmsg)\(.*")
_ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"|sin6_addr="([^"]+)"')


def addresses(trace: str) -> list[str]:
    """The internet addresses that a trace names as targets."""
    found = []
    for call in _CALL.findall(trace):
        if "AF_INET" in call:
            match = _ADDRESS.search(call)
            found.append(next(filter(None, match.groups())) if match else call)
    return found


async def test_no_system_call_leads_outside(
    home: Home, vault: Path, start: Start, tmp_path: Path
) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    watched = ["strace", "-f", "--seccomp-bpf", "-e", "trace=connect,sendto,sendmsg"]
    command = [*watched, "-o", str(trace), sys.executable, "-m", "ragd", "--home", home.root]
    daemon = Process(home, command)
    try:
        try:
            await used(daemon)
        except AssertionError:
            if "PTRACE" in daemon.output or "ptrace" in daemon.output:
                pytest.skip("strace may not trace here")
            raise
        await daemon.ask("POST", "/v1/stop")
        assert await daemon.wait_for_exit() == 0
    finally:
        if daemon.popen.poll() is None:  # without its tracer the daemon would go on
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await daemon.ask("POST", "/v1/stop")
        daemon.kill()
    seen = addresses(trace.read_text())
    assert "127.0.0.1" in seen
    assert [one for one in seen if not is_local(one)] == []


def test_a_trace_that_leads_outside_would_be_noticed() -> None:
    lines = (
        '7 connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.1")}, 16)'
        ' = 0\n7 connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 9) = 0\n'
        "7 connect(4, {sa_family=AF_INET6, sin6_port=htons(1), "
        'inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28) = 0\n'
    )
    assert addresses(lines) == ["192.0.2.1", "2001:db8::1"]
    assert not any(map(is_local, addresses(lines)))


def no_namespace() -> str | None:
    """Why this machine has no network namespaces; empty if it has."""
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    tried = subprocess.run(
        ["unshare", "-rn", "true"], capture_output=True, text=True, timeout=PATIENCE_S
    )
    return tried.stderr.strip() if tried.returncode else None


async def test_all_works_where_there_is_only_loopback(home: Home, vault: Path) -> None:
    if why := no_namespace():
        assert not IN_CI, f"this test must run in CI, but: {why}"
        pytest.skip(f"no network namespace here: {why}")
    Path(home.config).unlink()
    command = ["unshare", "-rn", sys.executable, str(OFFLINE), home.root, str(vault)]
    done = await asyncio.to_thread(
        subprocess.run,
        command,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["interfaces"] == ["lo"] and result["reaches_out"] is False
    assert result["init"] == 0
    code, lines = result["index"]
    assert code == 0 and lines[-1]["type"] == "complete" and lines[-1]["indexed_files"] == SHOWN
    code, [status] = result["status"]
    assert code == 0 and status["data"]["total_docs"] == SHOWN
    assert status["data"]["chunks_embedded"] == status["data"]["total_chunks"] > SHOWN
    assert result["memory"][0] == 0
    code, [answer] = result["search"]
    assert code == 0 and "Sreenivas" in answer["data"]["results"][0]["chunk_text"]
