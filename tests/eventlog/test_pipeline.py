"""A pipeline over the log with a single credit, as in the daemon: no deadlock."""

import asyncio

import pytest

from ragd.eventlog import follow as follow_module
from ragd.eventlog import journal as journal_module
from ragd.eventlog.journal import Journal
from ragd.events import BatchEmbedded, BatchStored, ChangesetFormed, StoredFile
from ragd.folds import State, apply
from tests.eventlog.journals import open_journal, running
from tests.eventlog.simulated_disk import SimulatedDisk

ITEMS = 800
PRODUCERS = 8


class Pipeline:
    """Batcher, embedder and store writer; each knows nothing but the log and its own seq."""

    def __init__(self, journal: Journal, credits: int) -> None:
        self.journal = journal
        self.credits = asyncio.Semaphore(credits)
        self.in_flight = 0
        self.most_in_flight = 0

    async def produce(self, items: range) -> None:
        for item in items:
            await self.credits.acquire()
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            path = f"{item}.md"
            formed = ChangesetFormed(job_id="j", batch_id=path, upserts=[path], deletes=[])
            await self.journal.append_parts("batcher", formed)

    async def embed(self) -> None:
        async for found in self.journal.follow(0, {"changeset_formed"}):
            assert isinstance(found.event, ChangesetFormed)
            done = BatchEmbedded(
                job_id="j",
                batch_id=found.event.batch_id,
                files=1,
                chunks=1,
                cached=0,
                provider="toy",
                model="toy",
            )
            await self.journal.append("embedder", done, cause=found.seq)

    async def store(self) -> None:
        async for found in self.journal.follow(0, {"batch_embedded"}):
            assert isinstance(found.event, BatchEmbedded)
            file = StoredFile(found.event.batch_id, "0" * 64, 1, 1, 1)
            done = BatchStored(
                job_id="j",
                batch_id=found.event.batch_id,
                files=[file],
                removed=[],
                table_version=found.seq,
            )
            await self.journal.append_parts("store_writer", done, cause=found.seq)

    async def give_credits_back(self) -> None:
        stored = 0
        async for _ in self.journal.follow(0, {"batch_stored"}):
            stored += 1
            self.in_flight -= 1
            self.credits.release()
            if stored == ITEMS:
                return


@pytest.mark.parametrize("credits", [1, 4])
async def test_eight_producers_and_three_actors_finish_everything_on_so_many_credits(
    credits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "WAITING_MAX", 2)
    monkeypatch.setattr(follow_module, "RECENT_MAX", 2)
    state = State()
    journal = open_journal(
        SimulatedDisk(), lambda record: apply(state, record), segment_max_bytes=20_000
    )
    pipeline = Pipeline(journal, credits)
    async with running(journal):
        actors = [asyncio.create_task(actor()) for actor in (pipeline.embed, pipeline.store)]
        finished = asyncio.create_task(pipeline.give_credits_back())
        share = ITEMS // PRODUCERS
        await asyncio.gather(
            *(pipeline.produce(range(i * share, (i + 1) * share)) for i in range(PRODUCERS))
        )
        await finished
        await journal.close()
        await asyncio.gather(*actors)
    assert state.catalog.documents == ITEMS
    assert state.seq == 3 * ITEMS
    assert pipeline.most_in_flight == credits
