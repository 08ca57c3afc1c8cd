"""The generated pages of docs/, and the module that makes each."""

from pathlib import Path

from pages import configuration, deviations, event_catalogue, troubleshooting

DOCS = Path(__file__).parent.parent / "docs"


def pages() -> dict[str, str]:
    """The text of each page, by file name."""
    return {
        "events.md": event_catalogue.page(),
        "configuration.md": configuration.page(),
        "config.schema.json": configuration.schema_file(),
        "deviations.md": deviations.page((DOCS / "deviations.md").read_text("utf-8")),
        "troubleshooting.md": troubleshooting.page(
            (DOCS / "troubleshooting.md").read_text("utf-8")
        ),
    }
