"""The end of a process that uses native libraries. It records nothing.

After `sys.exit`, the interpreter takes itself apart. Threads of native libraries may still run
then, and one that wants to return to Python aborts the process: a clean stop would look like a
crash. So the process ends before that, when Python's own threads have ended.
"""

import atexit
import contextlib
import os
import sys
from typing import NoReturn


def exit_before_teardown(code: int) -> NoReturn:
    """End the process with this code. Functions registered with `atexit` before are not called."""
    atexit.register(_end, code)
    sys.exit(code)


def _end(code: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
