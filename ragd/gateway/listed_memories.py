"""The list of memories, with what is sensitive in each; without those for an asker who cannot
consent.

They have no approval of their own: a search that finds one asks for it.
"""

from typing import Any

from ragd.gateway.search_answers import memory_flags
from ragd.guard.inspection import inspect_text
from ragd.guard.live_rules import LiveGuard
from ragd.protocol.asker import Asker


def without_sensitive_memories(
    listed: dict[str, Any], guard: LiveGuard, asker: Asker
) -> dict[str, Any]:
    """The list without the memories that this asker may not see, and how many those are."""
    if not guard.blocks(asker) or asker.is_person:
        return listed
    memories = listed["memories"]
    shown = [one for one in memories if not guard.withholds(f"{one['key']}\n{one['value']}", asker)]
    return {**listed, "memories": shown, "withheld": len(memories) - len(shown)}


def with_flags(listed: dict[str, Any], guard: LiveGuard) -> dict[str, Any]:
    """The list with the flags that memories have in the answer to a search."""
    rules = guard.rules
    memories = [
        one | memory_flags(inspect_text(f"{one['key']}\n{one['value']}", rules))
        for one in listed["memories"]
    ]
    is_sensitive = any(one["ask_first"] for one in memories) or listed.get("withheld", 0) > 0
    return {**listed, "memories": memories, "sensitive_detected": is_sensitive}


def with_sensitive_kinds(listed: dict[str, Any], guard: LiveGuard) -> dict[str, Any]:
    """The list with `sensitive`, the kinds of sensitive content of each memory."""
    rules = guard.rules
    memories = [
        {**one, "sensitive": inspect_text(f"{one['key']}\n{one['value']}", rules).categories}
        for one in listed["memories"]
    ]
    return {**listed, "memories": memories}
