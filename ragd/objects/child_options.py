"""Passes the options of an object store to a child process. Credentials are not among them: the
child finds them as its parent does."""

from collections.abc import Mapping

import msgspec

from ragd.config.store_settings import StoreOptions

_VARIABLE = "RAGD_STORE_OPTIONS"
_decode = msgspec.json.Decoder(StoreOptions).decode


def options_for_child(settings: StoreOptions) -> dict[str, str]:
    """What to add to the environment of the child."""
    return {_VARIABLE: msgspec.json.encode(settings).decode()}


def options_of_parent(environment: Mapping[str, str]) -> StoreOptions:
    """The options that the parent process passed; the defaults if it passed none."""
    return _decode(environment.get(_VARIABLE, "{}"))
