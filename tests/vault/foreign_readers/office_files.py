"""Writes small Word files and EPUB books for tests: good ones, and bad ones."""

import zipfile
from collections.abc import Mapping
from io import BytesIO

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STYLES = f"""<w:styles xmlns:w="{W}">
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My own"/><w:basedOn w:val="Heading2"/>
</w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/>
</w:style>
<w:style w:type="paragraph" w:styleId="Chapter"><w:name w:val="Chapter"/>
<w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
</w:styles>"""
CORE = """<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">
<dc:title>Ferry times</dc:title><dcterms:created>2024-03-14T09:00:00Z</dcterms:created>
</cp:coreProperties>"""


def zip_of(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive with these files."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def paragraph(text: str, style: str = "", properties: str = "") -> str:
    chosen = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{chosen}{properties}</w:pPr>{run(text)}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def item(text: str) -> str:
    return paragraph(text, properties='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')


def table(*rows: tuple[str, ...]) -> str:
    cells = (
        "".join(f"<w:tc>{cell if '<' in cell else paragraph(cell)}</w:tc>" for cell in row)
        for row in rows
    )
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def document_xml(body: str, before: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{before}<w:document xmlns:w="{W}"'
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<w:body>{body}</w:body></w:document>"
    )


def docx_of(body: str, **more: str | bytes) -> bytes:
    """A Word file. `more`: parts by the last part of their names, such as `footnotes`."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": document_xml(body),
        "word/styles.xml": STYLES,
        "docProps/core.xml": CORE,
    }
    parts |= {f"word/{name}.xml": content for name, content in more.items()}
    return zip_of(parts)


def simple_docx() -> bytes:
    body = [
        paragraph("Crossing", "berschrift1"),
        paragraph("The ferry leaves at seven."),
        item("Bring water."),
        paragraph("Prices", "Heading2"),
        table(("Adult", "12"), ("Child", "6")),
    ]
    return docx_of("".join(body))


LAUGHS = (
    "<!DOCTYPE lolz [<!ENTITY a 'ha'>"
    + "".join(
        f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]>"
)
OUTSIDE = "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"


def docx_with_entities(declaration: str) -> bytes:
    text = document_xml("<w:p><w:r><w:t>&i;&a;</w:t></w:r></w:p>", declaration)
    return zip_of({"word/document.xml": text})


CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>"""


def epub_of(
    chapters: Mapping[str, str | bytes],
    more: Mapping[str, str | bytes] | None = None,
    attributes: Mapping[str, str] | None = None,
) -> bytes:
    """A book with these chapters, by their names beside the package file."""
    extra = attributes or {}
    items = "".join(
        f'<item id="c{at}" href="{name}" media-type="application/xhtml+xml" {extra.get(name, "")}/>'
        for at, name in enumerate(chapters)
    )
    order = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Island</dc:title>'
        "<dc:date>2019-05-01</dc:date></metadata>"
        f"<manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    files: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package,
    }
    files |= {f"OEBPS/{name}": content for name, content in chapters.items()}
    return zip_of({**files, **(more or {})})


def chapter(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN"'
        ' "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html><head><title>x</title>'
        f"<style>p {{}}</style></head><body>{body}</body></html>"
    )


def simple_epub() -> bytes:
    return epub_of(
        {
            "one.xhtml": chapter("<h1>Arrival</h1><p>The ferry&nbsp;came <i>late</i>.</p>"),
            "two.xhtml": chapter("<h1>Winter</h1><p>Nobody came.</p><ul><li>Snow</li></ul>"),
        }
    )
