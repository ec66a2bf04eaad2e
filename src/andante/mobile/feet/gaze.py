"""`Gaze`: a walk whose head turns to where it shall look, for eyes that do not see all around."""

from __future__ import annotations

import math

import numpy as np

from andante.description import JointType, Robot
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings
from andante.locomotion.biped.walk import BipedWalk

UPRIGHT = 0.9  # cosine between the axis of a joint that pans and the vertical, at least
SPEED = 2.0  # of the head [rad/s]
STILL = 0.1  # speed at which it counts as still [rad/s]
PARTS = 72  # of a turn, in which it is told whether anything was seen
ALL_ROUND = 0.85  # part of a turn that eyes see which need no head
LOOKS = 4  # to each side when it looks around
OVERLAP = 0.8  # of a view to the next one
MARGIN = 0.05  # to the stops of the joint [rad]


class Gaze(Behaviour):
    """Does what the walk does, but for the joint that pans the eyes, where there is one that the walk leaves free.

    Args:
        walk: that makes the steps.
    """

    def __init__(self, walk: BipedWalk) -> None:
        self.walk, self.wide = walk, 2.0 * math.pi  # of what is seen at once [rad]
        self._joint, self._sense, self._low, self._high = -1, 1.0, 0.0, 0.0
        self._aim = self._now = 0.0
        self._views: list[float] = []  # that are left of looking around
        self._looks = 0  # to this side
        self._known = False

    def begin(self, link: str, points: Array) -> bool:
        """Learn from a first look how wide a view is, and what pans the link that carries the eyes; whether it was."""
        if self._known:
            return False
        self._known = True
        azimuths = np.arctan2(points[:, 1], points[:, 0])
        parts = np.unique(np.floor(azimuths * PARTS / (2.0 * math.pi)))
        self.wide = 2.0 * math.pi * len(parts) / PARTS
        if self.wide < ALL_ROUND * 2.0 * math.pi:
            self._joint, self._sense, self._low, self._high = pan_of(self.walk.body.robot, link, self.walk)
        return True

    @property
    def turns(self) -> bool:
        """Whether turning the head shows more."""
        return self._joint >= 0

    def look_around(self) -> None:
        """Begin to look to all sides, one after the other."""
        if not self.turns:
            return
        step, views = OVERLAP * self.wide, [0.0]
        for side in (1, -1):
            end = self._high if side > 0 else -self._low
            count = math.ceil(min(end, math.pi - 0.5 * self.wide) / step)
            views += [side * min(end, step * (k + 1)) for k in range(max(0, count))]
        self._views, self._looks = [*sorted(views), 0.0], 0
        self._aim = self._views[0]

    def look_at(self, azimuth: float) -> None:
        """Look that way, from straight ahead [rad]; the looking around ends."""
        self._views = []
        self._aim = max(self._low, min(self._high, azimuth)) if self.turns else 0.0

    @property
    def busy(self) -> bool:
        """Whether it still looks around."""
        return bool(self._views)

    def seen(self, readings: Readings) -> bool:
        """A look has come; False: the head turned meanwhile, so that it tells little. Goes on to the next side."""
        if not self.turns:
            return True
        if abs(float(readings.velocity[self._joint])) > STILL:
            return False
        if self._views and abs(self._now - self._aim) < 1e-6:
            self._looks += 1
            if self._looks >= LOOKS:
                self._looks = 0
                self._views.pop(0)
                self._aim = self._views[0] if self._views else self._aim
        return True

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) of the walk, the head where it looks."""
        targets = self.walk.update(readings, command, dt)
        if self.turns:
            most = SPEED * dt
            self._now += max(-most, min(most, self._aim - self._now))
            targets[self._joint] += self._sense * self._now
        return targets

    def ahead(self) -> Behaviour | None:
        """That of the walk."""
        return self.walk.ahead()


def pan_of(robot: Robot, link: str, walk: BipedWalk) -> tuple[int, float, float, float]:
    """What turns a link about the vertical: index of the joint, its sense, how far right and left of the stance [rad].

    The index is -1 where the walk leaves none free.
    """
    pose = robot.complete(walk.pose or {})
    places = robot.link_poses(pose)
    for joint in robot.ancestors(link):
        if joint.name not in walk.free_joints or joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS):
            continue
        up = float((places[joint.child].rotation @ np.asarray(joint.axis, dtype=float))[2])
        if abs(up) > UPRIGHT:
            ends = [end - pose[joint.name] for end in (joint.limits.lower, joint.limits.upper)]
            low, high = sorted(math.copysign(1.0, up) * max(-math.pi, min(math.pi, end)) for end in ends)
            return robot.joint_names.index(joint.name), math.copysign(1.0, up), low + MARGIN, high - MARGIN
    return -1, 1.0, 0.0, 0.0
