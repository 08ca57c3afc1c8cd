"""Every crash point of a job, from plan to switch: the daemon dies there, and its next start
finishes the job automatically. Then the index equals the vault, row by row."""

import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from chaos.daemon_runs import DaemonRuns
from chaos.harness import Arena
from chaos.provider import Provider
from chaos.tables import Tables
from chaos.vault import Vault
from ragd.paths import Home

AT_ONCE = 2
NOTES = 70  # more than one batch of notes
PARTS = 8  # of a note: 70 notes need more than one fill of vectors (`fill_pace.LEAST`)

# What the daemon does when it dies, and the job that is requested for it. SavedNote notes need no
# request. Another model means other vectors, so that a reindex has to wait for them.
REQUESTED = {
    "first": "full",
    "again": "full",
    "sync": "sync",
    "saved": "",
    "reindex": "reindex",
    "another model": "reindex",
}


class JobCrash(NamedTuple):
    """What the daemons do, and the crash points at which they die one after the other."""

    doing: str
    armed: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.doing}: {', '.join(self.armed)}"

    @property
    def points(self) -> set[str]:
        return {armed.partition(":")[0] for armed in self.armed}


# Every point, in few runs: the daemon that continues the job dies at the next point.
CHAINS: tuple[JobCrash, ...] = (
    JobCrash(
        "another model",
        (
            "job.after_formed:2",
            "store.before_commit:2",
            "store.after_fill",
            "index.before_switch",
            "index.after_switch",
        ),
    ),
    JobCrash(
        "first",
        ("job.after_read", "index.after_create", "store.after_fact", "embed.after_cache:2"),
    ),
    JobCrash("sync", ("job.after_plan", "store.after_commit")),
    JobCrash("saved", ("embed.before_cache",)),
)
ALONE: dict[str, tuple[str, ...]] = {
    "first": (
        *("job.after_plan", "job.after_read", "job.after_read:2"),
        *("job.after_formed", "job.after_formed:2"),
        *("embed.before_cache", "embed.before_cache:3", "embed.after_cache", "embed.after_cache:3"),
        *("store.before_commit", "store.before_commit:2"),
        *("store.after_commit", "store.after_commit:2", "store.after_fact", "store.after_fact:2"),
        *("store.after_fill", "store.after_fill:2", "index.after_create"),
    ),
    "again": ("job.after_plan", "job.after_formed:2", "store.after_commit:2", "store.after_fact:2"),
    "sync": (
        *("job.after_plan", "job.after_read", "job.after_formed"),
        *("embed.before_cache", "embed.after_cache"),
        *("store.before_commit", "store.after_commit", "store.after_fact", "store.after_fill"),
    ),
    "saved": (
        *("job.after_read", "job.after_formed", "embed.before_cache", "embed.after_cache"),
        *("store.before_commit", "store.after_commit", "store.after_fact"),
    ),
    "reindex": (
        *("job.after_plan", "job.after_read:2", "job.after_formed", "job.after_formed:2"),
        *("store.before_commit", "store.before_commit:2"),
        *("store.after_commit", "store.after_commit:2", "store.after_fact", "store.after_fact:2"),
        *("index.after_create", "index.before_switch", "index.after_switch"),
    ),
    "another model": (
        *("embed.before_cache", "embed.before_cache:3", "embed.after_cache:2", "store.after_fill"),
        *("store.after_fill:2", "index.after_create", "index.before_switch", "index.after_switch"),
    ),
}
CASES = (*CHAINS, *(JobCrash(doing, (armed,)) for doing, each in ALONE.items() for armed in each))


def run(arena: Arena, cases: Sequence[JobCrash] = CASES) -> None:
    """Run the cases, two at a time, each in a home of its own with the same vault."""
    prepared = PreparedHomes(arena)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for tally in pool.map(lambda case: _run_case(prepared, case), cases):
            arena.tally.update(tally)


class PreparedHomes:
    """A vault, a home with an older version of it indexed, and a home with the current one."""

    def __init__(self, arena: Arena) -> None:
        self.seed = arena.seed
        self.tables = Tables(arena)
        self.vault = Vault(arena.folder / "vault", arena.rng, (PARTS, PARTS))
        self.older = Home(str(arena.folder / "older"))
        self.current = Home(str(arena.folder / "current"))
        for number in range(NOTES):
            self.vault.write(number)
        with Provider() as provider:
            self.runs(arena, self.older, provider).index("full")
            shutil.copytree(self.older.root, self.current.root)
            self._change()
            self.runs(arena, self.current, provider).index("sync")

    def runs(self, arena: Arena, home: Home, provider: Provider) -> DaemonRuns:
        return DaemonRuns(arena, home, self.vault, self.tables, provider)

    def _change(self) -> None:
        """Some notes are rewritten, some are new, one is removed."""
        for number in (0, 1, 33, NOTES, NOTES + 1):
            self.vault.write(number)
        self.vault.remove(2)


def _run_case(prepared: PreparedHomes, case: JobCrash) -> dict[str, int]:
    with Arena(prepared.seed, str(case)) as arena, Provider() as provider:
        home = Home(str(arena.folder / "h"))
        if case.doing != "first":
            from_ = prepared.older if case.doing in ("sync", "saved") else prepared.current
            shutil.copytree(from_.root, home.root)
        if case.doing == "another model":
            provider.change_model()
        runs = prepared.runs(arena, home, provider)
        try:
            for number, armed in enumerate(case.armed):
                runs.crash(armed, ask_for="" if number else REQUESTED[case.doing])
            runs.finish(is_reindex=REQUESTED[case.doing] == "reindex")
        except Exception as why:
            why.add_note(f"at the crash points of {case}")
            raise
    return {"crashes of a job": len(case.armed), "vectors that were not made again": runs.cached}
