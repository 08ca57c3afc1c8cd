"""How long to wait before another attempt: twice as long after each failure, up to a limit.

Pure. It never waits itself.
"""


def backoff_s(failures: int, first_s: float, max_s: float) -> float:
    """Seconds to wait after this many failures in a row (at least one)."""
    assert failures >= 1, failures
    doublings = min(failures - 1, 30)  # more would only overflow
    return min(max_s, first_s * 2.0**doublings)
