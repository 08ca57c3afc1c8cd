"""Counts refused requests and records them: at most one fact a minute for each code.

It never records the request, only the code and the tool.
"""

from ragd.errors import RagdError
from ragd.events import RequestRefused
from ragd.gateway.fact_recorder import FactRecorder

RECORD_EVERY_S = 60.0


class Refusals:
    """Refusals that are not recorded yet."""

    def __init__(self, facts: FactRecorder) -> None:
        self._facts = facts
        self._waiting: dict[str, tuple[int, str]] = {}  # code -> how many, last tool

    def count(self, code: str, tool: str = "") -> None:
        """One more refusal with this code."""
        known, _ = self._waiting.get(code, (0, ""))
        self._waiting[code] = (known + 1, tool)

    async def record(self) -> None:
        """Record the refusals since the last time. If that fails, they stay counted."""
        for code in list(self._waiting):
            count, tool = self._waiting.pop(code)
            try:
                await self._facts.record(RequestRefused(code=code, tool=tool, count=count))
            except RagdError:
                more, last = self._waiting.get(code, (0, ""))
                self._waiting[code] = (count + more, last or tool)
