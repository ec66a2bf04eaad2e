"""Joints sent one by one to targets at their own speeds with bounded acceleration, or along curves in time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from andante._moved import renamed
from andante.control.activities import Activity
from andante.description import Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.motion.joint_motion import MotionLimits

from .timed_moves import JointCurve, TimedMove

NEAR = 1e-6  # a joint this near has arrived [rad or m]
LATEST = 10.0  # that the end of a move is waited for where something else limits the targets [s]
BRAKE_FRACTION = 0.85  # of the acceleration is planned with, so that rounding never overshoots


class JointMoves(Activity):
    """An activity that sends single joints somewhere and leaves the others where they are.

    Speed v obeys |v| <= fraction of the limit, |dv| <= a dt, and v <= b (sqrt(1 + 8 |gap| / (b dt)) - 1) / 2 with
    b = 0.85 a dt: the speed from which steps that shrink by b just reach the goal.
    """

    name, balanced = "joints", True

    def __init__(self, robot: Robot, start: Array) -> None:
        limits = MotionLimits.of(robot)
        self._names, self._top, self._push = robot.joint_names, limits.velocity, limits.acceleration
        self._lower, self._upper = limits.lower, limits.upper
        self.targets = np.array(start, dtype=float)  # that are commanded now
        self.goals = self.targets.copy()
        self._speed = np.zeros(len(self._names))
        self._limit = self._top.copy()
        self.moved: set[str] = set()  # joints that were ever sent
        self._timed: dict[int, tuple[TimedMove, JointCurve, float]] = {}  # joint -> move, its curve, clock [s]
        self.held: np.ndarray | None = None  # (joints,) which were not let to their targets yet; None: nothing limits
        self._ending: dict[int, tuple[TimedMove, float]] = {}  # joint at the end of its curve -> move, waited [s]

    @property
    def detail(self) -> str:
        """Joints on their way."""
        gaps = self.goals - self.targets
        moving = [name for k, name in enumerate(self._names) if gaps[k] or k in self._timed]
        return ", ".join(moving[:4]) + (" ..." if len(moving) > 4 else "")

    @property
    def over(self) -> bool:
        """Never: joints stay where they were sent."""
        return False

    @property
    def resting(self) -> bool:
        """Whether all joints have arrived."""
        return not self._timed and not self._speed.any() and bool((self.goals == self.targets).all())

    @renamed(share="fraction")
    def send(
        self, names: Sequence[str], values: Sequence[float], fraction: float = 1.0, relative: bool = False
    ) -> None:
        """Send joints to positions [rad or m], within their limits, at a fraction of their top speed."""
        if len(names) != len(values):
            raise BadInput(f"{len(names)} joints need as many positions, got {len(values)}")
        if not 0 < fraction <= 1:
            raise BadInput(f"speed is a fraction of the joints' top speed above 0 and up to 1, got {fraction}")
        index = []
        for name, value in zip(names, values, strict=True):
            if name not in self._names:
                raise UnknownName.among("joint", name, self._names)
            if not np.isfinite(value):
                raise BadInput(f"joint {name!r} needs a finite position, got {value}")
            index.append(self._names.index(name))
        for each in index:
            self._release(each)
        start = self.goals[index] if relative else 0.0
        self.goals[index] = np.clip(start + np.asarray(values, dtype=float), self._lower[index], self._upper[index])
        self._limit[index] = fraction * self._top[index]
        self.moved.update(names)

    def follow(self, move: TimedMove) -> None:
        """Move joints along curves in time, from what is commanded now; one that was called off before is left out."""
        if move.begun:
            return
        index = {name: self._names.index(name) for name in move.points}
        for name, k in index.items():
            self._release(k)
            self._timed[k] = (move, move.curve(name, float(self.targets[k])), 0.0)
        move.begun, move.left = True, set(index)
        self.moved.update(index)

    def cancel(self, move: TimedMove) -> None:
        """Let the joints of a move stop where they are."""
        for k in [k for held in (self._timed, self._ending) for k, entry in held.items() if entry[0] is move]:
            self._release(k)
            self.goals[k] = self._braked()[k]
            self._limit[k] = self._top[k]

    def follows(self, move: TimedMove) -> bool:
        """Whether joints of a move are on their way here."""
        return any(entry[0] is move for entry in (*self._timed.values(), *self._ending.values()))

    def arrived(self, names: Sequence[str]) -> bool:
        """Whether none of these joints is on its way here."""
        index = [self._names.index(name) for name in names]
        busy = (self._timed.keys() | self._ending.keys()) & set(index)
        there = not busy and bool((self.goals[index] == self.targets[index]).all())
        return there and (self.held is None or not self.held[index].any())

    def adopt(self, other: JointMoves) -> None:
        """Go on with what another one has been told to do."""
        for name in other.moved:
            k = self._names.index(name)
            self.goals[k], self._limit[k], self._speed[k] = other.goals[k], other._limit[k], other._speed[k]
            if k in other._timed:
                self._timed[k] = other._timed[k]
        self.moved |= other.moved

    def _release(self, k: int) -> None:
        """A joint leaves the curve that it follows."""
        for entry in (self._timed.pop(k, None), self._ending.pop(k, None)):
            if entry is None:
                continue
            entry[0].drop(self._names[k])

    def _braked(self) -> Array:
        way = np.sign(self._speed) * self._speed**2 / (2 * BRAKE_FRACTION * self._push)
        return np.clip(self.targets + way, self._lower, self._upper)

    def stop(self) -> None:
        """Brake every joint where it is."""
        for k in (*self._timed, *self._ending):
            self._release(k)
        self.goals = self._braked()

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets a control step further on."""
        return self.advance(dt)

    def advance(self, dt: float) -> Array:
        """Targets dt [s] further on."""
        if self._ending:
            self._end(dt)
        curved = self._along_curves(dt) if self._timed else None
        gap = self.goals - self.targets
        if not (gap.any() or self._speed.any() or curved is not None):
            return self.targets.copy()
        change = self._push * dt
        brake = BRAKE_FRACTION * change
        stops = 0.5 * brake * (np.sqrt(1.0 + 8.0 * np.abs(gap) / (brake * dt)) - 1.0)  # in whole control steps
        wanted = np.sign(gap) * np.minimum(self._limit, stops)
        self._speed += np.clip(wanted - self._speed, -change, change)
        step = self._speed * dt
        arrives = (np.abs(gap) <= NEAR) | ((np.abs(step) >= np.abs(gap)) & (np.sign(step) == np.sign(gap)))
        there = arrives & (np.abs(self._speed) <= change)  # a quicker one passes by and comes back
        self.targets = np.where(there, self.goals, self.targets + step)
        self._speed[there] = 0.0
        if curved is not None:
            self._take(*curved, dt)
        return self.targets.copy()

    def _along_curves(self, dt: float) -> tuple[Array, Array, Array]:
        """Joints on curves: which, where they are dt [s] later within limits of place and speed, and who arrives."""
        index, places, ends = [], [], []
        for k, (move, curve, clock) in self._timed.items():
            self._timed[k] = (move, curve, clock + dt)
            index.append(k)
            places.append(curve.at(clock + dt))
            ends.append(clock + dt >= curve.duration - 1e-9)
        at = np.array(index, dtype=int)
        wanted = np.clip(np.array(places), self._lower[at], self._upper[at])
        here, most = self.targets[at].copy(), self._top[at] * dt
        reached = np.clip(wanted, here - most, here + most)
        self.goals[at] = self.targets[at]  # left alone by the others
        self._speed[at] = 0.0
        return at, reached, np.array(ends) & (np.abs(reached - wanted) <= NEAR)

    def _take(self, at: Array, places: Array, arrived: Array, dt: float) -> None:
        self._speed[at] = np.where(arrived, 0.0, (places - self.targets[at]) / dt)
        self.targets[at] = self.goals[at] = places
        for k in at[arrived].tolist():
            move, _, _ = self._timed.pop(k)
            self._ending[k] = (move, 0.0)
        if self.held is None:
            self._end(dt)

    def _end(self, dt: float) -> None:
        """Let go joints at the end of their curves that are where they were sent, or will not get there."""
        for k, (move, waited) in list(self._ending.items()):
            if self.held is None or waited >= LATEST or not self.held[k]:
                del self._ending[k]
                move.left.discard(self._names[k])
            else:
                self._ending[k] = (move, waited + dt)
