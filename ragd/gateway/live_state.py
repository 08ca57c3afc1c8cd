"""State of the running process that is in no fold: its numbers and configuration. Pure."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ragd.config.schema import CollectionSettings
from ragd.folds import State, progress
from ragd.health.current_health import CurrentHealth, current_health


class ProcessStats(Struct, frozen=True):
    """Numbers that must not grow while the daemon runs. None where the system does not report."""

    memory_bytes: int | None
    index_bytes: int  # of `memory_bytes`: rows of the index, for searches
    descriptors: int | None
    threads: int
    tasks: int
    workers: int | None = None  # processes that the daemon has started, and their memory
    workers_bytes: int | None = None


class LiveState(Struct):
    """The process, the configuration in force, and what is not recorded yet."""

    version: str
    pid: int
    run: str
    started_at: str
    uptime_s: int
    vault_path: str
    provider: str
    vault_context: str = ""
    model: str = ""  # as configured
    language: str = "auto"  # `embedding.language`
    file_patterns: Sequence[str] = ()  # `indexing.file_patterns`
    code_blocks: str = "auto"  # `security.code_blocks`
    index_digest: str | None = None  # of the model whose vectors are in the open index
    actors: Mapping[str, str] = field(default_factory=dict)
    process: ProcessStats | None = None
    collections: Mapping[str, CollectionSettings] = field(default_factory=dict)
    needs_restart: list[str] = field(default_factory=list)  # settings that wait for a restart
    config_refused: str | None = None  # why the present config.json is not in force
    vectors_made: Mapping[str, int] = progress.NOTHING  # by generation, before they are recorded
    full_since: str | None = None
    oldest_seq: int = 1
    snapshot_seq: int = 0

    def is_recorded(self, state: State) -> bool:
        """Whether the log has the start of this run. Before, the folds describe the last run."""
        return state.runs.id == self.run

    def health(self, state: State) -> CurrentHealth:
        """Health now. Computed once for each answer."""
        return current_health(state, self.run, self.started_at, self.full_since)
