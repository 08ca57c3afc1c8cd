"""The allocator's settings, in a process of their own: they cannot be undone."""

import subprocess
import sys

import pytest

from tests.patience import PATIENCE_S

# Blocks of 1 MB, then half of them freed: with its own settings, glibc keeps what is between them.
FREED = """
import ctypes, sys
from ragd.runtime import allocator
if sys.argv[1] == "limited":
    allocator.limit_kept_memory()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
libc.free(ctypes.c_void_p(libc.malloc(30 << 20)))  # from now on glibc would use its heap
blocks = [libc.malloc(1 << 20) for _ in range(64)]
for block in blocks:
    ctypes.memset(block, 1, 1 << 20)
full = resident()
for block in blocks[::2]:
    libc.free(block)
print((full - resident()) >> 20)
"""


def returned_mb(how: str) -> int:
    command = [sys.executable, "-c", FREED, how]
    run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    return int(run.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator")
def test_large_blocks_go_back_to_the_system_when_they_are_freed() -> None:
    assert returned_mb("plain") < 8, "then the setting is not needed any more"
    assert returned_mb("limited") >= 30
