"""`make picture`: the README's picture, recorded from real commands in a real terminal.

A person's home folder is made up for it, with the example vault as ~/Notes; its path is written
`~`, as that person would. Nothing else of the output is touched.
"""

import os
import pty
import shutil
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from examples.screen import Row, picture, shown

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "picture.svg"
COLUMNS = 100
TITLE = "ragctl index, search and status, in a terminal"
COMMANDS = (
    "ragctl index --vault ~/Notes",
    'ragctl search "How much do I owe Sreenivas?" --max 3',
    "ragctl status",
)
_IN_A_TERMINAL = "import os, sys; os.login_tty(0); os.execvp('bash', ['bash', '-c', sys.argv[1]])"


def recorded(command: str, environment: dict[str, str]) -> str:
    """All that one command writes into a terminal."""
    keyboard, screen = pty.openpty()
    termios.tcsetwinsize(keyboard, (50, COLUMNS))
    started = [sys.executable, "-c", _IN_A_TERMINAL, command]
    running = subprocess.Popen(
        started,
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env=environment,
        cwd=environment["HOME"],
    )
    os.close(screen)
    written = b""
    try:
        while read := os.read(keyboard, 65536):
            written += read
    except OSError:
        pass  # how a terminal says that its last user is gone
    os.close(keyboard)
    if running.wait():
        raise SystemExit(f"{command} ended with {running.returncode}:\n{written.decode()}")
    return written.decode()


def blocks(user: Path) -> list[list[Row]]:
    """Each command with what it showed."""
    environment = {
        "HOME": str(user),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    try:
        return [
            shown(f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m\n")
            + shown(recorded(command, environment).replace(str(user), "~"))
            for command in COMMANDS
        ]
    finally:
        subprocess.run([sys.executable, "-m", "ragctl", "stop"], env=environment, check=False)


def main() -> int:
    user = Path(tempfile.mkdtemp(prefix="rpic"))
    try:
        shutil.copytree(ROOT / "examples" / "vault", user / "Notes")
        FILE.write_text(picture(blocks(user), TITLE, COLUMNS), encoding="utf-8")
    finally:
        shutil.rmtree(user)
    print(f"{FILE.relative_to(ROOT)}: {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
