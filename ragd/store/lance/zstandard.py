"""Decompresses Zstandard frames with pyarrow, which is there for the index."""

from ragd.store.lance.libraries import pyarrow


def decompress(data: bytes, size: int) -> bytes:
    """What is in a frame: `size` bytes. Raises ValueError or OSError if it is not that."""
    found: bytes = pyarrow().decompress(data, size, codec="zstd", asbytes=True)
    if len(found) != size:
        raise ValueError("a frame of another size")
    return found
