"""Reads EPUB books: the chapters in the order of the book, each cited as `section=3`.

Names of files in the book are only looked up in the archive. Books with copy protection cannot be
read.
"""

import posixpath
from urllib.parse import unquote

from ragd.notes.decoding import Undecodable, decode
from ragd.notes.documents.model import Document
from ragd.vault.foreign_readers.bounded_document import BoundedDocument, count_warning
from ragd.vault.foreign_readers.plausible_day import plausible_day
from ragd.vault.foreign_readers.reasons import (
    DAMAGED,
    ENCRYPTED,
    NO_TEXT,
    TOO_MUCH_UNPACKED,
    CannotParse,
)
from ragd.vault.foreign_readers.xhtml import add_xhtml
from ragd.vault.foreign_readers.xml_events import Attributes, Elements, TextOf, parse_xml
from ragd.vault.foreign_readers.zip_content import ZipContent

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTER = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read_epub(data: bytes) -> Document:
    """The text of a book. Raises CannotParse."""
    archive = ZipContent(data)
    package = _package_name(archive)
    content = archive.read(package)
    names = _chapter_names(content, posixpath.dirname(package))
    if _encrypted_names(archive) & set(names):
        raise CannotParse(ENCRYPTED)
    made = BoundedDocument()
    read = failed = 0
    for number, name in enumerate(names, 1):
        made.begin_place(f"section={number}")
        try:
            add_xhtml(_decoded(archive.read(name)), made)
        except CannotParse as why:
            if why.reason == TOO_MUCH_UNPACKED:
                raise
            failed += 1
        if made.is_full:
            break
        read = number
    if made.is_empty:
        raise CannotParse(DAMAGED if failed else NO_TEXT)
    warnings = []
    if read < len(names):
        warnings.append(count_warning(read, len(names), "sections were read"))
    if failed:
        warnings.append(count_warning(failed, len(names), "sections are damaged"))
    about = TextOf("title", "date")
    parse_xml(content, about)
    day = plausible_day(about.found.get("date", ""))
    return made.document(about.found.get("title", ""), day, tuple(warnings))


def _package_name(archive: ZipContent) -> str:
    """The file that lists the book's chapters."""
    found: list[str] = []

    def seen(name: str, attributes: Attributes) -> None:
        if name == "rootfile":
            found.append(attributes.get("full-path", ""))

    parse_xml(archive.read(_CONTAINER), Elements(seen))
    if not found:
        raise CannotParse(DAMAGED)
    return found[0]


def _chapter_names(package: bytes, folder: str) -> list[str]:
    """The names of the chapters, in the order of reading."""
    files: dict[str, str] = {}
    order: list[str] = []

    def seen(name: str, attributes: Attributes) -> None:
        if name == "item":
            is_contents = "nav" in attributes.get("properties", "").split()
            if attributes.get("media-type") in _CHAPTER and not is_contents:
                files[attributes.get("id", "")] = attributes.get("href", "")
        elif name == "itemref" and attributes.get("linear") != "no":
            order.append(attributes.get("idref", ""))

    parse_xml(package, Elements(seen))
    return [_resolved(folder, files[one]) for one in order if one in files]


def _resolved(folder: str, address: str) -> str:
    name = unquote(address.partition("#")[0])
    return posixpath.normpath(posixpath.join(folder, name))


def _encrypted_names(archive: ZipContent) -> set[str]:
    """The files that are encrypted; in many books only the fonts are."""
    found: set[str] = set()

    def seen(name: str, attributes: Attributes) -> None:
        if name == "CipherReference":
            found.add(_resolved("", attributes.get("URI", "")))

    if content := archive.read_if_present(_ENCRYPTION):
        parse_xml(content, Elements(seen))
    return found


def _decoded(data: bytes) -> str:
    text = decode(data)
    if isinstance(text, Undecodable):
        raise CannotParse(DAMAGED)
    return text.text
