"""Paths that changed and have not lain still yet: a timer each, with a ceiling. Pure."""

CEILING_S = 10.0


class Restless:
    """Who touches a path says when; who asks says when, and how long a silence has to be."""

    def __init__(self) -> None:
        self._since: dict[str, tuple[float, float]] = {}  # path -> first, last

    def __len__(self) -> int:
        return len(self._since)

    def __contains__(self, path: str) -> bool:
        return path in self._since

    def touch(self, path: str, now: float) -> None:
        first, _ = self._since.get(path, (now, now))
        self._since[path] = (first, now)

    def next_due(self, silence_s: float) -> float:
        """When the first of them will have settled, if nothing happens until then."""
        return min(_due(first, last, silence_s) for first, last in self._since.values())

    def settled(self, now: float, silence_s: float) -> list[str]:
        """Takes out the paths that were quiet for long enough, or restless for too long."""
        settled = [
            path
            for path, (first, last) in self._since.items()
            if _due(first, last, silence_s) <= now
        ]
        for path in settled:
            del self._since[path]
        return settled


def _due(first: float, last: float, silence_s: float) -> float:
    return min(last + silence_s, first + max(CEILING_S, silence_s))
