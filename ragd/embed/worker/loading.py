"""Loading that all models have in common: why one cannot run, how many threads it may use, and the
trial that it must pass."""

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
    """Whether the cosines between three vectors are close to the expected ones."""
    first, second, third = trial
    cosines = np.array([first @ second, first @ third, second @ third])
    return bool(np.all(np.abs(cosines - np.array(expected)) <= TRIAL_TOLERANCE))


def usable_threads() -> int:
    """How many threads to use: at most `MAX_THREADS`, even on a large machine."""
    if hasattr(os, "sched_getaffinity"):
        return min(MAX_THREADS, len(os.sched_getaffinity(0)))
    return min(MAX_THREADS, os.cpu_count() or 1)
