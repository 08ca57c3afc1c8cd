"""Recognises whether the settings that choose an index's model are still the same. Pure."""

import hashlib

import msgspec

from ragd.config.schema import EmbeddingSettings


def embedding_choice(settings: EmbeddingSettings) -> str:
    """A hash of the settings that choose the provider and the model of a new index. It contains no
    address, so it may be recorded."""
    chosen_by = (
        settings.provider,
        settings.language,
        settings.model,
        settings.base_url,
        settings.dimensions,
    )
    return hashlib.sha256(msgspec.json.encode(chosen_by)).hexdigest()[:16]
