"""What `ragctl doctor` looks at: one function a check, from a home to a finding.

A check only reads, needs no daemon, and says what to do about what it finds.
"""

from typing import Literal, NamedTuple


class Finding(NamedTuple):
    """What a check found, and the next thing to do where it is not well."""

    verdict: Literal["ok", "warn", "fail"]
    message: str
    fix: str = ""


def ok(message: str) -> Finding:
    return Finding("ok", message)


def warn(message: str, fix: str) -> Finding:
    return Finding("warn", message, fix)


def fail(message: str, fix: str) -> Finding:
    return Finding("fail", message, fix)
