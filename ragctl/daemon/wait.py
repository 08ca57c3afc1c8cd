"""Waits until the daemon's status meets a condition: it checks again after each recorded fact."""

import time
from collections.abc import Callable
from typing import Any

from ragctl.daemon.client import Answer, Stream, request, stream
from ragctl.failure import Disconnected, Failure, NotRunning, TimedOut
from ragd.paths import Home

_RESUME_S = 0.1

Condition = Callable[[dict[str, Any]], bool]


def wait_until(home: Home, answer: Answer, is_met: Condition, timeout: float) -> Answer:
    """The first status that meets the condition, else the last one. `answer`: the first."""
    deadline = time.monotonic() + timeout
    while not is_met(answer.data) and time.monotonic() < deadline:
        facts = stream_facts_after(home, answer.data["log"]["seq"], [], follow=True)
        try:
            while not is_met(answer.data) and _wait_for_facts(facts, deadline):
                answer = _request_status(home)
        except Disconnected:
            pass  # too slow a reader, or the daemon is stopping: the next status shows which
        except TimedOut:
            return _request_status(home)
        finally:
            facts.close()
        if not is_met(answer.data):
            time.sleep(_RESUME_S)
            answer = _request_status(home)
    return answer


def stream_facts_after(home: Home, seq: int, types: list[str], *, follow: bool) -> Stream:
    """The facts after `seq`, one per line; with `follow` also new ones as they are recorded."""
    from urllib.parse import quote

    query = f"after={seq}&follow={follow:d}" + "".join(f"&type={quote(t)}" for t in types)
    found = stream(home, f"/v1/events?{query}")
    if isinstance(found, Answer):
        found.data  # noqa: B018  (raises the daemon's error)
        raise Failure("The daemon did not send its events.", "Run `ragctl doctor`.")
    return found


def _wait_for_facts(facts: Stream, deadline: float) -> bool:
    """Wait for a fact and skip those that came with it; False when the stream has ended."""
    line = facts.read_line(deadline - time.monotonic())
    while line is not None and facts.has_line:
        line = facts.read_line()
    return line is not None


def _request_status(home: Home) -> Answer:
    try:
        return request(home, "GET", "/v1/status")
    except NotRunning:
        raise NotRunning(
            "The daemon stopped while ragctl was waiting for it.", "Start it with `ragctl start`."
        ) from None
