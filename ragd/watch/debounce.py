"""Debounces changed paths: each waits until it has been quiet, at most until a ceiling. Pure.

It has no clock: every call gets the time.
"""

CEILING_S = 10.0


class Debounce:
    """The paths that have changed and are not settled yet."""

    def __init__(self) -> None:
        self._changed: dict[str, tuple[float, float]] = {}  # path -> first and last change

    def __len__(self) -> int:
        return len(self._changed)

    def __contains__(self, path: str) -> bool:
        return path in self._changed

    def add(self, path: str, now: float) -> None:
        """This path has changed (again)."""
        first, _ = self._changed.get(path, (now, now))
        self._changed[path] = (first, now)

    def next_due(self, silence_s: float) -> float:
        """When the first path is settled, if nothing changes until then."""
        return min(_due(first, last, silence_s) for first, last in self._changed.values())

    def pop_settled(self, now: float, silence_s: float) -> list[str]:
        """Remove and return the paths that were quiet for long enough, or changed for too long."""
        settled = [
            path
            for path, (first, last) in self._changed.items()
            if _due(first, last, silence_s) <= now
        ]
        for path in settled:
            del self._changed[path]
        return settled


def _due(first: float, last: float, silence_s: float) -> float:
    return min(last + silence_s, first + max(CEILING_S, silence_s))
