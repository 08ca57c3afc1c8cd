"""Small disks for a test, mounted for real and gone with it."""

import os
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest


class Ballast:
    """What fills a disk."""

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
    """Mounted there until the end of the stack; it can be filled."""
    mount(stack, "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(place))
    return Ballast(place)


def mount(stack: ExitStack, *words: str) -> None:
    """Until the end of the stack; the last word is the place. Skips where it may not."""
    place = words[-1]
    os.makedirs(place, mode=0o700, exist_ok=True)
    run(["mount", *words])
    stack.callback(unmount, place)


def run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small disk to be had here: {done.stderr.strip()}")


def unmount(place: str) -> None:
    subprocess.run(["umount", "-l", place], check=False, capture_output=True)
