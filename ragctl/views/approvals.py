"""What waits for approval, as text for a person. The question is an agent's text: it is shown as
data, in one line, and shortened. It makes no request."""

from collections.abc import Sequence
from typing import Any

from ragctl.views.render import Ink, clean, counted, format_duration, ragctl_command
from ragd.protocol.asker import is_shared_chat

ASKED_CHARACTERS = 300
CITATIONS_MAX = 50
_TOOLS = {"obsidian_rag_search": "searches", "notes": "reads"}

Data = dict[str, Any]


def render_approvals(waiting: Sequence[Data], ink: Ink) -> str:
    """The list, oldest first, and the next command."""
    if not waiting:
        return "Nothing waits for approval."
    command = f"{ragctl_command()} approve"
    shown = [_summary(one, ink) for one in waiting]
    return "\n\n".join(
        [*shown, f"`{command} ID` releases one, `{command} --refuse ID` refuses it."]
    )


def render_approval(one: Data, ink: Ink) -> str:
    """One request, with the places of its passages."""
    citations = [clean(citation) for citation in one["citations"][:CITATIONS_MAX]]
    more = len(one["citations"]) - len(citations)
    lines = [f"    {citation}" for citation in citations]
    lines += [f"    and {more} more"] if more > 0 else []
    if is_shared_chat(one["chat"]):
        warning = f"Others read this chat ({clean(one['chat'])}): they will see the passages too."
        lines.append(f"  {ink.paint(ink.sign('▲') + ' ' + warning, 'yellow')}")
    return "\n".join([_summary(one, ink), *lines])


def who_asks(one: Data) -> str:
    """The agent and its chat."""
    agent = f"the agent `{clean(one['agent'])}`" if one["agent"] else "an agent without a name"
    return f"{agent} ({clean(one['chat'])})" if one["chat"] else agent


def _summary(one: Data, ink: Ink) -> str:
    dot = ink.sign("·")
    times = f"{format_duration(one['waits_s'])} ago {dot} expires in "
    times += format_duration(one["expires_in_s"])
    kinds = ", ".join(clean(kind) for kind in one["kinds"]) or "named by you as sensitive"
    return "\n".join(
        (
            f"{ink.paint(clean(one['id']), 'bold')}  {who_asks(one)} {dot} {times}",
            f"  {_TOOLS.get(one['tool'], clean(one['tool']))}: {_shortened(one['asked'])}",
            f"  {counted(one['withheld'], 'passage')} withheld {dot} {kinds}",
        )
    )


def _shortened(asked: str) -> str:
    shown = clean(asked[: ASKED_CHARACTERS + 1])
    return shown if len(asked) <= ASKED_CHARACTERS else f"{shown[:ASKED_CHARACTERS]} …"
