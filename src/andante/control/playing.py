"""Playing joint motions and actions as an activity: poses, key-frames, trajectories."""

from __future__ import annotations

import math

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.motion import ActionRunner, JointMotion

BRAKING = 0.3  # a motion that is stopped comes to rest in so long [s]


class Playing:
    """Plays a motion over joints that are held at `hold` (joints,) otherwise; it ends at its last targets.

    Stopped, its clock slows down to a halt, so that the joints come to rest on their way.
    """

    def __init__(
        self,
        motion: JointMotion,
        names: tuple[str, ...],
        hold: Array,
        label: str,
        *,
        kind: str = "motion",
        speed: float = 1.0,
        guarded: bool = True,
    ) -> None:
        if not (math.isfinite(speed) and speed > 0):
            raise BadInput(f"the speed of playing must be > 0, got {speed}")
        self.name, self.detail, self.guarded = kind, label, guarded
        self.motion, self.speed = motion, speed
        self._index = np.array([names.index(name) for name in motion.names], dtype=int)
        self._targets = np.array(hold, dtype=float)
        self.clock, self._rate, self._stopping = 0.0, 1.0, False  # of the motion [s]

    @property
    def over(self) -> bool:
        """Whether it was played to its end, or has been stopped."""
        return self.clock >= self.motion.duration or self.resting

    @property
    def finished(self) -> bool:
        """Whether it was played to its end."""
        return self.clock >= self.motion.duration

    @property
    def resting(self) -> bool:
        """Whether the joints have come to rest."""
        return self.finished or (self._stopping and self._rate <= 0.0)

    def stop(self) -> None:
        """Slow down to a halt."""
        self._stopping = True

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the motion at its clock."""
        if self._stopping:
            self._rate = max(0.0, self._rate - dt / BRAKING)
        self.clock += self._rate * self.speed * dt
        targets = self._targets.copy()
        targets[self._index] = self.motion.evaluate(self.clock)
        return targets


class Acting:
    """Runs an action of a set; the runner itself keeps its targets without a jump."""

    guarded = True

    def __init__(self, runner: ActionRunner, names: tuple[str, ...], hold: Array, label: str, speed: float = 1.0):
        if not (math.isfinite(speed) and speed > 0):
            raise BadInput(f"the speed of playing must be > 0, got {speed}")
        self.name, self.detail = "action", label
        self._runner, self._names, self._speed = runner, names, speed
        self._targets, self._clock = np.array(hold, dtype=float), 0.0
        self._begun = False

    @property
    def over(self) -> bool:
        """Whether nothing is left to run."""
        return self._begun and self._runner.idle

    resting = over

    def stop(self) -> None:
        """A smooth halt at once."""
        self._runner.stop(now=True)

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the runner."""
        targets = self._targets.copy()
        given = self._runner.targets(self._clock * self._speed, self._targets)
        for name, value in given.items():
            targets[self._names.index(name)] = value
        self._targets, self._begun = targets, True
        self._clock += dt
        return targets
