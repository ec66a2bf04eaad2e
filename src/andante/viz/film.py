"""Pictures and films of a running simulation, by the one renderer, whichever engine runs."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from andante.description.solids import robot_bounds
from andante.errors import BadInput
from andante.files import PICTURES, whole_file
from andante.geometry import SE3
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer
from andante.physics.rendering.video import VideoWriter
from andante.simulation.simulation import Simulation

FINE_SHADOWS = 4096  # side of the shadow map of a single picture [texels]; in films it would cost a third of the time
STEADY = 0.06  # rise of the root that the camera does not follow: the bobbing of a walk [m]


def view_of(sim: Simulation, aspect: float = 16 / 9, margin: float = 1.25) -> Camera:
    """A camera that shows the whole robot from ahead and a little to its left.

    aspect: width over height of the picture. margin: how large it is beside the box around the robot.
    """
    q = dict(zip(sim.robot.joint_names, sim.joints.position, strict=True))
    box = robot_bounds(sim.robot, q, SE3.from_vector(sim.base_pose))
    low, high = box if box is not None else (sim.base_pose[:3] - 0.3, sim.base_pose[:3] + 0.3)
    corners = [np.where(pick, high, low) for pick in product((False, True), repeat=3)]
    return Camera.framing(corners, aspect=aspect, margin=margin)


def take_picture(sim: Simulation, width: int = 1280, height: int = 720, camera: Camera | None = None) -> np.ndarray:
    """The scene as it is now, (height, width, 3) uint8."""
    with Renderer(sim.engine.models, sim.engine.world, width, height, FINE_SHADOWS) as renderer:
        return renderer.render(
            [sim.engine.link_poses(i) for i in range(len(sim.engine.models))], camera or view_of(sim)
        )


def save_picture(sim: Simulation, path: Path, width: int = 1280, height: int = 720) -> None:
    """Write the scene as it is now to a .png or .jpg file."""
    from PIL import Image

    if path.suffix.lower() not in PICTURES:
        raise BadInput(f"{path}: pictures are written as {', '.join(PICTURES)}")
    picture = Image.fromarray(take_picture(sim, width, height))
    with whole_file(path) as partial:
        picture.save(partial)


class Film:
    """An observer that films at a rate of simulated time; the camera follows the robot's root."""

    def __init__(self, sim: Simulation, path: Path, fps: float = 30.0, width: int = 960, height: int = 540) -> None:
        self._renderer = Renderer(sim.engine.models, sim.engine.world, width, height)
        self._writer = VideoWriter(path, fps, (width, height))
        self._camera, self._start = view_of(sim), sim.base_pose[:3].copy()
        self._fps, self._frames = fps, 0
        self.update(sim)

    @property
    def next_time(self) -> float:
        """When the next frame is due [s]."""
        return self._frames / self._fps

    def update(self, sim: Simulation) -> None:
        """Add a frame."""
        moved = sim.base_pose[:3] - self._start
        moved[2] = max(0.0, moved[2] - STEADY)  # a robot that falls falls in the picture; one that gets up stays in it
        camera = self._camera.tracking(np.asarray(self._camera.lookat) + moved)
        self._writer.add(self._renderer.shoot(sim.engine, camera))
        self._frames += 1

    def __enter__(self) -> Film:
        return self

    def __exit__(self, *error: Any) -> None:
        self._renderer.close()
        self._writer.__exit__(*error)
