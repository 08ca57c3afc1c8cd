"""The story of v4: a client over HTTP gets a token, uses it and loses it, and a reindex begins.
Only `make_golden.py` uses it."""

from collections.abc import Iterator

from ragd.events import (
    DaemonStarted,
    DaemonStopped,
    Event,
    IndexBuilding,
    TokenCreated,
    TokenRevoked,
    TokenUsed,
)


def token_day() -> Iterator[tuple[int, str, Event]]:
    """After so many milliseconds, by whom, what."""
    gateway, search = "tool_gateway", "obsidian_rag_search"
    yield 0, "daemon", DaemonStarted(version="0.3.0", config_hash="9f86d081", previous_stop="none")
    yield (
        900,
        gateway,
        TokenCreated(
            client="phone",
            collections=["vault", "papers"],
            read_only=True,
            sensitive=True,
            expires="2026-12-14T07:00:00.000000Z",
        ),
    )
    yield (
        500,
        gateway,
        TokenCreated(client="desk", collections=[], read_only=False, sensitive=False, expires=None),
    )
    yield 800, gateway, TokenUsed(client="phone", tool=search, outcome="answered")
    yield 700, gateway, TokenUsed(client="desk", tool=search, outcome="withheld")
    yield 600, gateway, TokenUsed(client="phone", tool="obsidian_rag_index", outcome="refused")
    yield 500, gateway, TokenUsed(client="desk", tool="notes", outcome="failed")
    yield 400, gateway, TokenRevoked(client="phone")
    yield (
        200,
        "store_writer",
        IndexBuilding(
            generation="01M7Q000000000000000000004",
            job_id="01M7Q000000000000000000005",
            fingerprint="6b86b273",
            provider="embedded",
            choice="d4735e3a265e16ee",
        ),
    )
    yield 300, "daemon", DaemonStopped(reason="requested")
