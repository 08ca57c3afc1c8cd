"""`make demo`: shows the daemon in a temporary home, in about a minute, and removes everything."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUESTIONS = (
    ("How was my mental health in 2024?", "--max", "3"),
    ("How much do I owe Sreenivas?", "--max", "3"),
    ("Welches Holz nehme ich für das Gewürzregal?", "--max", "1"),
)
VAULT = Path(__file__).parent / "vault"


class Tour:
    """Runs the commands in order. After a failed command it continues, and records the failure."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.failed: list[str] = []

    def run(self) -> None:
        """Set up, index, search, show the status, kill, search again, stop."""
        print_heading("A vault of 69 notes of one person. First, index it:")
        self.ragctl("init", str(VAULT))
        self.ragctl("config", "set", "embedding.provider", "embedded")  # even if Ollama runs
        self.ragctl("index")
        print_heading("Three questions. The answers are passages; an assistant would combine them:")
        for question in QUESTIONS:
            self.ragctl("search", *question)
        print_heading("The status of the daemon:")
        self.ragctl("status")
        print_heading("Now kill -9. The next command starts the daemon again, and nothing is lost:")
        self.kill()
        self.ragctl("search", "what sensor survives rain?", "--max", "1")
        self.ragctl("stop")
        print_heading(
            "The state of the daemon is the fold of its log. Does a replay give the same state?"
        )
        self.ragctl("replay", "--verify")

    def ragctl(self, *words: str) -> None:
        """Print a command and run it."""
        typed = f"ragctl {shlex.join(words)}"
        print(f"\n$ {typed}", flush=True)
        if subprocess.run([sys.executable, "-m", "ragctl", *words], env=self._env).returncode:
            self.failed.append(typed)

    def kill(self) -> None:
        """Kill the process that holds the lock of the home."""
        pid = int(json.loads(Path(self.home, ".obsidian-rag", "ragd.lock").read_text())["pid"])
        print(f"\n$ kill -9 {pid}", flush=True)
        os.kill(pid, signal.SIGKILL)

    def clean_up(self) -> None:
        """Stop the daemon if it runs, and remove the home."""
        subprocess.run([sys.executable, "-m", "ragctl", "stop"], env=self._env, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)

    @property
    def _env(self) -> dict[str, str]:
        """With a home folder of its own, so that the commands in messages are short."""
        others = {name: value for name, value in os.environ.items() if name != "OBSIDIAN_RAG_HOME"}
        return {**others, "HOME": self.home}


def print_heading(text: str) -> None:
    """Print a line between the commands."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def main() -> int:
    """Run in a temporary home that is removed at the end, also after Ctrl-C."""
    began = time.monotonic()
    tour = Tour(tempfile.mkdtemp(prefix="ragd-demo-"))
    try:
        tour.run()
    except KeyboardInterrupt:
        return 130
    finally:
        tour.clean_up()
    if tour.failed:
        print_heading(f"Something failed: {'; '.join(tour.failed)}. Nothing is left behind.")
        return 1
    print_heading(f"Done in {time.monotonic() - began:.0f} seconds. Nothing is left behind.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
