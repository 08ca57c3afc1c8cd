"""An index whose vault nobody has looked through for a long time says so."""

from datetime import datetime, timedelta
from typing import Any

from ragd.clock import SystemClock, iso
from tests.pipeline.test_pipeline import indexed


class Tomorrow(SystemClock):
    """The wall clock of the next day, as after a night in which the machine slept."""

    def now(self) -> str:
        return iso(datetime.now().astimezone() + timedelta(days=1))


async def test_after_a_night_asleep_the_index_is_stale(start: Any) -> None:
    running = await indexed(start)
    probing = running.pipeline.probes
    assert await probing.scan() is None
    probing._scan_age._clock = Tomorrow()
    found = await probing.scan()
    assert found is not None
    assert (found.code, found.since) == ("INDEX_STALE", running.catalog.scanned_at)
