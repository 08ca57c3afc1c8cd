"""Which pages of docs/ are made from the code, and by what."""

from pathlib import Path

from pages import configuration, deviations, event_catalogue, troubleshooting

DOCS = Path(__file__).parent.parent / "docs"


def pages() -> dict[str, str]:
    """Each file's name and what should be in it."""
    return {
        "events.md": event_catalogue.page(),
        "configuration.md": configuration.page(),
        "config.schema.json": configuration.schema_file(),
        "deviations.md": deviations.page((DOCS / "deviations.md").read_text("utf-8")),
        "troubleshooting.md": troubleshooting.page(
            (DOCS / "troubleshooting.md").read_text("utf-8")
        ),
    }
