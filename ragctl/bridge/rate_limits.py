"""How many requests a client may send: a bucket that empties with each and fills with time.

It keeps a bounded number of buckets, in memory. Clients are compared, never recorded.
"""

from collections.abc import Callable, Hashable

from msgspec import Struct

BUCKETS_MAX = 1024


class Rate(Struct, frozen=True):
    """So many at once, and so many each second."""

    burst: float
    per_s: float


PAGE = Rate(burst=600, per_s=100)  # many small files, search as you type, a few windows
TOKEN = Rate(burst=40, per_s=5)
STRANGER = Rate(burst=60, per_s=5)  # all together: requests that nobody vouches for


class _Bucket(Struct):
    left: float
    at: float


class RateLimits:
    """The buckets. `now`: seconds that never go back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._buckets: dict[Hashable, _Bucket] = {}

    def allows(self, client: Hashable, rate: Rate) -> bool:
        """Whether this client may send one more request now."""
        now = self._now()
        bucket = self._buckets.pop(client, None) or _Bucket(rate.burst, now)
        bucket.left = min(rate.burst, bucket.left + (now - bucket.at) * rate.per_s)
        bucket.at = now
        if len(self._buckets) >= BUCKETS_MAX:
            del self._buckets[next(iter(self._buckets))]  # not used for longest
        self._buckets[client] = bucket
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True
