"""Waiting for the daemon to become as one likes: on the facts it records, never on time alone."""

import time
from collections.abc import Callable
from typing import Any

from ragctl.daemon.client import Answer, Stream, request, stream
from ragctl.failure import Disconnected, Failure, NotRunning, TimedOut
from ragd.paths import Home

_RESUME_S = 0.1

Met = Callable[[dict[str, Any]], bool]


def wait_until(home: Home, answer: Answer, met: Met, timeout: float) -> Answer:
    """The status once it is as asked, else as it was when time was up. `answer` is the first."""
    deadline = time.monotonic() + timeout
    while not met(answer.data) and time.monotonic() < deadline:
        facts = facts_behind(home, answer.data["log"]["seq"], [], on=True)
        try:
            while not met(answer.data) and _next_facts(facts, deadline):
                answer = _status(home)
        except Disconnected:
            pass  # dropped for being slow, or the daemon is going: asking again tells which
        except TimedOut:
            return _status(home)
        finally:
            facts.close()
        if not met(answer.data):
            time.sleep(_RESUME_S)
            answer = _status(home)
    return answer


def facts_behind(home: Home, seq: int, types: list[str], *, on: bool) -> Stream:
    """The facts behind `seq`, one a line; with `on` also those that are still to come."""
    from urllib.parse import quote

    query = f"after={seq}&follow={on:d}" + "".join(f"&type={quote(t)}" for t in types)
    found = stream(home, f"/v1/events?{query}")
    if isinstance(found, Answer):
        found.data  # noqa: B018  (raises what the daemon said)
        raise Failure("The daemon did not send its facts.", "Run `ragctl doctor`.")
    return found


def _next_facts(facts: Stream, deadline: float) -> bool:
    """Wait for the next fact and take those that came with it; False when the stream has ended."""
    line = facts.line(deadline - time.monotonic())
    while line is not None and facts.pending:
        line = facts.line()
    return line is not None


def _status(home: Home) -> Answer:
    try:
        return request(home, "GET", "/v1/status")
    except NotRunning:
        raise NotRunning(
            "The daemon stopped while ragctl waited for it.", "Start it with `ragctl start`."
        ) from None
