"""`RustNotify` is a private class of watchfiles: tests of everything `file_events` relies on."""

import inspect
import re
import threading
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import get_args

import pytest
import watchfiles

from ragd.vault import file_events

ADVICE = (
    "watchfiles {found} is not as ragd/vault/file_events.py needs it: {what}. Adapt that file, "
    "or pin watchfiles in pyproject.toml to the last minor version that fits."
)


def fits(holds: object, what: str) -> None:
    if not holds:
        pytest.fail(ADVICE.format(found=version("watchfiles"), what=what), pytrace=False)


def rust_notify() -> type:
    try:
        from watchfiles._rust_notify import RustNotify
    except ImportError:
        fits(False, "there is no class RustNotify in watchfiles._rust_notify")
    return RustNotify


def parameters(function: object) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]  # type: ignore[arg-type]


def test_the_minor_version_is_pinned() -> None:
    pyproject = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    [pin] = [one for one in pyproject["project"]["dependencies"] if one.startswith("watchfiles")]
    major, minor = map(int, re.findall(r"\d+", version("watchfiles"))[:2])
    assert pin == f"watchfiles>={major}.{minor},<{major}.{minor + 1}"


def test_it_is_made_and_asked_with_the_arguments_that_we_give() -> None:
    notify = rust_notify()
    made = ["watch_paths", "debug", "force_polling", "poll_delay_ms", "recursive"]
    made.append("ignore_permission_denied")
    fits(parameters(notify) == made, f"it is made with {parameters(notify)}, not {made}")
    for name, wanted in {
        "watch": ["debounce_ms", "step_ms", "timeout_ms", "stop_event"],
        "close": [],
    }.items():
        fits(hasattr(notify, name), f"it has no method {name}")
        given = parameters(getattr(notify, name))
        fits(given == wanted, f"{name} takes {given}, not {wanted}")


def test_the_kinds_of_events_have_the_numbers_that_we_know() -> None:
    kinds = {change.value: change.name for change in watchfiles.Change}
    known = dict(enumerate(get_args(file_events.EventKind), start=1))
    fits(kinds == known, f"events are {kinds}, not {known}")


def test_it_watches_from_the_moment_it_is_made_and_answers_as_we_expect(tmp_path: Path) -> None:
    watch = rust_notify()([str(tmp_path)], False, False, 0, True, False)
    try:
        (tmp_path / "note.md").write_text("x")  # before anybody waits for it
        stop = threading.Event()
        found = watch.watch(10, 10, 20_000, stop)
        as_told = isinstance(found, set) and (1, str(tmp_path / "note.md")) in found
        fits(as_told, f"a new file is told as {found!r}, not as a set of numbers and paths")
        stop.set()
        said = found
        while isinstance(said, set):  # other events of the file
            said = watch.watch(10, 10, 20_000, stop)
        fits(isinstance(said, str), f"a watch that is stopped says {said!r}, not a word")
    finally:
        watch.close()
    with pytest.raises((OSError, RuntimeError)):
        rust_notify()([str(tmp_path / "absent")], False, False, 0, True, False)
