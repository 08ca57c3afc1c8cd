"""The order in which a person reads boxes on a plane: row by row, and each frame as a whole. Pure.

It never compares every box with every frame of a huge drawing: the number of frames is limited.
"""

import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

MOST_FRAMES = 100


class Box(Struct, frozen=True):
    """A rectangle on the plane; y grows downwards."""

    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0

    @property
    def area(self) -> float:
        return self.width * self.height


class Placed(Struct, frozen=True):
    """An item in reading order: its number, and how many frames are around it."""

    index: int
    depth: int


def box_of(values: dict[str, Any]) -> Box:
    """The box in an object from a file; what is not a number counts as 0."""
    return Box(*(_number(values.get(name)) for name in ("x", "y", "width", "height")))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def reading_order(boxes: Sequence[Box], frames: Sequence[int] = ()) -> list[Placed]:
    """All boxes in reading order. `frames`: which of them are frames around others; a frame comes
    before the boxes whose middle is in it. A box in several frames belongs to the smallest."""
    kept = sorted(frames, key=lambda index: (boxes[index].area, index))[:MOST_FRAMES]
    inside: dict[int | None, list[int]] = {}
    for index, box in enumerate(boxes):
        inside.setdefault(_frame_around(index, box, boxes, kept), []).append(index)
    found: list[Placed] = []
    # Each entry is a list of boxes that are not read yet, at one depth.
    pending = [(rows_first(boxes, inside.get(None, [])), 0)]
    while pending:
        ordered, depth = pending.pop()
        for at, index in enumerate(ordered):
            found.append(Placed(index, depth))
            if index in inside:
                pending.append((ordered[at + 1 :], depth))
                pending.append((rows_first(boxes, inside[index]), depth + 1))
                break
    return found


def _frame_around(index: int, box: Box, boxes: Sequence[Box], frames: Sequence[int]) -> int | None:
    """The smallest frame around the middle of a box. A frame is only inside larger ones."""
    x, y = box.x + box.width / 2, box.y + box.height / 2
    is_frame = index in frames
    for frame in frames:
        if is_frame and (boxes[frame].area, frame) <= (box.area, index):
            continue
        around = boxes[frame]
        if around.x <= x <= around.x + around.width and around.y <= y <= around.y + around.height:
            return frame
    return None


def rows_first(boxes: Sequence[Box], indexes: Sequence[int]) -> list[int]:
    """These boxes, from top to bottom, and from left to right within a row.

    A box belongs to the row of the first one if it begins above the middle of that one.
    """
    rows: list[list[int]] = []
    end = -math.inf
    for index in sorted(indexes, key=lambda one: (boxes[one].y, boxes[one].x, one)):
        box = boxes[index]
        if not rows or box.y >= end:
            rows.append([])
            end = box.y + box.height / 2
        rows[-1].append(index)
    return [one for row in rows for one in sorted(row, key=lambda one: (boxes[one].x, one))]
