"""`make demo`: the daemon at work in a temporary home, in a minute, leaving nothing behind."""

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
    """What is shown, in order; it goes on when a command fails, and remembers that."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.failed: list[str] = []

    def go(self) -> None:
        """Set up, index, ask, look, kill, ask again, stop."""
        say("A vault of 69 notes, as one person might keep it. Into the index with it:")
        self.ragctl("init", str(VAULT))
        self.ragctl("config", "set", "embedding.provider", "embedded")  # also where Ollama runs
        self.ragctl("index")
        say("Three questions. The answers are passages; an assistant would put them together:")
        for question in QUESTIONS:
            self.ragctl("search", *question)
        say("What the daemon says of itself:")
        self.ragctl("status")
        say("Now kill -9. The next command starts it again, and nothing is lost:")
        self.kill()
        self.ragctl("search", "what sensor survives rain?", "--max", "1")
        self.ragctl("stop")
        say("What it knows is the sum of its log. Folded once more, does it come to the same?")
        self.ragctl("replay", "--verify")

    def ragctl(self, *words: str) -> None:
        """Run one command as a person would, showing it first."""
        typed = f"ragctl {shlex.join(words)}"
        print(f"\n$ {typed}", flush=True)
        if subprocess.run([sys.executable, "-m", "ragctl", *words], env=self._env).returncode:
            self.failed.append(typed)

    def kill(self) -> None:
        """End the process that holds the home's lock, without a word."""
        pid = int(json.loads(Path(self.home, ".obsidian-rag", "ragd.lock").read_text())["pid"])
        print(f"\n$ kill -9 {pid}", flush=True)
        os.kill(pid, signal.SIGKILL)

    def tidy(self) -> None:
        """Stop what may still run, take the home away."""
        subprocess.run([sys.executable, "-m", "ragctl", "stop"], env=self._env, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)

    @property
    def _env(self) -> dict[str, str]:
        """A person's home folder of its own, so that the commands it prints are short."""
        others = {name: value for name, value in os.environ.items() if name != "OBSIDIAN_RAG_HOME"}
        return {**others, "HOME": self.home}


def say(text: str) -> None:
    """A line between the commands, for the person who watches."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def main() -> int:
    """Everything in a temporary home that is gone afterwards, also after Ctrl-C."""
    began = time.monotonic()
    tour = Tour(tempfile.mkdtemp(prefix="ragd-demo-"))
    try:
        tour.go()
    except KeyboardInterrupt:
        return 130
    finally:
        tour.tidy()
    if tour.failed:
        say(f"Something failed: {'; '.join(tour.failed)}. Nothing is left behind.")
        return 1
    say(f"That was all, in {time.monotonic() - began:.0f} seconds. Nothing is left behind.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
