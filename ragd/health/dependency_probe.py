"""What a probe is: how to ask a dependency, and what it may find. It asks nothing itself."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from ragd.events import Dependency


class ProbeFinding(NamedTuple):
    """What is wrong: an error code, and since when, where that is known better than by now.

    `configured`, `made`: sizes of vectors, where these two differ.
    """

    code: str
    since: str | None = None
    configured: int = 0
    made: int = 0


AskDependency = Callable[[], Awaitable[str | ProbeFinding | None]]


class DependencyProbe(NamedTuple):
    """How to probe one dependency.

    `ask` returns an error code, a finding, or None if the dependency works. `overdue` is the code
    for a dependency that does not respond at all; None means that silence does not change health.
    `quiet`: that it works is recorded only after it did not. `closely` replaces `ask` after
    searches have timed out.
    """

    ask: AskDependency
    overdue: str | None
    quiet: bool = False
    closely: AskDependency | None = None


DependencyProbes = dict[Dependency, DependencyProbe]
