"""At the end of a run: what was skipped, and why, so that green means what it seems to mean."""

import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings

# A busy machine takes its time to make examples, and that says nothing about the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A shell ignores Ctrl-C for what it runs in the background, and each child inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def mounts() -> Iterator[ExitStack]:
    """What is mounted in it is gone before the fixtures that were asked for earlier."""
    with ExitStack() as stack:
        yield stack


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(_reason(report) for report in skipped)
    terminalreporter.section("skipped, and why")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5}  {reason}")
    if not reasons:
        terminalreporter.write_line("nothing was skipped")


def _reason(report: pytest.TestReport) -> str:
    """Tests skip with a place, a line and a reason."""
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return str(told).removeprefix("Skipped: ")
