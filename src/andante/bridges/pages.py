"""`Page`: something that the web server serves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Page:
    """Something to serve under an address: a folder with all its files, one file, or a content.

    An address that ends in / is a folder; its `index.html` answers for the folder itself.
    """

    url: str
    path: Path | None = None
    content: bytes | None = None
    media_type: str = ""
