"""The end of a process with native libraries."""

import subprocess
import sys

import pytest

# An object that is only freed when the interpreter takes itself apart, as native threads are then.
_ABORTS_AT_TEARDOWN = """
import os, sys, threading
from ragd.runtime.process_exit import exit_before_teardown

class Abort:
    def __del__(self, abort=os.abort):
        abort()

kept = Abort()
threading.Thread(target=lambda: print("finished", flush=True)).start()
print("printed", end="")
"""


def ended(how: str) -> "subprocess.CompletedProcess[str]":
    """A process that ends in this way."""
    command = [sys.executable, "-c", f"{_ABORTS_AT_TEARDOWN}\n{how}(3)"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="an abort has another code there")
def test_what_aborts_at_the_teardown_of_the_interpreter_changes_no_exit_code() -> None:
    assert ended("sys.exit").returncode == -6
    assert ended("exit_before_teardown").returncode == 3


def test_threads_come_to_their_end_and_what_was_printed_is_seen() -> None:
    printed = ended("exit_before_teardown").stdout
    assert "finished" in printed and "printed" in printed
