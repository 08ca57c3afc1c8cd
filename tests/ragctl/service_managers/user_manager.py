"""Runs a private systemd for one test, in its own namespaces; needs root.

`python user_manager.py FOLDER STORY`: mounts what a booted machine would have, becomes a user
without any rights whose home is in a tmpfs, starts that user's systemd and then the story. Exit 77:
this machine cannot do that. When it ends, all that was started ends with it.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

USER = 12345
HOME = f"/run/home-{USER}"
REPOSITORY = Path(__file__).parents[3]
CANNOT = 77
UP_WITHIN_S = 60.0


def main() -> int:
    folder, story = sys.argv[1:]
    if os.getuid() == 0:
        try:
            prepare(folder)
        except (OSError, subprocess.CalledProcessError) as why:
            print(f"no namespaces to be had: {why}", file=sys.stderr)
            return CANNOT
        become_nobody()
        os.execve(sys.executable, [sys.executable, __file__, folder, story], environment())
    manager = subprocess.Popen([systemd(), "--user"], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + UP_WITHIN_S
    while subprocess.run(["systemctl", "--user", "show"], capture_output=True).returncode != 0:
        if manager.poll() is not None or time.monotonic() > deadline:
            print("no systemd of a user comes up here", file=sys.stderr)
            return CANNOT
        time.sleep(0.05)
    return subprocess.run([sys.executable, story], cwd="/").returncode


def systemd() -> str:
    return shutil.which("systemd") or "/usr/lib/systemd/systemd"


def environment() -> dict[str, str]:
    return {
        "HOME": HOME,
        "USER": "ada",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONDONTWRITEBYTECODE": "1",
        "XDG_RUNTIME_DIR": f"/run/user/{USER}",
        "LANG": "C.UTF-8",
    }


def prepare(folder: str) -> None:
    """As root, in new mount and process namespaces."""
    mount("--make-rprivate", "/")
    mount("-t", "tmpfs", "none", "/sys/fs/cgroup")
    mount("-t", "cgroup2", "none", "/sys/fs/cgroup")
    mount("-t", "tmpfs", "-o", "mode=755", "none", "/run")
    show_what_root_hides()
    for needed in ("/run/systemd/system", "/run/systemd/unit-root"):  # as on a booted machine
        os.makedirs(needed)
    for own in (HOME, f"/run/user/{USER}"):
        os.makedirs(own)
        os.chown(own, USER, USER)
        os.chmod(own, 0o700)
    with_user("/etc/passwd", f"ada:x:{USER}:{USER}::{HOME}:/bin/sh\n")
    with_user("/etc/group", f"ada:x:{USER}:\n")
    group = Path("/sys/fs/cgroup") / Path(folder).name
    group.mkdir()
    for path in (group, *group.iterdir()):
        os.chown(path, USER, USER)
    (group / "cgroup.procs").write_text(str(os.getpid()))


def show_what_root_hides() -> None:
    """Make the interpreter and the code readable if they are in root's private folder."""
    home = os.path.expanduser("~root")
    needed = {os.path.realpath(path) for path in (sys.prefix, sys.base_prefix, str(REPOSITORY))}
    hidden = sorted(path for path in needed if path.startswith(f"{home}/"))
    for number, path in enumerate(hidden):
        os.makedirs(f"/run/hidden/{number}")
        mount("--bind", path, f"/run/hidden/{number}")
    if hidden:
        mount("-t", "tmpfs", "-o", "mode=755", "none", home)
    for number, path in enumerate(hidden):
        os.makedirs(path, exist_ok=True)
        mount("--bind", f"/run/hidden/{number}", path)


def with_user(table: str, line: str) -> None:
    copy = f"/run/{Path(table).name}"
    Path(copy).write_text(Path(table).read_text() + line)
    mount("--bind", copy, table)


def become_nobody() -> None:
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
