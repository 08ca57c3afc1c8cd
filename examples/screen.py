"""Renders the output of a program as a terminal would, and as a picture (SVG).

It supports what ragctl uses: colours, overwriting a line, clearing the rest of a line. Pure.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape

ADVANCE, LINE, EDGE = 8.4, 19, 22  # width of a letter, height of a line, margin; in pixels
COLOURS = {"31": "#e06c75", "32": "#8cc570", "33": "#e5c07b", "36": "#62b6c6"}
_PLAIN, _DIM, _PAPER = "#d4d8df", "#8b93a1", "#171a20"
_FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_LATER_S = 1.4  # between two commands

_TOKEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\r|\n|[^\x1b\r\n]")

STYLE = f"""
  svg {{ font: 14px {_FONTS}; fill: {_PLAIN}; white-space: pre }}
  g {{ animation: come .5s both }}
  @keyframes come {{ from {{ opacity: 0 }} }}
  @media (prefers-reduced-motion: reduce) {{ g {{ animation: none }} }}
"""


class Cell(NamedTuple):
    """One cell of the screen. The cell after a wide character is empty."""

    text: str
    style: frozenset[str] = frozenset()


Row = list[Cell]


def screen_rows(output: str) -> list[Row]:
    """The lines on the screen at the end."""
    rows: list[Row] = [[]]
    at, style = 0, frozenset[str]()
    for token in _TOKEN.finditer(output):
        if token[0] == "\n":
            rows.append([])
        elif token[0] == "\r":
            at = 0
        elif token[2] == "K":
            del rows[-1][at:]
        elif token[2] == "m":
            codes = token[1].split(";")
            style = frozenset() if codes in (["0"], [""]) else style.union(codes)
        elif token[2] is None:
            at = _put_cell(rows[-1], at, Cell(token[0], style))
    return rows if rows[-1] else rows[:-1]


def _put_cell(row: Row, at: int, cell: Cell) -> int:
    wide = unicodedata.east_asian_width(cell.text) in "WF"
    cells = [cell, Cell("", cell.style)] if wide else [cell]
    row += [Cell(" ")] * (at - len(row))
    row[at : at + len(cells)] = cells
    return at + len(cells)


def render_svg(blocks: Sequence[Sequence[Row]], title: str, columns: int) -> str:
    """The blocks below each other; each appears a moment after the one before."""
    width = columns * ADVANCE + 2 * EDGE
    height = (sum(map(len, blocks)) + len(blocks) - 1) * LINE + 2 * EDGE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{width:g}" height="{height:g}" rx="9" fill="{_PAPER}"/>',
    ]
    top = 0
    for number, block in enumerate(blocks):
        lines.append(f'<g style="animation-delay: {number * _LATER_S:.1f}s">')
        for line, row in enumerate(block, top):
            lines += _text_elements(row, EDGE + line * LINE + 14)
        lines.append("</g>")
        top += len(block) + 1
    return "\n".join([*lines, "</svg>", ""])


def _text_elements(row: Row, baseline: int) -> Iterator[str]:
    """An element for each run of cells with one style. Its width does not depend on the font."""
    at = 0
    for style, cells in groupby(row, key=lambda cell: cell.style):
        stretch = list(cells)
        text = "".join(cell.text for cell in stretch)
        if words := text.strip():
            x = EDGE + (at + len(text) - len(text.lstrip())) * ADVANCE
            wide = (len(stretch) - len(text) + len(words)) * ADVANCE
            where = f'x="{x:.1f}" y="{baseline}" textLength="{wide:.1f}"{_style_attributes(style)}'
            yield f"<text {where}>{escape(words)}</text>"
        at += len(stretch)


def _style_attributes(style: frozenset[str]) -> str:
    colour = next((COLOURS[code] for code in sorted(style) if code in COLOURS), "")
    colour = colour or (_DIM if "2" in style else "")
    bold = ' font-weight="700"' if "1" in style else ""
    return (f' fill="{colour}"' if colour else "") + bold
