"""Notes that the backlog could not work on, each for a pause that grows. Pure: time comes in.

No note is set aside for ever: it comes back after its pause, and at once when it was stored again
or has other content.
"""

from collections.abc import Iterable

from msgspec import Struct

from ragd.runtime.backoff import backoff_s

PAUSE_FIRST_S = 2.0
PAUSE_MAX_S = 60.0


class _Pause(Struct, frozen=True):
    sha256: str  # the note's content; with another one it may be worked on at once
    times: int  # that it was set aside, in a row
    until: float


class RetryPauses:
    """By generation of the index (empty: the one that serves) and path."""

    def __init__(self) -> None:
        self._pauses: dict[tuple[str, str], _Pause] = {}

    def add(self, generation: str, path: str, sha256: str, now: float) -> None:
        """Leave this note alone for a while, longer each time."""
        known = self._pauses.get((generation, path))
        times = known.times + 1 if known is not None and known.sha256 == sha256 else 1
        pause = backoff_s(times, PAUSE_FIRST_S, PAUSE_MAX_S)
        self._pauses[generation, path] = _Pause(sha256, times, now + pause)

    def times(self, generation: str, path: str, sha256: str) -> int:
        """How often in a row this note was set aside."""
        known = self._pauses.get((generation, path))
        return known.times if known is not None and known.sha256 == sha256 else 0

    def held(self, generation: str, now: float) -> dict[str, str]:
        """The notes to be left alone now: path and SHA-256."""
        return {
            path: pause.sha256
            for (of, path), pause in self._pauses.items()
            if of == generation and pause.until > now
        }

    def release(self, paths: Iterable[str]) -> None:
        """These were stored again, or are gone."""
        if self._pauses:
            gone = set(paths)
            self._pauses = {key: p for key, p in self._pauses.items() if key[1] not in gone}

    def release_all(self) -> None:
        self._pauses = {}

    def until_next(self, now: float) -> float:
        """Seconds until the first pause ends; 0 if there is none."""
        return min((p.until for p in self._pauses.values() if p.until > now), default=now) - now
