"""Tables in Markdown, one row a line. It knows nothing of what is in them."""

from collections.abc import Iterator


def table_head(*names: str) -> Iterator[str]:
    yield row(*names)
    yield "|" + "---|" * len(names)


def row(*cells: str) -> str:
    return "| " + " | ".join(cell(text) for text in cells) + " |"


def cell(text: str) -> str:
    """A text that does not end its cell."""
    return text.replace("|", "\\|").replace("\n", " ")
