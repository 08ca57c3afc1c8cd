"""Replays the log in a child process: folding a long log would block the daemon and double its
memory.

The child has a low priority, changes nothing, and ends when the daemon does.
"""

import argparse
import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from ragd.errors import RagdError
from ragd.eventlog.follow import TooOld
from ragd.eventlog.frame import Record
from ragd.folds import State
from ragd.runtime import subprocesses
from ragd.runtime.worker_pipes import exit_with_stdin
from ragd.state.history import History, HistoryPart
from ragd.state.past_state import state_as_json
from ragd.state.replay import replay, states_newest_first

WITHIN_S = 60.0
NICE = 10


class ReplayReply(Struct):
    """What the child prints: the result, or the oldest record that can still be replayed."""

    found: Raw = Raw(b"null")
    oldest: int | None = None


_decode_reply = msgspec.json.Decoder(ReplayReply).decode
_decode_history = msgspec.json.Decoder(HistoryPart).decode


async def replayed_state(
    events: Path, snapshots: Path, *, until: int | None = None, at: str | None = None
) -> Raw:
    """The state after a record or at a time, as JSON. Raises RagdError if retention has removed
    it, or if it takes too long."""
    moment = ["--at", at] if at is not None else ["--until", str(until)]
    return await _run("state", events, snapshots, *moment)


async def replayed_history(events: Path, snapshots: Path, until: int) -> HistoryPart:
    """What happened from the oldest record to this one. Raises RagdError as above."""
    found = await _run("history", events, snapshots, "--until", str(until))
    return _decode_history(found)


async def _run(what: str, events: Path, snapshots: Path, *moment: str) -> Raw:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", __name__, what, str(events), str(snapshots), *moment),
        env=subprocesses.environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in the terminal must not stop it
    )
    assert child.stdout is not None
    try:
        async with asyncio.timeout(WITHIN_S):
            printed = await child.stdout.read()
            await child.wait()
    except TimeoutError:
        raise RagdError("TIMEOUT", "Replaying the log takes too long.") from None
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    try:
        reply = _decode_reply(printed)
    except msgspec.DecodeError:
        raise RagdError("INTERNAL", "The log could not be replayed.") from None
    if reply.oldest is not None:
        raise RagdError(
            "INVALID_REQUEST",
            "The log does not go back that far: the oldest record that can be replayed is "
            f"{reply.oldest}.",
            "Ask for a later moment.",
        )
    return reply.found


def main() -> None:
    """The child."""
    exit_with_stdin()
    if hasattr(os, "nice"):
        os.nice(NICE)
    sys.stdout.buffer.write(reply_to(sys.argv[1:]))
    sys.stdout.flush()


def reply_to(arguments: Sequence[str]) -> bytes:
    """What the child prints for these arguments: a ReplayReply as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("state", "history"))
    parser.add_argument("events", type=Path)
    parser.add_argument("snapshots", type=Path)
    parser.add_argument("--until", type=int)
    parser.add_argument("--at")
    args = parser.parse_args(arguments)
    find = _history if args.what == "history" else _state
    try:
        reply = ReplayReply(Raw(find(args.events, args.snapshots, args.until, args.at)))
    except TooOld as why:
        reply = ReplayReply(oldest=why.oldest)
    return msgspec.json.encode(reply)


def _state(events: Path, snapshots: Path, until: int | None, at: str | None) -> bytes:
    return msgspec.json.encode(state_as_json(replay(events, snapshots, until=until, at=at)))


def _history(events: Path, snapshots: Path, until: int | None, at: str | None) -> bytes:
    history = History()
    has_started = False

    def add(record: Record, state: State) -> None:
        nonlocal has_started, history
        if not has_started and record.seq > 1:
            history = History(_anchor(snapshots, record.seq - 1))
        has_started = True
        history.add(record, state)

    found = replay(events, snapshots, until=until, at=at, from_scratch=True, on_record=add)
    history.part.damage = found.damage
    return msgspec.json.encode(history.part)


def _anchor(snapshots: Path, seq: int) -> State | None:
    """The state before the oldest record that is left."""
    return next((one for one in states_newest_first(snapshots) if one.seq == seq), None)


if __name__ == "__main__":
    main()
