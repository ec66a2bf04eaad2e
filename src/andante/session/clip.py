"""Short films of a live session: link poses are collected while it runs and drawn afterwards by another process."""

from __future__ import annotations

import pickle
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from andante.child import Child
from andante.geometry import Array
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer
from andante.physics.rendering.video import VideoWriter
from andante.simulation.simulation import Simulation
from andante.viz.film import view_of

FPS = 25.0
SIZE = (960, 540)  # [px]
LONGEST = 60.0  # [s]


class Clip:
    """Collects poses from now on; `done` once its time is over, `poll` tells how the drawing ended."""

    def __init__(self, sim: Simulation, path: Path, seconds: float) -> None:
        self.path, self._sim = path, sim
        self._count = max(1, round(seconds * FPS))
        self._start = sim.time
        self._camera: Camera = view_of(sim)
        self._origin = np.array(sim.base_pose[:3])
        self._frames: list[tuple[list[Array], Array]] = []
        self._child: Child | None = None
        self._job: Path | None = None
        self._failure = ""

    @property
    def collecting(self) -> bool:
        """Whether it still looks at the scene."""
        return self._child is None and not self._failure

    def look(self) -> None:
        """Take a frame if one is due; after the last one the drawing begins."""
        sim = self._sim
        if sim.time < self._start + len(self._frames) / FPS - 1e-9:
            return
        poses = [np.array(sim.engine.link_poses(i)) for i in range(len(sim.engine.models))]
        moved = np.array(sim.base_pose[:3]) - self._origin
        moved[2] = 0.0
        self._frames.append((poses, moved))
        if len(self._frames) >= self._count:
            self.draw()

    def draw(self) -> None:
        """Draw what was collected, in another process."""
        job = {
            "models": self._sim.engine.models, "world": self._sim.engine.world, "camera": self._camera,
            "frames": self._frames, "path": str(self.path),
        }  # fmt: skip
        self._frames = []
        try:
            with tempfile.NamedTemporaryFile("wb", suffix=".clip", delete=False) as file:
                self._job = Path(file.name)
                pickle.dump(job, file)
            self._child = Child("andante.session.clip", file.name)
        except OSError as error:  # a full disk, or a folder for such files that is gone
            self._failure = f"{error.strerror or error}"
            self.close()

    def poll(self) -> str | None:
        """None while it is being made, then a line on how it ended."""
        if self._failure:
            return f"clip {self.path.name} could not be drawn: {self._failure}"
        if self._child is None or self._child.alive:
            return None
        self.close()
        return f"clip {self.path.name} is ready" if self.path.exists() else f"clip {self.path.name} could not be drawn"

    def close(self) -> None:
        """Stop drawing; no file is left behind."""
        if self._child is not None:
            self._child.end()
        if self._job is not None:
            with suppress(OSError):
                self._job.unlink(missing_ok=True)
            self._job = None


def draw(job: dict[str, Any]) -> None:
    """Draw the frames of a job into its file."""
    camera = job["camera"]
    with Renderer(job["models"], job["world"], *SIZE) as renderer, VideoWriter(job["path"], FPS, SIZE) as video:
        for poses, moved in job["frames"]:
            video.add(renderer.render(poses, camera.tracking(np.asarray(camera.lookat) + moved)))


if __name__ == "__main__":
    draw(pickle.loads(Path(sys.argv[1]).read_bytes()))
