"""Map files as ROS map_server writes them: a yaml file beside a pgm (plain, raw, gzipped) or png picture."""

from __future__ import annotations

import gzip
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.description.io.xmltree import gunzip, read_bytes
from andante.errors import BadInput, MissingFile
from andante.files import write_all
from andante.mapping.grid import FREE_PERCENT, MOST_CELLS, OCCUPIED_PERCENT, UNKNOWN, OccupancyGrid
from andante.parsing import parse_yaml

MODES = ("trinary", "scale", "raw")
MAX_BYTES = 256 * 1024 * 1024
MAX_YAML = 1024 * 1024
PICTURES = (".pgm", ".pgm.gz", ".png")
_PGM_HEADER = re.compile(rb"P[25]" + 3 * rb"(?:\s|#[^\n]*(?:\n|\Z))*(\d{1,9})(?!\d)")
OCCUPIED_GRAY, UNKNOWN_GRAY, FREE_GRAY = 0, 205, 254  # what map savers write in trinary mode


@dataclass(frozen=True)
class MapFile:
    """Contents of the yaml file of a map."""

    image: Path
    resolution: float  # [m]
    origin: tuple[float, float, float]  # x, y, yaw [m, m, rad]
    negate: bool = False  # dark is free
    occupied: float = 0.65  # occupied_thresh
    free: float = 0.196  # free_thresh
    mode: str = "trinary"


def load_map(path: Path | str) -> OccupancyGrid:
    """The map that a yaml file describes; cells as map_server would publish them. MAP stands for MAP.yaml too."""
    path = Path(path)
    beside = path.with_name(f"{path.name}.yaml")
    described = read_map_yaml(beside if not path.exists() and beside.is_file() else path)
    gray, opaque = _picture(described.image)
    return OccupancyGrid(described.resolution, described.origin, _cells(gray, opaque, described)[::-1])


def save_map(grid: OccupancyGrid, path: Path | str, *, mode: str = "trinary", picture: str = ".pgm") -> list[Path]:
    """Write PATH.yaml and its picture, both or none; return their paths. Mode and picture as in `encode_map`."""
    files = encode_map(grid, Path(path), mode=mode, picture=picture)
    write_all(files)
    return [made for _, made in files]


def encode_map(
    grid: OccupancyGrid, path: Path, *, mode: str = "trinary", picture: str = ".pgm"
) -> list[tuple[bytes, Path]]:
    """Contents and names of the picture and of PATH.yaml.

    mode trinary keeps free, occupied and unknown (by the usual thresholds); scale keeps percentages and writes unknown
    as transparent (png) or as middle gray (pgm, where it is lost); raw keeps -1 and 0 to 100 exactly, as pixels 255
    and 0 to 100. picture: .pgm, .pgm.gz or .png.
    """
    if mode not in MODES:
        raise BadInput(f"map mode {mode!r} is unknown; modes: {', '.join(MODES)}")
    if picture not in PICTURES:
        raise BadInput(f"map pictures are written as {', '.join(PICTURES)}, not {picture!r}")
    base = map_base(path)
    pixels = _pixels(grid, mode)[::-1]
    data = _png(pixels, grid, mode) if picture == ".png" else encode_pgm(pixels, zipped=picture.endswith(".gz"))
    text = _yaml_text(grid, f"{base.name}{picture}", mode)
    return [(data, base.with_name(base.name + picture)), (text.encode(), base.with_name(base.name + ".yaml"))]


def map_base(path: Path) -> Path:
    """MAP of MAP.yaml, MAP.yml, MAP.pgm or MAP itself."""
    for suffix in (".yaml", ".yml", *sorted(PICTURES, key=len, reverse=True)):
        if path.name.lower().endswith(suffix) and len(path.name) > len(suffix):
            return path.with_name(path.name[: -len(suffix)])
    return path


def read_map_yaml(path: Path) -> MapFile:
    """The entries of a map's yaml file, checked."""
    if not path.is_file():
        raise MissingFile(f"{path}: no such map file; give the .yaml file of a map")
    raw = read_bytes(path, MAX_YAML)
    try:
        data = parse_yaml(raw)
    except ValueError as error:
        raise BadInput(f"{path}: is no yaml file ({' '.join(str(error).split())[:160]})") from None
    if not isinstance(data, dict):
        raise BadInput(f"{path}: a map file has lines like 'image: map.pgm' and 'resolution: 0.05'")
    for name in ("image", "resolution", "origin"):
        if name not in data:
            raise BadInput(f"{path}: the entry {name!r} is missing")
    if not isinstance(data["image"], str) or not data["image"]:
        raise BadInput(f"{path}: image must be the name of a picture, got {data['image']!r}")
    origin = data["origin"]
    if not isinstance(origin, list) or len(origin) not in (2, 3):
        raise BadInput(f"{path}: origin must be [x, y, yaw], got {origin!r}")
    places = [_number(path, "origin", value) for value in origin]
    resolution = _number(path, "resolution", data["resolution"])
    if not 0 < resolution < 1e6:
        raise BadInput(f"{path}: resolution must be a positive number of meters, got {resolution}")
    mode = str(data.get("mode", "trinary")).lower()
    if mode not in MODES:
        raise BadInput(f"{path}: mode {data['mode']!r} is unknown; modes: {', '.join(MODES)}")
    low = _number(path, "free_thresh", data.get("free_thresh", 0.196))
    high = _number(path, "occupied_thresh", data.get("occupied_thresh", 0.65))
    if not 0 <= low < high <= 1:
        raise BadInput(f"{path}: needs 0 <= free_thresh < occupied_thresh <= 1, got {low} and {high}")
    negate = bool(_number(path, "negate", data.get("negate", 0)))
    x, y, yaw = (*places, 0.0)[:3]
    return MapFile(_find(path, data["image"]), resolution, (x, y, yaw), negate, high, low, mode)


def _find(path: Path, name: str) -> Path:
    """The picture, absolute or beside the yaml file, gzipped where only that exists."""
    try:
        image = path.parent / Path(name).expanduser()
        for candidate in (image, image.with_name(image.name + ".gz")):
            if candidate.is_file():
                return candidate
    except (OSError, ValueError, RuntimeError):
        pass
    raise MissingFile(f"{path}: picture {name!r} was not found beside it")


def _number(path: Path, name: str, value: Any) -> float:
    try:
        number = float(value)
        if isinstance(value, str | int | float | bool) and math.isfinite(number):
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise BadInput(f"{path}: {name} must be a finite number, got {value!r}")


def _picture(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
    """Gray values (rows, cols), top row first, and opacity where the picture has it."""
    data = read_bytes(path, MAX_BYTES)
    if path.name.lower().endswith(".gz"):
        data = gunzip(data, str(path), MAX_BYTES)
    if data[:2] in (b"P2", b"P5"):
        return decode_pgm(data, path), None
    return _pillow(data, path)


def _pillow(data: bytes, path: Path) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
    import io

    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "BMP", "PPM", "TIFF", "JPEG")) as image:
            if image.width * image.height > MOST_CELLS:
                raise BadInput(f"{path}: {image.width} x {image.height} pixels are more than {MOST_CELLS}")
            if image.mode in ("I", "I;16", "F"):
                values = np.asarray(image, dtype=float)
                return np.clip(values / 257.0, 0, 255).astype(np.uint8), None
            clear = "A" in image.getbands() or "transparency" in image.info
            pixels = np.asarray(image.convert("RGBA"))
    except BadInput:
        raise
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError, EOFError) as error:
        told = "" if isinstance(error, UnidentifiedImageError) else f", {' '.join(str(error).split())}"
        raise BadInput(f"{path}: is no picture that can be read (pgm or png){told}") from None
    gray = np.rint(pixels[..., :3].mean(axis=-1)).astype(np.uint8)
    return gray, pixels[..., 3] if clear else None


def _cells(gray: NDArray[np.uint8], opaque: NDArray[np.uint8] | None, told: MapFile) -> NDArray[np.int8]:
    """Percentages of a picture after map_server: p = (255 - gray) / 255, or gray / 255 when negated.

    Savers write unknown cells as gray 205, p = 0.196, and some beside it a free_thresh of 0.25, by which such cells
    would read as free. So in a trinary picture of nothing but savers' grays, 205 is unknown whatever the threshold.
    """
    if told.mode == "raw":
        return np.where(gray <= 100, gray, UNKNOWN).astype(np.int8)
    dark = gray / 255.0 if told.negate else (255 - gray.astype(float)) / 255.0
    full, empty = dark >= told.occupied, dark <= told.free
    if told.mode == "trinary":
        between = np.full(gray.shape, float(UNKNOWN))
        if not told.negate and np.isin(gray, (OCCUPIED_GRAY, UNKNOWN_GRAY, FREE_GRAY)).all():
            empty &= gray != UNKNOWN_GRAY
            full &= gray != UNKNOWN_GRAY
    else:
        between = np.rint(100 * (dark - told.free) / (told.occupied - told.free))
    cells = np.where(full, 100.0, np.where(empty, 0.0, between))
    if opaque is not None:
        cells = np.where(opaque < 255, UNKNOWN, cells) if told.mode == "scale" else cells
    return cells.astype(np.int8)


def _pixels(grid: OccupancyGrid, mode: str) -> NDArray[np.uint8]:
    """Gray values (rows, cols), row 0 at the bottom."""
    if mode == "raw":
        return grid.cells.astype(np.uint8)  # -1 becomes 255
    value = np.arange(-1, 101)
    if mode == "trinary":
        gray = np.where(value <= FREE_PERCENT, FREE_GRAY, UNKNOWN_GRAY)
        gray = np.where(value >= OCCUPIED_PERCENT, OCCUPIED_GRAY, np.where(value < 0, UNKNOWN_GRAY, gray))
    else:
        gray = np.where(value < 0, 128, np.rint(255 - 2.55 * value))
    return np.asarray(gray.astype(np.uint8)[grid.cells + np.int8(1)])


def _png(pixels: NDArray[np.uint8], grid: OccupancyGrid, mode: str) -> bytes:
    import io

    from PIL import Image

    out = io.BytesIO()
    if mode == "scale":
        opaque = np.where(grid.cells < 0, 0, 255).astype(np.uint8)[::-1]
        Image.fromarray(np.stack([pixels, opaque], axis=-1), mode="LA").save(out, "PNG")
    else:
        Image.fromarray(np.ascontiguousarray(pixels)).save(out, "PNG")
    return out.getvalue()


def _yaml_text(grid: OccupancyGrid, image: str, mode: str) -> str:
    import json

    x, y, yaw = grid.origin
    low, high = (0.0, 1.0) if mode == "scale" else (0.196, 0.65)
    return (
        f"image: {json.dumps(image)}\nmode: {mode}\nresolution: {grid.resolution!r}\n"
        f"origin: [{x!r}, {y!r}, {yaw!r}]\nnegate: 0\noccupied_thresh: {high}\nfree_thresh: {low}\n"
    )


def decode_pgm(data: bytes, path: Path) -> NDArray[np.uint8]:
    """Gray values (rows, cols) 0 to 255, top row first; deeper pictures are scaled down."""
    kind = data[:2]
    if kind not in (b"P2", b"P5"):
        raise BadInput(f"{path}: is no pgm picture (it should begin with P2 or P5)")
    numbers, at = _header(data, path)
    width, height, most = numbers
    if not (width > 0 and height > 0 and width * height <= MOST_CELLS):
        raise BadInput(f"{path}: a pgm of {width} x {height} pixels is empty or larger than {MOST_CELLS} pixels")
    if not 0 < most < 65536:
        raise BadInput(f"{path}: greatest gray value must be 1 to 65535, got {most}")
    count = width * height
    if kind == b"P5":
        depth = np.dtype(np.uint8 if most < 256 else ">u2")
        whole = max(0, len(data) - at) // depth.itemsize
        values = np.frombuffer(data, dtype=depth, offset=min(at, len(data)), count=min(count, whole))
    else:
        values = _text_values(data[at:], path, count)
    if len(values) < count:
        raise BadInput(f"{path}: the picture ends early, {len(values)} of {count} pixels")
    if most == 255:
        return np.asarray(values, dtype=np.uint8).reshape(height, width)
    scaled = np.minimum(np.asarray(values, dtype=float) * 255.0 / most, 255.0)
    return np.rint(scaled).astype(np.uint8).reshape(height, width)


def encode_pgm(pixels: NDArray[np.uint8], zipped: bool = False) -> bytes:
    """A P5 file of gray values (rows, cols), top row first; gzipped on demand."""
    height, width = pixels.shape
    data = b"P5\n%d %d\n255\n" % (width, height) + np.ascontiguousarray(pixels, dtype=np.uint8).tobytes()
    return gzip.compress(data, mtime=0) if zipped else data


def _header(data: bytes, path: Path) -> tuple[tuple[int, int, int], int]:
    """Width, height, greatest value, and where the pixels begin; comments run from # to the end of the line."""
    found = _PGM_HEADER.match(data)
    if found is None:
        raise BadInput(f"{path}: the pgm header needs width, height and greatest gray value")
    width, height, most = (int(word) for word in found.groups())
    return (width, height, most), found.end() + 1


def _text_values(body: bytes, path: Path, count: int) -> NDArray[np.int64]:
    lines = body.split(b"\n") if b"#" in body else [body]
    words = b" ".join(line.split(b"#")[0] for line in lines).split()
    try:
        values = np.array(words[:count], dtype=np.int64)
    except (ValueError, OverflowError):
        raise BadInput(f"{path}: a P2 picture holds numbers only") from None
    if len(values) and values.min() < 0:
        raise BadInput(f"{path}: a gray value is negative")
    return values
