"""Which embedded model fits a vault, by the languages of its notes. Pure.

The English model is the better one for English. It is chosen unless a tenth of the notes, and at
least two, are in another language that the multilingual model reads.
"""

from collections.abc import Mapping

from ragd.embed.providers.shipped_models import ENGLISH, MULTILINGUAL, SHIPPED, ShippedModel

# The languages that the multilingual model was trained on, without English.
LANGUAGE_NAMES = {
    "ar": "Arabic",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "th": "Thai",
    "tr": "Turkish",
    "zh": "Chinese",
}
READ_BY_MULTILINGUAL = frozenset(LANGUAGE_NAMES)
LEAST_SHARE = 0.1
LEAST_NOTES = 2


def model_for_languages(languages: Mapping[str, int]) -> ShippedModel:
    """The model for notes of these languages (a sample, counted by language)."""
    other = sum(count for code, count in languages.items() if code in READ_BY_MULTILINGUAL)
    is_mixed = other >= LEAST_NOTES and other >= LEAST_SHARE * sum(languages.values())
    return MULTILINGUAL if is_mixed else ENGLISH


def model_named(model: str) -> ShippedModel | None:
    """The embedded model of this name."""
    return SHIPPED.get(model)


def model_for_setting(language: str, languages: Mapping[str, int]) -> ShippedModel:
    """The model for `embedding.language`; with `auto`, the one that fits the notes."""
    chosen = (model for model in SHIPPED.values() if model.language == language)
    return next(chosen, None) or model_for_languages(languages)


def describe_languages(languages: Mapping[str, int]) -> str:
    """The languages of a sample, most notes first: "de 120, en 40"."""
    found = sorted(languages.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{code} {count}" for code, count in found)
