"""`python -m pages`: write the generated pages of docs/ and print which of them changed."""

import sys
from pathlib import Path

from pages.all import DOCS, pages


def main() -> int:
    """Write the pages that differ; with --check, only print their names and exit 1."""
    check = sys.argv[1:] == ["--check"]
    differing = {name: text for name, text in pages().items() if _read(DOCS / name) != text}
    for name, text in differing.items():
        print(f"docs/{name} {'is out of date: run `make docs`' if check else 'is written'}")
        if not check:
            (DOCS / name).write_text(text, encoding="utf-8")
    return 1 if check and differing else 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
