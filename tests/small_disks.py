"""Small disks that are really mounted, for the duration of a test."""

import os
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest


class Ballast:
    """A file that fills a disk."""

    def __init__(self, disk: Path) -> None:
        self._path = disk / "ballast"

    def fill(self) -> None:
        with self._path.open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass

    def free(self) -> None:
        self._path.unlink()


def small_disk(stack: ExitStack, place: Path, size: str = "24m") -> Ballast:
    """Mount a small disk until the end of the stack."""
    mount(stack, "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(place))
    return Ballast(place)


def mount(stack: ExitStack, *words: str) -> None:
    """Mount until the end of the stack; the last word is the place. Skips the test on failure."""
    place = words[-1]
    os.makedirs(place, mode=0o700, exist_ok=True)
    run(["mount", *words])
    stack.callback(unmount, place)


def run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")


def unmount(place: str) -> None:
    subprocess.run(["umount", "-l", place], check=False, capture_output=True)
