"""The types of a probe: how a dependency is checked, and what was found. It checks nothing."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from ragd.events import Dependency


class ProbeFinding(NamedTuple):
    """What is wrong: an error code, and since when, if that is before the probe.

    `configured`, `made`: vector sizes, where these two differ.
    """

    code: str
    since: str | None = None
    configured: int = 0
    made: int = 0


CheckDependency = Callable[[], Awaitable[str | ProbeFinding | None]]


class DependencyProbe(NamedTuple):
    """How to probe one dependency.

    `check` returns an error code, a finding, or None if the dependency works. `overdue`: the code
    for a probe that gets no answer in time; None: that does not change health. `quiet`: success is
    recorded only after a failure. `check_closely` replaces `check` after searches have timed out.
    """

    check: CheckDependency
    overdue: str | None
    quiet: bool = False
    check_closely: CheckDependency | None = None


DependencyProbes = dict[Dependency, DependencyProbe]
