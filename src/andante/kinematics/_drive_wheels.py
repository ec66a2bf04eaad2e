"""Wheels of a robot file as wheels of a drive."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.description.check.wheels import Wheel as FoundWheel
from andante.description.check.wheels import find_wheels, joint_axis
from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.errors import BadInput

from .drives import DriveWheel
from .wheels import CastorWheel, FixedWheel, SteeredWheel, SwedishWheel, Wheel


class WheelFinder:
    """Wheels of a robot as parts of a drive, told in the root frame."""

    def __init__(self, robot: Robot, radius: float | None = None, where: str = "") -> None:
        self.robot, self.radius = robot, radius
        self.where = where or f"robot {robot.name!r}"
        self.poses = robot.link_poses()
        self.wheels = {wheel.joint: wheel for wheel in find_wheels(robot)}

    def castors(self, *others: str) -> list[DriveWheel]:
        """Wheels on free forks, except those named."""
        return [self.part(wheel.joint) for wheel in self.wheels.values() if wheel.castor and wheel.joint not in others]

    def part(self, joint: str, limit: float | None = None, *, driver: bool = False) -> DriveWheel:
        """The wheel on a joint; `limit` bounds its steering further [rad]; a `driver` is never a castor."""
        found = self.wheels.get(joint) or self._bare(joint)
        if driver:
            found = replace(found, castor=False)
        top = self.robot.joint(joint).limits.velocity
        return DriveWheel(
            self._wheel(found, limit),
            joint,
            found.steering,
            self._sign(found.steering),
            driven=not found.castor,
            max_speed=top if top > 0 else math.inf,
            rollers=found.rollers,
        )

    def _bare(self, joint: str) -> FoundWheel:
        """A wheel without a round shape: the plugin has to tell its radius."""
        if self.radius is None:
            raise BadInput(
                f"{self.where}: joint {joint!r} carries no round collision shape and the plugin tells no radius"
            )
        point, axis = joint_axis(self.robot.joint(joint), self.poses)
        if abs(axis[2]) > 0.7:
            raise BadInput(f"{self.where}: joint {joint!r} turns about the vertical, so it cannot be a wheel")
        return FoundWheel(joint, point, axis, self.radius)

    def _sign(self, steering: str) -> float:
        if not steering:
            return 1.0
        return math.copysign(1.0, joint_axis(self.robot.joint(steering), self.poses)[1][2])

    def _wheel(self, found: FoundWheel, limit: float | None) -> Wheel:
        heading = math.atan2(found.axis[1], found.axis[0]) - math.pi / 2
        x, y = float(found.centre[0]), float(found.centre[1])
        if found.roller_angle is not None:
            return SwedishWheel.at(x, y, heading, found.radius, roller_angle=found.roller_angle)
        if not found.steering or found.pivot is None:
            return FixedWheel.at(x, y, heading, found.radius)
        gap = found.centre[:2] - found.pivot[:2]
        ahead, beside = (
            np.array([math.cos(heading), math.sin(heading)]),
            np.array([-math.sin(heading), math.cos(heading)]),
        )
        px, py = float(found.pivot[0]), float(found.pivot[1])
        offsets = {"lead": _tidy(gap @ ahead, found.radius), "scrub": _tidy(gap @ beside, found.radius)}
        if found.castor:
            return CastorWheel.at(px, py, heading, found.radius, **offsets)
        joint = self.robot.joint(found.steering)
        lower, upper = joint.limits.lower, joint.limits.upper
        if joint.type is JointType.CONTINUOUS:
            lower, upper = -math.inf, math.inf
        if self._sign(found.steering) < 0:
            lower, upper = -upper, -lower
        if limit is not None:
            lower, upper = max(lower, -limit), min(upper, limit)
        return SteeredWheel.at(px, py, heading, found.radius, lower=lower, upper=upper, **offsets)


def _tidy(value: float, radius: float) -> float:
    """0 for offsets that only rounding made."""
    return float(value) if abs(value) > 1e-4 * radius else 0.0
