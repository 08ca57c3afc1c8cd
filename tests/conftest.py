"""Settings for all tests. A run ends with a list of the skipped tests and the reasons."""

import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings

from tests.memory_buckets import MemoryBuckets

# On a busy machine examples take long to make; that is not a fault of the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A shell ignores Ctrl-C for background processes, and each child inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def mounts() -> Iterator[ExitStack]:
    """Its mounts are unmounted before fixtures that were requested earlier are torn down."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def buckets(monkeypatch: pytest.MonkeyPatch) -> MemoryBuckets:
    """Object stores in memory, for every client that is made in this test."""
    return MemoryBuckets(monkeypatch)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(_reason(report) for report in skipped)
    terminalreporter.section("skipped, and why")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5}  {reason}")
    if not reasons:
        terminalreporter.write_line("nothing was skipped")


def _reason(report: pytest.TestReport) -> str:
    """The reason of a skipped test; the report also has its file and line."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return str(reason).removeprefix("Skipped: ")
