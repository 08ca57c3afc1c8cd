"""Spares the garbage collector objects that it would never free: it pauses while many are made, and
leaves out the modules, which are most of what a daemon has.

It changes nothing else: memory is freed by reference counts as always.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """No collection runs during the block, in any thread. Blocks may be nested."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def leave_out_modules() -> None:
    """Call it when all modules are imported, and before there is anything else. A full collection
    would visit their 110,000 objects each time, which stops all answers for 40 to 75 ms."""
    gc.freeze()
