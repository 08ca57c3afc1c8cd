"""What the configuration says about guarding, made ready once for every passage.

It holds no text of a note.
"""

import re
from functools import cache

from msgspec import Struct

from ragd.config.schema import MemorySettings, SecuritySettings
from ragd.guard.section_names import built_in_sections, name_of
from ragd.guard.sensitive_words import SensitiveWords
from ragd.guard.word_matching import PhraseFinder

HEALTH = "health"
FINANCIAL_DEBT = "financial_debt"
RELATIONS = "relations"
COMMITMENTS = "commitments"

# Kinds of `memory.patterns` that are sensitive too; any other kind is only worth remembering.
_CATEGORY_OF = {
    "financial": FINANCIAL_DEBT,
    FINANCIAL_DEBT: FINANCIAL_DEBT,
    HEALTH: HEALTH,
    RELATIONS: RELATIONS,
    COMMITMENTS: COMMITMENTS,
}
_SAYS_HEALTH = re.compile("health|medic|therap|illness|gesund|krank|santé|salud|健康|病")
_SAYS_MONEY = re.compile("financ|money|debt|loan|budget|geld|schuld|dinero|argent|钱|债|财")
_SAYS_RELATIONS = re.compile(
    "relation|famil|friend|love|marriage|partner|dating|beziehung|freund|liebe|ehe$|amour|couple"
    "|pareja|amor|感情|家庭|朋友|恋|婚"
)


class Rules(Struct, frozen=True):
    """The guard's rules. `kinds` maps a kind of pattern to its category, if it has one."""

    lexicon: PhraseFinder
    kinds: dict[str, str | None]
    built_in: SensitiveWords
    names: dict[str, frozenset[str]]  # of sections and tags -> the categories they have
    whole_names: dict[str, frozenset[str]]  # the same; for a heading that says nothing else
    marked: dict[str, frozenset[str]]  # of sections and tags in the patterns -> kinds
    confirm: frozenset[str]
    always_confirm: frozenset[str]  # names in `sensitive_sections` without a kind
    longest_name: int
    auto_suggest: bool

    @classmethod
    def from_config(cls, security: SecuritySettings, memory: MemorySettings) -> "Rules":
        """The rules of this configuration."""
        words: dict[str, list[str]] = {}
        marked: dict[str, set[str]] = {}
        for kind, patterns in memory.patterns.items():
            for pattern in patterns:
                if pattern.startswith("#") and name_of(pattern):
                    marked.setdefault(name_of(pattern), set()).add(kind)
                else:
                    words.setdefault(kind, []).append(pattern)
        names: dict[str, set[str]] = {}
        for name, kinds in marked.items():
            known = {_CATEGORY_OF[kind] for kind in kinds if kind in _CATEGORY_OF}
            names.setdefault(name, set()).update(known)
        untold: set[str] = set()
        for name in {name_of(section) for section in security.sensitive_sections} - {""}:
            if not names.get(name):
                category = _category_by_name(name)
                names[name] = {category or RELATIONS}
                if category is None:
                    untold.add(name)
        lists = tuple(sorted(set(security.word_lists)))
        return cls(
            PhraseFinder(words),
            {kind: _CATEGORY_OF.get(kind) for kind in memory.patterns},
            _built_in(lists),
            {name: frozenset(categories) for name, categories in names.items()},
            built_in_sections(lists),
            {name: frozenset(kinds) for name, kinds in marked.items()},
            frozenset(security.require_confirmation_for),
            frozenset(untold),
            max(map(len, names), default=0),
            memory.auto_suggest,
        )


_built_in = cache(SensitiveWords)  # they take a moment to be put in order


def _category_by_name(name: str) -> str | None:
    for category, says in (
        (HEALTH, _SAYS_HEALTH),
        (FINANCIAL_DEBT, _SAYS_MONEY),
        (RELATIONS, _SAYS_RELATIONS),
    ):
        if says.search(name):
            return category
    return None
