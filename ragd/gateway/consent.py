"""Consent to show withheld text: tokens for the user, approvals by a person for agents.

It decides whose word counts for which request, and records what was decided. It withholds nothing
itself, and never records a question, a path or a text.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.errors import RagdError
from ragd.events import ApprovalDecided, ApprovalRequested, Fact
from ragd.gateway.fact_recorder import FactRecorder
from ragd.guard.approvals import VALID_S, Approval, WithheldText
from ragd.guard.confirmation import ConfirmableRequest
from ragd.guard.live_rules import approvals, confirmations
from ragd.protocol.asker import Asker
from ragd.protocol.envelope import ErrorBody, error_body

RECORD_WITHIN_S = 0.5  # a request for approval; the search is answered anyway


class Agreement(Struct, frozen=True):
    """What the user agreed to show in one answer."""

    covers_everything: bool = False
    digests: frozenset[bytes] = frozenset()  # of the texts that a person released

    def covers(self, text: WithheldText) -> bool:
        return self.covers_everything or text.digest in self.digests


class Consent:
    """Asks for consent, and keeps what was given until it is used or expires."""

    def __init__(self, settings: Settings, clock: Clock, facts: FactRecorder) -> None:
        self._settings = settings
        self._facts = facts
        self._tokens = confirmations(clock)
        self._approvals = approvals(clock)
        self._deciding = asyncio.Lock()

    # For answers

    def find_agreement(self, request: ConfirmableRequest, asker: Asker) -> Agreement:
        """What may be shown of the withheld text. A token or a release is used up by this."""
        if self._takes_tokens(asker) and self._tokens.is_confirmed(request):
            return Agreement(covers_everything=True)
        if asker.is_person:
            return Agreement()
        return Agreement(digests=self._approvals.redeem(request, asker))

    async def ask(
        self, request: ConfirmableRequest, asker: Asker, texts: Sequence[WithheldText]
    ) -> dict[str, Any]:
        """The fields of an answer that withholds these texts: a token, or the id under which a
        person can release them."""
        if self._takes_tokens(asker):
            return {"withheld": len(texts), "confirm": self._tokens.issue_token(request)}
        approval, is_new = self._approvals.request(request, asker, texts)
        if is_new:
            await self._record_request(approval)
        return {
            "withheld": len(texts),
            "approval": approval.id,
            "refused": approval.state == "refused",
        }

    def _takes_tokens(self, asker: Asker) -> bool:
        """Whether this asker can confirm by itself, with a confirmation token. An agent could do so
        without asking; one that came with an access token never can."""
        if asker.token:
            return False
        return asker.is_person or self._settings.current.security.confirm == "token"

    async def _record_request(self, approval: Approval) -> None:
        """Does not wait for a full disk. The decision is recorded with the same names."""
        fact = ApprovalRequested(
            approval_id=approval.id,
            agent=approval.asker.agent,
            chat=approval.asker.chat,
            tool=approval.tool,
            withheld=len(approval.texts),
        )
        with contextlib.suppress(TimeoutError, RagdError):
            async with asyncio.timeout(RECORD_WITHIN_S):
                await self._facts.record(fact)

    # For the user

    def list_waiting(self) -> dict[str, Any]:
        """What waits for approval, oldest first."""
        return {"approvals": [self._data(one) for one in self._approvals.waiting()]}

    async def decide(self, approval_id: str, *, release: bool) -> dict[str, Any]:
        """Release or refuse. It takes effect after it is recorded. Raises RagdError."""
        async with self._deciding:
            found = self._approvals.find_waiting(approval_id)
            if found is None:
                raise RagdError("APPROVAL_NOT_FOUND")
            data = self._data(found)
            await self._facts.record(_decided(found, "released" if release else "refused"))
            decided = self._approvals.decide(approval_id, release=release)
            if decided is None:  # it expired while it was recorded
                raise RagdError("APPROVAL_NOT_FOUND")
        return {"approval": data, "outcome": decided.state, "valid_s": int(VALID_S)}

    def _data(self, approval: Approval) -> dict[str, Any]:
        waits_s = int(self._approvals.age_s(approval))
        return {
            "id": approval.id,
            "agent": approval.asker.agent,
            "chat": approval.asker.chat,
            "tool": approval.tool,
            "asked": approval.asked,
            "kinds": approval.kinds,
            "withheld": len(approval.texts),
            "citations": [text.citation for text in approval.texts],
            "waits_s": waits_s,
            "expires_in_s": max(0, int(VALID_S) - waits_s),
        }

    # For the log

    async def record_expired(self) -> None:
        """Record the approvals that expired since the last time."""
        for approval in self._approvals.take_lapsed():
            with contextlib.suppress(RagdError):  # a full disk: the request is in the log
                await self._facts.record(_decided(approval, "expired"))


def consent_error(data: Mapping[str, Any]) -> ErrorBody | None:
    """The error of an answer that waits for a person; None if it waits for nobody."""
    if data.get("approval") is None:
        return None
    if data["refused"]:
        return error_body(
            "SENSITIVE_FILTERED",
            "The user refused to show the sensitive passages.",
            "Do not ask for them again; answer without them.",
        )
    return error_body(
        "SENSITIVE_FILTERED",
        "Sensitive passages were withheld until a person agrees.",
        f"Ask the user to run `ragctl approve {data['approval']}` within five minutes, then repeat "
        "the same call.",
    )


def _decided(approval: Approval, outcome: Any) -> Fact:
    return ApprovalDecided(
        approval_id=approval.id,
        agent=approval.asker.agent,
        chat=approval.asker.chat,
        tool=approval.tool,
        outcome=outcome,
    )
