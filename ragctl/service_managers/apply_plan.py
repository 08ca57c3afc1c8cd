"""Applies a service plan: writes the file, then runs the commands in order.

A file of the same name that ragctl did not write is never touched.
"""

from collections.abc import Iterable
from pathlib import Path

from ragctl.failure import Failure
from ragctl.service_managers import MARK, Plan, Step
from ragctl.service_managers.run_command import error_text, run_command
from ragd.runtime.durable_files import replace_file

DONE_WITHIN_S = 330.0  # the unit allows five minutes for a start and one for a stop


def read_service_file(plan: Plan) -> bytes | None:
    """The file's current content, or None. Raises Failure if ragctl did not write it."""
    try:
        found = Path(plan.file).read_bytes()
    except FileNotFoundError:
        return None
    if MARK.encode() not in found and MARK.encode("utf-16-le") not in found:
        raise Failure(
            f"{plan.file} already exists, and ragctl did not write it.",
            "Check what it is, then move it away.",
        )
    return found


def write_service_file(plan: Plan, content: bytes) -> None:
    Path(plan.file).parent.mkdir(parents=True, exist_ok=True)
    replace_file(Path(plan.file), content, 0o644)


def run_steps(steps: Iterable[Step]) -> list[Step]:
    """Run the commands and return them. Raises Failure at the first one that fails and must not."""
    run = []
    for step in steps:
        done = run_command(step.argv, DONE_WITHIN_S)
        run.append(step)
        if done.returncode != 0 and not step.may_fail:
            raise Failure(
                f"`{' '.join(step.argv)}` failed: {error_text(done)}",
                "Fix that, then run the same command again: it is safe to repeat.",
            )
    return run
