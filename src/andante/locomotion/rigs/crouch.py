"""A balanced crouch of a robot on two legs: soles level, center of mass over their middle, knees bent, servos able."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from andante.description import JointType, Robot
from andante.description.robot import Frame
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.geometry.so3 import from_rpy, to_rpy
from andante.kinematics import Chain, chain

from .arms import hanging_arms
from .balance import mass_tree, sliding_frames, weigh
from .branch import Branch
from .rig import TIP, loads
from .soles import FLAT, foot_corners, leveling

BENDS = (0.7, 0.8, 0.6, 0.5, 0.9, 0.4, 1.0, 0.3, 1.2, 0.2)  # of the knees, the first that a robot can take [rad]
ACROSS = 0.8  # cosine to the axis across the walk, of joints that swing a leg in it
ROOM = 0.06  # from a leg joint to its limit, for the steps to come [rad]
SPARE = 0.3  # of an effort limit, kept for the steps to come
ROUNDS = 6  # of shifts of the feet below the center
MISS = 2e-3  # that a sole may be off its place [m] and level [rad]
OFF_CENTER = 2e-3  # that the center may be off the middle of the soles [m]
RESTARTS = 12  # of the inverse kinematics, from random places
WAYS = {"same": (1.0, -1.0), "front": (1.0,), "back": (-1.0,)}  # of knees, +1 ahead


@dataclass(frozen=True)
class _Limb:
    """A leg of the two. Places are in walking axes from the body's origin."""

    branch: Branch
    chain: Chain  # hip link to the middle of the sole, whose axes are the walking ones where it lies level
    hip: SE3  # walking_from_hip
    rest: Array  # joint positions (n,)
    swings: tuple[tuple[int, float], ...]  # of hip, knee and ankle: which joint, and +1 where it turns about the left
    thigh: float  # [m]
    shin: float  # [m]
    top: Array  # (3,) of the first joint that swings it, at rest [m]
    sole: Array  # (3,) of the sole's middle at rest [m]
    ankle: Array  # (3,) of the ankle, seen from the middle of the level sole [m]
    pressed: Array  # (3,) the middle of the sole, frame of the foot [m]

    def height(self, bend: float) -> float:
        """Of the sole below the hip when the knee is bent so [m]: the third side of thigh and shin, and the ankle."""
        gap = self.thigh**2 + self.shin**2 + 2 * self.thigh * self.shin * math.cos(bend)
        return math.sqrt(gap) + float(self.ankle[2])

    def solve(self, place: Array, bend: float, way: float) -> tuple[Array, float]:
        """Joint positions (n,) that lay the sole level at a place (3,), knee ahead or back, and what they miss."""
        local = self.hip.inverse() @ SE3.from_parts(np.eye(3), place)
        target = np.concatenate([local.translation, to_rpy(local.rotation)[::-1]])
        lower, upper = self.chain.limits
        start = self.rest.copy()
        for (joint, sense), part in zip(self.swings, (-0.5, 1.0, -0.5), strict=True):
            start[joint] += way * sense * part * bend
        found = self.chain.ik(target, np.clip(start, lower, upper), restarts=0, tolerance=1e-7, max_iterations=100)
        if found.error > MISS:
            again = self.chain.ik(target, np.clip(start, lower, upper), restarts=RESTARTS, max_iterations=100)
            found = again if again.error < found.error else found
        return found.q, float(found.error)


def crouch(
    robot: Robot,
    legs: list[Branch],
    body: str,
    rest: Mapping[str, float],
    forward: float,
    knees: str = "same",
    height: float | None = None,
) -> tuple[dict[str, float], list[Array]]:
    """Positions of all joints in which a robot stands on two flat feet, and the middles (3,) of its soles, foot frames.

    Thigh t, shin s and knee bend b put the sole sqrt(t² + s² + 2 t s cos b) and the ankle's height below the hip;
    inverse kinematics of each leg lay it there, level, and feet are shifted until the center of mass is over the middle
    of the soles. Of the bends that are tried the first is taken that leaves room to the limits of the joints and does
    not need more than their effort when one leg carries the robot.

    Args:
        robot: of two legs.
        legs: both.
        body: link in whose frame the robot is upright.
        rest: positions of all joints to begin from; those outside the legs stay so, but for arms, which hang.
        forward: azimuth of straight ahead in the body's frame [rad].
        knees: same (ahead where possible), front or back.
        height: of the body over the ground [m]; None: by the bend of the knees.
    """
    limbs = [_limb(robot, leg, body, rest, forward) for leg in legs]
    tall = max(float(each.top[2]) - each.height(0.0) for each in limbs)
    rest = robot.complete({**rest, **hanging_arms(robot, legs, _walking(robot, body, rest, forward), rest, abs(tall))})
    ways = WAYS.get(knees)
    if ways is None:
        raise BadInput(f"knees of two legs bend {', '.join(WAYS)}; got {knees!r}")
    best: tuple[tuple[bool, bool, float], dict[str, float]] | None = None
    least, worst = math.inf, ""
    for way in ways:
        for bend in BENDS:
            level = -height if height is not None else min(float(each.top[2]) - each.height(bend) for each in limbs)
            stance, missed, limb = _balanced(robot, limbs, body, rest, forward, bend, way, level)
            if missed < least:
                least, worst = missed, limb
            if missed > MISS or _knee_ahead(robot, limbs, body, stance, forward) * way <= 0:
                continue
            room = min(_room(robot, name, stance[name]) for leg in legs for name in leg.joints)
            strain = _strain(robot, limbs, stance)
            found = (room >= ROOM, strain <= 1.0 - SPARE, min(room, ROOM) - max(strain, 1.0 - SPARE))
            if best is None or found > best[0]:
                best = (found, stance)
            if found[:2] == (True, True):
                return stance, [each.pressed for each in limbs]
    if best is None:
        raise BadInput(_why_not(robot, worst, least))
    return best[1], [each.pressed for each in limbs]


def _limb(robot: Robot, leg: Branch, body: str, rest: Mapping[str, float], forward: float) -> _Limb:
    """A leg, its sole and the joints that swing it, measured at rest."""
    walking = _walking(robot, body, rest, forward)
    foot = walking[leg.foot]
    corners = foot_corners(robot, leg.foot)
    level = leveling(corners @ foot.rotation.T, leg.foot) @ foot.rotation  # walking_from_foot where the sole lies flat
    level = _straight(level, foot.rotation)
    points = corners @ level.T
    low = points[points[:, 2] < points[:, 2].min() + FLAT]
    middle = level.T @ np.array([*(0.5 * (low[:, :2].min(axis=0) + low[:, :2].max(axis=0))), points[:, 2].min()])
    tip = Frame(TIP, leg.foot, SE3.from_parts(level.T, middle))
    made = chain(replace(robot, frames=(*robot.frames, tip)), leg.hip, TIP)
    made = made.hold({name: float(rest.get(name, 0.0)) for name in made.variables if name not in leg.joints})
    names = made.joint_names
    swings, places = [], []
    for name in names:
        joint = robot.joint(name)
        at = walking[joint.parent] @ joint.pose
        across = float((at.rotation @ np.asarray(joint.axis))[1])
        if abs(across) > ACROSS and joint.type is not JointType.PRISMATIC:
            swings.append((names.index(name), math.copysign(1.0, across)))
            places.append(np.asarray(at.translation))
    if len(swings) < 3:
        lacks = "no joint" if not swings else f"only {', '.join(names[k] for k, _ in swings)}"
        raise BadInput(
            f"robot {robot.name!r}: leg {leg.name!r} has {lacks} that turns about the axis across the walk; to stand "
            "with bent knees and a level sole it needs hip, knee and ankle"
        )
    spans = [float(np.hypot(*(b - a)[[0, 2]])) for a, b in pairwise(places)]
    ankle = level @ (foot.inverse() @ places[-1] - middle)
    return _Limb(
        branch=leg,
        chain=made,
        hip=walking[leg.hip],
        rest=np.array([rest[name] for name in names]),
        swings=(swings[0], swings[1], swings[-1]),
        thigh=spans[0],
        shin=sum(spans[1:]),
        top=places[0],
        sole=foot @ middle,
        ankle=ankle,
        pressed=middle,
    )


def _straight(level: Array, rotation: Array) -> Array:
    """A level foot without the small turn to the side that leveling gives it."""
    yaw = to_rpy(level @ rotation.T)[2]
    return np.asarray(from_rpy((0.0, 0.0, -yaw)) @ level) if abs(yaw) < 0.5 else level


def _walking(robot: Robot, body: str, stance: Mapping[str, float], forward: float) -> dict[str, SE3]:
    """walking_from_link of all links: x ahead, z up, from the body's origin."""
    poses = robot.link_poses(stance)
    turn = SE3.from_parts(from_rpy((0.0, 0.0, -forward)), np.zeros(3)) @ poses[body].inverse()
    return {name: turn @ pose for name, pose in poses.items()}


def _balanced(
    robot: Robot,
    limbs: list[_Limb],
    body: str,
    rest: Mapping[str, float],
    forward: float,
    bend: float,
    way: float,
    level: float,
) -> tuple[dict[str, float], float, str]:
    """A stance with the center over the soles, what it misses [m, rad], and which foot misses most."""
    tree, _ = mass_tree(robot)
    turns, at, center = np.empty((len(tree.parent), 3, 3)), np.empty((len(tree.parent), 3)), np.empty(3)
    aside = [float(each.sole[1]) for each in limbs]
    apart = 0.5 * abs(aside[0] - aside[1])
    middle = np.array([float(np.mean([each.top[0] for each in limbs])), float(np.mean([e.top[1] for e in limbs]))])
    stance, missed, worst = dict(rest), math.inf, ""
    for _ in range(ROUNDS):
        missed = 0.0
        for each, side in zip(limbs, aside, strict=True):
            y = middle[1] + math.copysign(apart, side - float(np.mean(aside)))
            q, off = each.solve(np.array([middle[0], y, level]), bend, way)
            stance.update(zip(each.chain.joint_names, map(float, q), strict=True))
            if off >= missed:
                missed, worst = off, each.branch.name
        stance = robot.complete(stance)
        if missed > MISS:
            break
        sliding_frames(np.array([stance[name] for name in robot.joint_names]), tree, turns, at)
        weigh(tree, turns, at, center)
        gap = (_walking(robot, body, stance, forward)[robot.root] @ center)[:2] - middle
        if float(np.hypot(*gap)) < OFF_CENTER:
            break
        middle = middle + gap
    return stance, missed, worst


def _knee_ahead(robot: Robot, limbs: list[_Limb], body: str, stance: Mapping[str, float], forward: float) -> float:
    """How far the knees lie before the lines from hip to ankle, on average [m]."""
    walking = _walking(robot, body, stance, forward)
    out = 0.0
    for each in limbs:
        joints = [robot.joint(each.chain.joint_names[k]) for k, _ in each.swings]
        hip, knee, ankle = (np.asarray((walking[j.parent] @ j.pose).translation) for j in joints)
        along = (knee[2] - hip[2]) / min(ankle[2] - hip[2], -1e-9)
        out += float(knee[0] - hip[0] - along * (ankle[0] - hip[0])) / len(limbs)
    return out


def _room(robot: Robot, name: str, value: float) -> float:
    """From a joint to the nearer of its limits [rad]."""
    limits = robot.joint(name).limits
    return min(value - limits.lower, limits.upper - value)


def _strain(robot: Robot, limbs: list[_Limb], stance: Mapping[str, float]) -> float:
    """Largest part of an effort limit that a leg joint needs when its leg carries the robot, pressed mid-sole."""
    poses = robot.link_poses(stance)
    out = 0.0
    for each in limbs:
        held = loads(robot, poses, each.branch.joints, poses[each.branch.foot] @ each.pressed, robot.mass)
        out = max([out, *(load / effort for load, effort in held.values() if effort > 0)])
    return out


def _why_not(robot: Robot, leg: str, missed: float) -> str:
    if not math.isfinite(missed):
        return f"robot {robot.name!r}: no crouch was found for its legs"
    return (
        f"robot {robot.name!r}: no crouch found in which both soles lie level on the ground: that of {leg!r} misses it "
        f"by {missed:.2g} (m or rad) within the limits of its joints; give a pose in which it stands as [stance] of a "
        "rig file, or as [poses.Stand] in its side file"
    )
