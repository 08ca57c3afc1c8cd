"""A log in memory with its folds: tests append facts and check the state."""

from collections.abc import Sequence

import pytest

from ragd.eventlog.frame import Record
from ragd.events import (
    BatchStored,
    ChangeKind,
    DaemonStarted,
    Dependency,
    DependencyLost,
    DependencyRecovered,
    Event,
    FileChange,
    FileError,
    FilesChanged,
    FilledFile,
    IndexActivated,
    IndexBuilding,
    JobFinished,
    JobStarted,
    Mode,
    Outcome,
    RecountedFile,
    StoredFile,
    VectorsFilled,
    VectorsRecounted,
)
from ragd.folds import State, apply, decode_state, encode_state


def moment(seq: int) -> str:
    """When record `seq` was written: one a second."""
    return f"2026-11-15T14:{seq // 60:02d}:{seq % 60:02d}.000000Z"


class Log:
    """Facts in, state out. Every method returns the record, or the last of several."""

    def __init__(self) -> None:
        self.state = State()
        self.run = "run-1"

    def add(self, *facts: Event, actor: str = "somebody", seq: int | None = None) -> Record:
        record: Record | None = None
        for fact in facts:
            number = seq or self.state.seq + 1
            record = Record(number, number - 1, moment(number), self.run, actor, None, fact)
            apply(self.state, record)
        assert record is not None
        return record

    def through_a_snapshot(self) -> None:
        """Go on from what a snapshot would have kept."""
        self.state = decode_state(encode_state(self.state))

    def start(self, provider: str = "auto", run: str | None = None) -> Record:
        self.run = run or self.run
        return self.add(
            DaemonStarted(
                version="0.1.0", config_hash="c0ffee", previous_stop="none", provider=provider
            ),
            actor="daemon",
        )

    def lose(self, dependency: Dependency, code: str = "", since: str | None = None) -> Record:
        return self.add(DependencyLost(dependency=dependency, code=code, since=since))

    def recover(self, dependency: Dependency) -> Record:
        return self.add(DependencyRecovered(dependency=dependency))

    def activate(self, provider: str = "embedded", generation: str = "g1") -> Record:
        return self.add(
            IndexActivated(
                generation=generation, provider=provider, model="some-model", dimensions=384
            )
        )

    def build(self, generation: str = "g2", job: str = "job-1", provider: str = "") -> Record:
        building = IndexBuilding(
            generation=generation, job_id=job, fingerprint="f1", provider=provider
        )
        return self.add(building)

    def change(self, *paths: str, kind: ChangeKind = "modified") -> Record:
        return self.add(FilesChanged(changes=[FileChange(path, kind) for path in paths]))

    def begin(self, job: str = "job-1", mode: Mode = "sync") -> Record:
        return self.add(JobStarted(job_id=job, mode=mode, files_planned=1, files_removed=0))

    def store(
        self,
        *paths: str,
        sha: str = "s1",
        chunks: int = 2,
        embedded: int | None = None,
        removed: Sequence[str] = (),
        version: int = 1,
        generation: str = "",
        job: str = "job-1",
    ) -> Record:
        with_vector = chunks if embedded is None else embedded
        return self.add(
            BatchStored(
                job_id=job,
                files=[StoredFile(path, sha, 1, 100, chunks, with_vector) for path in paths],
                removed=list(removed),
                table_version=version,
                generation=generation,
            )
        )

    def fill(
        self, path: str, chunks: int, sha: str = "s1", version: int = 2, generation: str = ""
    ) -> Record:
        return self.add(
            VectorsFilled(
                job_id="job-1",
                files=[FilledFile(path, sha, chunks)],
                table_version=version,
                generation=generation,
            )
        )

    def recount(self, path: str, embedded: int, sha: str = "s1", generation: str = "") -> Record:
        return self.add(
            VectorsRecounted(
                files=[RecountedFile(path, sha, embedded)],
                counted=0,
                found=0,
                table_version=3,
                generation=generation,
            )
        )

    def finish(
        self,
        outcome: Outcome = "complete",
        mode: Mode = "sync",
        job: str = "job-1",
        indexed: int = 0,
        removed: int = 0,
        errors: Sequence[FileError] = (),
        errors_total: int = 0,
        code: str = "",
    ) -> Record:
        return self.add(
            JobFinished(
                job_id=job,
                mode=mode,
                outcome=outcome,
                indexed_files=indexed,
                removed_files=removed,
                total_chunks=0,
                duration_ms=1200,
                code=code,
                errors=list(errors),
                errors_total=errors_total,
            )
        )

    def serve(self, provider: str = "embedded") -> None:
        """A daemon at work: started, the index open, one note in it. Healthy."""
        self.start(provider="auto")
        self.activate(provider)
        self.store("Journal/2024-01-15.md")


@pytest.fixture
def log() -> Log:
    return Log()
