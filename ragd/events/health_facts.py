"""What the health monitor records."""

from ragd.events.fact import Dependency, Fact

# Health monitor


class DependencyLost(Fact, frozen=True, kw_only=True, tag="dependency_lost"):
    """Something that ragd needs does not work. `since`: when it began, if before this record."""

    dependency: Dependency
    code: str
    since: str | None = None
    configured: int = 0  # the vector size that the configuration asks for,
    made: int = 0  # and the size that the model makes, where they differ


class DependencyRecovered(Fact, frozen=True, kw_only=True, tag="dependency_recovered"):
    """A dependency works (again)."""

    dependency: Dependency


class HealthChanged(Fact, frozen=True, kw_only=True, tag="health_changed"):
    """An audit line for people. It is never folded, and always equals the fold."""

    before: str  # the state until now
    after: str  # the state from now on
    reasons: list[str]  # codes that hold now, the worst first
