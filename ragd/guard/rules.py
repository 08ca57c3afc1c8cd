"""The guard's rules, built once from the configuration and used for every passage.

It holds no text of a note.
"""

import re
from functools import cache

from msgspec import Struct

from ragd.config.schema import MemorySettings, SecuritySettings
from ragd.guard.section_names import built_in_sections, comparable_section
from ragd.guard.sensitive_words import SensitiveWords
from ragd.guard.word_matching import PhraseFinder

HEALTH = "health"
FINANCIAL_DEBT = "financial_debt"
RELATIONS = "relations"
COMMITMENTS = "commitments"

# Kinds of `memory.patterns` that are sensitive; any other kind is only worth remembering.
_CATEGORY_OF = {
    "financial": FINANCIAL_DEBT,
    FINANCIAL_DEBT: FINANCIAL_DEBT,
    HEALTH: HEALTH,
    RELATIONS: RELATIONS,
    COMMITMENTS: COMMITMENTS,
}
_HEALTH_NAMES = re.compile("health|medic|therap|illness|gesund|krank|santé|salud|健康|病")
_MONEY_NAMES = re.compile("financ|money|debt|loan|budget|geld|schuld|dinero|argent|钱|债|财")
_RELATIONS_NAMES = re.compile(
    "relation|famil|friend|love|marriage|partner|dating|beziehung|freund|liebe|ehe$|amour|couple"
    "|pareja|amor|感情|家庭|朋友|恋|婚"
)


class Rules(Struct, frozen=True):
    """The guard's rules. `kinds` maps a kind of pattern to its category, if it has one."""

    lexicon: PhraseFinder
    kinds: dict[str, str | None]
    built_in: SensitiveWords
    names: dict[str, frozenset[str]]  # name of a section or tag -> its categories
    whole_names: dict[str, frozenset[str]]  # the same, for headings that are nothing but the name
    marked: dict[str, frozenset[str]]  # name of a section or tag in the patterns -> its kinds
    confirm: frozenset[str]
    always_confirm: frozenset[str]  # names in `sensitive_sections` without a known category
    longest_name: int
    auto_suggest: bool

    @classmethod
    def from_config(cls, security: SecuritySettings, memory: MemorySettings) -> "Rules":
        """The rules of this configuration."""
        words: dict[str, list[str]] = {}
        marked: dict[str, set[str]] = {}
        for kind, patterns in memory.patterns.items():
            for pattern in patterns:
                if pattern.startswith("#") and comparable_section(pattern):
                    marked.setdefault(comparable_section(pattern), set()).add(kind)
                else:
                    words.setdefault(kind, []).append(pattern)
        names: dict[str, set[str]] = {}
        for name, kinds in marked.items():
            known = {_CATEGORY_OF[kind] for kind in kinds if kind in _CATEGORY_OF}
            names.setdefault(name, set()).update(known)
        without_category: set[str] = set()
        for name in {comparable_section(section) for section in security.sensitive_sections} - {""}:
            if not names.get(name):
                category = _category_by_name(name)
                names[name] = {category or RELATIONS}
                if category is None:
                    without_category.add(name)
        lists = tuple(sorted(set(security.word_lists)))
        return cls(
            PhraseFinder(words),
            {kind: _CATEGORY_OF.get(kind) for kind in memory.patterns},
            _built_in(lists),
            {name: frozenset(categories) for name, categories in names.items()},
            built_in_sections(lists),
            {name: frozenset(kinds) for name, kinds in marked.items()},
            frozenset(security.require_confirmation_for),
            frozenset(without_category),
            max(map(len, names), default=0),
            memory.auto_suggest,
        )


_built_in = cache(SensitiveWords)  # building the lists takes a moment


def _category_by_name(name: str) -> str | None:
    for category, names in (
        (HEALTH, _HEALTH_NAMES),
        (FINANCIAL_DEBT, _MONEY_NAMES),
        (RELATIONS, _RELATIONS_NAMES),
    ):
        if names.search(name):
            return category
    return None
