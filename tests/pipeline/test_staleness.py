"""An index is reported as stale when its vault was not scanned for a long time."""

from datetime import datetime, timedelta
from typing import Any

from ragd.clock import SystemClock, iso
from tests.pipeline.test_pipeline import indexed


async def test_after_a_night_asleep_the_index_is_stale(start: Any, monkeypatch: Any) -> None:
    """The wall clock shows the next day, as after a night in which the machine slept."""
    running = await indexed(start)
    probing = running.pipeline.probes
    assert await probing.scan() is None
    tomorrow = iso(datetime.now().astimezone() + timedelta(days=1))
    monkeypatch.setattr(SystemClock, "now", lambda clock: tomorrow)
    found = await probing.scan()
    assert found is not None
    assert (found.code, found.since) == ("INDEX_STALE", running.catalog.scanned_at)
