"""Lines of logs that are text, plain or packed, within limits."""

from __future__ import annotations

from pathlib import Path

from andante.description.io.xmltree import gunzip, read_bytes
from andante.errors import BadInput

MAX_BYTES = 512 * 1024 * 1024
MOST_LINES = 20_000_000
BREAKS = (b"\n", b"\r", b"\v", b"\f", b"\x1c", b"\x1d", b"\x1e", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")


def read_lines(path: Path, limit: int = MAX_BYTES) -> list[str]:
    """The lines of a text file, unpacked where its name ends in .gz; bytes that are no UTF-8 become question marks.

    limit: of the file and of what it unpacks to [bytes].
    """
    data = read_bytes(path, limit)
    if path.name.lower().endswith(".gz"):
        data = gunzip(data, str(path), limit)
    if sum(map(data.count, BREAKS)) > MOST_LINES:
        raise BadInput(f"{path} has more than {MOST_LINES} lines; cut the log into parts")
    return data.decode("utf-8", errors="replace").splitlines()
