"""Parameters of the tools with which an agent reads on, remembers and forgets. Pure.

The four tools of the contract have theirs in `tool_schemas`.
"""

from typing import Annotated

from msgspec import Meta, Struct

from ragd.protocol.limits import MAX_RESULTS, QUERY_MAX_CHARS

READ_CHARS = 20_000
"""The most characters that a read returns, unless the request says otherwise."""
READ_CHARS_MAX = 200_000
NOTE_TEXT_MAX = 200_000
"""The most characters that one call may write into an agent's note."""

NotePath = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1000,
        description="The `source_file` or the `citation` of a search result.",
    ),
]
FirstLine = Annotated[int, Meta(ge=1, description="The first line to read; 1 by default.")]
LineCount = Annotated[
    int, Meta(ge=1, le=2000, description="How many lines. Without it: as many as fit.")
]
FactKey = Annotated[str, Meta(max_length=1000, description="The key of a stored fact.")]
MemoryPath = Annotated[str, Meta(max_length=1000, description="A note in your own memory.")]
ConfirmToken = Annotated[
    str,
    Meta(
        max_length=200,
        description="The token from a SENSITIVE_FILTERED answer, if it has one, after the user has "
        "agreed.",
    ),
]
MostChars = Annotated[
    int,
    Meta(ge=200, le=READ_CHARS_MAX, description="The largest number of characters to return."),
]


class ReadNoteRequest(
    Struct, frozen=True, forbid_unknown_fields=True, rename={"start": "from", "most": "lines"}
):
    """Parameters of obsidian_rag_read."""

    path: NotePath
    start: FirstLine | None = None
    most: LineCount | None = None
    max_chars: MostChars = READ_CHARS
    confirm: ConfirmToken | None = None


class RelatedRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of obsidian_rag_related."""

    path: NotePath
    max_results: Annotated[
        int, Meta(ge=1, le=MAX_RESULTS, description="The largest number of notes to return.")
    ] = 10


class MemorySearchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of obsidian_rag_memory_search."""

    query: Annotated[
        str,
        Meta(
            max_length=QUERY_MAX_CHARS,
            description="A question or a few words. Without it: the newest memories.",
        ),
    ] = ""
    max_results: Annotated[
        int, Meta(ge=1, le=MAX_RESULTS, description="The largest number of each kind.")
    ] = 10
    min_score: Annotated[
        float, Meta(ge=0, le=1, description="Only notes with at least this score.")
    ] = 0.0
    max_chars: MostChars = READ_CHARS
    confirm: ConfirmToken | None = None


class MemoryWriteRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of obsidian_rag_memory_write."""

    path: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description="Where in your own memory, e.g. memory/2026-11-16.md or MEMORY.md.",
        ),
    ]
    text: Annotated[
        str, Meta(min_length=1, max_length=NOTE_TEXT_MAX, description="The text, as Markdown.")
    ]
    append: Annotated[
        bool, Meta(description="Add the text at the end. Otherwise it replaces the note.")
    ] = False


class MemoryForgetRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of obsidian_rag_memory_forget: exactly one of the two."""

    key: FactKey | None = None
    path: MemoryPath | None = None
