"""The archive of a bug report: private (mode 0600), and it never overwrites a file."""

import gzip
import io
import os
import tarfile
from typing import Any

from ragctl.doctor.checks import Finding
from ragctl.doctor.report import report_files
from ragd.paths import Home


def write_bundle(home: Home, path: str, found: dict[str, Finding]) -> dict[str, Any]:
    """Write the archive and return its contents. Raises FileExistsError if the path exists."""
    parts = dict(report_files(home, found))
    packed = _pack(parts)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(packed)
    except BaseException:
        os.unlink(path)
        raise
    return {"path": path, "size_bytes": len(packed), "files": list(parts)}


def _pack(parts: dict[str, bytes]) -> bytes:
    """A tar.gz whose headers hold no owner, name or time of this machine."""
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
