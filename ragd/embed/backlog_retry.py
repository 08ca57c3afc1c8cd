"""Pauses of notes for which the backlog could not make vectors. Pure: every call gets the time.

Each pause is longer than the one before, up to a limit. It ends early when the note is stored again
or its content changes.
"""

from collections.abc import Iterable

from msgspec import Struct

from ragd.runtime.backoff import backoff_s

PAUSE_FIRST_S = 2.0
PAUSE_MAX_S = 60.0


class _Pause(Struct, frozen=True):
    sha256: str  # the note's content; other content is not paused
    times: int  # pauses in a row
    until: float


class RetryPauses:
    """By generation of the index (empty: the one that serves) and path."""

    def __init__(self) -> None:
        self._pauses: dict[tuple[str, str], _Pause] = {}

    def add(self, generation: str, path: str, sha256: str, now: float) -> None:
        """Pause this note, longer each time."""
        known = self._pauses.get((generation, path))
        times = known.times + 1 if known is not None and known.sha256 == sha256 else 1
        pause = backoff_s(times, PAUSE_FIRST_S, PAUSE_MAX_S)
        self._pauses[generation, path] = _Pause(sha256, times, now + pause)

    def times(self, generation: str, path: str, sha256: str) -> int:
        """How many times in a row this note was paused."""
        known = self._pauses.get((generation, path))
        return known.times if known is not None and known.sha256 == sha256 else 0

    def held(self, generation: str, now: float) -> dict[str, str]:
        """The notes that are paused now: path and SHA-256."""
        return {
            path: pause.sha256
            for (of, path), pause in self._pauses.items()
            if of == generation and pause.until > now
        }

    def release(self, paths: Iterable[str]) -> None:
        """End the pauses of these notes: they were stored again or removed."""
        if self._pauses:
            gone = set(paths)
            self._pauses = {key: p for key, p in self._pauses.items() if key[1] not in gone}

    def release_all(self) -> None:
        self._pauses = {}

    def until_next(self, now: float) -> float:
        """Seconds until the first pause ends; 0 if there is none."""
        return min((p.until for p in self._pauses.values() if p.until > now), default=now) - now
