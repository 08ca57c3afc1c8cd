"""Reads the text in an image with a model on this machine (the extra `ragd[ocr]`).

The models come with the package, and their files are named here, so nothing is downloaded. Only
the first picture of a file is read.
"""

from importlib.resources import files as resources
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image, ImageOps
from rapidocr import RapidOCR

from ragd.notes.documents.model import Document
from ragd.vault.foreign_readers import limits
from ragd.vault.foreign_readers.bounded_document import BoundedDocument, count_warning
from ragd.vault.foreign_readers.image_rows import ImageWord, paragraphs
from ragd.vault.foreign_readers.reasons import (
    DAMAGED,
    NO_TEXT,
    TOO_MANY_PIXELS,
    CannotParse,
)

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
MODELS = {
    "Det.model_path": "PP-OCRv6_det_small.onnx",
    "Cls.model_path": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
    "Rec.model_path": "PP-OCRv6_rec_small.onnx",
}
THINNEST = 100  # times as long as wide
_THREADS = "EngineConfig.onnxruntime.intra_op_num_threads"

_engine: Any = None


def read_image(data: bytes) -> Document:
    """The text in an image. Raises CannotParse."""
    pixels, pictures = _pixels(data)
    made = BoundedDocument()
    made.begin_place("image")
    for paragraph in paragraphs([] if _is_thin(pixels) else _words(pixels)):
        made.add_paragraph(paragraph)
    if made.is_empty:
        raise CannotParse(NO_TEXT)
    warnings = (count_warning(1, pictures, "pictures were read"),) if pictures > 1 else ()
    return made.document(warnings=warnings)


def _pixels(data: bytes) -> tuple[Any, int]:
    """The first picture of a file, and how many there are."""
    Image.MAX_IMAGE_PIXELS = None  # the check below is ours
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as opened:
            if opened.width * opened.height > limits.IMAGE_PIXELS:
                raise CannotParse(TOO_MANY_PIXELS)
            pictures = int(getattr(opened, "n_frames", 1))
            opened.seek(0)
            upright = ImageOps.exif_transpose(opened)
            seen = upright.convert("RGBA")
    except (CannotParse, MemoryError, RecursionError):
        raise
    except Exception:  # the decoders raise all kinds of errors, also struct.error
        raise CannotParse(DAMAGED) from None
    page = Image.new("RGB", seen.size, "white")  # what is transparent is paper
    page.paste(seen, mask=seen.getchannel("A"))
    return np.asarray(page)[:, :, ::-1], pictures


def _is_thin(pixels: Any) -> bool:
    """Whether it is a line and not a picture. The models enlarge the shorter side: they would need
    very much memory, or fail."""
    shorter, longer = sorted(pixels.shape[:2])
    return bool(longer > THINNEST * shorter)


def _words(pixels: Any) -> list[ImageWord]:
    global _engine
    if _engine is None:
        folder = resources("rapidocr") / "models"
        paths = {key: str(folder / name) for key, name in MODELS.items()}
        _engine = RapidOCR(params={**paths, "Global.log_level": "critical", _THREADS: 1})
    found = _engine(np.ascontiguousarray(pixels))
    if found.boxes is None or found.txts is None:
        return []
    words = []
    for box, text in zip(found.boxes.tolist(), found.txts, strict=True):
        across, down = [point[0] for point in box], [point[1] for point in box]
        words.append(ImageWord(text, min(across), min(down), max(down)))
    return words
