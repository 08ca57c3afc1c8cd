"""What the health monitor records."""

from ragd.events.fact import Dependency, Fact

# Health monitor


class DependencyLost(Fact, frozen=True, kw_only=True, tag="dependency_lost"):
    """Something that ragd needs does not work. `since`: when it began, if before this record."""

    dependency: Dependency
    code: str
    since: str | None = None
    configured: int = 0  # the configured vector size, if the model makes another one
    made: int = 0  # the vector size that the model makes, if it is not the configured one
    collection: str = ""  # the collection that is lost, instead of the vault


class DependencyRecovered(Fact, frozen=True, kw_only=True, tag="dependency_recovered"):
    """A dependency works (again)."""

    dependency: Dependency
    collection: str = ""  # the collection that works, instead of the vault


class HealthChanged(Fact, frozen=True, kw_only=True, tag="health_changed"):
    """Health changed; for people who read the log. It is never folded: the fold has it already."""

    before: str  # the state until now
    after: str  # the state from now on
    reasons: list[str]  # codes that hold now, the worst first
