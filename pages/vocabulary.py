"""Reads sections, docstrings and field comments from the sources of ragd/events/.

It reads the source as text and never runs it; types and defaults come from the structs themselves.
"""

import ast
import io
import tokenize
from pathlib import Path
from typing import NamedTuple


class Written(NamedTuple):
    """The texts about one struct: its section, its docstring, its field comments."""

    section: str
    sentences: str
    fields: dict[str, str]


class _Comments(NamedTuple):
    """By line: headings of the page, comments on lines of their own, comments after code."""

    sections: dict[int, str]
    on_own_line: dict[int, str]
    after_code: dict[int, str]


def read_all(folder: Path) -> dict[str, Written]:
    """By the struct's name, from all modules of a folder."""
    found: dict[str, Written] = {}
    for path in folder.glob("*.py"):
        found |= read(path.read_text(encoding="utf-8"))
    return found


def read(source: str) -> dict[str, Written]:
    """By the struct's name."""
    comments = _comments(source)
    found: dict[str, Written] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            above = [text for line, text in comments.sections.items() if line < node.lineno]
            fields = {
                field.target.id: _meaning(field, comments)
                for field in node.body
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            }
            sentences = " ".join((ast.get_docstring(node) or "").split())
            found[node.name] = Written(above[-1] if above else "", sentences, fields)
    return found


def _comments(source: str) -> _Comments:
    found = _Comments({}, {}, {})
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, column = token.start
        text = token.string.lstrip("#").strip()
        if token.line[:column].strip():
            found.after_code[line] = text
        elif column:
            found.on_own_line[line] = text
        else:
            found.sections[line] = text
    return found


def _meaning(field: ast.AnnAssign, comments: _Comments) -> str:
    """The comment after a field, or else the comment lines directly above it."""
    assert field.end_lineno is not None
    for line in range(field.lineno, field.end_lineno + 1):
        if line in comments.after_code:
            return comments.after_code[line]
    above: list[str] = []
    line = field.lineno - 1
    while line in comments.on_own_line:
        above.insert(0, comments.on_own_line[line])
        line -= 1
    return " ".join(above)
