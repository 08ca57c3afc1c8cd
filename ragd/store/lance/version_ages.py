"""How old each version of a table is. Changes of the wall clock have no effect on it.

It never reads the table, and never removes a version.
"""

from collections.abc import Callable, Collection, Mapping


class VersionAges:
    """When each version was made, at the latest. A version is never older than known here."""

    def __init__(self, now: Callable[[], float], ages: Mapping[int, float]) -> None:
        """`ages`: of the versions that are there, in seconds."""
        self._now = now
        began = now()
        self._made = {version: began - max(0.0, age_s) for version, age_s in ages.items()}

    def add_new(self, version: int) -> None:
        """This version was just made, and those since the last one that is known."""
        for made in range(max(self._made, default=version - 1) + 1, version + 1):
            self._made[made] = self._now()

    def keep_only(self, versions: Collection[int]) -> None:
        """These versions are there, and no others."""
        now = self._now()
        self._made = {one: self._made.get(one, now) for one in versions}

    @property
    def known(self) -> frozenset[int]:
        return frozenset(self._made)

    def of_old(self) -> dict[int, float]:
        """The seconds since each version was made, without the newest version."""
        now, newest = self._now(), max(self._made, default=0)
        return {one: now - made for one, made in self._made.items() if one != newest}
