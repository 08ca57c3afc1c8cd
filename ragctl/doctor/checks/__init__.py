"""What `ragctl doctor` looks at: one function a check, from a home to a finding.

A check only reads, needs no daemon and starts none, and says what to do about what it finds.
"""

from typing import Literal, NamedTuple


class Finding(NamedTuple):
    """What a check found, and the next thing to do where it is not well.

    `private`: words in it that are a person's own, such as a note's path. They are for the person
    alone: a report about a bug does without.
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


def unknown() -> Finding:
    """Of a check that cannot be made before another one is mended."""
    return warn("unknown, for want of a valid configuration", "Mend the configuration first.")
