"""`StepPlan`: footsteps that a walk is given instead of a velocity, and what they ask of the pendulum.

Poses are told in the frame of the walk's own odometry. Each step is seen anew from where the standing foot is believed
to be, so that what one step missed is made good by the next ones, within what a step can do.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput

from .footsteps import LEFT, PREVIEW, RIGHT, Step, first_offset, next_step, seen_from, steady_offset

FEET = ("left", "right")


@dataclass(frozen=True)
class PlannedStep:
    """A foot that is to be put down: x, y [m] and yaw [rad] of its sole in the frame of the walk's odometry."""

    foot: str  # left or right
    x: float
    y: float
    yaw: float

    def __post_init__(self) -> None:
        if self.foot not in FEET:
            raise BadInput(f"the foot of a step is one of {', '.join(FEET)}, got {self.foot!r}")
        if not all(math.isfinite(value) for value in (self.x, self.y, self.yaw)):
            raise BadInput(f"a footstep needs finite numbers, got {self.x}, {self.y}, {self.yaw}")

    @property
    def side(self) -> int:
        """LEFT or RIGHT."""
        return FEET.index(self.foot)


@dataclass(frozen=True)
class StepLimits:
    """What a step can do, seen from the standing foot."""

    back: float  # [m]
    ahead: float
    narrowest: float  # between the feet [m]
    widest: float
    turn: float  # [rad]

    def cut(self, step: Step, stance: int) -> Step:
        """The step itself, or what of it can be made."""
        side = -1.0 if stance == LEFT else 1.0
        x = max(-self.back, min(self.ahead, step[0]))
        y = side * max(self.narrowest, min(self.widest, side * step[1]))
        return x, y, max(-self.turn, min(self.turn, step[2]))


class StepPlan:
    """Steps that are left to make, the next one first."""

    def __init__(self, steps: Iterable[PlannedStep], width: float, limits: StepLimits) -> None:
        self.steps = deque(steps)
        self._width, self._limits = width, limits
        for a, b in zip(self.steps, list(self.steps)[1:], strict=False):
            if a.foot == b.foot:
                raise BadInput(f"the steps of a plan take turns, got {a.foot} twice")

    def __bool__(self) -> bool:
        return bool(self.steps)

    def landed(self, stance: int) -> None:
        """The foot that stands now has come down."""
        if self.steps and self.steps[0].side == stance:
            self.steps.popleft()

    def coming(self, foot: Step, stance: int, count: int) -> list[Step]:
        """The next steps, each seen from the one before; `foot`: pose of the standing one [m, m, rad].

        Where the foot that is free is not the plan's next one (a push has made it step), it is put down beside the
        standing one first. After the last step both stand.
        """
        found: list[Step] = []
        left = list(self.steps)
        for _ in range(count):
            if not left or left[0].side == stance:
                step = next_step((0.0, 0.0, 0.0), stance, self._width, 1.0)
            else:
                goal = left.pop(0)
                x, y = seen_from(foot, goal.x, goal.y)
                turn = (goal.yaw - foot[2] + math.pi) % (2.0 * math.pi) - math.pi
                step = self._limits.cut((x, y, turn), stance)
            c, s = math.cos(foot[2]), math.sin(foot[2])
            foot = (foot[0] + c * step[0] - s * step[1], foot[1] + s * step[0] + c * step[1], foot[2] + step[2])
            stance = RIGHT if stance == LEFT else LEFT
            found.append(step)
        return found

    def velocity(self, step: Step, stance: int, time: float) -> tuple[float, float, float]:
        """vx, vy [m/s], wz [rad/s] at which a walk would make such a step in a time [s]."""
        side = -1.0 if stance == LEFT else 1.0
        return step[0] / time, 0.5 * (step[1] - side * self._width) / time, 0.5 * step[2] / time

    def offset(self, steps: list[Step], stance: int, growth: float, fraction: float) -> tuple[Step, float, float]:
        """The first of PREVIEW + 1 steps, and where the divergent component has to be when it ends, in its axes.

        As `coming_offset` of a walk at a velocity, with a stand after the steps.
        """
        first = steps[0]
        c, s = math.cos(first[2]), math.sin(first[2])
        before = (-(c * first[0] + s * first[1]), -(c * first[1] - s * first[0]))
        bx, by = first_offset(
            np.array(steps[1:]), before, self._stand((stance + len(steps)) % 2, growth), growth, fraction
        )
        return first, c * bx - s * by, s * bx + c * by

    def start(self, steps: list[Step], stance: int, growth: float) -> tuple[float, float]:
        """Where the divergent component has to be, from the standing foot, when the other one leaves the ground [m]."""
        return first_offset(np.array(steps), (0.0, 0.0), self._stand((stance + len(steps)) % 2, growth), growth, 0.0)

    def _stand(self, stance: int, growth: float) -> tuple[float, float]:
        return steady_offset((0.0, 0.0, 0.0), stance, self._width, 1.0, growth)


AHEAD = PREVIEW + 1  # steps that are looked at
