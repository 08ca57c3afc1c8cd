"""Reads the weights of the statement model, once. `python -m bench.statements` writes them."""

from functools import cache
from importlib.resources import files as resources
from typing import Any

from ragd.search.facts.statement_model import StatementModel, WordModel

FILE = "statements.npz"


@cache
def statement_model() -> StatementModel:
    """The model that ships with ragd."""
    import numpy as np

    with (resources("ragd.data") / FILE).open("rb") as file, np.load(file) as found:
        return StatementModel(_word_model(found, "topics"), _word_model(found, "statements"))


def _word_model(found: Any, name: str) -> WordModel:
    return WordModel(
        tuple(found[f"{name}_classes"].tolist()),
        found[f"{name}_rows"],
        float(found[f"{name}_scale"]),
        tuple(found[f"{name}_starts"].tolist()),
    )
