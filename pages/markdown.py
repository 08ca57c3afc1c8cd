"""Tables in Markdown, one row per line, whatever their contents."""

from collections.abc import Iterator


def table_head(*names: str) -> Iterator[str]:
    yield row(*names)
    yield "|" + "---|" * len(names)


def row(*cells: str) -> str:
    return "| " + " | ".join(cell(text) for text in cells) + " |"


def cell(text: str) -> str:
    """Escape a text so that it stays in one cell."""
    return text.replace("|", "\\|").replace("\n", " ")
