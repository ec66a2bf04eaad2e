"""`Following`: a robot that follows joint targets which somebody else sends, and comes to rest when they cease."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from andante.control.activities import Activity
from andante.control.body import StopPlan
from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.motion.joint_motion import MotionLimits


@dataclass(frozen=True)
class FollowSettings:
    """When a stream of targets counts as late and as over; table [follow] of `--params`."""

    timeout: float = 0.3  # targets that have not come for so long have ceased [s]
    late: float = 0.015  # targets may be so late before the stop plan goes on in their place [s]
    fade: float = 0.1  # in which the difference between the last targets and the plan dies out [s]


class Following(Activity):
    """Follows a stream of targets within the limits of the joints.

    When targets do not come the newest stop plan goes on from the instant of the last ones; without a plan the joints
    are held. After the timeout the stream is over: nothing more of it is heeded, and a plan is played to its end.

    Args:
        limits: of the joints.
        here: targets (joints,) that were sent last.
        settings: when targets count as late and as over.
    """

    name = "follow"

    def __init__(self, limits: MotionLimits, here: Array, settings: FollowSettings | None = None) -> None:
        self._settings = settings or FollowSettings()
        self._limits, self._index = limits, {name: i for i, name in enumerate(limits.names)}
        self._sent, self._goal = np.array(here), np.array(here)
        self._stamp, self._silent = math.nan, 0.0  # of the last targets, and the time since they came [s]
        self._plan: StopPlan | None = None
        self._gap: Array | None = None  # last targets minus the plan, where the plan took over
        self.ceased = False

    @property
    def detail(self) -> str:
        """Whether targets come."""
        return "stopping" if self.ceased else "targets"

    @property
    def stands(self) -> bool:
        """Whether it was told how to come to rest: then it stands at the end."""
        return self._plan is not None

    @property
    def resting(self) -> bool:
        """Whether targets have ceased and the plan, where there is one, is played to its end."""
        if not self.ceased:
            return False
        return self._plan is None or self._since(self._plan) >= self._plan.period * (len(self._plan.targets) - 1)

    def stop(self) -> None:
        """Heed no more targets."""
        self.ceased = True

    # ---- what comes ------------------------------------------------------------------------------
    def take(self, targets: Mapping[str, float], stamp: float, stiffness: Array | None = None) -> bool:
        """Take new targets of some joints with their sender's time [s]; False: the stream is over."""
        if self.ceased:
            return False
        for name, value in targets.items():
            self._goal[self._index[name]] = value
        self._stamp, self._silent, self._gap = stamp, 0.0, None
        if stiffness is not None:
            self.stiffness = stiffness
        return True

    def take_plan(self, plan: StopPlan) -> None:
        """Take a newer stop plan; while one is played out it is not heeded."""
        if not self.ceased:
            self._plan, self._gap = plan, None

    # ---- one control step ------------------------------------------------------------------------
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets within the limits of positions and velocities."""
        goal, settings = self._goal, self._settings
        if self._plan is not None and (self._silent > settings.late or self.ceased):
            planned = self._planned(self._plan)
            if self._gap is None:
                self._gap = self._sent - planned
            goal = planned + self._gap * math.exp(-max(0.0, self._silent - settings.late) / settings.fade)
        self._silent += dt
        self.ceased = self.ceased or self._silent > settings.timeout
        inside = np.clip(goal, self._limits.lower, self._limits.upper)
        most = self._limits.velocity * dt
        self._sent = self._sent + np.clip(inside - self._sent, -most, most)
        return self._sent

    def _since(self, plan: StopPlan) -> float:
        """Time of the plan that goes with this instant [s]."""
        return max(0.0, self._stamp + self._silent - plan.time)

    def _planned(self, plan: StopPlan) -> Array:
        rows = len(plan.targets) - 1
        at = min(self._since(plan) / plan.period, float(rows))
        low = min(int(at), rows - 1) if rows else 0
        part = at - low
        after: Array = plan.targets[min(low + 1, rows)]
        between: Array = (1.0 - part) * plan.targets[low] + part * after
        return between
