"""The list of memories for an asker who cannot consent: without the sensitive ones. Pure.

They have no approval of their own: a search that finds one asks for it.
"""

from typing import Any

from ragd.guard.inspection import Rules, inspect_text


def without_sensitive_memories(listed: dict[str, Any], rules: Rules) -> dict[str, Any]:
    """The list without the memories that need consent, and how many those are."""
    memories = listed["memories"]
    shown = [
        one for one in memories if not inspect_text(f"{one['key']}\n{one['value']}", rules).withheld
    ]
    return {**listed, "memories": shown, "withheld": len(memories) - len(shown)}
