"""ragd over the vault of the comparison: indexed, with made-up vectors, and its memory and disk."""

import json
import subprocess
import time
from pathlib import Path

import numpy as np

from bench.search import SearchDaemon, hashes_of
from ragd.embed.embedding_cache import EmbeddingCache
from ragd.embed.providers.local_model import SPACE
from ragd.embed.unit_vectors import with_units
from ragd.embed.worker import ENGLISH
from ragd.paths import Home

TOPICS = 200
UNITS = 2  # of a passage of this length; granite makes 1.8
CACHED_AT_ONCE = 2_000
SETTLED_S = 15.0  # without a new fact in the log


async def cache_vectors(vault: Path, home: Home) -> None:
    """Put a vector with units in the cache for each passage, as the model would make them."""
    source = np.random.default_rng(1)
    topics = source.standard_normal((TOPICS, ENGLISH.dimensions), dtype=np.float32)
    cache = EmbeddingCache(Path(home.embedding_cache))
    waiting: dict[str, bytes] = {}
    for content in hashes_of(vault):
        noise = source.standard_normal(ENGLISH.dimensions, dtype=np.float32)
        made = topics[source.integers(TOPICS)] + 0.7 * noise
        made /= np.linalg.norm(made)
        near = source.standard_normal((UNITS, ENGLISH.dimensions))
        units = (made * 300 + near * 8).clip(-127, 127).astype(np.int8)
        waiting[content] = with_units(made.astype("<f4").tobytes(), units.tobytes())
        if len(waiting) >= CACHED_AT_ONCE:
            await cache.put_many(SPACE.identity, waiting)
            waiting = {}
    await cache.put_many(SPACE.identity, waiting)
    await cache.close()


def index(daemon: SearchDaemon) -> float:
    """Index the vault, and return the seconds until all text and vectors are in the index."""
    began = time.perf_counter()
    daemon.ragctl("index")
    daemon.ragctl("wait", "--for", "idle", "--timeout", "1800")
    return time.perf_counter() - began


def wait_until_settled(daemon: SearchDaemon) -> None:
    """Wait until compaction has nothing left to do."""
    seen, since = -1, time.monotonic()
    while time.monotonic() - since < SETTLED_S:
        time.sleep(1.0)
        seq = json.loads(daemon.ragctl("status", "--json"))["data"]["log"]["seq"]
        if seq != seen:
            seen, since = seq, time.monotonic()


def size_mb(folder: Path) -> float:
    """What a folder takes on the disk."""
    counted = subprocess.run(["du", "-sk", str(folder)], check=True, capture_output=True).stdout
    return int(counted.split()[0]) / 1024


def process_tree_mb(pid: int) -> float:
    """The memory of a process and of those that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    status = Path(f"/proc/{pid}/status").read_text()
    own = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    return own + sum(process_tree_mb(int(child)) for child in children)
