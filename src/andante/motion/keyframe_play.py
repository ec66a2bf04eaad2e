"""Key-frames played from where a robot is: a lead-in where they ask for one, and rounds that join without a jump."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.geometry import Array

from .joint_motion import Move
from .keyframes import Key, Keyframes
from .poses import transition

LEAD_SPEED = 0.4  # share of the joints' top speed on the way to a first key at 0 s
NEAR = 1e-3  # a first key this near needs no lead-in [rad or m]


@dataclass(frozen=True, eq=False)
class Played:
    """A joint motion: the lead-in, one round from the start, then rounds from where the last one ended."""

    lead: Move | None
    first: Keyframes
    later: Keyframes
    loop: float

    @property
    def names(self) -> tuple[str, ...]:
        """The joints that it moves."""
        return self.first.names

    @property
    def lead_duration(self) -> float:
        """Time before the first round [s]."""
        return 0.0 if self.lead is None else self.lead.duration

    @property
    def round_duration(self) -> float:
        """Time of one round [s]."""
        return self.first.round_duration

    @cached_property
    def duration(self) -> float:
        """Time of everything [s]; inf when it is looped without end."""
        if self.round_duration == 0:
            return self.lead_duration
        return inf if self.loop == inf else self.lead_duration + self.loop * self.round_duration

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions, velocities or accelerations (..., joints) at times; it rests before and after."""
        at = np.asarray(t, dtype=float)
        flat = np.clip(at.ravel(), 0.0, self.duration)
        since = flat - self.lead_duration
        one = self.round_duration
        out = self.first.evaluate(np.clip(since, 0.0, one), order)
        if self.loop > 1 and one > 0:
            again = since > one
            local = np.where(flat >= self.duration, one, np.mod(since, one))
            out[again] = self.later.evaluate(local[again], order)
        if self.lead is not None:
            out[since < 0] = self.lead.evaluate(flat[since < 0], order)
        if order:
            outside = (at.ravel() < 0) | (at.ravel() > self.duration)
            out[outside] = 0.0
        return out.reshape(*at.shape, len(self.names))


def play_from(motion: Keyframes, robot: Robot, start: Mapping[str, float]) -> Played:
    """The motion as it is played from joint positions (all movable joints).

    Up to its first key each joint comes from where it is. A key at 0 s that is elsewhere is approached first, smoothly
    and within the limits; the keys count from there.
    """
    here = robot.complete(start)
    keys, names = motion.keys, motion.names
    at_once = dict(keys[0].positions) if keys[0].time == 0 else {}
    lead = None
    if any(abs(value - here[name]) > NEAR for name, value in at_once.items()):
        goal = {name: at_once.get(name, here[name]) for name in names}
        lead = transition(robot, here, goal, LEAD_SPEED)
        order = [lead.names.index(name) for name in names]
        lead = Move(names, lead.start[order], lead.goal[order], lead.share)
    begin = {name: at_once.get(name, here[name]) for name in names}
    last: dict[str, float] = {}
    for key in motion.expanded:
        last.update(key.positions)
    again = {name: at_once.get(name, last[name]) for name in names}
    return Played(lead, _opened(motion, begin), _opened(motion, again), motion.loop)


def _opened(motion: Keyframes, begin: Mapping[str, float]) -> Keyframes:
    """One round of the motion with a key for every joint at 0 s."""
    keys = motion.keys[1:] if motion.keys[0].time == 0 else motion.keys
    opened = (Key(0.0, {name: begin[name] for name in motion.names}, motion.keys[0].source), *keys)
    return replace(motion, keys=opened, loop=1)
