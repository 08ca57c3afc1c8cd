"""What the configuration says about guarding, made ready once for every passage.

It holds no text of a note.
"""

import re

from msgspec import Struct

from ragd.config_schema import Memory, Security
from ragd.search.words import Lexicon, folded

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
_IGNORED = re.compile(r"[#\s_\-]+")


class Rules(Struct, frozen=True):
    """The guard's rules. `kinds` maps a kind of pattern to its category, if it has one."""

    lexicon: Lexicon
    kinds: dict[str, str | None]
    names: dict[str, frozenset[str]]  # of sections and tags -> the categories they have
    marked: dict[str, frozenset[str]]  # of sections and tags in the patterns -> kinds
    confirm: frozenset[str]
    listed: frozenset[str]  # names in `sensitive_sections`
    auto_suggest: bool

    @classmethod
    def of(cls, security: Security, memory: Memory) -> "Rules":
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
        listed = frozenset(name_of(section) for section in security.sensitive_sections) - {""}
        for name in listed:
            if not names.get(name):
                names[name] = {_category_by_name(name)}
        return cls(
            Lexicon(words),
            {kind: _CATEGORY_OF.get(kind) for kind in memory.patterns},
            {name: frozenset(categories) for name, categories in names.items()},
            {name: frozenset(kinds) for name, kinds in marked.items()},
            frozenset(security.require_confirmation_for),
            listed,
            memory.auto_suggest,
        )


def name_of(section: str) -> str:
    """A section's or tag's name with what does not matter in it left out: `#`, case, spaces."""
    return _IGNORED.sub("", folded(section))


def _category_by_name(name: str) -> str:
    if _SAYS_HEALTH.search(name):
        return HEALTH
    return FINANCIAL_DEBT if _SAYS_MONEY.search(name) else RELATIONS
