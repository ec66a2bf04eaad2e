"""What chunks and messages of bags are compressed by: zstd, lz4 and bz2, imported when they are needed."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

MOST = 1 << 30  # bytes of a chunk, unpacked
PIECE = 1 << 20  # bytes that are unpacked at once
SMALL = 1 << 26  # bytes that any file may unpack to
TIMES = 1000  # a file may unpack to so many times its size; what goes on is no recording
ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


def zstd() -> Any:
    """The module for zstd: that of Python 3.14, or the same for older ones."""
    return import_module(ZSTD)


def unpacked(data: bytes, compression: str, limit: int = MOST) -> bytes:
    """Chunk content, as far as it can be unpacked."""
    if compression in ("", "none"):
        return data[:limit]
    plain: bytes
    if compression == "zstd":
        plain = zstd().ZstdDecompressor().decompress(data, limit)
        return plain
    if compression == "lz4":
        import lz4.frame

        plain = lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=limit)
        return plain
    if compression == "bz2":
        import bz2

        return bz2.BZ2Decompressor().decompress(data, max_length=limit)
    raise ValueError(f"compression {compression!r}")


def unpack_file(packed: Path, plain: Path) -> Exception | None:
    """Unpack a zstd file into another one, within limits; why it ended early, None where it did not."""
    module = zstd()
    room = max(SMALL, TIMES * packed.stat().st_size)
    with module.ZstdFile(packed) as source, plain.open("wb") as out:
        try:
            while piece := source.read(PIECE):
                room -= len(piece)
                if room < 0:
                    return ValueError(f"it unpacks to more than {TIMES} times its size")
                out.write(piece)
        except (module.ZstdError, EOFError) as error:
            return error
    return None
