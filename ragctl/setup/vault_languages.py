"""The languages of a vault's notes, without a daemon. It never writes."""

import os
from collections.abc import Iterator

from ragd.config.load import Config
from ragd.embed.providers.model_choice import describe_languages, model_for_setting
from ragd.notes.documents.kinds import WRITTEN_KINDS, kind_of
from ragd.vault.file_patterns import NotePatterns
from ragd.vault.note_sample import CODE_BYTES, NoteSample

_NOTES_MAX = 2_000  # paths to collect; the sample is spread over them


def language_hints(vault: str, config: Config) -> list[str]:
    """The embedded model that the first index will use, and the languages it is chosen for."""
    embedding = config.embedding
    if embedding.provider == "ollama":
        return []
    languages = NoteSample(_read, lambda: 0.0).measure(list(_notes(vault, config))).languages
    if not languages:
        return []
    model = model_for_setting(embedding.language, languages)
    chosen = (
        "as configured" if embedding.language != "auto" else "to change it, set embedding.language"
    )
    return [
        f"Languages of a sample of notes: {describe_languages(languages)}. The embedded model for "
        f"them is {model.name} ({model.language}; {chosen})."
    ]


def _notes(vault: str, config: Config) -> Iterator[str]:
    match = NotePatterns(config.indexing.file_patterns).match
    denied = {os.path.join(vault, *folder.split("/")) for folder in config.indexing.deny_dirs}
    count = 0
    for folder, folders, files in os.walk(vault):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and os.path.join(folder, name) not in denied
        )
        for name in files:
            is_written = kind_of(name).name in WRITTEN_KINDS
            if is_written and not name.startswith(".") and match("", name):
                yield os.path.join(folder, name)
                count += 1
        if count >= _NOTES_MAX:
            return


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(CODE_BYTES)
    except OSError:
        return b""
