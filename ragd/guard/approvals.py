"""Requests of agents that wait until a person agrees to show withheld text.

They are kept in memory only: a restart forgets them. What is kept of a text is its citation and its
digest, never the text. An approval is never valid for another agent, chat, conversation, call or
text, and never twice. The agent gets only its id, which cannot be used to release it.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct, structs

from ragd.guard.confirmation import ConfirmableRequest, call_digest
from ragd.protocol.asker import Asker
from ragd.protocol.tool_schemas import SearchRequest

VALID_S = 300.0  # to decide; and again, from the decision on, to fetch what was released
MOST_OF_ONE = 16  # approvals of one asker at once; its oldest is dropped
MOST = 64  # of all askers; the oldest of the asker with the most is dropped
SEARCH_TOOL = "obsidian_rag_search"
NOTE_TOOL = "notes"  # GET /v1/notes

ApprovalState = Literal["waiting", "released", "refused"]


class WithheldText(Struct, frozen=True):
    """A passage or a memory that is withheld: where it is, its kinds, and its digest."""

    citation: str
    kinds: tuple[str, ...]
    digest: bytes


class Approval(Struct, frozen=True):
    """One request for consent, and what became of it."""

    id: str
    asker: Asker
    tool: str
    asked: str  # the question, or the path of the note
    texts: tuple[WithheldText, ...]
    call: bytes  # the digest of the call
    since: float  # when it was requested or decided
    state: ApprovalState = "waiting"

    @property
    def digests(self) -> frozenset[bytes]:
        """The digests of its texts."""
        return frozenset(text.digest for text in self.texts)

    @property
    def kinds(self) -> list[str]:
        """The kinds of sensitive content in its texts."""
        return sorted({kind for text in self.texts for kind in text.kinds})


class Approvals:
    """The open approvals, oldest first. The clock and the source of ids are passed in, so that it
    stays pure."""

    def __init__(self, monotonic: Callable[[], float], new_id: Callable[[], str]) -> None:
        self._monotonic = monotonic
        self._new_id = new_id
        self._open: dict[str, Approval] = {}
        self._lapsed: list[Approval] = []  # nobody decided in time, and this is not recorded yet

    def request(
        self, request: ConfirmableRequest, asker: Asker, texts: Sequence[WithheldText]
    ) -> tuple[Approval, bool]:
        """The approval for this call and these texts, and whether it is new. A call that is
        repeated has the same one, also if it was refused. If the texts have changed, it needs a
        new one: a person agrees to the texts that were listed."""
        self._drop_old()
        call = call_digest(request)
        known = self._find(asker, call)
        if known is not None:
            if known.digests == {text.digest for text in texts}:
                return known, False
            self._drop(known)
        self._make_room(asker)
        tool, asked = _describe(request)
        approval = Approval(
            self._unused_id(), asker, tool, asked, tuple(texts), call, self._monotonic()
        )
        self._open[approval.id] = approval
        return approval, True

    def waiting(self) -> list[Approval]:
        """Those that nobody has decided, oldest first."""
        self._drop_old()
        return [one for one in self._open.values() if one.state == "waiting"]

    def find_waiting(self, approval_id: str) -> Approval | None:
        """The approval with this id, if it waits."""
        self._drop_old()
        found = self._open.get(approval_id)
        return found if found is not None and found.state == "waiting" else None

    def decide(self, approval_id: str, *, release: bool) -> Approval | None:
        """Release or refuse it. None if it does not wait any more."""
        found = self.find_waiting(approval_id)
        if found is None:
            return None
        state: ApprovalState = "released" if release else "refused"
        decided = structs.replace(found, state=state, since=self._monotonic())
        self._open[approval_id] = decided
        return decided

    def redeem(self, request: ConfirmableRequest, asker: Asker) -> frozenset[bytes]:
        """The digests of the texts that a person released for this call of this asker. They are
        used up."""
        self._drop_old()
        found = self._find(asker, call_digest(request))
        if found is None or found.state != "released":
            return frozenset()
        del self._open[found.id]
        return found.digests

    def age_s(self, approval: Approval) -> float:
        """Seconds since it was requested or decided."""
        return self._monotonic() - approval.since

    def take_lapsed(self) -> list[Approval]:
        """Those that nobody decided in time. Each is returned once."""
        self._drop_old()
        lapsed, self._lapsed = self._lapsed, []
        return lapsed

    def _find(self, asker: Asker, call: bytes) -> Approval | None:
        for one in self._open.values():
            if one.asker == asker and one.call == call:
                return one
        return None

    def _make_room(self, asker: Asker) -> None:
        counts = Counter(one.asker for one in self._open.values())
        if counts[asker] >= MOST_OF_ONE:
            self._drop_oldest_of(asker)
        elif len(self._open) >= MOST:
            self._drop_oldest_of(counts.most_common(1)[0][0])

    def _drop_oldest_of(self, asker: Asker) -> None:
        self._drop(next(one for one in self._open.values() if one.asker == asker))

    def _drop_old(self) -> None:
        for one in [one for one in self._open.values() if self.age_s(one) > VALID_S]:
            self._drop(one)

    def _drop(self, approval: Approval) -> None:
        del self._open[approval.id]
        if approval.state == "waiting" and len(self._lapsed) < MOST:
            self._lapsed.append(approval)

    def _unused_id(self) -> str:
        while (made := self._new_id()) in self._open:
            continue
        return made


def text_digest(*parts: str) -> bytes:
    """The digest of a withheld text: of everything of it that would be shown."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).digest()


def _describe(request: ConfirmableRequest) -> tuple[str, str]:
    """The tool, and what is asked of it."""
    if isinstance(request, SearchRequest):
        return SEARCH_TOOL, request.query
    return NOTE_TOOL, request.path
