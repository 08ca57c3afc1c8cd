"""The parts of a layer that several models have."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Dense(NamedTuple):
    """y = x · matrix + bias."""

    matrix: Floats
    bias: Floats


class Norm(NamedTuple):
    """Layer normalisation: normalised states times gain, plus bias."""

    gain: Floats
    bias: Floats
