"""The limits of the process that reads foreign documents. Pure: data only."""

MIB = 1024 * 1024

INPUT_BYTES = 100 * MIB
"""The largest file that is read."""

REPLY_BYTES = 64 * MIB
"""The largest reply that the daemon accepts."""

CHARACTERS = 5_000_000
"""The text that is kept of one file."""

LINE_CHARACTERS = 20_000
"""The longest line of a document. A longer one is cut into several."""

HEADINGS = 5_000
PAGES = 2_000
PAGE_CHARACTERS = 200_000

CPU_S = 60
"""Computing time for one file."""

WALL_S = 180.0
"""Time for one file as the daemon's clock sees it; a busy machine must not fail a good file."""

MEMORY_BYTES = 1024 * MIB
"""The address space of the process."""

OCR_MEMORY_BYTES = 3 * 1024 * MIB
"""The same while it reads an image: the models need more."""

OPEN_FILES = 64

ZIP_ENTRIES = 10_000
ZIP_ENTRY_BYTES = 64 * MIB
ZIP_BYTES = 128 * MIB
"""What is unpacked of one file, in all."""

ZIP_RATIO = 200
"""How many times larger than its packed form an entry may be, beyond `ZIP_RATIO_FROM_BYTES`."""

ZIP_RATIO_FROM_BYTES = 4 * MIB
XML_DEPTH = 200
IMAGE_PIXELS = 50_000_000
