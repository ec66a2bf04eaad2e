"""Names of files that somebody on the bus may choose: plain ones, inside the folder of the session."""

from __future__ import annotations

import re
import time
from pathlib import Path

from andante.errors import BadInput

PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,80}")


def plain_name(name: str, default: str) -> str:
    """A name without folders, else the default with the time of day; BadInput for any other."""
    if not name:
        return f"{default}_{time.strftime('%Y%m%d_%H%M%S')}"
    if not PLAIN.fullmatch(name) or ".." in name:
        raise BadInput(f"{name!r}: a name here has letters, digits, _ - and . and no folder")
    return name


def file_in(folder: Path, name: str, default: str, suffix: str) -> Path:
    """A file of that name in a folder, which is made if need be; one that exists is never overwritten."""
    plain = plain_name(name, default)
    path = folder / (plain if plain.endswith(suffix) else plain + suffix)
    folder.mkdir(parents=True, exist_ok=True)
    if path.exists():
        if name:
            raise BadInput(f"{path.name}: exists already; choose another name")
        path = next(p for k in range(2, 10_000) if not (p := path.with_name(f"{path.stem}_{k}{suffix}")).exists())
    return path
