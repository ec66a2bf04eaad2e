"""Small files that readers make (prisms, roads, chequers): kept in the user's cache, named by their contents."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from andante.files import write_bytes

from .resolver import cache_folder


def cached_file(data: bytes, stem: str, suffix: str) -> Path:
    """A file of those contents, written once."""
    name = f"{stem}-{hashlib.sha256(data).hexdigest()[:16]}{suffix}"
    folder = cache_folder("shapes")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir())
    path = folder / name
    if not path.is_file():
        write_bytes(data, path)
    return path
