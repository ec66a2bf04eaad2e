"""Arms out of the way: the pose in which a base that carries some drives."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.description import Joint, JointType, Problem, Robot, Severity
from andante.description.check.recognize import find_wheels, spins
from andante.description.shapes import Plane
from andante.description.solids import bounds
from andante.description.stand_ins import made_solid
from andante.errors import AndanteError
from andante.geometry import Array
from andante.navigation.vehicle import convex_outline, edge_distances

CLEAR = 0.05  # of arms over the ground [m]
DRAGS = 5e-3  # of arms over the ground, below which they scrape it [m]
WIDE = 0.5  # of the base's narrower side, by which arms may reach beyond it at zero
BETTER = 0.8  # of that reach, which folding has to get below
TRIES = 600  # random changes of one or two joints, the better ones kept
SEED = 0
FINGERS = 0.25  # of the longest reach of a joint, below which joints stay as they are
INSIDE = 0.02  # that an arm may be seen to sink into the base, whose boxes are larger than it is [m]
EFFORT = 1e-3  # of bending all joints by a radian, so that they bend no more than they need [m]


def stowed(robot: Robot) -> Robot:
    """The robot with a pose `Stand` in which its arms stay over its base, where they reach beyond it at zero.

    Files state joints, not how an arm is carried: at zero it often stands out to the side by more than the base is
    wide, and its weight lifts a wheel, or it lies on the ground and drags. Joints between their limits are tried at
    random, from zero on, the corners of the boxes about the arm's shapes measured by how far they lie outside the base,
    in it, or on the ground. A robot with a pose of its own to stand in keeps that.
    """
    if robot.standing is not None:
        return robot
    carried = _Carried(robot)
    if not carried.joints or len(carried.outline) < 3:
        return robot
    start = np.clip(np.zeros(len(carried.joints)), carried.low, carried.high)
    before, drags = carried.reach(start), carried.sinks(start) > CLEAR - DRAGS
    if before < WIDE * float(np.ptp(carried.outline, axis=0).min()) and not drags:
        return robot
    found = carried.search(start)
    after = carried.reach(found)
    if after > BETTER * before and not (drags and carried.sinks(found) < CLEAR - DRAGS):
        return robot
    pose = {joint.name: round(float(q), 4) for joint, q in zip(carried.joints, found, strict=True)}
    told = f"its arms reach {before:.2g} m beyond its base at zero; it drives with them folded, {after:.2g} m beyond it"
    told = "its arms lie on the ground at zero; it drives with them lifted" if drags else told
    problem = Problem(Severity.INFO, f"{told}; a pose 'stand' of its own comes before that", robot.source)
    return replace(robot, poses={**robot.poses, "Stand": pose}, problems=(*robot.problems, problem))


class _Carried:
    """What a base carries on joints of its own: the joints, and corners of the boxes about its shapes."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        wheels = find_wheels(robot)
        rolling = {name for wheel in wheels for name in (wheel.joint, wheel.steering, *wheel.rollers) if name}
        above = {link.name: self._arm(robot, link.name, rolling) for link in robot.links}
        poses = robot.link_poses()
        self.corners: dict[str, Array] = {}  # of links on arms, in their own frames (n, 3)
        solid: list[tuple[Array, Array]] = []
        for link in robot.links:
            for part in link.collisions:
                if isinstance(part.geometry, Plane):
                    continue
                try:
                    low, high = bounds(part.geometry, part.pose)
                    if not above[link.name]:
                        solid.append(bounds(part.geometry, poses[link.name] @ part.pose))
                except AndanteError:
                    continue
                if above[link.name]:
                    box = np.stack(np.meshgrid(*np.stack([low, high], axis=-1)), axis=-1).reshape(-1, 3)
                    box = np.concatenate([box, box.mean(axis=0, keepdims=True)])
                    known = self.corners.get(link.name, np.zeros((0, 3)))
                    self.corners[link.name] = np.concatenate([known, box])
        far: dict[str, float] = {}  # of the shapes that a joint moves from it [m]
        for name, box in self.corners.items():
            places = (poses[name].matrix @ _lifted(box))[:3].T
            for joint in above[name]:
                gap = float(np.linalg.norm(places - poses[joint.child].translation, axis=1).max())
                far[joint.name] = max(far.get(joint.name, 0.0), gap)
        long = FINGERS * max(far.values(), default=0.0)
        self.joints = [j for j in robot.movable if far.get(j.name, 0.0) > long and j.mimic is None]
        reach = [_reach(joint) for joint in self.joints]
        self.low, self.high = (np.array([each[side] for each in reach]) for side in (0, 1))
        self.boxes = [(low, high) for low, high in solid if wheels]
        floor = min((float(wheel.center[2]) - wheel.radius for wheel in wheels), default=0.0)
        self.floor = floor + CLEAR
        flat = [np.array([[a[0], a[1]], [a[0], b[1]], [b[0], a[1]], [b[0], b[1]]]) for a, b in self.boxes]
        self.outline = convex_outline(np.concatenate(flat)) if flat else np.zeros((0, 2))

    @staticmethod
    def _arm(robot: Robot, link: str, rolling: set[str]) -> list[Joint]:
        """Joints of an arm or head that carry a link; none where it is a wheel or part of the base."""
        chain = [joint for joint in robot.ancestors(link) if joint.one_dof]
        return [] if any(joint.name in rolling for joint in chain) else chain

    def _places(self, q: Array) -> list[Array]:
        """Corners (n, 3) of each link of the arms at joint positions, root frame."""
        poses = self.robot.link_poses({joint.name: float(v) for joint, v in zip(self.joints, q, strict=True)})
        return [(poses[name].matrix @ _lifted(box))[:3].T for name, box in self.corners.items()]

    def reach(self, q: Array) -> float:
        """How far the arms reach beyond the base at joint positions [m]."""
        return max(0.0, float(np.max(-edge_distances(self.outline, np.concatenate(self._places(q))[:, :2]))))

    def sinks(self, q: Array) -> float:
        """How far the lowest point of the arms lies below the height that they are kept over the ground [m]."""
        return float(max(np.max(self.floor - places[:, 2]) for places in self._places(q)))

    def cost(self, q: Array) -> float:
        """How far the arms reach beyond the base, at the worst and link by link, into it, and to the ground [m]."""
        links = self._places(q)
        points = np.concatenate(links)
        outside = np.maximum(-edge_distances(self.outline, points[:, :2]), 0.0)
        ends = np.cumsum([len(each) for each in links])[:-1]
        beyond = [float(each.max()) for each in np.split(outside, ends)]
        low = float(np.max(self.floor - points[:, 2]))
        deep = max(float(np.max(np.min(np.minimum(points - a, b - points), axis=1))) for a, b in self.boxes) - INSIDE
        bent = EFFORT * float(np.abs(q).sum())
        return max(beyond) + float(np.mean(beyond)) + max(low, 0.0) + max(deep, 0.0) + bent

    def search(self, start: Array) -> Array:
        """Positions by random changes of one or two joints at a time, far and near in turn, from a start."""
        rng = np.random.default_rng(SEED)
        best, least = start, self.cost(start)
        for i in range(TRIES):
            tried = best.copy()
            chosen = rng.choice(len(start), size=min(len(start), 1 + i % 2), replace=False)
            low, high = self.low[chosen], self.high[chosen]
            if i % 4 < 2:
                tried[chosen] = rng.uniform(low, high)
            else:
                tried[chosen] = np.clip(best[chosen] + rng.normal(0.0, 0.1, len(chosen)) * (high - low), low, high)
            found = self.cost(tried)
            if found < least:
                best, least = tried, found
        return best


def _reach(joint: Joint) -> tuple[float, float]:
    """Lowest and highest position to be tried; joints that turn without end turn half a turn to each side."""
    if spins(joint) or not math.isfinite(joint.limits.upper - joint.limits.lower):
        most = 0.0 if joint.type is JointType.PRISMATIC else math.pi
        return -most, most
    return joint.limits.lower, joint.limits.upper


def _lifted(points: Array) -> Array:
    return np.concatenate([points, np.ones((len(points), 1))], axis=1).T


def ready_to_drive(robot: Robot) -> Robot:
    """The robot as it is simulated driving: something solid everywhere, arms folded."""
    return stowed(made_solid(robot))
