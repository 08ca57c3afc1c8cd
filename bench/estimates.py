"""How right the estimate of the remaining time is, while vectors are made.

It follows a job as `ragctl index` does. The estimate after a third of the time is compared with the
time that was left.
"""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.measured_daemon import MeasuredDaemon
from bench.pipeline import write_notes
from bench.table import Row
from ragctl.daemon import client
from ragctl.views.progress import Pace

SHARE = 1 / 3


class Progress(NamedTuple):
    """How many vectors were made at a moment."""

    at: float
    made: int
    total: int


def rows(folder: Path, notes: Sequence[tuple[str, str]]) -> Iterator[Row]:
    """All figures of this part."""
    daemon = MeasuredDaemon(folder, embedding={"provider": "embedded"})
    write_notes(daemon.vault, notes)
    with daemon.running():
        steps = list(_follow(daemon))
    began, ended = steps[0].at, steps[-1].at
    moment = began + SHARE * (ended - began)
    pace = Pace()
    for step in steps:
        if step.at <= moment:
            pace.record(step.made, step.at)
    estimated, left = pace.seconds_left(steps[-1].total, moment) or 0.0, ended - moment
    what = f"time left for vectors of {steps[-1].total:,} chunks, after {moment - began:.0f} s"
    yield Row(what, f"{estimated:.0f} s", f"{left:.0f} s left", estimated / left, "0.8 to 1.2")


def _follow(daemon: MeasuredDaemon) -> Iterator[Progress]:
    job = daemon.request_job("full")
    lines = client.stream(daemon.home, f"/v1/jobs/{job}?follow=1")
    assert isinstance(lines, client.Stream)
    try:
        while (line := lines.read_line()) is not None:
            step = json.loads(line)
            if step["type"] != "progress":
                return
            if step["step"] == "vectors":
                yield Progress(time.monotonic(), step["current"], step["total"])
    finally:
        lines.close()
