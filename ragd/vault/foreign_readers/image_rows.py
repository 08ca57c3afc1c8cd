"""From pieces of text in an image to rows and paragraphs, by their places. Pure."""

from typing import NamedTuple


class ImageWord(NamedTuple):
    """A piece of text in the image, and its box in pixels; y grows downwards."""

    text: str
    left: float
    top: float
    bottom: float


def paragraphs(words: list[ImageWord]) -> list[str]:
    """The words as rows, and rows that are close to each other as one paragraph."""
    rows: list[list[ImageWord]] = []
    for word in sorted(words, key=lambda one: one.top + one.bottom):
        middle = (word.top + word.bottom) / 2
        if rows and middle < max(one.bottom for one in rows[-1]) - _height(rows[-1]) / 4:
            rows[-1].append(word)
        else:
            rows.append([word])
    found: list[str] = []
    last: list[ImageWord] | None = None
    for row in rows:
        text = " ".join(one.text for one in sorted(row, key=lambda one: one.left))
        gap = min(one.top for one in row) - max(one.bottom for one in last) if last else 0.0
        if last and gap < _height(row):
            found[-1] += f"\n{text}"
        else:
            found.append(text)
        last = row
    return found


def _height(row: list[ImageWord]) -> float:
    return max(one.bottom for one in row) - min(one.top for one in row)
