"""`StepSet`: the steps that a robot on two legs can make, from its own walk."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

if TYPE_CHECKING:
    from andante.locomotion.biped.walk import BipedWalk

RASTER = (
    (1.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.0, 0.0, 0.0), (-0.5, 0.0, 0.0), (-1.0, 0.0, 0.0),
    (1.0, 0.0, 0.5), (1.0, 0.0, -0.5), (0.5, 0.0, 1.0), (0.5, 0.0, -1.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0),
    (0.0, 0.5, 0.0), (0.0, 1.0, 0.0), (0.5, 0.5, 0.0), (-0.5, 0.5, 0.0), (0.0, 0.5, 0.5), (1.0, 0.5, 0.0),
    (0.0, 0.0, 0.5), (0.0, 0.0, -0.5),
)  # fmt: skip  # ahead, outward and turned, in parts of what the walk can do
TRUSTED = 0.9  # of what the walk can do: a plan leaves room to correct steps


@dataclass(frozen=True)
class StepSet:
    """Steps of the left foot seen from the right one, x, y [m] and yaw [rad]; those of the right foot are mirrored."""

    steps: Array  # (n, 3)
    width: float  # between the feet of a stand [m]
    sole: tuple[float, float, float, float]  # heel, toe, right and left bound of the left sole in its frame [m]
    max_up: float = 0.02  # highest step up [m]
    max_down: float = 0.02
    max_tilt: float = math.radians(8.0)  # of the ground under a sole [rad]
    body: float = 0.12  # radius of the body around the middle of the feet [m]

    def __post_init__(self) -> None:
        if self.steps.ndim != 2 or self.steps.shape[1] != 3 or not len(self.steps):
            raise BadInput(f"steps are rows of x, y and yaw, got shape {self.steps.shape}")
        heel, toe, right, left = self.sole
        if not (heel < toe and right < left):
            raise BadInput(f"a sole goes from heel to toe and from right to left, got {self.sole}")

    @property
    def longest(self) -> float:
        """Farthest way of the body in one step [m]."""
        return float(np.hypot(self.steps[:, 0], self.steps[:, 1] - self.width).max())

    @property
    def sharpest(self) -> float:
        """Largest turn in one step [rad]."""
        return float(np.abs(self.steps[:, 2]).max())

    @property
    def limits(self) -> Array:
        """Farthest step back, ahead, inward, outward [m] and turn [rad], (5,)."""
        x, y = self.steps[:, 0], self.steps[:, 1] - self.width
        least = 1e-3
        ends = (-x.min(), x.max(), max(-y.min(), 0.01), y.max(), self.sharpest)
        found: Array = np.maximum(np.array(ends), least)
        return found

    @classmethod
    def of_walk(cls, walk: BipedWalk, *, trusted: float = TRUSTED) -> StepSet:
        """The steps of a walk: velocities on a raster of its command set, each for the time of one step."""
        m = walk.measures
        found = {(0.0, m.width, 0.0)}
        for stride, side, turn in RASTER:
            asked = (trusted * stride * m.max_speed, trusted * side * m.max_side, trusted * turn * m.max_turn)
            vx, vy, wz = walk.commands.shaped(asked) if walk.commands is not None else asked
            step = (vx * m.step_time, m.width + vy * m.step_time, wz * m.step_time)
            found.add((round(step[0], 4), round(step[1], 4), round(step[2], 4)))
        heel, toe, right, left = walk.body.soles[0].box
        arms = max((abs(float(each)) for each in walk.body.soles[0].outline[:, 1]), default=0.0)
        return cls(np.array(sorted(found)), m.width, (heel, toe, right, left), body=0.5 * m.width + arms + 0.04)
