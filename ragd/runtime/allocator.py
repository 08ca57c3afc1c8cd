"""Settings of the C library's allocator, so that memory that is free goes back to the system.

They change no result. On a system without glibc nothing is set.
"""

import contextlib
import ctypes

# From glibc's malloc.h.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8

ARENAS = 2  # shared by all threads; one for each would need a quarter more memory
# A larger block is a mapping of its own, which is returned when it is freed. Otherwise glibc raises
# this limit to 32 MB after the first large blocks, and keeps what it freed.
MAPPED_BYTES = 256 << 10
KEPT_BYTES = 1 << 20  # free memory at the end of the heap


def limit_kept_memory() -> None:
    """Call it once, before much memory is used."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, ARENAS)
        mallopt(_M_MMAP_THRESHOLD, MAPPED_BYTES)
        mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)


def return_free_memory() -> None:
    """Give free memory back now, also from the middle of the heap."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
