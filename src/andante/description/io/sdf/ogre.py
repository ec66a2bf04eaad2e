"""Material scripts of Gazebo classic (OGRE .material files): the color and the picture of a material by name.

    material Model/Wood : Base { technique { pass { diffuse 0.8 0.6 0.4 1  texture_unit { texture wood.png } } } }

Of all that such a script may say, the first diffuse (else ambient) color and the first texture are taken; programs and
shaders are passed over. Scripts are looked for where <uri> of a <script> points: a file, or a folder of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from andante.description.io.xmltree import read_bytes
from andante.description.shapes import RGBA
from andante.errors import AndanteError

MAX_BYTES = 2 * 1024 * 1024
MAX_FILES = 50
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
HEAD = re.compile(r"^[ \t]*material[ \t]+(\"[^\"]+\"|[^\s{:]+)[ \t]*(?::[ \t]*(\"[^\"]+\"|[^\s{]+))?", re.MULTILINE)


@dataclass(frozen=True)
class Script:
    """What a script says of one material; the picture by its name."""

    rgba: RGBA | None = None
    texture: str = ""
    folder: Path = Path()


def scripts_at(place: Path) -> dict[str, Script]:
    """The materials of a script file, or of all script files in a folder, by name."""
    try:
        files = [place] if place.is_file() else sorted(place.glob("*.material"))[:MAX_FILES]
    except (OSError, ValueError):
        return {}
    found: dict[str, Script] = {}
    for file in files:
        try:
            found |= _read(file, file.stat().st_mtime_ns)
        except (OSError, AndanteError):
            continue
    return found


@lru_cache(maxsize=64)
def _read(file: Path, changed: int) -> dict[str, Script]:
    text = COMMENTS.sub(" ", read_bytes(file, MAX_BYTES).decode("utf-8", errors="replace"))
    heads = list(HEAD.finditer(text))
    found: dict[str, Script] = {}
    for head, end in zip(heads, [*(h.start() for h in heads[1:]), len(text)], strict=True):
        body = text[head.end() : end]
        base = found.get((head[2] or "").strip('"'), Script())
        picture = re.search(r"\btexture[ \t]+(\"[^\"\n]+\"|\S+)", body)
        name = picture[1].strip('"') if picture else base.texture
        rgba = _color(body, "diffuse") or _color(body, "ambient") or base.rgba
        found[head[1].strip('"')] = Script(rgba, name, file.parent)
    return found


def _color(body: str, word: str) -> RGBA | None:
    """The numbers after a word: three, or four with opacity."""
    match = re.search(rf"\b{word}((?:[ \t]+[-+.\deE]+){{3,4}})", body)
    if match is None:
        return None
    try:
        values = [min(max(float(v), 0.0), 1.0) for v in match[1].split()]
    except ValueError:
        return None
    r, g, b, a = (*values, 1.0)[:4]
    return (r, g, b, a)
