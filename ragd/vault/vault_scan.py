"""A scan of all roots: every note by its path in the one path space, and the roots that are gone.

It reads no root itself.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from operator import attrgetter

from msgspec import Struct, field

from ragd.events import KindCount, LanguageCount, TemplateFolder
from ragd.vault.collection_files import CollectionScan
from ragd.vault.collection_paths import VAULT, collection_of, prefix_of
from ragd.vault.walk import MOST_TEMPLATES, NoteFile, VaultGone


class VaultScan(Struct):
    """All roots as one walk of each saw them."""

    notes: list[NoteFile]
    skipped: list[tuple[str, str]]
    unreadable_folders: list[str]
    began: str
    roots: dict[str, CollectionScan]  # that could be scanned, with their own paths, but for notes
    gone: dict[str, VaultGone] = field(default_factory=dict)  # the others
    names: frozenset[str] = frozenset()  # of all collections besides the vault
    templates: list[TemplateFolder] = field(default_factory=list)  # that were skipped
    languages: list[LanguageCount] = field(default_factory=list)  # of a sample of notes
    not_included: list[KindCount] = field(default_factory=list)  # files that no pattern includes
    code_percent: int | None = None  # how much of a sample of the vault's text is fenced code
    began_seq: int = 0  # the last record before it began
    known_paths: frozenset[str] | None = None  # see `paths`

    @property
    def paths(self) -> frozenset[str]:
        """The paths of all notes."""
        if self.known_paths is None:
            self.known_paths = frozenset(map(attrgetter("path"), self.notes))
        return self.known_paths

    @property
    def newest_mtime(self) -> str | None:
        return max(filter(None, (root.newest_mtime for root in self.roots.values())), default=None)

    @property
    def has_collections(self) -> bool:
        """Whether anything but the vault is configured."""
        return len(self.roots) + len(self.gone) > 1

    def collection_of(self, path: str) -> str:
        return collection_of(path, self.names)

    def device(self, collection: str) -> int:
        """The system's number for the device that holds a root; 0 if that is not known."""
        root = self.roots.get(collection)
        return root.identity[0] if root is not None else 0

    def may_exist(self, path: str) -> bool:
        """Whether nothing is known about this path: its root or its folder could not be read."""
        if self.gone and self.collection_of(path) in self.gone:
            return True
        return bool(self.unreadable_folders) and path.startswith(
            tuple(f"{folder}/" for folder in self.unreadable_folders)
        )


def join_scans(
    roots: Mapping[str, CollectionScan],
    gone: Mapping[str, VaultGone],
    names: Collection[str],
    began: str,
) -> VaultScan:
    """One scan from those of all roots. `names`: of the collections besides the vault."""
    whole = VaultScan([], [], [], began, dict(roots), dict(gone), frozenset(names))
    languages: Counter[str] = Counter()
    for name, root in roots.items():
        languages.update(root.languages)
        prefix = prefix_of(name)
        whole.notes += root.notes
        whole.skipped += [(prefix + one.path, one.reason) for one in root.skipped]
        whole.unreadable_folders += [prefix + folder for folder in root.unreadable_folders]
        room = MOST_TEMPLATES - len(whole.templates)
        whole.templates += [TemplateFolder(prefix + p, n) for p, n in root.templates[:room]]
    if VAULT in roots:  # a person chose the patterns of each further collection
        counts = roots[VAULT].not_included
        whole.code_percent = roots[VAULT].code_percent
        whole.not_included = [KindCount(kind, files) for kind, files in counts.items()]
    whole.languages = [LanguageCount(code, languages[code]) for code in sorted(languages)]
    return whole
