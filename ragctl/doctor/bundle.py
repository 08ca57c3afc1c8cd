"""The archive of a report: for its owner alone (0600), and never written over another file."""

import gzip
import io
import os
import tarfile
from typing import Any

from ragctl.doctor.checks import Finding
from ragctl.doctor.report import contents
from ragd.paths import Home


def write(home: Home, path: str, found: dict[str, Finding]) -> dict[str, Any]:
    """Write the archive; what is in it. Raises FileExistsError rather than write over anything."""
    parts = dict(contents(home, found))
    packed = _packed(parts)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(packed)
    except BaseException:
        os.unlink(path)
        raise
    return {"path": path, "size_bytes": len(packed), "files": list(parts)}


def _packed(parts: dict[str, bytes]) -> bytes:
    """A tar.gz without an owner, a name or a time of this machine in its headers."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, data in parts.items():
            entry = tarfile.TarInfo(f"ragd-report/{name}")
            entry.size, entry.mode = len(data), 0o600
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()
