"""Following a route of via-points with smooth, synchronised joint motion that waits for the joints to arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

from .fold_route import FoldMap, Via


class Progress(Enum):
    """How a motion stands."""

    MOVING = "moving"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class FoldSettings:
    """Speed and patience of folding."""

    speed_share: float = 0.6  # of the joints' velocity limits
    shortest: float = 0.25  # time of a stretch [s]
    arrived: float = 0.08  # error of every joint at which a via-point is reached [rad]
    lag: float = 0.35  # error at which the reference waits [rad]
    patience: float = 1.0  # time without arriving before a stretch counts as stalled [s]
    retries: int = 1  # a stalled stretch starts again from where the joints are, at half the speed


def smooth_step(share: float) -> float:
    """10 s^3 - 15 s^4 + 6 s^5: from 0 to 1, at rest and unaccelerated at both ends; its slope is 1.875 at most."""
    s = min(1.0, max(0.0, share))
    return s * s * s * (10.0 - s * (15.0 - 6.0 * s))


class RouteFollower:
    """Moves all joints together along via-points; `progress` and `reason` say how it stands."""

    def __init__(self, robot_map: FoldMap, settings: FoldSettings | None = None) -> None:
        self.map, self.settings = robot_map, settings or FoldSettings()
        self.progress, self.reason = Progress.DONE, ""
        self._route: list[Via] = []
        self._start: Array = robot_map.poses["stand"]
        self._clock = self._waited = 0.0
        self._duration, self._slow, self._tries = 1.0, 1.0, 0

    def begin(self, position: Array, route: Sequence[Via]) -> None:
        """Start from a position along via-points."""
        if not route:
            raise BadInput("a route needs at least one via-point")
        self._route = list(route)
        self.progress, self.reason = Progress.MOVING, ""
        self._slow, self._tries = 1.0, 0
        self._stretch(position)

    @property
    def heading_for(self) -> str:
        """Name of the next via-point; empty: none."""
        return self._route[0].name if self._route else ""

    def update(self, position: Array, dt: float) -> Array:
        """Joint targets for the next control step, from where the encoders say the joints are."""
        if not self._route:
            return self._start
        goal = self._route[0].position
        settings, enough = self.settings, max(self.settings.arrived, self._route[0].loose)
        target = self._start + smooth_step(self._clock / self._duration) * (goal - self._start)
        if self.progress is Progress.FAILED:
            return target
        if np.max(np.abs(position - target)) < settings.lag and self._clock < self._duration:
            self._clock = min(self._duration, self._clock + dt)
            self._waited = 0.0
        elif self._clock >= self._duration and np.max(np.abs(position - goal)) < enough:
            self._arrive(goal)
        else:
            self._waited += dt
            if self._waited > settings.patience:
                self._stall(position)
        return target

    def _arrive(self, goal: Array) -> None:
        """Go on to the next via-point from here."""
        del self._route[0]
        self._tries, self._slow = 0, 1.0
        if self._route:
            self._stretch(goal)
        else:
            self._start, self.progress = goal, Progress.DONE

    def _stall(self, position: Array) -> None:
        """Try the stretch again from here, more slowly; give up with the reason after the last try.

        A via-point that is missed by no more than its slack, or that is optional, is passed instead.
        """
        error = np.abs(self._route[0].position - position)
        worst = np.argsort(-error)[:3]
        joints = ", ".join(
            f"{self.map.names[i]} by {error[i]:.2f} rad" for i in worst if error[i] > self.settings.arrived
        )
        self.reason = (
            f"stalled on the way to {self.heading_for}: short of it are {joints or 'no joints, all lag behind'}"
        )
        if np.max(error) < self._route[0].slack or (self._route[0].optional and len(self._route) > 1):
            self._arrive(position)
            return
        if self._tries >= self.settings.retries:
            self.progress = Progress.FAILED
            return
        self._tries += 1
        self._slow *= 0.5
        self._stretch(position)

    def _stretch(self, position: Array) -> None:
        self._start, self._clock, self._waited = position.copy(), 0.0, 0.0
        least = 1.875 * self.map.travel_time(position, self._route[0].position)
        self._duration = max(self.settings.shortest, least / (self.settings.speed_share * self._slow))
