"""docs/pictures/andante.webp, the moving picture of the README: four robots at work, filmed by the commands themselves.

    python tools/moving_picture.py [FOLDER]

Each film is squeezed into the same few seconds and put into its quarter of the picture. Films are kept in the
folder where one is named, and those that are there already are taken as they are: filming takes minutes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import av
from PIL import Image

TARGET = Path(__file__).parents[1] / "docs" / "pictures" / "andante.webp"
FILMS = (
    ["walk", "nao", "--world", "lab", "--distance", "0.8", "--speed", "80"],
    ["walk", "shell", "--world", "arena", "--gait", "roll", "--distance", "1"],
    ["navigate", "rover", "--world", "lab", "--start", "-2 -1 0", "--goal", "1.5 -1 0"],
    ["play", "nao", "get-up"],
)
FRAMES, PERIOD = 64, 90  # pictures, and how long each is seen [ms]
WIDTH, HEIGHT = 320, 216  # of a quarter [pixels]


def main() -> None:
    """Film, squeeze, join and write."""
    with tempfile.TemporaryDirectory() as passing:
        folder = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path(passing)
        quarters = [_quarter(words, folder / f"{words[0]}-{words[1]}.mp4") for words in FILMS]
    joined = []
    for pictures in zip(*quarters, strict=True):
        whole = Image.new("RGB", (2 * WIDTH, 2 * HEIGHT))
        for i, picture in enumerate(pictures):
            whole.paste(picture, ((i % 2) * WIDTH, (i // 2) * HEIGHT))
        joined.append(whole)
    joined[0].save(TARGET, save_all=True, append_images=joined[1:], duration=PERIOD, loop=0, quality=42, method=6)
    sys.stdout.write(f"{TARGET.name}: {TARGET.stat().st_size / 1e3:.0f} kB\n")


def _quarter(words: list[str], film: Path) -> list[Image.Image]:
    """Evenly spaced pictures of the film that a command makes, cut to a quarter."""
    if not film.exists():
        command = [sys.executable, "-m", "andante", *words, "--video", str(film)]
        subprocess.run(command, check=True, cwd=film.parent, stdout=subprocess.DEVNULL)
    with av.open(str(film)) as video:
        pictures = [frame.to_image() for frame in video.decode(video=0)]
    return [_cut(pictures[round(i * (len(pictures) - 1) / (FRAMES - 1))]) for i in range(FRAMES)]


def _cut(picture: Image.Image) -> Image.Image:
    """The middle of a picture in the shape of a quarter."""
    width, height = picture.size
    wanted = min(width, height * WIDTH // HEIGHT), min(height, width * HEIGHT // WIDTH)
    left, top = (width - wanted[0]) // 2, (height - wanted[1]) // 2
    box = (left, top, left + wanted[0], top + wanted[1])
    return picture.crop(box).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
