"""The checks of `ragctl doctor`: one function per check, which takes a home and returns a finding.

A check only reads, needs no daemon and starts none. Its finding includes what to do.
"""

from typing import Literal, NamedTuple


class Finding(NamedTuple):
    """What a check found, and what to do about it.

    `private`: personal words in the message, such as a note's path. A bug report hashes them.
    """

    verdict: Literal["ok", "warn", "fail"]
    message: str
    fix: str = ""
    private: tuple[str, ...] = ()


def ok(message: str, *private: str) -> Finding:
    return Finding("ok", message, "", private)


def warn(message: str, fix: str, *private: str) -> Finding:
    return Finding("warn", message, fix, private)


def fail(message: str, fix: str, *private: str) -> Finding:
    return Finding("fail", message, fix, private)


def no_configuration() -> Finding:
    """The finding of a check that needs a valid configuration and has none."""
    return warn("unknown, because there is no valid configuration", "Fix the configuration first.")
