"""A rig out of any robot file: legs, stance, reach, steps and gains that a first walk can use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import numpy as np

from andante.description import Robot
from andante.description.robot import STANDING_POSES
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.gravity import GRAVITY

from .crouch import crouch
from .gains import biped_gains
from .halves import halves
from .legs import body_link, find_legs, forward_azimuth, leg_faults, resting_pose, ring_order, without_odd_pose
from .rig import OPEN, Leg, Rig, leg_chain, leg_gains
from .stance import Sketch, centered_stance, named_stance, reach_of, sketch_leg, vec, weigh_robot

KNEES = ("same", "back", "front", "in", "out", "up")
SHORTEST = 0.5  # part of the reach down to which steps are shortened where servos are slow
STEP, UPRIGHT_STEP = 0.14, 0.085  # how high feet are lifted, in leg lengths


def infer_rig(
    robot: Robot, knees: str = "same", height: float | None = None, stance: Mapping[str, float] | None = None
) -> Rig:
    """A rig of a robot: legs, forward axis, stance, reach, step sizes and gains.

    knees: which way they bend: all the same way ("same": back where possible), "back", "front", toward the middle
    ("in"), away from it ("out") or "up". height: of the body over the ground [m] instead of the one that is found.
    stance: joints to their positions in a pose in which it stands, the others as in its file; instead of a search.
    """
    UnknownName.check("knee direction", knees, KNEES)
    if stance is not None:
        UnknownName.check("joint", stance, robot.joint_names, f"stance of {robot.name!r}")
        robot = replace(robot, poses={STANDING_POSES[0]: dict(stance)})
    robot = without_odd_pose(robot)
    try:
        branches = find_legs(robot)
    except BadInput as error:
        raise BadInput(f"{error} ({leg_faults(robot)})") from None
    if robot.fixed_base:
        raise BadInput(
            f"robot {robot.name!r} is welded to the world, so it cannot walk; give its body a free joint "
            f"(MJCF <freejoint/>) or take out the fixed joint below {robot.root!r}"
        )
    rest, named = resting_pose(robot)
    body = body_link(robot, branches)
    sketches = [sketch_leg(robot, branch, body, rest) for branch in branches]
    hips = np.array([sketch.base for sketch in sketches])
    forward = forward_azimuth(robot, branches, hips, np.array([sketch.outward for sketch in sketches]))
    order = ring_order(np.array([s.base + 0.3 * s.length * s.outward for s in sketches]), forward)
    sketches = [sketches[i] for i in order]
    if named and height is None:
        stance, places = named_stance(robot, sketches, rest, body)
    elif len(sketches) == 2:
        found, soles = crouch(robot, [s.branch for s in sketches], body, rest, forward, knees, height)
        flat = [replace(s.branch, point=sole, radius=0.0) for s, sole in zip(sketches, soles, strict=True)]
        sketches = [sketch_leg(robot, branch, body, rest) for branch in flat]  # on soles, not on toe tips
        stance, places = named_stance(robot, sketches, found, body)
    else:
        stance, places = centered_stance(robot, sketches, rest, forward, knees, height, body)
    return _finish(robot, sketches, stance, places, forward, body)


def _finish(
    robot: Robot, sketches: list[Sketch], stance: dict[str, float], places: Array, forward: float, body: str
) -> Rig:
    """Reach, step sizes, center of mass and gains for a stance."""
    ground = float(np.mean([p[2] - s.branch.radius for p, s in zip(places, sketches, strict=True)]))
    tall = float(np.mean([s.top for s in sketches])) - ground
    step = _step_height(sketches, stance, places)
    gap = min(float(np.linalg.norm(a - b)) for i, a in enumerate(places) for b in places[:i])
    legs = []
    for sketch, place in zip(sketches, places, strict=True):
        q = np.array([stance[name] for name in sketch.chain.joint_names])
        reach = min(reach_of(sketch, place, q, step), 0.4 * gap)
        if reach <= 0:
            reach = 0.04 * sketch.length
        knee = sketch.knee_side(q)
        size = float(np.linalg.norm(knee))
        knee = knee / size if size > 1e-6 else np.array([0.0, 0.0, 1.0])
        b = sketch.branch
        legs.append(
            Leg(
                name=b.name,
                joints=sketch.chain.joint_names,
                hip=b.hip,
                foot=b.foot,
                point=vec(b.point),
                radius=float(b.radius),
                stand=vec([place[0], place[1], place[2] - b.radius]),
                reach=round(reach, 4),
                knee=vec(knee, 3),
            )
        )
    if len(legs) == 4:
        legs = _quick_steps(robot, legs, tall)
    mass, center = weigh_robot(robot, stance, body)
    rig = Rig(
        robot=robot.name,
        body=body,
        legs=tuple(legs),
        stance={name: round(value, 6) for name, value in stance.items()},
        forward=forward,
        center=vec(center),
        mass=mass,
        step_height=round(step, 4),
        stride_time=_stride_time(robot, legs, tall),
    )
    rig = replace(rig, stance=_with_halves(robot, rig))
    return replace(rig, servos=(biped_gains if len(legs) == 2 else leg_gains)(robot, rig))


def _with_halves(robot: Robot, rig: Rig) -> Mapping[str, float]:
    """The stance with second halves of legs at the ends of the first, knees on the other side where they can be."""
    stance = dict(rig.stance)
    for half in halves(robot, rig.legs):
        leg = rig.legs[half.leg]
        poses = robot.link_poses(stance)
        held = poses[half.hip].inverse() @ poses[leg.foot] @ np.asarray(half.anchor)
        knee = (poses[robot.joint(leg.joints[-1]).parent] @ robot.joint(leg.joints[-1]).pose).translation
        chain = leg_chain(robot, half.hip, half.foot, half.joints, half.point, stance)
        found = []
        for start in product((-1.2, 0.0, 1.2), repeat=len(half.joints)):
            solution = chain.ik(
                np.array([*held, *[np.nan] * 3]), np.clip(start, *chain.limits), restarts=0, max_iterations=60
            )
            turns = np.where(np.isfinite(chain.limits[1]), 0.0, np.round(solution.q / (2 * math.pi)))
            near = solution.q - 2 * math.pi * turns
            there = {**stance, **dict(zip(chain.joint_names, map(float, near), strict=True))}
            last = robot.joint(half.joints[-1])
            second = (robot.link_poses(there)[last.parent] @ last.pose).translation
            found.append((round(float(solution.error), 4), -float(np.linalg.norm(second - knee)), there))
        error, _, there = min(found, key=lambda each: each[:2])
        if error < OPEN * float(np.linalg.norm(held)):
            stance = there
    return {name: round(value, 6) for name, value in robot.complete(stance).items()}


def _step_height(sketches: list[Sketch], stance: dict[str, float], places: Array) -> float:
    """How high every foot can be lifted at its place [m], up to a fraction of the legs' length."""
    wanted = float(np.mean([(STEP if s.sprawled else UPRIGHT_STEP) * s.length for s in sketches]))
    for fraction in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5):
        up = np.array([0.0, 0.0, fraction * wanted])
        starts = [np.array([stance[name] for name in s.chain.joint_names]) for s in sketches]
        if all(s.solve(p + up, q)[1] for s, p, q in zip(sketches, places, starts, strict=True)):
            return fraction * wanted
    return 0.4 * wanted


def _stride_time(robot: Robot, legs: list[Leg], tall: float) -> float:
    """Period of the quickest gait [s]: some pendulum times, and no quicker than the servos."""
    falls, servo = _times(robot, legs, tall)
    return round(min(max(falls, servo), 2.0), 2)


def _quick_steps(robot: Robot, legs: list[Leg], tall: float) -> list[Leg]:
    """Legs of a trot that step no further than their servos reach before the body falls off two feet.

    Shorter steps in less time are as fast; longer ones in more time let the body tilt until the lifted feet drag.
    Servos that are slower still would only make tiny steps; such legs keep theirs.
    """
    falls, servo = _times(robot, legs, tall)
    if not SHORTEST <= falls / max(servo, 1e-9) < 1.0:
        return legs
    return [replace(leg, reach=round(leg.reach * falls / servo, 4)) for leg in legs]


def _times(robot: Robot, legs: list[Leg], tall: float) -> tuple[float, float]:
    """Period in which a body over its feet falls little, and that in which the servos step over the whole reach [s]."""
    slowest = min(robot.joint(name).limits.velocity for leg in legs for name in leg.joints)
    reach = float(np.mean([leg.reach for leg in legs]))
    falls = max(3.0 * math.sqrt(max(tall, 0.02) / GRAVITY), 0.4)
    return falls, 2 * reach / (0.2 * slowest * max(tall, 0.02)) if 0 < slowest < math.inf else 0.0
