"""Stances of robots on four legs or more: where their feet stand, and the joints that put them there."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.description.solids import bounds
from andante.errors import BadInput
from andante.geometry import Array
from andante.kinematics import Chain

from .balance import margin
from .branch import PARALLEL, Branch
from .halves import halves
from .rig import Vec3, leg_chain

HEIGHTS = (0.85, 0.78, 0.7, 0.62, 0.54)  # of hips over the ground, in leg lengths: legs that stand under the body
SPRAWL_HEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6)  # legs that stand out sideways
SPREADS = (0.4, 0.5, 0.6, 0.7, 0.8)  # of feet from the hip's axis, in leg lengths
UPRIGHT_SPREADS = (0.1, 0.05, 0.0)
UPRIGHT_KNEES = ("back", "front", "in", "out")  # the first way in which all of a robot's knees can bend
LARGEST_REACH = 0.2  # in leg lengths
ROUNDS = 3  # of shifts of four feet below the center
OFF_CENTER = 0.02  # that it may be beside their middle, in leg lengths
MOST_SHIFT = 0.4  # of feet from below their hips to below the center, in leg lengths


@dataclass(frozen=True)
class Sketch:
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
    plane: Array | None  # (2,) the only way in which the foot goes on the ground, unit; None: anywhere

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


def sketch_leg(robot: Robot, branch: Branch, body: str, rest: dict[str, float]) -> Sketch:
    poses = robot.link_poses(rest)
    body_from_root = poses[body].inverse()
    hip = (body_from_root @ poses[branch.hip]).matrix
    point: Vec3 = (float(branch.point[0]), float(branch.point[1]), float(branch.point[2]))
    leg = leg_chain(robot, branch.hip, branch.foot, branch.joints, point, rest)
    last = robot.joint(branch.joints[-1])
    knee = leg_chain(robot, branch.hip, last.parent, branch.joints[:-1], vec(last.pose.translation, 9), rest)
    joints = [robot.joint(name) for name in branch.joints]
    at = [body_from_root @ poses[j.parent] @ j.pose for j in joints]
    origins = np.array([pose.translation for pose in at])
    tip = body_from_root @ poses[branch.foot] @ branch.point
    first_axis = at[0].rotation @ np.asarray(joints[0].axis)
    axes = np.array([each.rotation @ np.asarray(joint.axis) for each, joint in zip(at, joints, strict=True)])
    flat = bool(np.all(np.abs(axes @ first_axis) > PARALLEL)) and abs(float(first_axis[2])) < 1.0 - PARALLEL
    plane = np.array([first_axis[1], -first_axis[0]]) / float(np.hypot(*first_axis[:2])) if flat else None
    sprawled = not flat and (abs(float(first_axis[2])) > 0.7 or len(joints) == 2)
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
        swings = 0 if flat else 1  # the first joint that swings it, after one that tilts it aside
        base = np.array([origins[swings, 0], origins[-1, 1]])
        top, length = float(origins[swings, 2]), float(spans[swings:].sum())
        away = np.array([0.0, math.copysign(1.0, base[1])])
    size = float(np.hypot(*away))
    unit = away / size if size > 1e-6 else np.array([0.0, 1.0])
    return Sketch(branch, leg, knee, hip, base, top, unit, length, sprawled, plane)


def named_stance(
    robot: Robot, sketches: list[Sketch], rest: dict[str, float], body: str
) -> tuple[dict[str, float], Array]:
    """The author's own standing pose, and where the feet (middles of their ends) are in it."""
    poses = robot.link_poses(rest)
    back = poses[body].inverse()
    return rest, np.array([back @ poses[s.branch.foot] @ s.branch.point for s in sketches])


def centered_stance(
    robot: Robot,
    sketches: list[Sketch],
    rest: dict[str, float],
    forward: float,
    knees: str,
    height: float | None,
    body: str,
) -> tuple[dict[str, float], Array]:
    """A stance; four feet, which walk in pairs, have the center of mass over their middle as far as they reach."""
    shift, length = np.zeros(2), float(np.mean([s.length for s in sketches]))
    found = _search_stance(robot, sketches, rest, forward, knees, height, body, shift)
    for _ in range(ROUNDS if len(sketches) == 4 else 0):
        stance, places = found
        gap = weigh_robot(robot, stance, body)[1][:2] - places[:, :2].mean(axis=0)
        if float(np.hypot(*gap)) < OFF_CENTER * length:
            break
        shift = shift + gap
        shift *= min(1.0, MOST_SHIFT * length / float(np.hypot(*shift)))
        try:
            found = _search_stance(robot, sketches, rest, forward, knees, height, body, shift)
        except BadInput:  # out of reach
            break
    return found


def weigh_robot(robot: Robot, stance: dict[str, float], body: str) -> tuple[float, Array]:
    """Mass [kg], and center of mass in the body frame (3,) [m]."""
    poses = robot.link_poses(stance)
    back = poses[body].inverse()
    weighed = [
        (link.inertia.mass, back @ poses[link.name] @ np.asarray(link.inertia.com))
        for link in robot.links
        if link.inertia
    ]
    mass = sum(m for m, _ in weighed)
    if not mass > 0:
        raise BadInput(f"robot {robot.name!r} has no mass; give its links <inertial>")
    return float(mass), np.sum([m * c for m, c in weighed], axis=0) / mass


def _search_stance(
    robot: Robot,
    sketches: list[Sketch],
    rest: dict[str, float],
    forward: float,
    knees: str,
    height: float | None,
    body: str,
    shift: Array,
) -> tuple[dict[str, float], Array]:
    """Try heights and spreads of feet that are shifted (2,) [m].

    Returns the stance with room to step, away from limits, with short levers.
    """
    length = float(np.mean([s.length for s in sketches]))
    top = float(np.mean([s.top for s in sketches]))
    sprawled = sum(s.sprawled for s in sketches) * 2 > len(sketches)
    best: tuple[float, list[Array], Array] | None = None
    stuck = Counter[int]()
    heights = SPRAWL_HEIGHTS if sprawled else HEIGHTS
    levels = [top - h * length for h in heights] if height is None else [-height]
    directions = (UPRIGHT_KNEES if not sprawled else ("up",)) if knees == "same" else (knees,)
    moved = {name for s in sketches for name in s.branch.joints}
    moved |= {name for half in halves(robot, [s.branch for s in sketches]) for name in half.joints}
    clearance = _underside(robot, body, rest, moved) - 0.1 * length
    for direction in directions:
        for level in levels:
            if level > clearance and height is None:
                continue  # the belly would touch the ground
            for spread in SPREADS if sprawled else UPRIGHT_SPREADS:
                places = np.array(
                    [[*(s.base + shift + spread * s.length * s.outward), level + s.branch.radius] for s in sketches]
                )
                tried = _try_stance(sketches, places, forward, direction, length, stuck)
                if tried is not None and (best is None or tried[0] > best[0]):
                    best = (tried[0], tried[1], places)
        if best is not None:
            break
    if best is None:
        raise BadInput(_why_not(robot, sketches, stuck))
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


def _why_not(robot: Robot, sketches: list[Sketch], stuck: Counter[int]) -> str:
    """Which leg stands in the way, and what to do."""
    remedy = "give a pose in which it stands as [stance] of a rig file, or as [poses.Stand] in its side file"
    if not stuck:
        what = f"robot {robot.name!r} cannot stand on its {len(sketches)} legs"
        return f"{what}: its belly is lower than they reach; {remedy}"
    branch = sketches[stuck.most_common(1)[0][0]].branch
    ranges = [(name, robot.joint(name).limits) for name in branch.joints]
    told = ", ".join(f"{name} {limits.lower:.3g} to {limits.upper:.3g}" for name, limits in ranges)
    return (
        f"robot {robot.name!r} cannot stand on its {len(sketches)} legs: the joints of leg {branch.name!r} ({told}) do "
        f"not bring its foot under the body beside the others, with a bent knee; correct their limits, or {remedy}"
    )


def _try_stance(
    sketches: list[Sketch], places: Array, forward: float, direction: str, length: float, stuck: Counter[int]
) -> tuple[float, list[Array]] | None:
    """Score and joint positions of a stance; None when a foot cannot be there with its knee that way: `stuck`."""
    if margin(places[:, :2], places[:, :2].mean(axis=0)) <= 0.05 * length:
        return None
    found, worst = [], math.inf
    for index, (sketch, place) in enumerate(zip(sketches, places, strict=True)):
        q = _best_branch(sketch, place, _preferred_knee(direction, sketch, forward))
        if q is None:
            stuck[index] += 1
            return None
        room = reach_of(sketch, place, q, 0.1 * length) / sketch.length
        lower, upper = sketch.chain.limits
        free = float(np.min(np.minimum(q - lower, upper - q) / np.minimum(upper - lower, 2 * math.pi)))
        worst = min(worst, min(room, LARGEST_REACH) + 0.5 * min(free, 0.15))
        found.append(q)
    lever = float(np.mean([np.hypot(*(p[:2] - s.base)) / s.length for s, p in zip(sketches, places, strict=True)]))
    drop = float(np.mean([(s.top - p[2]) / s.length for s, p in zip(sketches, places, strict=True)]))
    wish = 0.35 if sketches[0].sprawled else 0.76
    wide = 0.1 if sketches[0].sprawled else -0.2  # upright legs stand better a little apart
    return worst - wide * lever - 0.3 * abs(drop - wish), found


def _preferred_knee(direction: str, sketch: Sketch, forward: float) -> Array:
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


def _best_branch(sketch: Sketch, place: Array, wish: Array) -> Array | None:
    """The solution for a foot whose knee points as wished and that is furthest from its limits."""
    lower, upper = sketch.chain.limits
    low, high = np.clip(-math.pi / 2, lower, upper), np.clip(math.pi / 2, lower, upper)
    beyond = high - low < 1e-9  # folded joints, whose whole range lies further out
    low = np.where(beyond, np.maximum(lower, low - math.pi), low)
    high = np.where(beyond, np.minimum(upper, high + math.pi), high)
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
            if side < 0.02 * sketch.length and (n > 2 or sketch.plane is not None):
                continue
            span = np.minimum(upper - lower, 2 * math.pi)
            score = float(np.min(np.minimum(q - lower, upper - q) / span)) - 0.02 * float(np.abs(q[0]))
            if best is None or score > best[0] + 1e-6:
                best = (score, q)
    return None if best is None else best[1]


def reach_of(sketch: Sketch, place: Array, q: Array, lift: float) -> float:
    """Radius of the largest disc around a foot's place that it can reach, on the ground, lifted and a little deeper.

    Of a leg that moves in a plane only: half of the longest line.
    """
    reach, angles = 0.0, np.arange(8) * math.pi / 4
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if sketch.plane is not None:
        ways = np.array([sketch.plane, -sketch.plane])
    for radius in np.linspace(0.04, LARGEST_REACH, 9) * sketch.length:
        for way in ways:
            for out, up in ((1.0, 0.0), (1.0, 0.3 * lift), (1.0, -0.3 * lift), (0.4, 0.8 * lift)):
                there = place + np.array([*(out * radius * way), up])
                if not sketch.solve(there, q)[1]:
                    return reach
        reach = float(radius)
    return reach


def vec(values: Array | list[float], digits: int = 6) -> Vec3:
    """Three rounded numbers."""
    x, y, z = (round(float(v), digits) + 0.0 for v in values)
    return (x, y, z)
