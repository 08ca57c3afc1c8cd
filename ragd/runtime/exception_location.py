"""Where an exception was raised. It never returns the message, which may quote a note."""

import traceback
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent


def innermost(failure: BaseException) -> BaseException:
    """The first exception in nested exception groups."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


def location_of(why: BaseException) -> str:
    """Where it was raised: the deepest line of our own code."""
    frames = traceback.extract_tb(why.__traceback__)
    ours = [f for f in frames if Path(f.filename).is_relative_to(_PACKAGE)] or frames[-1:]
    if not ours:
        return "unknown"
    frame = ours[-1]
    path = Path(frame.filename)
    name = path.relative_to(_PACKAGE.parent) if path.is_relative_to(_PACKAGE) else path.name
    return f"{name}:{frame.lineno} in {frame.name}"
