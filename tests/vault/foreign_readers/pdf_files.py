"""Writes small PDF files for tests: good ones, and ones that no program would write."""

import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 595, 842


class Printed(NamedTuple):
    """A line on a page."""

    text: str
    x: float = 72
    y: float = 700
    size: float = 11


class PdfFile:
    """The objects of a file, by their numbers. The first two are the catalog and the pages."""

    def __init__(self) -> None:
        self.objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
        self.pages: list[int] = []
        self.trailer = b""
        self.font = self.add(
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
        )

    def add(self, content: bytes) -> int:
        """Add an object; returns its number."""
        self.objects.append(content)
        return len(self.objects)

    def add_stream(self, data: bytes, extra: bytes = b"", *, packed: bool = False) -> int:
        if packed:
            data, extra = zlib.compress(data, 9), extra + b" /Filter /FlateDecode"
        head = b"<< /Length %d %s >>\nstream\n" % (len(data), extra)
        return self.add(head + data + b"\nendstream")

    def add_page(self, content: bytes, *, packed: bool = False, font: int | None = None) -> int:
        """Add a page that is drawn by this content."""
        return self.add_page_of(self.add_stream(content, packed=packed), font)

    def add_page_of(self, stream: int, font: int | None = None) -> int:
        page = self.add(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R"
            b" /Resources << /Font << /F1 %d 0 R >> >> >>"
            % (WIDTH, HEIGHT, stream, font or self.font)
        )
        self.pages.append(page)
        return page

    def set_info(self, **values: str) -> None:
        pairs = b" ".join(b"/%s (%s)" % (k.encode(), _escaped(v)) for k, v in values.items())
        self.trailer += b" /Info %d 0 R" % self.add(b"<< " + pairs + b" >>")

    def data(self) -> bytes:
        if not self.objects[1]:
            kids = b" ".join(b"%d 0 R" % page for page in self.pages)
            self.objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(self.pages))
        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for number, content in enumerate(self.objects, 1):
            offsets.append(len(out))
            out += b"%d 0 obj\n" % number + content + b"\nendobj\n"
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
        out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        size = len(offsets) + 1
        out += b"trailer\n<< /Size %d /Root 1 0 R%s >>\n" % (size, self.trailer)
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def drawn(lines: Iterable[Printed]) -> bytes:
    """The content of a page that shows these lines."""
    parts = (
        b"BT /F1 %g Tf %g %g Td (%s) Tj ET" % (line.size, line.x, line.y, _escaped(line.text))
        for line in lines
    )
    return b"\n".join(parts)


def _escaped(text: str) -> bytes:
    raw = text.encode("cp1252")
    return raw.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")


def column(
    lines: Sequence[str], *, x: float = 72, top: float = 760, size: float = 11
) -> list[Printed]:
    """Lines below each other."""
    return [Printed(text, x, top - at * size * 1.3, size) for at, text in enumerate(lines)]


def pdf_of(*pages: Sequence[Printed], **info: str) -> bytes:
    """A file with these pages."""
    file = PdfFile()
    for lines in pages:
        file.add_page(drawn(lines))
    if info:
        file.set_info(**info)
    return file.data()


def simple_pdf(text: str = "The ferry leaves at seven.") -> bytes:
    return pdf_of([Printed(text)])


def encrypted_pdf() -> bytes:
    """It needs a password, and no password is right."""
    file = PdfFile()
    file.add_page(drawn([Printed("secret")]))
    number = file.add(
        b"<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <%s> /U <%s> >>"
        % (b"ab" * 32, b"cd" * 32)
    )
    file.trailer = b" /Encrypt %d 0 R /ID [<00> <00>]" % number
    return file.data()


def recursive_page_tree() -> bytes:
    """The pages contain themselves."""
    file = PdfFile()
    inner = file.add(b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 2 0 R] /Count 1000000 >>")
    file.objects[1] = b"<< /Type /Pages /Kids [%d 0 R 2 0 R] /Count 1000000 >>" % inner
    return file.data()


def recursive_forms(depth: int = 0) -> bytes:
    """A form that draws itself; with a depth, forms that draw two others each."""
    file = PdfFile()
    if not depth:
        form = len(file.objects) + 1
        file.add_stream(
            b"/X Do /X Do",
            b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]"
            b" /Resources << /XObject << /X %d 0 R >> >>" % form,
        )
    else:
        form = file.add_stream(drawn([Printed("bottom")]), _form(b""))
        for _ in range(depth):
            form = file.add_stream(b"/X Do " * 10, _form(b"/X %d 0 R" % form))
    stream = file.add_stream(b"/X Do")
    file.pages.append(
        file.add(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents %d 0 R"
            b" /Resources << /XObject << /X %d 0 R >> >> >>" % (stream, form)
        )
    )
    return file.data()


def _form(names: bytes) -> bytes:
    resources = b"/Resources << /XObject << %s >> /Font << /F1 3 0 R >> >>" % names
    return b"/Type /XObject /Subtype /Form /BBox [0 0 999 999] " + resources


def nested_arrays(depth: int = 200_000) -> bytes:
    """An object that is nested very deeply."""
    file = PdfFile()
    file.add_page(drawn([Printed("words")]))
    file.objects[0] = b"<< /Type /Catalog /Pages 2 0 R /Names %s >>" % (b"[" * depth + b"]" * depth)
    return file.data()


def stream_bomb(times: int = 4, size: int = 512 * 1024 * 1024) -> bytes:
    """A page whose content unpacks to gigabytes: `size` bytes in each of several streams."""
    file = PdfFile()
    packer = zlib.compressobj(9)
    block = b" " * (1024 * 1024)
    packed = b"".join(packer.compress(block) for _ in range(size // len(block))) + packer.flush()
    streams = [file.add_stream(packed, b"/Filter /FlateDecode") for _ in range(times)]
    names = b" ".join(b"%d 0 R" % one for one in streams)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents [%s] >>" % names
    file.pages.append(file.add(page))
    return file.data()


def many_pages(count: int, text: str = "page") -> bytes:
    """A file with this many pages that share one content."""
    file = PdfFile()
    stream = file.add_stream(drawn([Printed(text)]))
    for _ in range(count):
        file.add_page_of(stream)
    return file.data()


def font_without_map(pages: int = 1) -> bytes:
    """Text in a font that has shapes but does not say which letters they are."""
    file = PdfFile()
    font = file.add(
        b"<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Shapes /Encoding /Identity-H"
        b" /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Shapes"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        b" /FontDescriptor << /Type /FontDescriptor /FontName /AAAAAA+Shapes /Flags 4"
        b" /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700"
        b" /StemV 80 >> /DW 600 >>] >>"
    )
    codes = b"".join(b"%04x" % (code + 3) for code in range(60))
    for _ in range(pages):
        file.add_page(b"BT /F1 11 Tf 72 700 Td <%s> Tj ET" % codes, font=font)
    return file.data()
