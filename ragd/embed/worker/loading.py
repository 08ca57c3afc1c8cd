"""What loading either model has in common: why one cannot run, how many threads it may use, and
the trial that it must pass."""

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_THREADS = 4
TRIAL_TOLERANCE = 0.05

Floats = NDArray[np.float32]


class CannotRun(Exception):
    """The model cannot run here; `detail` is one of `embedder_port.DETAILS`."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


def passes(trial: Floats, expected: Sequence[float]) -> bool:
    """True if the cosines between three vectors are about what they should be."""
    first, second, third = trial
    cosines = np.array([first @ second, first @ third, second @ third])
    return bool(np.all(np.abs(cosines - np.array(expected)) <= TRIAL_TOLERANCE))


def usable_threads() -> int:
    """As many threads as this process may use, but not the whole of a big machine."""
    if hasattr(os, "sched_getaffinity"):
        return min(MAX_THREADS, len(os.sched_getaffinity(0)))
    return min(MAX_THREADS, os.cpu_count() or 1)
