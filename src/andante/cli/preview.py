"""A picture in the terminal, two pixels per character."""

from __future__ import annotations

from pathlib import Path

from .output import console


def show_picture(path: Path, columns: int = 72) -> None:
    """Print an image with half blocks in true color."""
    from PIL import Image
    from rich.color import Color
    from rich.segment import Segment, Segments
    from rich.style import Style

    with Image.open(path) as opened:
        width = min(columns, console().width)
        height = max(2, round(opened.height * width / opened.width) // 2 * 2)
        small = opened.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
    segments = []
    for y in range(0, height, 2):
        for x in range(width):
            top, bottom = small.getpixel((x, y)), small.getpixel((x, y + 1))
            style = Style(color=Color.from_rgb(*top), bgcolor=Color.from_rgb(*bottom))  # type: ignore[misc]
            segments.append(Segment("▀", style))
        segments.append(Segment.line())
    console().print(Segments(segments))
