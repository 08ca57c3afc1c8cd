"""Counts refused requests and records them: at most one fact a minute for each code. It also
decides what a refusal may suggest.

It never records the request, only the code and the tool.
"""

from aiohttp import web

from ragd.errors import RagdError
from ragd.events import RequestRefused
from ragd.gateway.access_control import asker_of_refused
from ragd.gateway.fact_recorder import FactRecorder
from ragd.guard.live_rules import LiveGuard

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


def without_withheld_names(
    why: RagdError, guard: LiveGuard, request: web.BaseRequest | None
) -> RagdError:
    """The refusal, without a suggestion that names what is withheld from the asker: "Did you mean"
    is followed by the name of a note or a folder."""
    if guard.withholds(why.suggestion, asker_of_refused(request)):
        return RagdError(why.code, why.message)
    return why
