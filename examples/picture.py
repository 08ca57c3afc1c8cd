"""`make picture`: the picture of the README, recorded from real commands in a real terminal.

The commands run in a temporary home folder with the example vault as ~/Notes. Its path is replaced
by `~`. Nothing else in the output is changed.
"""

import os
import pty
import shutil
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from examples.screen import Row, render_svg, screen_rows

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "picture.svg"
COLUMNS = 100
TITLE = "ragctl index, search and status, in a terminal"
COMMANDS = (
    "ragctl index --vault ~/Notes",
    'ragctl search "How much do I owe Sreenivas?" --max 3',
    "ragctl status",
)
_LOGIN_SHELL = "import os, sys; os.login_tty(0); os.execvp('bash', ['bash', '-c', sys.argv[1]])"


def record_output(command: str, environment: dict[str, str]) -> str:
    """Run a command in a terminal. Returns its output."""
    keyboard, screen = pty.openpty()
    termios.tcsetwinsize(keyboard, (50, COLUMNS))
    started = [sys.executable, "-c", _LOGIN_SHELL, command]
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
        pass  # a terminal reports this way that its last process has ended
    os.close(keyboard)
    if running.wait():
        raise SystemExit(f"{command} ended with {running.returncode}:\n{written.decode()}")
    return written.decode()


def record_commands(user: Path) -> list[list[Row]]:
    """Run the commands. Returns the rows of each, with its prompt."""
    environment = {
        "HOME": str(user),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    try:
        return [
            screen_rows(f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m\n")
            + screen_rows(record_output(command, environment).replace(str(user), "~"))
            for command in COMMANDS
        ]
    finally:
        subprocess.run([sys.executable, "-m", "ragctl", "stop"], env=environment, check=False)


def main() -> int:
    user = Path(tempfile.mkdtemp(prefix="rpic"))
    try:
        shutil.copytree(ROOT / "examples" / "vault", user / "Notes")
        FILE.write_text(render_svg(record_commands(user), TITLE, COLUMNS), encoding="utf-8")
    finally:
        shutil.rmtree(user)
    print(f"{FILE.relative_to(ROOT)}: {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
