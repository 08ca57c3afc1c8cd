"""What the log's tests share. The modules beside this one (disks, drafts, clocks) are imported by
their plain names, which is why this folder is put on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
