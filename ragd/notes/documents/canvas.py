"""Reads a canvas (JSON Canvas): the text of its nodes and labels, in reading order. Pure.

A node is a place; nodes of one or two words join the place before them. It never raises, whatever
the bytes are, and never follows a link.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ragd.notes import decoding
from ragd.notes.documents.document_builder import DocumentBuilder
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.documents.reading_order import box_of, reading_order

NOT_A_CANVAS = "it is not a valid canvas"

MOST_NODES = 20_000
MOST_EDGES = 20_000
FEW_WORDS = 4  # with fewer, a place takes in the next node
SHOWN = 60  # characters of a node that a label leads to

Node = dict[str, Any]


def read_canvas(path: str, data: bytes) -> Document | Unreadable:
    """The text of a canvas."""
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unreadable(decoded.reason)
    if not decoded.text.strip():
        return Document("")  # Obsidian makes a new canvas as an empty file
    try:
        canvas = msgspec.json.decode(decoded.text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Unreadable(NOT_A_CANVAS)
    if not isinstance(canvas, dict):
        return Unreadable(NOT_A_CANVAS)
    every_node = _objects(canvas.get("nodes"))
    nodes, edges = every_node[:MOST_NODES], _objects(canvas.get("edges"))[:MOST_EDGES]
    warnings = [decoded.warning] if decoded.warning else []
    if len(every_node) > len(nodes):
        warnings.append(f"{len(nodes):,} of {len(every_node):,} nodes were read")
    return _CanvasText(path, nodes, edges).document(warnings)


def _objects(value: object) -> list[Node]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


class _CanvasText:
    """Writes the nodes of one canvas, one after the other."""

    def __init__(self, path: str, nodes: Sequence[Node], edges: Sequence[Node]) -> None:
        self._builder = DocumentBuilder(path)
        self._nodes = nodes
        self._labels = _labels_by_node(nodes, edges)
        self._words = FEW_WORDS  # of the current place
        self._groups: list[tuple[Node, int]] = []  # whose headings are not written, with depths

    def document(self, warnings: Sequence[str]) -> Document:
        groups = [at for at, node in enumerate(self._nodes) if node.get("type") == "group"]
        for placed in reading_order([box_of(node) for node in self._nodes], groups):
            node = self._nodes[placed.index]
            self._write_empty_groups(placed.depth)
            if node.get("type") == "group":
                self._groups.append((node, placed.depth))
            else:
                self._begin(node)
                self._add_node(node, placed.depth)
                self._add_labels(node)
        self._write_empty_groups(0)
        return self._builder.build("", None, *warnings)

    def _begin(self, node: Node) -> None:
        """Begin the node's place, unless the one before has only a few words yet. The headings of
        groups are at the place of their first node."""
        if self._groups or self._words >= FEW_WORDS:
            self._begin_place(node)
        for group, depth in self._groups:
            self._write_group(group, depth)
        self._groups = []

    def _begin_place(self, node: Node) -> None:
        self._builder.begin_place("node", _text(node, "id") or "unnamed")
        self._words = 0

    def _write_empty_groups(self, depth: int) -> None:
        """Write the groups without a node: what follows is outside of them."""
        if self._groups and self._groups[-1][1] >= depth:
            for group, level in self._groups:
                self._begin_place(group)
                self._write_group(group, level)
            self._groups, self._words = [], FEW_WORDS

    def _write_group(self, group: Node, depth: int) -> None:
        self._builder.add_heading(min(6, depth + 1), _text(group, "label"))
        self._add_labels(group)

    def _add_node(self, node: Node, depth: int) -> None:
        if text := _text(node, "text"):
            self._builder.add_markdown(text, depth)
            self._words += len(text.split())
        if file := _text(node, "file"):
            name = f"{_file_name(file)}{_text(node, 'subpath').replace('#', ' > ')}"
            self._builder.add_line(name)
            self._builder.add_links([file])
            self._words += len(name.split())
        if url := _text(node, "url"):
            self._builder.add_line(url)
            self._words += 1

    def _add_labels(self, node: Node) -> None:
        for label, target in self._labels.get(_text(node, "id"), ()):
            self._builder.add_line(f"{label} → {target}" if target else label)
            self._words += len(label.split()) + len(target.split())


def _labels_by_node(
    nodes: Sequence[Node], edges: Sequence[Node]
) -> Mapping[str, list[tuple[str, str]]]:
    """The labels of the edges that begin at each node, with the start of what they lead to."""
    shown = {_text(node, "id"): _beginning(node) for node in nodes}
    found: dict[str, list[tuple[str, str]]] = {}
    for edge in edges:
        if label := " ".join(_text(edge, "label").split()):
            start, end = _text(edge, "fromNode"), _text(edge, "toNode")
            own = start if start in shown else end
            found.setdefault(own, []).append((label, shown.get(end, "") if own == start else ""))
    return found


def _beginning(node: Node) -> str:
    """The first words of a node."""
    text = _text(node, "text") or _text(node, "label") or _file_name(_text(node, "file"))
    first = next((line.strip("# \t") for line in text.split("\n") if line.strip("# \t")), "")
    return first if len(first) <= SHOWN else f"{first[:SHOWN].rstrip()}…"


def _file_name(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.removesuffix(".md")


def _text(node: Node, key: str) -> str:
    value = node.get(key)
    return value if isinstance(value, str) else ""
