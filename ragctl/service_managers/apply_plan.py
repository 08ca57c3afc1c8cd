"""Doing what a plan says: the file, then the commands, one after the other.

A file under the plan's name that is not ours is never touched.
"""

from collections.abc import Iterable
from pathlib import Path

from ragctl.failure import Failure
from ragctl.service_managers import MARK, Plan, Step
from ragctl.service_managers.run_command import asked, complaint
from ragd.runtime.durable_files import replace_file

DONE_WITHIN_S = 330.0  # a start may take five minutes by the unit, and a stop one


def former(plan: Plan) -> bytes | None:
    """What the file says now; None: there is none. Raises Failure if somebody else wrote it."""
    try:
        found = Path(plan.file).read_bytes()
    except FileNotFoundError:
        return None
    if MARK.encode() not in found and MARK.encode("utf-16-le") not in found:
        raise Failure(
            f"{plan.file} is there already, and ragctl did not write it.",
            "Look what it is, and move it away.",
        )
    return found


def write(plan: Plan, content: bytes) -> None:
    Path(plan.file).parent.mkdir(parents=True, exist_ok=True)
    replace_file(Path(plan.file), content, 0o644)


def do(steps: Iterable[Step]) -> list[Step]:
    """Run these commands; those that were run. Raises Failure at the first one that must not."""
    done = []
    for step in steps:
        told = asked(step.argv, DONE_WITHIN_S)
        done.append(step)
        if told.returncode != 0 and not step.may_fail:
            raise Failure(
                f"`{' '.join(step.argv)}` failed: {complaint(told)}",
                "Mend that and run the same command again: what is done already does no harm.",
            )
    return done
