"""Questions that only links can answer: the question describes one note, a linked one is right.

The right note shares no telling word with the question. It is linked from the described note, or
links to it. From wikilinks, embeds and Markdown links of the real vaults.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from bench.daemon import DATA
from bench.sets import vaults
from bench.sets.model import Question, QuestionSet, order_of, sample

NAME = "links"
COUNTS = {
    "vaultofknowledge": 70,
    "lyz-blue-book": 20,
    "kepano-obsidian": 10,
    "obsidian-tasks-demo": 10,
}
MOST_LINKED = 4
FORMS = (
    *("What is linked with {}?", "Which notes belong to {}?", "{}: related notes"),
    *("notes connected to {}", "What else goes with {}?"),
)
_WIKI = re.compile(r"\[\[([^\]|#^]+)")
_MARKDOWN = re.compile(r"\]\(([^)\s#:]+\.md)")
_TELLING = re.compile(r"[^\W\d_]{4,}")
_COMMON = re.compile(
    r"(?:"
    r"about|after|also|another|because|been|before|being|both|could|does|each|else|every|from|"
    r"goes|have|having|here|into|just|like|linked|made|make|many|more|most|much|note|notes|only|"
    r"other|over|related|same|should|some|such|than|that|their|them|then|there|these|they|this|"
    r"those|through|used|using|very|what|when|where|which|while|will|with|would|belong|connected|"
    r"your"
    r")"
)


def make(data: Path = DATA) -> QuestionSet:
    questions: list[Question] = []
    for name, count in COUNTS.items():
        questions += sample(_questions(name, data), count)
    return QuestionSet(NAME, questions, {n: vaults.real(n, data) for n in COUNTS}, False)


def linked(documents: Mapping[str, str]) -> dict[str, set[str]]:
    """The notes that each note links to. A name that two notes have leads nowhere."""
    named: dict[str, set[str]] = defaultdict(set)
    for path in documents:
        named[vaults.stem(path).lower()].add(path)
    found: dict[str, set[str]] = defaultdict(set)
    for path, whole in documents.items():
        text = vaults.without_code(whole)
        for target in _WIKI.findall(text):
            name = target.strip().split("/")[-1].removesuffix(".md").lower()
            found[path] |= named[name] if len(named[name]) == 1 else set()
        for target in _MARKDOWN.findall(text):
            to = _beside(path, unquote(target))
            found[path] |= {to} & documents.keys()
        found[path].discard(path)
    return found


def telling(text: str) -> set[str]:
    """The first five letters of the words that say something."""
    return {word[:5] for word in _TELLING.findall(text.lower()) if not _COMMON.fullmatch(word)}


def _beside(path: str, target: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / target).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _questions(vault: str, data: Path) -> Iterator[Question]:
    documents = {
        path: text
        for path, text in vaults.real(vault, data).documents.items()
        if "newsletter" not in path
    }
    out = linked(documents)
    back: dict[str, set[str]] = defaultdict(set)
    for path, targets in out.items():
        for target in targets:
            back[target].add(path)
    for path, text in documents.items():
        near = out[path] | back[path]
        if not 0 < len(near) <= MOST_LINKED:
            continue
        for described, way in _descriptions(path, text):
            asked = telling(described)
            right = {
                one
                for one in near
                if vaults.prose(documents[one]).strip()
                and not asked & telling(f"{vaults.stem(one)} {documents[one]}")
            }
            if asked and right:
                form = FORMS[order_of(path)[0] % len(FORMS)]
                kind = f"{vault}, {way}, {'links to' if right & out[path] else 'linked from'}"
                identity = f"{NAME}/{vault}/{path}"
                yield Question(
                    *(identity, form.format(described), kind, vault, frozenset(right), path)
                )
                break


def _descriptions(path: str, text: str) -> Iterator[tuple[str, str]]:
    """By a few words of its text without the links, for two notes of five; else by its name."""
    plain = _WIKI.sub(
        " ", re.sub(r"\[\[[^\]]*\]\]|\]\([^)]*\)|https?://\S+", " ", vaults.prose(text))
    )
    words = [w for w in _TELLING.findall(plain) if not _COMMON.fullmatch(w.lower())]
    if order_of(path)[1] % 5 < 2 and len(words) >= 6:
        yield " ".join(words[:6]), "by words"
    name = re.sub(r"[_\-.]", " ", vaults.stem(path))
    yield name, "by name"
