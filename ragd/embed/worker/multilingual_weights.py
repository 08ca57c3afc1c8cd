"""The weights of the multilingual Universal Sentence Encoder, read from the package that contains
them.

This is the only module that reads that package. It runs none of its code, and refuses files whose
hashes are not those in `MULTILINGUAL`.
"""

import hashlib
import importlib.util
import io
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragd.embed.worker import MULTILINGUAL
from ragd.embed.worker.layers import Dense, Norm
from ragd.embed.worker.minilm_weights import WeightsChanged, WeightsMissing

ARRAYS, PIECES = MULTILINGUAL.files
ORDERS = (2, 3, 5)  # tokens that each of the three branches reads at once
PARTS = 17  # the rows of the table are divided among these parts, each with its own scale

Floats = NDArray[np.float32]


class Branch(NamedTuple):
    """Two convolutions over neighbouring tokens."""

    first: Dense
    second: Dense


class MultilingualWeights(NamedTuple):
    """All weights of the model."""

    table: NDArray[np.uint8]  # one row per piece, in six bits
    scale: Floats  # of each part of the table
    lowest: Floats
    projection: Dense  # of all branches, side by side
    projection_norm: Norm
    branches: tuple[Branch, ...]
    norm: Norm
    pooled: Dense
    narrow: tuple[Floats, Floats, Floats]  # into, through and around the first hidden layer
    wide: tuple[Floats, Floats, Floats]
    epsilon: float


def folder() -> Path:
    """The folder of the package. Raises WeightsMissing."""
    spec = importlib.util.find_spec(MULTILINGUAL.package)
    if spec is None or spec.origin is None:
        raise WeightsMissing
    return Path(spec.origin).parent


def load(place: Path) -> tuple[MultilingualWeights, bytes]:
    """Read and verify the files: the weights, and the bytes of the SentencePiece model. Raises
    WeightsMissing or WeightsChanged."""
    data = {}
    for name, digest in MULTILINGUAL.files.items():
        try:
            data[name] = (place / name).read_bytes()
        except OSError:
            raise WeightsMissing from None
        if hashlib.sha256(data[name]).hexdigest() != digest:
            raise WeightsChanged
    with np.load(io.BytesIO(data[ARRAYS]), allow_pickle=False) as arrays:
        return _arrange(arrays), data[PIECES]


def _arrange(arrays: Mapping[str, Floats]) -> MultilingualWeights:
    def side_by_side(name: str) -> Floats:
        return np.concatenate([arrays[f"{name}{order}"] for order in ORDERS], axis=-1)

    first = arrays["q1"]
    table = np.empty((PARTS * first.shape[0], first.shape[1]), np.uint8)
    for part in range(PARTS):
        table[part::PARTS] = arrays[f"q{part + 1}"]
    branches = tuple(
        Branch(
            Dense(arrays[f"w1_{order}"], arrays[f"b1_{order}"]),
            Dense(arrays[f"w2_{order}"], arrays[f"b2_{order}"]),
        )
        for order in ORDERS
    )
    return MultilingualWeights(
        table,
        arrays["scale"],
        arrays["lo"],
        Dense(side_by_side("proj"), side_by_side("proj_b")),
        Norm(side_by_side("ln_g"), side_by_side("ln_b")),
        branches,
        Norm(arrays["ln_g"], arrays["ln_b"]),
        Dense(arrays["cnn_W"], arrays["cnn_b"]),
        (arrays["d0"], arrays["d1"], arrays["p1"]),
        (arrays["d2"], arrays["d3"], arrays["p3"]),
        float(arrays["eps"]),
    )
