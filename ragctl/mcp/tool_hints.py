"""How each tool is announced to MCP clients: its title, and hints about what a call does. Pure.

Names, descriptions and parameters are the daemon's. A client may ask the user before a call whose
hints say that it destroys something.
"""

from typing import Any, NamedTuple

from mcp_types import Tool, ToolAnnotations

SEARCH = "obsidian_rag_search"
READ = "obsidian_rag_read"
RELATED = "obsidian_rag_related"
MEMORY_SEARCH = "obsidian_rag_memory_search"
MEMORY_WRITE = "obsidian_rag_memory_write"
MEMORY_FORGET = "obsidian_rag_memory_forget"

ASK_FIRST = " Before each call, tell the user what it will change, and wait until they agree."


class Hints(NamedTuple):
    """What a call does. `destroys`: it may replace or erase something. `repeatable`: a second call
    with the same arguments changes nothing more."""

    title: str
    reads: bool = False
    destroys: bool = False
    repeatable: bool = True
    asks: bool = False  # only after the user has agreed


_HINTS = {
    SEARCH: Hints("Search notes", reads=True),
    "obsidian_rag_index": Hints("Index notes"),
    "obsidian_rag_status": Hints("Status of the index", reads=True),
    # A new memory replaces an old one with the same key.
    "obsidian_rag_memory_store": Hints("Remember a fact", destroys=True),
    READ: Hints("Read a note", reads=True),
    RELATED: Hints("Related notes", reads=True),
    MEMORY_SEARCH: Hints("Search the memory", reads=True),
    # It replaces a note, or adds the text once more.
    MEMORY_WRITE: Hints("Write to the memory", destroys=True, repeatable=False, asks=True),
    MEMORY_FORGET: Hints("Forget", destroys=True, asks=True),
}
_UNKNOWN = Hints("", destroys=True, repeatable=False)  # of a newer daemon: assume the worst


def reads_only(name: str) -> bool:
    """Whether a call changes nothing, so that it may be sent twice."""
    return _HINTS.get(name, _UNKNOWN).reads


def asks_first(name: str) -> bool:
    """Whether the user must agree before each call."""
    return _HINTS.get(name, _UNKNOWN).asks


def announced_tool(published: dict[str, Any], *, client_asks: bool) -> Tool:
    """A tool that the daemon publishes, as MCP clients see it. `client_asks`: it can show our
    questions to the user, so the model need not."""
    name = published["name"]
    hints = _HINTS.get(name, _UNKNOWN)
    return Tool(
        name=name,
        title=hints.title or None,
        description=published["description"]
        + (ASK_FIRST if hints.asks and not client_asks else ""),
        input_schema=published["parameters"],
        annotations=ToolAnnotations(
            read_only_hint=hints.reads,
            destructive_hint=hints.destroys,
            idempotent_hint=hints.repeatable,
            open_world_hint=False,
        ),
    )
