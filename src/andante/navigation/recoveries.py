"""Recoveries: what a robot tries when it is stuck; each is a small object with `begin` and `step`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from andante.geometry import Array, se2

from .collision_monitor import edges_of, first_contact
from .controllers import Decision, MotionState, Surroundings
from .layers import LayeredCostmap


@dataclass(frozen=True)
class Situation:
    """What a recovery may look at and use."""

    state: MotionState
    layers: LayeredCostmap
    around: Surroundings

    def free_for(self, command: Array, seconds: float) -> bool:
        """Whether a command can be held for so long without touching anything that is known or was just forgotten.

        What was cleared behind the robot is not seen again: a recovery may not run into it.
        """
        if self.around.time_to_touch(command, self.state, self.layers.costmap, seconds) is not None:
            return False
        gone = self.layers.dropped
        if not len(gone):
            return True
        vehicle, margin = self.around.vehicle, self.around.margins.padding
        contact, _ = first_contact(
            gone, np.zeros(3), np.asarray(self.state.pose, dtype=float), edges_of(vehicle.footprint),
            vehicle.circumscribed, margin, margin, vehicle.circumscribed, np.asarray(command, dtype=float), seconds,
        )  # fmt: skip
        return math.isinf(contact)


class Recovery(Protocol):
    """One way to get going again."""

    def begin(self, situation: Situation) -> str | None:
        """Start, and return a description of what is done; None: it does not apply here."""

    def step(self, situation: Situation) -> Decision | None:
        """The velocity to drive with now; None: it is over."""


class ClearCostmap:
    """Clears what scans marked around the robot; what is really there is marked again at once."""

    def __init__(self, radius: float = 3.0) -> None:
        self.radius = radius

    def begin(self, situation: Situation) -> str | None:
        """Forget, at once."""
        situation.layers.clear(situation.state.pose[:2], self.radius)
        return f"clearing obstacles within {self.radius:.1f} m"

    def step(self, situation: Situation) -> Decision | None:
        """It is over at once."""
        return None


class Wait:
    """Stands still for a while: people walk on."""

    words = "waiting {:.0f} s for the path to clear"

    def __init__(self, seconds: float = 2.0) -> None:
        self.seconds = seconds
        self._until = 0.0

    def begin(self, situation: Situation) -> str | None:
        """Note the time."""
        self._until = situation.state.time + self.seconds
        return self.words.format(self.seconds)

    def step(self, situation: Situation) -> Decision | None:
        """Zero until the time is over."""
        return Decision(np.zeros(3)) if situation.state.time < self._until else None


class BackUp:
    """Drives straight back, as far as that is free; a robot that stands with its back to something goes forward."""

    def __init__(self, distance: float = 0.3, speed: float = 0.15) -> None:
        self.distance, self.speed = distance, speed
        self._from, self._way, self._until = np.zeros(3), -1.0, 0.0

    def begin(self, situation: Situation) -> str | None:
        """Choose the free direction."""
        reverse = situation.around.vehicle.max_reverse
        speed = min(self.speed, reverse) if reverse > 0 else 0.0
        for way, pace, words in ((-1.0, speed, "backing up"), (1.0, self.speed, "moving forward")):
            if pace > 0 and situation.free_for(np.array([way * pace, 0.0, 0.0]), 0.7):
                self._from, self._way = situation.state.pose, way * pace
                self._until = situation.state.time + 2.5 * self.distance / pace
                return f"{words} by at most {self.distance:.2f} m"
        return None

    def step(self, situation: Situation) -> Decision | None:
        """Straight on until the distance is driven or something is in the way."""
        state, command = situation.state, np.array([self._way, 0.0, 0.0])
        done = float(np.hypot(*(state.pose - self._from)[:2])) >= self.distance or state.time > self._until
        return None if done or not situation.free_for(command, 0.5) else Decision(command)


class Spin:
    """Turns on the spot to look around; cars cannot."""

    def __init__(self, angle: float = math.pi, rate: float = 0.8) -> None:
        self.angle, self.rate = angle, rate
        self._left = self._yaw = self._turn = self._until = 0.0

    def begin(self, situation: Situation) -> str | None:
        """Choose the free side."""
        vehicle, state = situation.around.vehicle, situation.state
        if vehicle.drive == "ackermann":
            return None
        rate = min(self.rate, vehicle.max_turn)
        for side in (1.0, -1.0):
            if situation.free_for(np.array([0.0, 0.0, side * rate]), 0.8):
                self._turn, self._yaw, self._left = side * rate, float(state.pose[2]), self.angle
                self._until = state.time + 2.5 * self.angle / rate
                return f"turning {math.degrees(self.angle):.0f} degrees to look around"
        return None

    def step(self, situation: Situation) -> Decision | None:
        """Turn until the angle is done or something is in the way."""
        state, command = situation.state, np.array([0.0, 0.0, self._turn])
        self._left -= math.copysign(1.0, self._turn) * float(se2.wrap(state.pose[2] - self._yaw))
        self._yaw = float(state.pose[2])
        done = self._left <= 0 or state.time > self._until
        return None if done or not situation.free_for(command, 0.4) else Decision(command)


class Relocalize(Wait):
    """Stands still; `NavigatorOutput.request` is "relocalize" meanwhile: the localizer searches for the pose."""

    request = "relocalize"
    words = "standing still while the localizer searches for the pose"


def usual_recoveries() -> tuple[Recovery, ...]:
    """In the order in which they are tried."""
    return ClearCostmap(), BackUp(), Wait(), Spin(), Relocalize(), BackUp(0.5)
