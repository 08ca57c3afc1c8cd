"""A service under a real systemd: installed, used, stopped, crashed, hung, removed.

Run by tests/ragctl/service_managers/test_service_for_real.py as a user of its own.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import ragd
from tests.patience import PATIENCE_S

WITHIN_S = PATIENCE_S
USER_HOME = Path(os.environ["HOME"])
VAULT = USER_HOME / "Notes %u 'ünï'"
ROOT = USER_HOME / 'r %h "q" $HOME ${X} \\n 日本 ; #'
UNITS = USER_HOME / ".config/systemd/user"


def ragctl(*argv: str, code: int = 0) -> str:
    done = subprocess.run([sys.executable, "-m", "ragctl", *argv], capture_output=True, text=True)
    print(f"$ ragctl {' '.join(argv)}\n{done.stdout}{done.stderr}", flush=True)
    assert done.returncode == code, done.returncode
    return done.stdout


def status(code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ragctl("service", "status", "--json", code=code))
    return found


def shown(*names: str) -> list[str]:
    """The values of these properties of the unit."""
    asked = ["systemctl", "--user", "show", UNIT, "--value"]
    return [
        subprocess.run([*asked, f"-p{n}"], capture_output=True, text=True).stdout.strip()
        for n in names
    ]


def until(wanted: list[str], *names: str) -> None:
    deadline = time.monotonic() + WITHIN_S
    while (found := shown(*names)) != wanted:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


os.environ["OBSIDIAN_RAG_HOME"] = str(ROOT)
(VAULT / ".obsidian").mkdir(parents=True)
(VAULT / "debt.md").write_text("# Money\nI owe Sreenivas 70 dollars.\n")

# Installed while a daemon runs without it: that daemon is stopped first.
ragctl("init", str(VAULT))
ragctl("start")
ragctl("service", "status", code=3)
ragctl("service", "install")
said = status()
UNIT, pid = said["name"], said["pid"]
assert said["installed"] and said["up_to_date"] and said["at_login"]
assert json.loads(ragctl("start", "--json"))["pid"] == pid
command = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
assert command[1:5] == ["-m", "ragd", "--home", str(ROOT)], command

# The sandbox is active, and the daemon works in it.
about = Path(f"/proc/{pid}/status").read_text()
assert "NoNewPrivs:\t1" in about and "Seccomp:\t2" in about
text = (UNITS / UNIT).read_text()
has_namespaces = subprocess.run(["unshare", "--user", "true"]).returncode == 0
assert ("PrivateUsers=yes" in text) == has_namespaces
# A private /tmp would hide an installation in /tmp.
in_tmp = any(place.startswith(("/tmp/", "/var/tmp/")) for place in (sys.executable, ragd.__file__))
assert ("PrivateTmp=yes" in text) == (has_namespaces and not in_tmp)
if has_namespaces:
    mounts = Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
    modes = {fields[4]: fields[5].split(",")[0] for fields in (line.split(" ") for line in mounts)}
    name = str(VAULT).replace(" ", "\\040")
    assert modes[name] == "ro" and modes["/"] == "ro", modes
ragctl("index", "--json")
assert "Sreenivas" in ragctl("search", "to whom do I owe money?", "--json")
until(["healthy"], "StatusText")

# A second install changes nothing and does not restart an up-to-date service.
ragctl("service", "install")
assert status()["pid"] == pid

# systemd does not undo a clean stop, and the next command starts the service, not a second daemon.
ragctl("stop")
assert shown("ActiveState", "Result") == ["inactive", "success"]
ragctl("status")
pid = status()["pid"]
assert json.loads(ragctl("status", "--json"))["data"]["pid"] == pid

# systemd restarts after a crash; a stop while it waits prevents the restart.
os.kill(pid, signal.SIGKILL)
until(["auto-restart"], "SubState")
ragctl("stop")
assert shown("ActiveState") == ["inactive"]

# The watchdog detects a daemon that hangs.
quick = UNITS / f"{UNIT}.d" / "quick.conf"
quick.parent.mkdir()
quick.write_text("[Service]\nWatchdogSec=1\nRestartSec=0\n")
subprocess.run(["systemctl", "--user", "daemon-reload"], check=True)
ragctl("start")
pid = status()["pid"]
os.kill(pid, signal.SIGSTOP)
until(["1", "active"], "NRestarts", "ActiveState")
assert status()["pid"] != pid
quick.unlink()
quick.parent.rmdir()
subprocess.run(["systemctl", "--user", "daemon-reload"], check=True)
ragctl("stop")

# Errors that a restart cannot fix cause no restart.
config = (ROOT / "config.json").read_bytes()
(ROOT / "config.json").write_text('{"vault_path": 5}')
ragctl("start", code=78)
until(["failed", "78", "0"], "ActiveState", "ExecMainStatus", "NRestarts")
(ROOT / "config.json").write_bytes(config)
ragctl("start")

# Ollama can be reached from the sandbox.
OLLAMA = """
import asyncio
from tests.embed.fake_ollama import running

async def serve():
    async with running() as ollama:
        print(ollama.base_url, flush=True)
        await asyncio.Event().wait()

asyncio.run(serve())
"""
ollama = subprocess.Popen([sys.executable, "-c", OLLAMA], stdout=subprocess.PIPE, text=True)
assert ollama.stdout is not None
address = ollama.stdout.readline().strip().replace("127.0.0.1", "localhost")
assert "localhost" in address
ragctl("config", "set", "embedding.base_url", address)
ragctl("stop")
ragctl("wait", "--for", "healthy")
assert json.loads(ragctl("status", "--json"))["data"]["ollama_status"] == "up"
ollama.terminate()
ollama.wait()
config = (ROOT / "config.json").read_bytes()

# Uninstalled: the service is gone, and nothing else.
ragctl("service", "uninstall")
ragctl("status", "--no-start", code=3)
assert [path for path in (USER_HOME / ".config").rglob("*") if not path.is_dir()] == []
assert shown("LoadState") == ["not-found"]
assert (ROOT / "config.json").read_bytes() == config
print("THE END")
