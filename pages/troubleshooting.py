"""docs/troubleshooting.md: puts the texts of each error code under its heading.

The paragraphs are written by hand and kept; only the quoted lines are generated here.
"""

import re

from ragd.errors import CODES, Kind
from ragd.events import tag_of_type
from ragd.folds.health_reasons import REASONS

OTHERS = "## Errors of single requests"
_REASONS = {reason.code: reason for reason in REASONS}


def page(now: str) -> str:
    """The page with the current texts; a new code gets a heading at the end of its part."""
    for code in CODES:
        if f"\n### {code}\n" not in now:
            now = _with_heading(now, code)
    return re.sub(r"(^### ([A-Z_]+)\n\n)(?:>.*\n)*\n?", _under_heading, now, flags=re.M)


def paragraphs(page: str) -> dict[str, str]:
    """The paragraphs written by hand, by code."""
    found = re.findall(r"^### ([A-Z_]+)\n\n(?:>[^\n]*\n)*\n?(.*?)(?=^##|\Z)", page, re.M | re.S)
    return {code: text.strip() for code, text in found}


def _with_heading(now: str, code: str) -> str:
    heading = f"### {code}\n\n"
    before, mark, after = now.partition(f"\n{OTHERS}\n")
    if code in _REASONS:
        return f"{before}\n{heading}{mark}{after}"
    return f"{before}{mark}{after}\n{heading}"


def _under_heading(match: re.Match[str]) -> str:
    heading, code = match[1], match[2]
    kind = CODES.get(code)
    return f"{heading}{_quoted(code, kind)}\n" if kind is not None else match[0]


def _quoted(code: str, kind: Kind) -> str:
    status = _state(code, kind) if kind.status else "The state does not change"
    again = "can be retried" if kind.recoverable else "a retry does not help"
    return f"> {kind.message}\n>\n> **{kind.suggestion}**\n>\n> {status}; {again}.{_facts(code)}\n"


def _state(code: str, kind: Kind) -> str:
    reason = _REASONS.get(code)
    state = str(kind.status).capitalize()
    if reason is not None and reason.without_index not in (None, kind.status):
        return f"{state}, and {reason.without_index} while there is no index"
    return state


def _facts(code: str) -> str:
    """The facts that raise and clear a reason, which `ragctl events --health` shows."""
    reason = _REASONS.get(code)
    if reason is None:
        return ""
    raised = ", ".join(f"`{tag_of_type(kind)}`" for kind in reason.raised_by)
    cleared = ", ".join(f"`{tag_of_type(kind)}`" for kind in reason.cleared_by)
    return f" Raised by {raised}; cleared by {cleared}."
