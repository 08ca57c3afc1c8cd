"""What clients and the daemon itself request: jobs, pauses, memories, refusals."""

from typing import Literal

from msgspec import field

from ragd.events.fact import Fact, Mode

# How the use of a token ended.
UseOutcome = Literal["answered", "withheld", "refused", "failed"]

# Tool gateway


class JobRequested(Fact, frozen=True, kw_only=True, tag="job_requested"):
    """An indexing job was requested."""

    job_id: str
    mode: Mode
    origin: str = "tool"  # a client; else why the daemon requests it, such as `retry`
    accept_deletions: bool = False  # a person accepted the deletions
    accept_in: list[str] = field(default_factory=list)  # only in these collections; empty: in all


class JobCancelRequested(Fact, frozen=True, kw_only=True, tag="job_cancel_requested"):
    """A client asked for a job to stop."""

    job_id: str


class SyncPaused(Fact, frozen=True, kw_only=True, tag="sync_paused"):
    """Syncing was paused. Until the pause ends, only requested jobs run."""

    until: str  # when the pause ends


class SyncResumed(Fact, frozen=True, kw_only=True, tag="sync_resumed"):
    """The pause ended: a client ended it, or its time elapsed (the health monitor records that)."""

    reason: Literal["requested", "elapsed"]


class MemoryStored(Fact, frozen=True, kw_only=True, tag="memory_stored"):
    """A memory was committed to its own store. The log has only a keyed hash of its key."""

    key_hash: str


class MemoryForgotten(Fact, frozen=True, kw_only=True, tag="memory_forgotten"):
    """A memory was erased from its own store."""

    key_hash: str


class RequestRefused(Fact, frozen=True, kw_only=True, tag="request_refused"):
    """Requests were refused; at most one such fact a minute for each code."""

    code: str
    tool: str
    count: int  # since the previous such fact


class ApprovalRequested(Fact, frozen=True, kw_only=True, tag="approval_requested"):
    """Sensitive text was withheld from an agent, and a person can release it. The log has no
    question and no path."""

    approval_id: str  # as `ragctl approve` lists it
    agent: str  # empty: an agent without a name
    chat: str  # direct, group, channel; empty: not known
    tool: str  # `notes` for GET /v1/notes
    withheld: int  # how many texts


class ApprovalDecided(Fact, frozen=True, kw_only=True, tag="approval_decided"):
    """A person released or refused withheld text, or nobody did in time. An answer shows released
    text only after this fact is on disk."""

    approval_id: str  # of the request
    agent: str  # empty: an agent without a name
    chat: str  # direct, group, channel; empty: not known
    tool: str  # `notes` for GET /v1/notes
    outcome: Literal["released", "refused", "expired"]


class TokenCreated(Fact, frozen=True, kw_only=True, tag="token_created"):
    """The user made a token for a client. Neither its secret nor a digest of it is in the log."""

    client: str  # the token's name
    collections: list[str]  # empty: all that the rules permit
    read_only: bool  # it may call only tools that change nothing
    sensitive: bool  # it may get sensitive passages as any agent may
    expires: str | None  # null: never


class TokenRevoked(Fact, frozen=True, kw_only=True, tag="token_revoked"):
    """The user revoked a token. It has not been accepted since before this fact."""

    client: str  # the token's name


class TokenUsed(Fact, frozen=True, kw_only=True, tag="token_used"):
    """A client used a token. The answer is sent after this fact is on disk. The log has no question
    and no path."""

    client: str  # the token's name
    tool: str  # the tool's name; else the last part of the path that was asked for
    outcome: UseOutcome
