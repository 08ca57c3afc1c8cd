"""Looks up several searches in one pass over the same rows.

A search that comes while a pass runs waits for its end. Then all that wait are looked up together:
the rows are read from memory once. A search that is alone never waits. It knows nothing about rows.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

TOGETHER = 8  # searches in one pass, at most

Asked = TypeVar("Asked")
Found = TypeVar("Found")


class _Search(Generic[Asked, Found]):
    """A search that waits, and what was found for it."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.found: Found | None = None


class JointLookups(Generic[Asked, Found]):
    """Searches that share passes. `look_up` makes one pass, and returns a result for each."""

    def __init__(
        self, look_up: Callable[[Sequence[Asked]], Awaitable[Sequence[Found]]], most: int = TOGETHER
    ) -> None:
        self._look_up = look_up
        self._most = most
        self._waiting: list[_Search[Asked, Found]] = []
        self._pass = asyncio.Lock()

    async def find(self, asked: Asked) -> Found:
        """The result for this search."""
        search: _Search[Asked, Found] = _Search(asked)
        self._waiting.append(search)
        try:
            async with self._pass:
                while search.found is None:  # no other search has looked it up in its pass
                    await self._make_pass(search)
            return search.found
        finally:
            if search in self._waiting:  # it was cancelled
                self._waiting.remove(search)

    async def _make_pass(self, first: _Search[Asked, Found]) -> None:
        """Look up this search and those that wait. If it fails, the others make their own pass."""
        others = [one for one in self._waiting if one is not first][: self._most - 1]
        together = [first, *others]
        self._waiting = [one for one in self._waiting if one not in together]
        found = await self._look_up([one.asked for one in together])
        for one, own in zip(together, found, strict=True):
            one.found = own
