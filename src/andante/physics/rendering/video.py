"""Pictures in a row: video files and film strips."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from andante.errors import BadInput, MissingExtra, MissingFile
from andante.extras import how_to_get

SUFFIXES = (".mp4", ".gif", ".webp")


class VideoWriter:
    """Writes pictures (height, width, 3) uint8 to .mp4 (H.264), .gif or .webp; the file appears when it is closed.

    As a context manager it leaves no file behind when the block fails.
    """

    def __init__(self, path: str | Path, fps: float, size: tuple[int, int]) -> None:
        self.path = Path(path)
        if self.path.suffix.casefold() not in SUFFIXES:
            raise BadInput(f"{self.path}: videos end in {', '.join(SUFFIXES)}")
        if not (math.isfinite(fps) and 0 < fps <= 1000):
            raise BadInput(f"frames per second must lie between 0 and 1000, got {fps}")
        if not self.path.parent.is_dir():
            raise MissingFile(f"{self.path}: the folder {self.path.parent} does not exist")
        self.size = size  # width, height
        self.fps = fps
        self.frames = 0
        self._partial = self.path.with_name(f".{self.path.stem}.{os.getpid()}.partial{self.path.suffix}")
        with self._told():
            mp4 = self.path.suffix.casefold() == ".mp4"
            self._sink: Any = _Mp4(self._partial, fps, size) if mp4 else _Animation(fps)
        self._open = True

    def add(self, picture: np.ndarray) -> None:
        """Append one picture."""
        width, height = self.size
        if picture.shape != (height, width, 3) or picture.dtype != np.uint8:
            raise BadInput(f"pictures of {width} x {height} uint8 are wanted, got {picture.shape} {picture.dtype}")
        if not self._open:
            raise BadInput(f"{self.path}: the video is closed")
        with self._told():
            self._sink.add(picture)
        self.frames += 1

    def close(self) -> None:
        """Finish the file and put it in its place at once."""
        if not self._open:
            return
        self._open = False
        if self.frames == 0:
            self._discard()
            raise BadInput(f"{self.path}: a video needs at least one picture")
        try:
            with self._told():
                self._sink.finish(self._partial)
                os.replace(self._partial, self.path)
        except BaseException:
            self._discard()
            raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the system refuses is told of the file that was asked for, not of the one beside it."""
        try:
            yield
        except OSError as error:
            raise BadInput(f"{self.path} cannot be written: {error.strerror or error}") from None

    def _discard(self) -> None:
        self._open = False
        with suppress(OSError, ValueError):  # it writes its end, for which there may be no room
            self._sink.cancel()
        with suppress(OSError):
            self._partial.unlink(missing_ok=True)

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self.close()
        elif self._open:
            self._discard()


class _Mp4:
    """H.264 with yuv420p, which every browser plays; odd edges are cut by one pixel."""

    def __init__(self, path: Path, fps: float, size: tuple[int, int]) -> None:
        try:
            import av
        except ImportError:
            told = f"an mp4 needs the package av: {how_to_get('pictures')}, or name the film FILE.gif"
            raise MissingExtra(told) from None
        self._av = av
        self._container = av.open(str(path), "w")
        self._stream: Any = self._container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1001))
        self._width, self._height = size[0] // 2 * 2, size[1] // 2 * 2
        if self._width == 0 or self._height == 0:
            raise BadInput(f"an mp4 needs pictures of at least 2 x 2 pixels, got {size}")
        self._stream.width, self._stream.height = self._width, self._height
        self._stream.pix_fmt = "yuv420p"
        self._stream.options = {"crf": "20", "preset": "veryfast"}

    def add(self, picture: np.ndarray) -> None:
        cut = np.ascontiguousarray(picture[: self._height, : self._width])
        for packet in self._stream.encode(self._av.VideoFrame.from_ndarray(cut, format="rgb24")):
            self._container.mux(packet)

    def finish(self, path: Path) -> None:
        for packet in self._stream.encode():
            self._container.mux(packet)
        self._container.close()

    def cancel(self) -> None:
        self._container.close()


class _Animation:
    """GIF or WebP by Pillow; the pictures are kept until the end."""

    def __init__(self, fps: float) -> None:
        self._duration = 1000 / fps
        self._pictures: list[Any] = []

    def add(self, picture: np.ndarray) -> None:
        from PIL import Image

        self._pictures.append(Image.fromarray(picture.copy()))

    def finish(self, path: Path) -> None:
        first, *rest = self._pictures
        ends = [round(self._duration * (k + 1)) for k in range(len(self._pictures))]
        durations = [b - a for a, b in zip([0, *ends], ends, strict=False)]
        extra: dict[str, Any] = {"quality": 80} if path.suffix.casefold() == ".webp" else {"optimize": True}
        first.save(path, save_all=True, append_images=rest, duration=durations, loop=0, **extra)

    def cancel(self) -> None:
        self._pictures.clear()


def film_strip(images: Sequence[np.ndarray], columns: int, gap: int = 4) -> np.ndarray:
    """Pictures of one size side by side in rows of `columns`, white between; (height, width, 3) uint8."""
    if not images or columns < 1:
        raise BadInput("a film strip needs at least one picture and one column")
    height, width = images[0].shape[:2]
    if any(image.shape != (height, width, 3) for image in images):
        raise BadInput("the pictures of a film strip must have one size")
    columns = min(columns, len(images))
    rows = -(-len(images) // columns)
    sheet = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap, 3), 255, dtype=np.uint8)
    for k, image in enumerate(images):
        top, left = k // columns * (height + gap), k % columns * (width + gap)
        sheet[top : top + height, left : left + width] = image
    return sheet
