"""What a live session shows: robot, world, engine and how they start. A change of it builds the scene anew."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from andante.description import Placement, Robot, World
from andante.errors import BadInput

CONTROL_TIME = 0.01  # between two control steps [s]


@dataclass(frozen=True)
class SceneChoice:
    """Names, files or the things themselves."""

    robot: Robot | str | Path = "nao"
    world: World | str | Path = "empty"
    engine: str = "mujoco"
    arguments: Mapping[str, str] = field(default_factory=dict)  # name:=value of the robot's file
    gait: str = ""  # empty: the robot's usual way to drive
    pose: str | None = None  # first pose; None: the one in which its gait begins
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)  # x, y [m], yaw of straight ahead [rad]
    drop: float = 0.0  # over the ground [m]
    seed: int = 0
    dt: float = 0.002  # physics step [s]
    others: tuple[Placement, ...] = ()  # more models

    def __post_init__(self) -> None:
        if len(self.start) != 3 or not all(math.isfinite(v) and abs(v) < 1e4 for v in self.start):
            raise BadInput(f"start must be x, y in m and yaw in rad, got {self.start}")
        steps = CONTROL_TIME / self.dt if self.dt > 0 else 0.0
        if steps < 1 or abs(steps - round(steps)) > 1e-6:
            raise BadInput(f"dt must divide the control time of {CONTROL_TIME:g} s, like 0.002, got {self.dt:g}")

    @property
    def robot_name(self) -> str:
        """How the robot was named."""
        return self.robot.name if isinstance(self.robot, Robot) else str(self.robot)

    @property
    def world_name(self) -> str:
        """How the world was named."""
        return self.world.name if isinstance(self.world, World) else str(self.world)
