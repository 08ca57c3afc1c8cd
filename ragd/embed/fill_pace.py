"""How many chunks one fill has. Pure.

Each fill is a commit, and rewrites whole fragments. With a fast provider, larger fills are fewer
commits and rewrite less. With a slow one, smaller fills are stored sooner.
"""

LEAST = 512
MOST = 4_096
QUICK_S = 2.0
SLOW_S = 8.0


class FillPace:
    """The size of the next fill, from how long the last one took."""

    def __init__(self) -> None:
        self.chunks = LEAST

    def add(self, filled: int, took_s: float) -> None:
        """A fill with so many vectors was made and stored."""
        if took_s > SLOW_S:
            self.chunks = max(LEAST, self.chunks // 2)
        elif took_s < QUICK_S and filled >= self.chunks:
            # a fill that was not full does not show how fast the provider is
            self.chunks = min(MOST, 2 * self.chunks)
