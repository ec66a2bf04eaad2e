"""`Rig`: what a gait must know about a legged robot: legs, stance, reach, servo gains; `LegSolver`: feet to joints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import numpy as np

from andante._moved import renamed
from andante.description import Joint, JointType, Robot
from andante.description.link import SensorSpec
from andante.description.robot import Frame
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3, Array
from andante.gravity import GRAVITY
from andante.kinematics import Chain, Legs, chain

from .halves import Half, halves

CONTACT_SENSORS = ("force", "contact", "bumper", "touch")  # kinds of sensors that sense the ground under a foot
TOUCH = 0.2  # of a foot's share of the weight, at which a fitted switch closes

Vec3 = tuple[float, float, float]


@dataclass(frozen=True)
class Leg:
    """One leg, in the frame of the rig's body link unless stated otherwise."""

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


@renamed(centre="center", centre_height="center_height")
@dataclass(frozen=True)
class Rig:
    """A legged robot as gaits see it.

    Legs stand in ring order: counter-clockwise seen from above, from the first to the left of straight ahead.
    """

    robot: str
    body: str  # link whose frame legs and stance are given in; its z axis points up when the robot stands
    legs: tuple[Leg, ...]
    stance: Mapping[str, float]  # every movable joint [rad or m]
    forward: float = 0.0  # azimuth of straight ahead in the body frame [rad]
    center: Vec3 = (0.0, 0.0, 0.0)  # center of mass in the stance, body frame [m]
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
    def center_height(self) -> float:
        """Height of the center of mass over the ground in the stance, at least a centimeter [m]."""
        return max(0.01, self.center[2] + self.height)

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
            UnknownName.check("link", link, sorted(links), f"{where}, {role} of leg {leg.name!r}")
        UnknownName.check("joint", leg.joints, joints, f"{where}, leg {leg.name!r}")
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
    UnknownName.check("link", rig.body, sorted(links), f"{where}, body")
    for section, mapping in (("stance", rig.stance), ("servos", rig.servos)):
        UnknownName.check("joint", mapping, joints, f"{where}, {section}")


def with_rig(robot: Robot, rig: Rig) -> Robot:
    """The robot ready to walk: the stance as its pose `rig` (and `Stand` where it has none), gains, sensors.

    A robot whose file has no IMU gets one on its body, and feet without load cells or switches get a contact switch, so
    that it can be leveled and senses the ground.
    """
    check_rig(rig, robot)
    known = {name.casefold() for name in robot.poses}
    poses = {**robot.poses, "rig": dict(rig.stance)}
    if not known & {"stand", "standinit", "standing"}:
        poses["Stand"] = dict(rig.stance)
    gains = {name: {k: v for k, v in values.items() if k != "armature"} for name, values in rig.servos.items()}
    gains = {name: values for name, values in gains.items() if values}  # of some only the armature is new
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
        if not any(spec.link == leg.foot and spec.kind in CONTACT_SENSORS for spec in robot.sensors):
            parameters = {"threshold": press}
            out.append(SensorSpec(f"{leg.foot}/touch", "contact", leg.foot, rate=100.0, parameters=parameters))
    return tuple(out)


def root_from_imu(robot: Robot) -> Array:
    """(3, 3) from the axes of the robot's first IMU to those of its root link, all joints at 0."""
    for spec in robot.sensors:
        if spec.kind == "imu":
            return np.asarray((robot.link_poses(robot.complete({}))[spec.link] @ spec.pose).rotation)
    raise BadInput(f"robot {robot.name!r} has no IMU; its attitude cannot be measured without one")


def imu_rotation(robot: Robot, rig: Rig) -> Array:
    """(3, 3) from the axes of the robot's IMU to those of the rig's body; identity without an IMU."""
    for spec in robot.sensors:
        if spec.kind == "imu":
            poses = robot.link_poses(rig.stance)
            return poses[rig.body].rotation.T @ poses[spec.link].rotation @ spec.pose.rotation
    return np.eye(3)


OPEN = 0.05  # of the length of a leg: halves that end further apart are not one leg
TIP = "leg_solver/tip"  # name of the frame at the end of a leg


class LegSolver:
    """Inverse and forward kinematics of every leg, in walking axes with the body's origin.

    Second halves of legs follow the first where both end in one point in the stance; others stay as they are in it.
    """

    def __init__(self, robot: Robot, rig: Rig) -> None:
        poses = robot.link_poses(rig.stance)
        walking_from_root = SE3.from_parts(rig.walking_from_body, np.zeros(3)) @ poses[rig.body].inverse()
        chains = [leg_chain(robot, leg.hip, leg.foot, leg.joints, leg.point, rig.stance) for leg in rig.legs]
        self.legs = Legs(tuple(chains), np.array([(walking_from_root @ poses[leg.hip]).matrix for leg in rig.legs]))
        names = robot.joint_names
        self.index = np.array([names.index(name) for name in self.legs.joint_names])
        self._targets = np.full((len(rig.legs), 6), np.nan)
        self.halves = tuple(half for half in halves(robot, rig.legs) if _together(rig, poses, half))
        if self.halves:
            seconds = [
                leg_chain(robot, half.hip, half.foot, half.joints, half.point, rig.stance) for half in self.halves
            ]
            bases = np.array([(walking_from_root @ poses[half.hip]).matrix for half in self.halves])
            self._seconds = Legs(tuple(seconds), bases)
            self._second_index = np.array([names.index(name) for name in self._seconds.joint_names])
            self._first = np.array([half.leg for half in self.halves])
            points = np.array([rig.legs[half.leg].point for half in self.halves])
            self._anchors = np.array([half.anchor for half in self.halves]) - points
            self._held = np.full((len(self.halves), 6), np.nan)

    def joints(self, points: Array, start: Array, restarts: int = 0) -> tuple[Array, Array]:
        """All joint positions (joints,) that bring the feet to points (legs, 3), and how far each is off [m].

        Joints outside the legs stay as in `start`, which is also where the search begins.
        """
        self._targets[:, :3] = points
        found = self.legs.ik(self._targets, start[self.index], restarts=restarts, tolerance=1e-6, max_iterations=40)
        q = start.copy()
        q[self.index] = found.q
        if self.halves:
            q[self._second_index] = self._follow(found.q, start[self._second_index], restarts)
        return q, found.error

    def _follow(self, q: Array, start: Array, restarts: int) -> Array:
        """Joints of the second halves, for joints of the legs."""
        feet = self.legs.fk(q)[self._first]
        self._held[:, :3] = feet[:, :3, 3] + np.einsum("nij,nj->ni", feet[:, :3, :3], self._anchors)
        found = self._seconds.ik(self._held, start, restarts=restarts, tolerance=1e-6, max_iterations=40)
        return np.asarray(found.q)

    def feet(self, q: Array) -> Array:
        """Poses (legs, 4, 4): the middle of each foot [m] and the rotation of its link."""
        return self.legs.fk(q[self.index])


def _together(rig: Rig, poses: Mapping[str, SE3], half: Half) -> bool:
    """Whether the end of a half is where its leg holds it."""
    leg = rig.legs[half.leg]
    held = poses[leg.foot] @ np.asarray(half.anchor)
    gap = np.linalg.norm(poses[half.foot] @ np.asarray(half.point) - held)
    return bool(gap < OPEN * np.linalg.norm(held - poses[half.hip].translation))


def leg_chain(
    robot: Robot,
    hip: str,
    foot: str,
    joints: tuple[str, ...],
    point: tuple[float, float, float],
    rest: Mapping[str, float],
) -> Chain:
    """The chain from a hip link to a point of a foot; joints on the way that the leg does not move are held."""
    tip = Frame(TIP, foot, SE3.from_parts(np.eye(3), point))
    made = chain(replace(robot, frames=(*robot.frames, tip)), hip, TIP)
    return made.hold({name: float(rest.get(name, 0.0)) for name in made.variables if name not in joints})


SAG = 0.02  # how far a joint may give way under the load [rad]
BANDWIDTH = 3.5  # at which a joint carries its share of the robot's mass [Hz]
DAMPING = 0.5
LONGEST_LAG = 0.03  # kd / kp [s]
ROTOR = 5e-3  # inertia of the drive over kd [s], for files that state none: with less, light feet chatter and creep


def leg_gains(robot: Robot, rig: Rig) -> dict[str, dict[str, float]]:
    """kp and kd of every leg joint whose file or side file states none, and its armature where there is none either.

    Half of the legs carry the robot: per leg m = 2 M / n at the foot. With the lever a of the foot about the joint's
    axis, I = m a² + the file's armature and kp = max(I (2 pi f)², m g l / sag), l its part across the vertical;
    kd = 2 z sqrt(kp I).
    """
    poses = robot.link_poses(rig.stance)
    mass = 2.0 * rig.mass / len(rig.legs)
    out = {}
    seconds = {half.leg: half.joints for half in halves(robot, rig.legs)}
    for index, leg in enumerate(rig.legs):
        foot = poses[leg.foot] @ np.asarray(leg.point)
        for name in (*leg.joints, *seconds.get(index, ())):
            joint = robot.joint(name)
            stated = [values for pattern, values in robot.servos.items() if fnmatchcase(name, pattern)]
            if stated:
                kd = max(values.get("kd", 0.0) for values in stated)
                if kd > 0 and not joint.dynamics.armature:
                    out[name] = {"armature": float(f"{ROTOR * kd:.3g}")}
                continue
            inertia, load = _carried(joint, poses[joint.parent] @ joint.pose, foot, mass)
            inertia = max(inertia, 0.05 * mass * rig.center_height**2) + joint.dynamics.armature
            kp = max(inertia * (2 * math.pi * BANDWIDTH) ** 2, load / SAG)
            kd = min(2 * DAMPING * math.sqrt(kp * inertia), LONGEST_LAG * kp)
            out[name] = {"kp": float(f"{kp:.4g}"), "kd": float(f"{kd:.4g}")}
            if not joint.dynamics.armature:
                out[name]["armature"] = float(f"{ROTOR * kd:.3g}")
    return out


def weak_joints(robot: Robot, rig: Rig) -> dict[str, tuple[float, float]]:
    """Leg joints whose effort limit is below what they hold in the stance when half of the legs carry the robot.

    Joint to load and limit [N m, N], the weakest first. Joints without a limit are strong enough.
    """
    poses = robot.link_poses(rig.stance)
    mass = 2.0 * rig.mass / len(rig.legs)
    found: dict[str, tuple[float, float]] = {}
    for leg in rig.legs:
        foot = poses[leg.foot] @ np.asarray(leg.point)
        if len(rig.legs) == 2:  # flat feet are pressed below the center of mass
            forth = rig.walking_from_body[0] * (rig.walking_from_body[0] @ (np.asarray(rig.center) - leg.stand))
            foot = poses[rig.body] @ (np.asarray(leg.stand) + forth)
        held = loads(robot, poses, leg.joints, foot, mass)
        found |= {name: (load, effort) for name, (load, effort) in held.items() if load > effort > 0}
    return dict(sorted(found.items(), key=lambda item: item[1][1] / item[1][0]))


def weak_told(weak: Mapping[str, tuple[float, float]]) -> str:
    """What `weak_joints` found, and what to do about it; empty where all are strong enough."""
    if not weak:
        return ""
    name, (load, effort) = next(iter(weak.items()))
    others = f" (and {len(weak) - 1} other joints)" if len(weak) > 1 else ""
    return (
        f"{name} holds {load:.2g} N m when half of the legs carry the robot, its effort limit is {effort:g}{others}: "
        "it will sink; take stronger servos, less weight or straighter legs (a greater height)"
    )


def loads(
    robot: Robot, poses: Mapping[str, SE3], joints: tuple[str, ...], foot: Array, mass: float
) -> dict[str, tuple[float, float]]:
    """What joints hold when a mass [kg] rests on a foot at a place (3,) in the root frame, and their effort limits.

    poses: root_from_link of all links. Loads in N m or N.
    """
    known = [robot.joint(name) for name in joints]
    return {j.name: (_carried(j, poses[j.parent] @ j.pose, foot, mass)[1], j.limits.effort) for j in known}


def held_targets(robot: Robot, rig: Rig) -> dict[str, float]:
    """Targets of the leg joints with which their servos hold the stance: q + tau / kp, all legs carrying alike.

    Joints whose gain nobody states are taken to be stiff.
    """
    poses, push = robot.link_poses(rig.stance), rig.mass * GRAVITY / len(rig.legs)
    up = poses[rig.body].rotation @ np.array([0.0, 0.0, push])
    out = {}
    for leg in rig.legs:
        foot = poses[rig.body] @ np.asarray(leg.stand)
        if len(rig.legs) == 2:  # pressed below the center of mass
            ahead = rig.walking_from_body[0]
            foot = foot + poses[rig.body].rotation @ (ahead * (ahead @ (np.asarray(rig.center) - leg.stand)))
        for joint in map(robot.joint, leg.joints):
            frame = poses[joint.parent] @ joint.pose
            axis = frame.rotation @ np.asarray(joint.axis)
            way = axis if joint.type is JointType.PRISMATIC else np.cross(axis, foot - frame.translation)
            gains: dict[str, float] = {}
            for pattern, values in robot.servos.items():
                gains |= dict(values) if fnmatchcase(joint.name, pattern) else {}
            kp = {**gains, **rig.servos.get(joint.name, {})}.get("kp", 0.0)
            out[joint.name] = rig.stance[joint.name] - (float(way @ up) / kp if kp > 0 else 0.0)
    return out


def _carried(joint: Joint, frame: SE3, foot: Array, mass: float) -> tuple[float, float]:
    """Inertia [kg m^2, kg] and load [N m, N] of a mass over the foot, as seen by a joint at `frame`."""
    axis = frame.rotation @ np.asarray(joint.axis)
    if joint.type is JointType.PRISMATIC:
        return mass, mass * GRAVITY * abs(float(axis[2]))
    lever = np.cross(axis, foot - frame.translation)
    return mass * float(lever @ lever), mass * GRAVITY * abs(float(lever[2]))


def free_joints(robot: Robot, rig: Rig) -> frozenset[str]:
    """Joints that are in none of the legs and their second halves: they may move while it walks."""
    feet = [leg.foot for leg in rig.legs] + [half.foot for half in halves(robot, rig.legs)]
    busy = {joint.name for foot in feet for joint in robot.ancestors(foot)}
    return frozenset(robot.joint_names) - busy
