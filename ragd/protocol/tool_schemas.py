"""The tools: names, descriptions, parameters, permissions. Pure.

The parameters of the tools are defined only here: the socket publishes the JSON Schema made from
them, and the plugin reads it from the socket.
"""

import datetime
import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, structs

from ragd.close_match import closest
from ragd.errors import RagdError
from ragd.protocol.agent_requests import (
    MemoryForgetRequest,
    MemorySearchRequest,
    MemoryWriteRequest,
    ReadNoteRequest,
    RelatedRequest,
)
from ragd.protocol.limits import (
    DAY_OR_TIME,
    DAY_OR_TIME_FORMS,
    MAX_RESULTS,
    PAUSE_MAX_S,
    QUERY_MAX_CHARS,
    QUERY_READ_CHARS,
)
from ragd.protocol.request_errors import explain_invalid

LIST_MAX = 100

Text = Annotated[str, Meta(min_length=1, max_length=1000)]
# Without a pattern: a client that validates calls would show the expression to the user.
DayOrTime = Annotated[
    str,
    Meta(max_length=40, description="A day, YYYY-MM-DD, or an ISO 8601 timestamp."),
]


PassageChars = Annotated[
    int,
    Meta(
        ge=200,
        description="The largest number of characters of all passages together. The text of the "
        "last one is cut; further ones are left out.",
    ),
]


class DateRange(Struct, frozen=True, forbid_unknown_fields=True, rename={"start": "from"}):
    """Days, both included; either end may be open. A timestamp means its day."""

    start: DayOrTime | None = None
    to: DayOrTime | None = None


class SearchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of obsidian_rag_search."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=QUERY_MAX_CHARS,
            description='A question in natural language. It may contain "an exact phrase", -word, '
            "tag:travel, folder:Journal, title:doorbell and prop:status=active.",
        ),
    ]
    max_results: Annotated[
        int, Meta(ge=1, le=MAX_RESULTS, description="The largest number of passages to return.")
    ] = 5
    directory_filter: Annotated[
        list[Text], Meta(max_length=LIST_MAX, description='Only these folders, e.g. ["Journal"].')
    ] = []
    collections: Annotated[
        list[Text],
        Meta(
            max_length=LIST_MAX,
            description='Only these collections, e.g. ["papers"]; "vault" is the vault itself. '
            "Without it: all that are not private.",
        ),
    ] = []
    date_range: DateRange | None = None
    by_file_time: Annotated[
        bool,
        Meta(
            description="Use the file's time as the date of notes that have none, also for "
            "date_range."
        ),
    ] = False
    tags: Annotated[
        list[Text],
        Meta(
            max_length=LIST_MAX,
            description="Only passages with one of these tags, on the passage or on its note.",
        ),
    ] = []
    properties: Annotated[
        list[Text],
        Meta(
            max_length=LIST_MAX,
            description="Only notes with these frontmatter properties: a name, or a comparison "
            'such as "status=active", "rating>=4" or "due<2025-02-01". All of them must hold.',
        ),
    ] = []
    explain: Annotated[
        bool, Meta(description="Add to each result the numbers that decided its rank.")
    ] = False
    mark_sentences: Annotated[
        bool,
        Meta(
            description="Add to the best results which sentences most likely answer "
            "(`best_sentences`: first and last character). The search takes a little longer."
        ),
    ] = False
    min_score: Annotated[
        float, Meta(ge=0, le=1, description="Only passages with at least this score.")
    ] = 0.0
    max_chars: PassageChars | None = None
    confirm: Annotated[
        str | None,
        Meta(
            description="The token from a SENSITIVE_FILTERED answer, if it has one, after the user "
            "has agreed."
        ),
    ] = None


class IndexRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of obsidian_rag_index."""

    mode: Annotated[
        Literal["full", "sync", "reindex"],
        Meta(
            description="sync: only what changed; full: read every note again; "
            "reindex: build a new index while the old one is in use, then switch."
        ),
    ]


class JobRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A job that ragctl requests. Only a person can accept deletions, not an agent."""

    mode: Literal["full", "sync", "reindex"]
    accept_deletions: bool = False
    accept_in: tuple[str, ...] = ()  # only in these collections; empty: in all


class PauseRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """How long to pause syncing."""

    seconds: Annotated[int, Meta(ge=1, le=PAUSE_MAX_S)]


class ResumeRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The end of a pause. It has no parameters."""


class DecisionRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What a person decided about withheld text: show it to the agent, or do not."""

    release: bool


class NoteRequest(Struct, frozen=True):
    """Lines of one note, for GET /v1/notes. It is not a tool, but an agent may send it.

    `raw`: as written, for people; otherwise without markup, as in the index. `place`: a place of a
    document, such as `page=3`, instead of lines.
    """

    path: str
    start: int = 1
    to: int | None = None
    raw: bool = False
    confirm: str | None = None
    place: str = ""
    max_chars: int | None = None  # the most that is returned; None: the limit of the socket


class StatusRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of obsidian_rag_status."""

    verbose: Annotated[
        bool,
        Meta(description="Return everything: also actors, process, log and all skipped files."),
    ] = False


class MemoryRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of obsidian_rag_memory_store."""

    key: Annotated[str, Meta(min_length=1, max_length=200, description="A name for the fact.")]
    value: Annotated[str, Meta(min_length=1, max_length=10_000, description="The fact itself.")]
    source: Annotated[
        str, Meta(min_length=1, max_length=1000, description="The note it comes from.")
    ]


Request = (
    SearchRequest
    | IndexRequest
    | StatusRequest
    | MemoryRequest
    | ReadNoteRequest
    | RelatedRequest
    | MemorySearchRequest
    | MemoryWriteRequest
    | MemoryForgetRequest
)


class Tool(Struct, frozen=True):
    """One tool as the socket publishes it."""

    name: str
    description: str
    request: Any  # a Struct type
    permissions: tuple[str, ...]


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "obsidian_rag_search",
            "Search the user's Obsidian notes by meaning and by words. For questions such as "
            "'What did I write about X?' or 'How was my Y in Z?'. Answer from the passages and "
            "name their source.",
            SearchRequest,
            ("vault:read",),
        ),
        Tool(
            "obsidian_rag_index",
            "Start indexing the user's notes. For 'Index my vault' or 'Update the search index': "
            "mode sync by default, full when there is no index yet. Returns at once; call "
            "obsidian_rag_status for progress.",
            IndexRequest,
            ("index:write",),
        ),
        Tool(
            "obsidian_rag_status",
            "Report whether the index is up to date, how many notes it has, and what is wrong, if "
            "anything. For 'Is the index up to date?' or 'How many notes are indexed?'. Short, "
            "unless verbose is true.",
            StatusRequest,
            ("vault:read",),
        ),
        Tool(
            "obsidian_rag_memory_store",
            "Remember a fact found in the user's notes under a short key. For 'Remember this', or "
            "after a search offered a memory and the user agreed.",
            MemoryRequest,
            ("memory:write",),
        ),
        Tool(
            "obsidian_rag_read",
            "Read on in a note that a search found: some of its lines, a page, or all of a short "
            "one. For 'What else does it say?' or when a passage is cut. `lines_after` says how "
            "many lines follow.",
            ReadNoteRequest,
            ("vault:read",),
        ),
        Tool(
            "obsidian_rag_related",
            "Find the notes that are near a note by meaning or by links, each with the reason. For "
            "'What else do I have on this?' after a search.",
            RelatedRequest,
            ("vault:read",),
        ),
        Tool(
            "obsidian_rag_memory_search",
            "Look through what was remembered: stored facts, and the notes that you wrote for "
            "yourself. For 'What do you remember about X?', and before you ask the user something "
            "again.",
            MemorySearchRequest,
            ("memory:read",),
        ),
        Tool(
            "obsidian_rag_memory_write",
            "Write a note into your own memory, as Markdown: a new one, in place of one, or at its "
            "end (append). For what should outlast this conversation. It never changes the user's "
            "notes.",
            MemoryWriteRequest,
            ("memory:write",),
        ),
        Tool(
            "obsidian_rag_memory_forget",
            "Erase a stored fact by its key, or a note of your own memory by its path, for good. "
            "For 'Forget that'. Ask the user first.",
            MemoryForgetRequest,
            ("memory:write",),
        ),
    )
}


def published_tools() -> list[dict[str, Any]]:
    """The answer of GET /v1/tools."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": _schema(tool.request),
            "requiredPermissions": list(tool.permissions),
        }
        for tool in TOOLS.values()
    ]


def _schema(request: Any) -> dict[str, Any]:
    """The JSON Schema with the object itself at the top, as agents expect it."""
    schema = msgspec.json.schema(request)
    definitions = schema["$defs"]
    top: dict[str, Any] = definitions.pop(request.__name__)
    return {**top, "$defs": definitions} if definitions else top


def parse_request(tool: str, body: bytes) -> Request:
    """The request in a body. Raises RagdError that names the wrong field."""
    if tool not in TOOLS:
        raise RagdError("INVALID_REQUEST", f"There is no tool with this name{_did_you_mean(tool)}.")
    request: Request = decode(body, TOOLS[tool].request)
    return check_search(request) if isinstance(request, SearchRequest) else request


def check_search(request: SearchRequest) -> SearchRequest:
    """Check a search, and cut its query to the part that is read."""
    _check_query(request.query)
    if request.date_range is not None:
        _check_day("from", request.date_range.start)
        _check_day("to", request.date_range.to)
    return structs.replace(request, query=request.query[:QUERY_READ_CHARS])


def parse_job(body: bytes) -> JobRequest:
    """The job in a body. Raises RagdError that names the wrong field."""
    request: JobRequest = decode(body, JobRequest)
    return request


def parse_pause(body: bytes) -> PauseRequest:
    """The pause in a body. Raises RagdError that names the wrong field."""
    request: PauseRequest = decode(body, PauseRequest)
    return request


def parse_resume(body: bytes) -> None:
    """Raises RagdError for a body that is not empty."""
    decode(body, ResumeRequest)


def parse_decision(body: bytes) -> DecisionRequest:
    """The decision in a body. Raises RagdError that names the wrong field."""
    request: DecisionRequest = decode(body, DecisionRequest)
    return request


def decode(body: bytes, wanted: Any) -> Any:
    try:
        return msgspec.json.decode(body or b"{}", type=wanted)
    except msgspec.ValidationError as why:
        raise RagdError("INVALID_REQUEST", explain_invalid(str(why), wanted, DateRange)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise RagdError("INVALID_REQUEST", "The body is not valid JSON.") from None


def _check_query(query: str) -> None:
    if not query.strip():
        raise RagdError(
            "INVALID_REQUEST",
            "The field `query` is empty.",
            "Write what to search for: a question or a few words.",
        )


def _check_day(name: str, day: str | None) -> None:
    if day is None:
        return
    if not re.search(DAY_OR_TIME, day):
        raise RagdError(
            "INVALID_REQUEST",
            f"The field `date_range.{name}` is not valid: write {DAY_OR_TIME_FORMS}.",
        )
    try:
        datetime.datetime.fromisoformat(day)
    except ValueError:
        raise RagdError(
            "INVALID_REQUEST",
            f"The field `date_range.{name}` is not a real date; write {DAY_OR_TIME_FORMS}.",
        ) from None


def _did_you_mean(tool: str) -> str:
    near = closest(tool, TOOLS)
    return f"; did you mean {near}" if near else ""
