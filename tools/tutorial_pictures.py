"""Pictures of the tutorials of student and teacher, from a walk of them: python tools/tutorial_pictures.py WALK [OUT].

WALK is the folder in which `python benchmarks/walk_tutorials.py docs/tutorial_student.md docs/tutorial_teacher.md
--keep WALK` left its files. The figure of the notebook comes from running its cells.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
WIDEST = 1100  # [px]
FRAMES = 4  # of a strip


def main(walk: Path, out: Path) -> None:
    """Write docs/pictures/tutorial_*.webp."""
    otter, lesson = walk / "tutorial_student" / "otter", walk / "tutorial_teacher" / "class"
    stand = Image.open(otter / "stand.png").convert("RGB")
    save(stand.crop((240, 100, 1100, 680)), out / "tutorial_otter.webp")
    save(strip(otter / "walk.mp4"), out / "tutorial_otter_walk.webp")
    for file, name in (
        (otter / "walk.png", "otter_plot"),
        (lesson / "lab.png", "lab"),
        (lesson / "way.png", "way"),
    ):
        save(Image.open(file).convert("RGB"), out / f"tutorial_{name}.webp")
    save(notebook_figure(), out / "tutorial_square.webp")


def save(picture: Image.Image, file: Path) -> None:
    """Write a picture as WebP, at most `WIDEST` pixels wide."""
    if picture.width > WIDEST:
        picture = picture.resize((WIDEST, round(picture.height * WIDEST / picture.width)), Image.Resampling.LANCZOS)
    picture.save(file, quality=82, method=6)
    print(f"wrote {file} ({file.stat().st_size / 1000:.0f} kB)")


def strip(film: Path) -> Image.Image:
    """Instants of a film side by side, evenly spaced."""
    import av

    with av.open(str(film)) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    chosen = [frames[round(k)] for k in np.linspace(0.1, 0.8, FRAMES) * (len(frames) - 1)]
    height, width = chosen[0].shape[:2]
    left = (width - height) // 2
    return Image.fromarray(np.hstack([frame[:, left : left + height] for frame in chosen]))


def notebook_figure() -> Image.Image:
    """The last figure of the notebook on wheel kinematics."""
    cells = json.loads((ROOT / "docs" / "notebooks" / "wheel_kinematics.ipynb").read_text())["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            lines = [line for line in cell["source"] if not line.startswith("%")]
            exec(compile("".join(lines), "wheel_kinematics.ipynb", "exec"), names)
    figure = names["figure"]
    assert isinstance(figure, Figure)
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=130)
    return Image.open(drawn).convert("RGB")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "pictures")
