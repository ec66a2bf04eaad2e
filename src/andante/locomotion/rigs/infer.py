"""A rig out of any robot file: legs, stance, reach, steps and gains that a first walk can use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from andante.description import Robot
from andante.description.robot import STANDING_POSES
from andante.description.solids import bounds
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.kinematics import Chain

from .balance import margin
from .crouch import crouch
from .gains import biped_gains
from .legs import Branch, body_link, find_legs, forward_azimuth, leg_faults, resting_pose, ring_order
from .rig import Leg, Rig, Vec3, leg_chain, leg_gains

KNEES = ("same", "back", "front", "in", "out", "up")
HEIGHTS = (0.85, 0.78, 0.7, 0.62, 0.54)  # of hips over the ground, in leg lengths: legs that stand under the body
SPRAWL_HEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6)  # legs that stand out sideways
SPREADS = (0.4, 0.5, 0.6, 0.7, 0.8)  # of feet from the hip's axis, in leg lengths
UPRIGHT_SPREADS = (0.1, 0.05, 0.0)
LARGEST_REACH = 0.2  # in leg lengths
SHORTEST = 0.5  # part of the reach down to which steps are shortened where servos are slow
STEP, UPRIGHT_STEP = 0.14, 0.085  # how high feet are lifted, in leg lengths


@dataclass(frozen=True)
class _Sketch:
    """A leg before it stands: geometry in the body frame, at rest."""

    branch: Branch
    chain: Chain  # hip link to foot point
    knee: Chain  # hip link to the last joint
    body_from_hip: Array  # (4, 4)
    base: Array  # (2,) above which the foot stands, or from which it stands out
    top: float  # reference of heights
    outward: Array  # (2,) unit
    length: float
    sprawled: bool

    def solve(self, place: Array, start: Array, restarts: int = 0) -> tuple[Array, bool]:
        """Joint positions for a foot point (3,) in the body frame, and whether it was reached."""
        local = self.body_from_hip[:3, :3].T @ (place - self.body_from_hip[:3, 3])
        target = np.concatenate([local, [np.nan] * 3])
        found = self.chain.ik(target, start, restarts=restarts, tolerance=1e-5, max_iterations=60)
        return found.q, found.error < self.slack

    @property
    def slack(self) -> float:
        """How far off a foot may be [m]: legs of two joints cannot go everywhere."""
        return 1e-4 if len(self.chain.joint_names) > 2 else 0.03 * self.length

    def knee_side(self, q: Array) -> Array:
        """Where the knee stands out from the line between hip and foot, body frame (3,) [m]."""
        names = self.chain.joint_names
        knee_q = np.array([q[names.index(name)] for name in self.knee.joint_names])
        knee = self.body_from_hip @ self.knee.fk(knee_q)[:, 3]
        foot = self.body_from_hip @ self.chain.fk(q)[:, 3]
        start = np.array([*self.base, self.top])
        along = foot[:3] - start
        along = along / np.linalg.norm(along)
        gap = knee[:3] - start
        return np.asarray(gap - (gap @ along) * along)


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
    sketches = [_sketch(robot, branch, body, rest) for branch in branches]
    hips = np.array([sketch.base for sketch in sketches])
    forward = forward_azimuth(robot, branches, hips, np.array([sketch.outward for sketch in sketches]))
    order = ring_order(np.array([s.base + 0.3 * s.length * s.outward for s in sketches]), forward)
    sketches = [sketches[i] for i in order]
    if named and height is None:
        stance, places = _named_stance(robot, sketches, rest, body)
    elif len(sketches) == 2:
        found, soles = crouch(robot, [s.branch for s in sketches], body, rest, forward, knees, height)
        flat = [replace(s.branch, point=sole, radius=0.0) for s, sole in zip(sketches, soles, strict=True)]
        sketches = [_sketch(robot, branch, body, rest) for branch in flat]  # feet stand on their soles, not on toe tips
        stance, places = _named_stance(robot, sketches, found, body)
    else:
        stance, places = _search_stance(robot, sketches, rest, forward, knees, height, body)
    return _finish(robot, sketches, stance, places, forward, body)


def _sketch(robot: Robot, branch: Branch, body: str, rest: dict[str, float]) -> _Sketch:
    poses = robot.link_poses(rest)
    body_from_root = poses[body].inverse()
    hip = (body_from_root @ poses[branch.hip]).matrix
    point: Vec3 = (float(branch.point[0]), float(branch.point[1]), float(branch.point[2]))
    leg = leg_chain(robot, branch.hip, branch.foot, branch.joints, point, rest)
    last = robot.joint(branch.joints[-1])
    knee = leg_chain(robot, branch.hip, last.parent, branch.joints[:-1], _vec(last.pose.translation, 9), rest)
    joints = [robot.joint(name) for name in branch.joints]
    at = [body_from_root @ poses[j.parent] @ j.pose for j in joints]
    origins = np.array([pose.translation for pose in at])
    tip = body_from_root @ poses[branch.foot] @ branch.point
    first_axis = at[0].rotation @ np.asarray(joints[0].axis)
    sprawled = abs(float(first_axis[2])) > 0.7 or len(joints) == 2
    spans = np.linalg.norm(np.diff(np.vstack([origins, tip]), axis=0), axis=1)
    middle = np.array([0.0, 0.0])
    if sprawled:
        base, top, length = origins[0, :2], float(origins[0, 2]), float(spans.sum())
        away = tip[:2] - base
        if float(np.hypot(*away)) < 0.2 * length:
            away = base - middle
        if float(away @ (base - middle)) < 0:  # folded under the body in the resting pose
            away = base - middle
    else:
        base = np.array([origins[1, 0], origins[-1, 1]])
        top, length = float(origins[1, 2]), float(spans[1:].sum())
        away = np.array([0.0, math.copysign(1.0, base[1])])
    size = float(np.hypot(*away))
    unit = away / size if size > 1e-6 else np.array([0.0, 1.0])
    return _Sketch(branch, leg, knee, hip, base, top, unit, length, sprawled)


def _named_stance(
    robot: Robot, sketches: list[_Sketch], rest: dict[str, float], body: str
) -> tuple[dict[str, float], Array]:
    """The author's own standing pose, and where the feet (middles of their ends) are in it."""
    poses = robot.link_poses(rest)
    back = poses[body].inverse()
    return rest, np.array([back @ poses[s.branch.foot] @ s.branch.point for s in sketches])


def _search_stance(
    robot: Robot,
    sketches: list[_Sketch],
    rest: dict[str, float],
    forward: float,
    knees: str,
    height: float | None,
    body: str,
) -> tuple[dict[str, float], Array]:
    """Try heights and spreads; the stance with room to step, away from limits, with short levers."""
    length = float(np.mean([s.length for s in sketches]))
    top = float(np.mean([s.top for s in sketches]))
    sprawled = sum(s.sprawled for s in sketches) * 2 > len(sketches)
    best: tuple[float, list[Array], Array] | None = None
    heights = SPRAWL_HEIGHTS if sprawled else HEIGHTS
    levels = [top - h * length for h in heights] if height is None else [-height]
    directions = ("back", "front") if knees == "same" and not sprawled else ("up",) if knees == "same" else (knees,)
    clearance = _underside(robot, body, rest, {n for s in sketches for n in s.branch.joints}) - 0.1 * length
    for direction in directions:
        for level in levels:
            if level > clearance and height is None:
                continue  # the belly would touch the ground
            for spread in SPREADS if sprawled else UPRIGHT_SPREADS:
                places = np.array(
                    [[*(s.base + spread * s.length * s.outward), level + s.branch.radius] for s in sketches]
                )
                tried = _try_stance(sketches, places, forward, direction, length)
                if tried is not None and (best is None or tried[0] > best[0]):
                    best = (tried[0], tried[1], places)
        if best is not None:
            break
    if best is None:
        raise BadInput(
            f"robot {robot.name!r}: no stance found in which all {len(sketches)} feet stand on one plane; "
            "give a pose in which it stands as [stance] of a rig file, or as [poses.Stand] in its side file"
        )
    stance = dict(rest)
    for sketch, q in zip(sketches, best[1], strict=True):
        stance.update(dict(zip(sketch.chain.joint_names, map(float, q), strict=True)))
    return robot.complete(stance), best[2]


def _underside(robot: Robot, body: str, rest: dict[str, float], moved: set[str]) -> float:
    """Lowest point of everything that the legs do not move, body frame [m]."""
    poses = robot.link_poses(rest)
    back = poses[body].inverse()
    low = math.inf
    for link in robot.links:
        if not any(joint.name in moved for joint in robot.ancestors(link.name)):
            for collision in link.collisions:
                low = min(low, float(bounds(collision.geometry, back @ poses[link.name] @ collision.pose)[0][2]))
    return low


def _try_stance(
    sketches: list[_Sketch], places: Array, forward: float, direction: str, length: float
) -> tuple[float, list[Array]] | None:
    """Score and joint positions of a stance; None when a foot cannot be there with its knee that way."""
    if margin(places[:, :2], places[:, :2].mean(axis=0)) <= 0.05 * length:
        return None
    found, worst = [], math.inf
    for sketch, place in zip(sketches, places, strict=True):
        q = _best_branch(sketch, place, _preferred_knee(direction, sketch, forward))
        if q is None:
            return None
        room = _reach(sketch, place, q, 0.1 * length) / sketch.length
        lower, upper = sketch.chain.limits
        free = float(np.min(np.minimum(q - lower, upper - q) / np.minimum(upper - lower, 2 * math.pi)))
        worst = min(worst, min(room, LARGEST_REACH) + 0.5 * min(free, 0.15))
        found.append(q)
    lever = float(np.mean([np.hypot(*(p[:2] - s.base)) / s.length for s, p in zip(sketches, places, strict=True)]))
    drop = float(np.mean([(s.top - p[2]) / s.length for s, p in zip(sketches, places, strict=True)]))
    wish = 0.35 if sketches[0].sprawled else 0.76
    wide = 0.1 if sketches[0].sprawled else -0.2  # upright legs stand better a little apart
    return worst - wide * lever - 0.3 * abs(drop - wish), found


def _preferred_knee(direction: str, sketch: _Sketch, forward: float) -> Array:
    ahead = np.array([math.cos(forward), math.sin(forward), 0.0])
    sign = math.copysign(1.0, float(ahead[:2] @ sketch.base))
    directions = {
        "up": np.array([0.0, 0.0, 1.0]),
        "back": -ahead,
        "front": ahead,
        "in": -sign * ahead,
        "out": sign * ahead,
    }
    return directions[direction]


def _best_branch(sketch: _Sketch, place: Array, wish: Array) -> Array | None:
    """The solution for a foot whose knee points as wished and that is furthest from its limits."""
    lower, upper = sketch.chain.limits
    low, high = np.maximum(lower, -math.pi / 2), np.minimum(upper, math.pi / 2)
    low, high = np.minimum(low, high), np.maximum(low, high)
    best: tuple[float, Array] | None = None
    n = len(lower)
    for second in (0.25, 0.5, 0.75):
        for last in (0.2, 0.8):
            fraction = np.full(n, 0.5)
            fraction[-1] = last
            if n > 1:
                fraction[-2] = second
            q, reached = sketch.solve(place, low + fraction * (high - low), restarts=1)
            if not reached:
                continue
            side = sketch.knee_side(q) @ wish
            if side < 0.02 * sketch.length and n > 2:
                continue
            span = np.minimum(upper - lower, 2 * math.pi)
            score = float(np.min(np.minimum(q - lower, upper - q) / span)) - 0.02 * float(np.abs(q[0]))
            if best is None or score > best[0] + 1e-6:
                best = (score, q)
    return None if best is None else best[1]


def _reach(sketch: _Sketch, place: Array, q: Array, lift: float) -> float:
    """Radius of the largest disc around a foot's place that it can reach, on the ground, lifted and a little deeper."""
    reach = 0.0
    for radius in np.linspace(0.04, LARGEST_REACH, 9) * sketch.length:
        for k in range(8):
            angle = k * math.pi / 4
            for out, up in ((1.0, 0.0), (1.0, 0.3 * lift), (1.0, -0.3 * lift), (0.4, 0.8 * lift)):
                there = place + np.array([out * radius * math.cos(angle), out * radius * math.sin(angle), up])
                if not sketch.solve(there, q)[1]:
                    return reach
        reach = float(radius)
    return reach


def _finish(
    robot: Robot, sketches: list[_Sketch], stance: dict[str, float], places: Array, forward: float, body: str
) -> Rig:
    """Reach, step sizes, center of mass and gains for a stance."""
    poses = robot.link_poses(stance)
    back = poses[body].inverse()
    ground = float(np.mean([p[2] - s.branch.radius for p, s in zip(places, sketches, strict=True)]))
    tall = float(np.mean([s.top for s in sketches])) - ground
    step = _step_height(sketches, stance, places)
    gap = min(float(np.linalg.norm(a - b)) for i, a in enumerate(places) for b in places[:i])
    legs = []
    for sketch, place in zip(sketches, places, strict=True):
        q = np.array([stance[name] for name in sketch.chain.joint_names])
        reach = min(_reach(sketch, place, q, step), 0.4 * gap)
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
                point=_vec(b.point),
                radius=float(b.radius),
                stand=_vec([place[0], place[1], place[2] - b.radius]),
                reach=round(reach, 4),
                knee=_vec(knee, 3),
            )
        )
    if len(legs) == 4:
        legs = _quick_steps(robot, legs, tall)
    weighed = [
        (link.inertia.mass, back @ poses[link.name] @ np.asarray(link.inertia.com))
        for link in robot.links
        if link.inertia
    ]
    mass = sum(m for m, _ in weighed)
    if not mass > 0:
        raise BadInput(f"robot {robot.name!r} has no mass; give its links <inertial>")
    rig = Rig(
        robot=robot.name,
        body=body,
        legs=tuple(legs),
        stance={name: round(value, 6) for name, value in stance.items()},
        forward=forward,
        center=_vec(np.sum([m * c for m, c in weighed], axis=0) / mass),
        mass=float(mass),
        step_height=round(step, 4),
        stride_time=_stride_time(robot, legs, tall),
    )
    return replace(rig, servos=(biped_gains if len(legs) == 2 else leg_gains)(robot, rig))


def _step_height(sketches: list[_Sketch], stance: dict[str, float], places: Array) -> float:
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


def _vec(values: Array | list[float], digits: int = 6) -> Vec3:
    x, y, z = (round(float(v), digits) + 0.0 for v in values)
    return (x, y, z)
