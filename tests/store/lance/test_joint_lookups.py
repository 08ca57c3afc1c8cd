"""Searches that come at the same time are looked up together; none of them waits for nothing."""

import asyncio
from collections.abc import Sequence

import pytest

from ragd.store.lance.joint_lookups import JointLookups


class Lookups:
    """Looks up numbers. Each pass waits for `go` and doubles its numbers; one of 13 fails."""

    def __init__(self) -> None:
        self.passes: list[list[int]] = []
        self.began = asyncio.Event()
        self.go = asyncio.Event()

    async def look_up(self, asked: Sequence[int]) -> list[int]:
        self.passes.append(list(asked))
        self.began.set()
        await self.go.wait()
        if 13 in asked:
            raise ValueError
        return [2 * one for one in asked]


async def test_a_search_alone_has_a_pass_alone() -> None:
    lookups = Lookups()
    lookups.go.set()
    joint = JointLookups(lookups.look_up)
    assert [await joint.find(number) for number in (1, 2)] == [2, 4]
    assert lookups.passes == [[1], [2]]


async def test_searches_that_come_during_a_pass_share_the_next_one() -> None:
    lookups = Lookups()
    joint = JointLookups(lookups.look_up, 3)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(joint.find(1))]
        await lookups.began.wait()
        tasks += [group.create_task(joint.find(number)) for number in range(2, 7)]
        await asyncio.sleep(0)
        lookups.go.set()
    assert [task.result() for task in tasks] == [2, 4, 6, 8, 10, 12]
    assert lookups.passes == [[1], [2, 3, 4], [5, 6]]


async def test_a_cancelled_search_takes_no_other_with_it() -> None:
    lookups = Lookups()
    joint = JointLookups(lookups.look_up)
    first, second, third = (asyncio.create_task(joint.find(number)) for number in (1, 2, 3))
    await lookups.began.wait()  # the pass of all three, or of the first
    second.cancel()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    lookups.go.set()
    assert await third == 6
    assert lookups.passes[-1] == [3], "the cancelled ones are not looked up again"


async def test_a_search_that_fails_takes_no_other_with_it() -> None:
    lookups = Lookups()
    lookups.go.set()
    joint = JointLookups(lookups.look_up)
    found = await asyncio.gather(
        *(joint.find(number) for number in (13, 1, 2)), return_exceptions=True
    )
    assert isinstance(found[0], ValueError)
    assert found[1:] == [2, 4]
