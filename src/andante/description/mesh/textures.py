"""Pictures that lie on surfaces: found beside the mesh that names them, read within limits, kept small.

A picture is decoded only when something is drawn. Nothing is fetched, and only formats that hold plain pixels are
opened (no PostScript, no vector graphics).
"""

from __future__ import annotations

import hashlib
import io
import secrets
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from andante.description.shapes import RGBA

MAX_BYTES = 64 * 1024 * 1024
MAX_PIXELS = 8192 * 8192
EDGE = 1024  # larger pictures are made smaller [pixels]
FORMATS = ("PNG", "JPEG", "BMP", "TGA", "GIF", "TIFF", "WEBP", "PPM", "DDS")
SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tga", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm", ".dds")
# where a model keeps its pictures, seen from the folder of its meshes; Gazebo's places among them
FOLDERS = (
    *("", "textures", "materials/textures", "../textures", "../materials/textures", "../materials"),
    *("../../materials/textures", "../../textures", "../texture", "../images"),
)
MARK = secrets.token_hex(8)  # key of a stand-in's text, which no file can know


@dataclass(frozen=True, eq=False)
class Texture:
    """A picture for a surface: pixels (height, width, 4) uint8, row 0 at the top; equal keys are equal pictures."""

    key: str
    pixels: np.ndarray

    @cached_property
    def mean(self) -> RGBA:
        """Average color, weighted by how opaque the pixels are."""
        values = self.pixels.reshape(-1, 4).astype(float) / 255
        weight = values[:, 3:] + 1e-9
        r, g, b = (float(v) for v in (values[:, :3] * weight).sum(axis=0) / weight.sum())
        return (r, g, b, float(values[:, 3].mean()))

    @property
    def transparent(self) -> bool:
        """Whether some of it can be seen through."""
        return bool((self.pixels[..., 3] < 250).any())

    def at(self, uv: np.ndarray) -> np.ndarray:
        """Colors (..., 4) uint8 at coordinates (..., 2), u to the right and v upwards from the lower left corner."""
        height, width = self.pixels.shape[:2]
        column = np.floor(uv[..., 0] * width).astype(int) % width
        row = np.floor((1.0 - uv[..., 1]) * height).astype(int) % height
        return np.asarray(self.pixels[row, column])

    def encoded(self) -> bytes:
        """The picture as a file: JPEG, or PNG where it can be seen through or is small."""
        from PIL import Image

        out = io.BytesIO()
        if self.transparent or self.pixels.size < 4 * 64 * 64:
            Image.fromarray(self.pixels, "RGBA").save(out, "PNG")
        else:
            Image.fromarray(np.ascontiguousarray(self.pixels[..., :3]), "RGB").save(out, "JPEG", quality=88)
        return out.getvalue()


def load_texture(path: Path) -> Texture | None:
    """The picture in a file; None where there is none that can be read."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return None
    return _load(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _load(path: Path, changed: int, size: int) -> Texture | None:
    from PIL import Image

    if size > MAX_BYTES or path.suffix.lower() not in SUFFIXES:
        return None
    try:
        with Image.open(path, formats=FORMATS) as image:
            return decoded(image, f"{path}:{changed}:{size}")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def decoded(image: Any, key: str = "") -> Texture | None:
    """An opened picture in the form that is drawn; None where it breaks the limits or its data are broken."""
    from PIL import Image

    try:
        if image.format not in FORMATS or image.width * image.height > MAX_PIXELS or min(image.size) < 1:
            return None
        if max(image.size) > EDGE:
            image.draft("RGB", (EDGE, EDGE))  # JPEG is decoded at a fraction of its size
        plain = image.convert("RGBA")
        plain.thumbnail((EDGE, EDGE))
    except (OSError, ValueError, SyntaxError, MemoryError, Image.DecompressionBombError):
        return None
    pixels = np.array(plain, dtype=np.uint8)
    pixels.setflags(write=False)
    return Texture(key or hashlib.sha256(pixels.tobytes()).hexdigest(), pixels)


def find_texture(mesh: Path, name: str) -> Path | None:
    """The picture that a mesh file names: along its path, or by its name in the usual folders of the model."""
    text = name.strip().strip('"').replace("\\", "/").replace("%20", " ")
    text = text.removeprefix("file://")
    plain = PurePosixPath(text)
    if not plain.name or "\0" in text or "://" in text or plain.suffix.lower() not in SUFFIXES or len(text) > 500:
        return None
    places = [mesh.parent / folder / plain.name for folder in FOLDERS]
    if not plain.is_absolute() and text[1:2] != ":" and plain.parts.count("..") <= 2:
        places.insert(0, mesh.parent / text)
    try:
        return next((place for place in places if place.is_file()), None)
    except (OSError, ValueError):
        return None


def stand_in(path: Path) -> bytes:
    """A picture of one pixel that carries the path of another: what a mesh library is given to hold."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    text, out = PngInfo(), io.BytesIO()
    text.add_itxt(MARK, str(path))
    Image.new("RGB", (1, 1)).save(out, "PNG", pnginfo=text)
    return out.getvalue()


def meant_by(image: Any) -> Path | Any:
    """The path that a stand-in carries, or the picture itself where a mesh file holds it."""
    told = getattr(image, "info", {}).get(MARK)
    return Path(told) if told else image
