"""`make demo`: the daemon at work in a temporary home, in a minute, leaving nothing behind."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

QUESTIONS = (
    "How was my mental health in 2024?",
    "How much do I owe Sreenivas?",
    "Welches Holz nehme ich für das Gewürzregal?",
)
VAULT = Path(__file__).parent / "vault"


def say(text: str) -> None:
    """A line between the commands, for the person who watches."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def ragctl(home: str, *words: str) -> int:
    """Run one ragctl command as a person would, showing it first."""
    print(f"$ ragctl {shlex.join(words)}", flush=True)
    environment = {**os.environ, "OBSIDIAN_RAG_HOME": home}
    return subprocess.run([sys.executable, "-m", "ragctl", *words], env=environment).returncode


def daemon_pid(home: str) -> int:
    """The process that holds the home's lock."""
    return int(json.loads(Path(home, "ragd.lock").read_text())["pid"])


def tour(home: str) -> None:
    """Set up, index, ask, look, kill, replay, stop."""
    say("A configuration for the example vault, and its notes into the index:")
    ragctl(home, "init", str(VAULT))
    ragctl(home, "index")
    say("Three questions, answered from the notes:")
    for question in QUESTIONS:
        ragctl(home, "search", question, "--max", "2")
    say("What the daemon says of itself:")
    ragctl(home, "status")
    say("What happened, as facts in its log:")
    ragctl(home, "events", "--type", "job_started", "--type", "job_finished")
    say("Now kill -9. Nothing that was acknowledged is lost:")
    pid = daemon_pid(home)
    os.kill(pid, signal.SIGKILL)
    print(f"$ kill -9 {pid}")
    ragctl(home, "sync")
    ragctl(home, "stop")
    say("The whole story again, from the files alone, and whether they agree with themselves:")
    ragctl(home, "replay")
    ragctl(home, "replay", "--verify")


def main() -> int:
    """Everything in a temporary home that is gone afterwards."""
    home = tempfile.mkdtemp(prefix="ragd-demo-")
    try:
        tour(home)
    finally:
        subprocess.run(
            [sys.executable, "-m", "ragctl", "--home", home, "stop"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        shutil.rmtree(home, ignore_errors=True)
    say("That was all. Nothing is left behind.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
