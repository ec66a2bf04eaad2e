"""`Rig`: what a gait must know about a legged robot: its legs, where its feet stand, how far they reach."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from andante.description import Joint, Robot
from andante.description.link import SensorSpec
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.gravity import GRAVITY

FEELING = ("force", "contact", "bumper", "touch")  # kinds of sensors by which a foot feels the ground
TOUCH = 0.2  # of a foot's share of the weight, at which a fitted switch closes

Vec3 = tuple[float, float, float]


@dataclass(frozen=True)
class Leg:
    """One leg, told in the frame of the rig's body link where nothing else is said."""

    name: str
    joints: tuple[str, ...]  # those that a gait moves, from hip to foot
    hip: str  # link that carries the first of them
    foot: str  # link that stands on the ground
    point: Vec3 = (0.0, 0.0, 0.0)  # middle of the foot's round end, or the point it stands on; foot frame [m]
    radius: float = 0.0  # of the round end [m]; 0: the point itself touches the ground
    stand: Vec3 = (0.0, 0.0, 0.0)  # where the foot touches the ground in the stance [m]
    reach: float = 0.05  # radius of the disc around `stand` that the foot can step on [m]
    knee: Vec3 = (0.0, 0.0, 1.0)  # where the knee points, away from the line from hip to foot

    def __post_init__(self) -> None:
        if not self.joints:
            raise BadInput(f"leg {self.name!r} has no joints; name those that move it")
        if not (math.isfinite(self.reach) and self.reach > 0):
            raise BadInput(f"leg {self.name!r}: reach must be > 0 m, got {self.reach}")
        if not (math.isfinite(self.radius) and self.radius >= 0):
            raise BadInput(f"leg {self.name!r}: radius must be >= 0 m, got {self.radius}")
        for label in ("point", "stand", "knee"):
            value = getattr(self, label)
            if len(value) != 3 or not all(math.isfinite(x) for x in value):
                raise BadInput(f"leg {self.name!r}: {label} needs three finite numbers, got {value}")


@dataclass(frozen=True)
class Rig:
    """A legged robot as gaits see it.

    Legs stand in ring order: counter-clockwise seen from above, from the first to the left of straight ahead.
    """

    robot: str
    body: str  # link whose frame legs and stance are told in; its z axis points up when the robot stands
    legs: tuple[Leg, ...]
    stance: Mapping[str, float]  # every movable joint [rad or m]
    forward: float = 0.0  # azimuth of straight ahead in the body frame [rad]
    centre: Vec3 = (0.0, 0.0, 0.0)  # centre of mass in the stance, body frame [m]
    mass: float = 1.0  # of the whole robot [kg]
    step_height: float = 0.03  # how high a swinging foot is lifted [m]
    stride_time: float = 0.8  # period of the quickest gait [s]; slower gaits take multiples of it
    servos: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # joint -> kp, kd, armature

    def __post_init__(self) -> None:
        if len(self.legs) < 2:
            raise BadInput(f"rig of {self.robot!r} has {len(self.legs)} legs; a rig needs 2 or more")
        names = [leg.name for leg in self.legs]
        if len(set(names)) != len(names):
            raise BadInput(f"rig of {self.robot!r}: two legs have the same name; legs: {', '.join(names)}")
        for label in ("step_height", "stride_time", "mass"):
            value = getattr(self, label)
            if not (math.isfinite(value) and value > 0):
                raise BadInput(f"rig of {self.robot!r}: {label} must be > 0, got {value}")

    @property
    def height(self) -> float:
        """Height of the body's origin over the ground in the stance [m]."""
        return -float(np.mean([leg.stand[2] for leg in self.legs]))

    @property
    def centre_height(self) -> float:
        """Height of the centre of mass over the ground in the stance, at least a centimetre [m]."""
        return max(0.01, self.centre[2] + self.height)

    @property
    def walking_from_body(self) -> Array:
        """(3, 3) rotation from body axes to walking axes (x straight ahead, y left, z up)."""
        c, s = math.cos(self.forward), math.sin(self.forward)
        return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])

    @property
    def stands(self) -> Array:
        """(legs, 3) where the feet stand, walking axes [m]."""
        return np.array([leg.stand for leg in self.legs]) @ self.walking_from_body.T

    def leg(self, name: str) -> Leg:
        """The leg of that name."""
        for leg in self.legs:
            if leg.name == name:
                return leg
        raise UnknownName.among("leg", name, [leg.name for leg in self.legs], f"rig of {self.robot!r}")


def check_rig(rig: Rig, robot: Robot) -> None:
    """Raise unless every link and joint that the rig names is the robot's, and each leg is a chain of it."""
    where = f"rig of {rig.robot!r}"
    links, joints = {link.name for link in robot.links}, robot.joint_names
    for leg in rig.legs:
        for role, link in (("hip", leg.hip), ("foot", leg.foot)):
            if link not in links:
                raise UnknownName.among("link", link, sorted(links), f"{where}, {role} of leg {leg.name!r}")
        for name in leg.joints:
            if name not in joints:
                raise UnknownName.among("joint", name, joints, f"{where}, leg {leg.name!r}")
        on_the_way = set()
        link = leg.foot
        while link != leg.hip:
            joint = robot.parent_joint(link)
            if joint is None:
                raise BadInput(f"{where}: foot {leg.foot!r} of leg {leg.name!r} does not hang on its hip {leg.hip!r}")
            on_the_way.add(joint.name)
            link = joint.parent
        astray = [name for name in leg.joints if name not in on_the_way]
        if astray:
            raise BadInput(
                f"{where}: joint {astray[0]!r} of leg {leg.name!r} lies not between {leg.hip!r} and its foot"
            )
    if rig.body not in links:
        raise UnknownName.among("link", rig.body, sorted(links), f"{where}, body")
    for section, mapping in (("stance", rig.stance), ("servos", rig.servos)):
        for name in mapping:
            if name not in joints:
                raise UnknownName.among("joint", name, joints, f"{where}, {section}")


def with_rig(robot: Robot, rig: Rig) -> Robot:
    """The robot ready to walk: the stance as its pose `rig` (and `Stand` where it has none), gains, sensors.

    A robot whose file has no IMU gets one on its body, and feet without load cells or switches get a contact switch, so
    that it can be levelled and feels the ground.
    """
    check_rig(rig, robot)
    known = {name.casefold() for name in robot.poses}
    poses = {**robot.poses, "rig": dict(rig.stance)}
    if not known & {"stand", "standinit", "standing"}:
        poses["Stand"] = dict(rig.stance)
    gains = {name: {k: v for k, v in values.items() if k != "armature"} for name, values in rig.servos.items()}
    return replace(
        robot,
        joints=tuple(_with_armature(joint, rig.servos.get(joint.name, {})) for joint in robot.joints),
        poses=poses,
        servos={**robot.servos, **gains},
        sensors=(*robot.sensors, *missing_sensors(robot, rig)),
    )


def _with_armature(joint: Joint, values: Mapping[str, float]) -> Joint:
    if "armature" not in values:
        return joint
    return replace(joint, dynamics=replace(joint.dynamics, armature=values["armature"]))


def missing_sensors(robot: Robot, rig: Rig) -> tuple[SensorSpec, ...]:
    """Sensors that gaits use and the robot's file lacks."""
    out = []
    if not any(spec.kind == "imu" for spec in robot.sensors):
        out.append(SensorSpec("rig_imu", "imu", rig.body, rate=200.0))
    press = TOUCH * rig.mass * GRAVITY / len(rig.legs)
    for leg in rig.legs:
        if not any(spec.link == leg.foot and spec.kind in FEELING for spec in robot.sensors):
            parameters = {"threshold": press}
            out.append(SensorSpec(f"{leg.foot}/touch", "contact", leg.foot, rate=100.0, parameters=parameters))
    return tuple(out)


def imu_rotation(robot: Robot, rig: Rig) -> Array:
    """(3, 3) from the axes of the robot's IMU to those of the rig's body; identity without an IMU."""
    for spec in robot.sensors:
        if spec.kind == "imu":
            poses = robot.link_poses(rig.stance)
            return poses[rig.body].rotation.T @ poses[spec.link].rotation @ spec.pose.rotation
    return np.eye(3)
