"""Why a foreign document cannot be read: phrases that may be recorded, and no others. Data only."""

ENCRYPTED = "it is encrypted"
DAMAGED = "it is damaged"
NO_TEXT = "it has no text"
NO_TEXT_SCAN = "it has no text (perhaps a scan)"
NO_LETTERS = "its fonts do not say which letters they show"
TOO_LARGE = "it is larger than 100 MB"
TOO_SLOW = "it took too long to read"
TOO_MUCH_MEMORY = "it needs too much memory"
TOO_MUCH_UNPACKED = "it unpacks to too much data"
TOO_MANY_PIXELS = "it has too many pixels"
ENTITIES = "it declares XML entities"
CRASHED = "the reader crashed on it"
NEEDS_PDFIUM = "PDF files need the package pypdfium2"
NEEDS_OCR = (
    "text in images needs `pipx inject ragd rapidocr==3.10.0`, or in a clone `pip install '.[ocr]'`"
)
UNKNOWN_KIND = "no reader knows this kind of file"

REASONS = frozenset(
    (
        *(ENCRYPTED, DAMAGED, NO_TEXT, NO_TEXT_SCAN, NO_LETTERS),
        *(TOO_LARGE, TOO_SLOW, TOO_MUCH_MEMORY, TOO_MUCH_UNPACKED, TOO_MANY_PIXELS),
        *(ENTITIES, CRASHED, NEEDS_PDFIUM, NEEDS_OCR, UNKNOWN_KIND),
    )
)


class CannotParse(Exception):
    """A reader gives up; `reason` is one of `REASONS`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
