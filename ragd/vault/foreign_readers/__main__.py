"""The process that reads foreign documents: answers requests until its input ends.

It confines itself first, and ends as soon as the daemon is gone, also in the middle of a file. A
reported defect has only a type and a place, never a text.
"""

import os
import sys
import traceback
from collections.abc import Callable

from ragd.notes.documents.model import Document
from ragd.runtime.frames import read_frame
from ragd.runtime.worker_pipes import exit_with_daemon, own_pipes, send
from ragd.vault.foreign_readers.confinement import allow_for, confine
from ragd.vault.foreign_readers.messages import (
    REQUEST_BYTES,
    ReadReply,
    decode_request,
    encode_reply,
)
from ragd.vault.foreign_readers.reasons import (
    CRASHED,
    DAMAGED,
    NEEDS_OCR,
    NEEDS_PDFIUM,
    TOO_MUCH_MEMORY,
    UNKNOWN_KIND,
    CannotParse,
)

NICENESS = 10  # a person's own programs go first, and questions before documents


def main() -> int:
    requests, replies = own_pipes()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    confine()
    exit_with_daemon(requests)
    while (body := read_frame(requests, REQUEST_BYTES)) is not None:
        request = decode_request(body)
        allow_for(request.kind)
        reply = answer(request.kind, request.data)
        send(replies, encode_reply(reply))
        if reply.reason == TOO_MUCH_MEMORY:
            return 0  # what is left of its memory may not be enough for the next file
    return 0


def answer(kind: str, data: bytes) -> ReadReply:
    """The text of a file, or why there is none."""
    try:
        return ReadReply(reader_of(kind)(data))
    except CannotParse as why:
        return ReadReply(reason=why.reason)
    except MemoryError:
        return ReadReply(reason=TOO_MUCH_MEMORY)
    except RecursionError:
        return ReadReply(reason=DAMAGED)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        defect = f"{type(error).__name__} at {place.name.strip('<>')}:{place.lineno}"
        return ReadReply(reason=CRASHED, defect=defect)


def reader_of(kind: str) -> Callable[[bytes], Document]:
    """The reader for a kind of file; each is imported when it is first needed."""
    if kind == "pdf":
        try:
            from ragd.vault.foreign_readers.pdf import read_pdf
        except ImportError:
            raise CannotParse(NEEDS_PDFIUM) from None
        return read_pdf
    if kind == "docx":
        from ragd.vault.foreign_readers.docx import read_docx

        return read_docx
    if kind == "epub":
        from ragd.vault.foreign_readers.epub import read_epub

        return read_epub
    if kind == "image":
        try:
            from ragd.vault.foreign_readers.image_text import read_image
        except ImportError:
            raise CannotParse(NEEDS_OCR) from None
        return read_image
    raise CannotParse(UNKNOWN_KIND)


if __name__ == "__main__":
    sys.exit(main())
