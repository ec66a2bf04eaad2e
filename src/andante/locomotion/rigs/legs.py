"""Finding the legs of any robot: branches that stand on the ground, their foot points, forward direction, faults."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np

from andante.description import Joint, JointType, Robot
from andante.description.shapes import Capsule, Geometry, Plane, Sphere
from andante.description.solids import bounds, surface
from andante.errors import AndanteError, BadInput
from andante.geometry import SE3, Array, so3

from .branch import Branch, end_loop, twins_of
from .lying import lying_words
from .soles import foot_body, foot_corners

FRONT = re.compile(r"front|fore|(?:^|_)(?:f[lr]|[lr]f)(?:_|$)", re.IGNORECASE)
REAR = re.compile(r"rear|hind|back|(?:^|_)(?:[rhb][lr]|[lr][hb]|lr)(?:_|$)", re.IGNORECASE)
SIDE = re.compile(r"left|right|(?:^|_)[lr](?:_|$)", re.IGNORECASE)
APART = 0.4  # of the height of a leg: branches that begin and reach higher by more, together, are no legs beside it
MANY = 6  # joints of a leg, from which the last one may move toes
SPINE = 3  # joints that may lie between the parts of a body that legs begin on
ODD = 0.25  # of their length, by which hips of like legs may differ in height
SPRING = 0.1  # of a robot's size: slides that move less are springs or brackets
SLACK = 0.1  # a hinge that turns less is no joint of a leg [rad]
ASKEW = 1.3  # legs that point this much more to one side than ahead mark the sides


def branches(robot: Robot) -> list[Branch]:
    """All ends of the robot with two or more joints of their own and something to stand on."""
    ends = chain_ends(robot)
    users: dict[str, int] = {}
    for joint, _ in ends:
        for name in _path(robot, joint.child):
            users[name] = users.get(name, 0) + 1
    led = {j.mimic.joint: j.name for j in robot.movable if j.mimic is not None}
    out, wide = [], float(np.ptp([pose.translation for pose in robot.link_poses().values()], axis=0).max())
    for joint, group in ends:
        path = _path(robot, joint.child)
        own = []
        for name in reversed(path):  # from the end inwards, up to the first joint that is not its own
            each = robot.joint(name)
            foreign = each.mimic is not None and each.mimic.joint not in path
            leads = name in led and led[name] not in path
            if users[name] > 1 or foreign or leads:
                break
            own.append(name)
        own = [n for n in reversed(own) if robot.joint(n).mimic is None and _moves(robot, n, wide)]
        if len(own) >= MANY and _is_toe(robot, joint):
            own, first = own[:-1], foot_body(robot, joint.parent)
            joint, group = robot.joint(own[-1]), robot.welded(first)
        end = _end_point(robot, group[0], group)
        if len(own) >= 2 and end is not None and not _spins(robot, joint, end):
            foot, point, radius = end
            out.append(Branch(tuple(own), robot.joint(own[0]).parent, foot, point, radius))
    return out


def _is_toe(robot: Robot, joint: Joint) -> bool:
    """Whether what a joint moves lies beside a larger foot that carries it, on the same ground."""
    poses = robot.link_poses(resting_pose(robot)[0])
    foot, toe = (poses[link] @ foot_corners(robot, link) for link in (joint.parent, joint.child))
    if len(foot) < 3 or len(toe) < 3:
        return False
    size = [float(np.prod(np.ptp(points[:, :2], axis=0))) for points in (foot, toe)]
    long = float(np.ptp(foot[:, :2], axis=0).max())
    return size[0] > size[1] and abs(float(foot[:, 2].min() - toe[:, 2].min())) < 0.15 * long


def _path(robot: Robot, link: str) -> list[str]:
    """One-degree joints from the root to a link."""
    return [joint.name for joint in reversed(robot.ancestors(link)) if joint.one_dof]


def _spins(robot: Robot, joint: Joint, end: tuple[str, Array, float]) -> bool:
    """Whether an end only turns about itself, as a wheel does, when its last joint moves."""
    foot, point, radius = end
    at = robot.link_poses()
    arm = (at[joint.parent] @ joint.pose).inverse() @ at[foot] @ point
    axis = np.asarray(joint.axis)
    across = float(np.linalg.norm(arm - (arm @ axis) * axis))
    return joint.type is not JointType.PRISMATIC and across <= max(radius, 1e-3)


def _moves(robot: Robot, name: str, wide: float) -> bool:
    """Whether a joint can move a leg: slack of a bearing that a file models as a joint, or a spring's way, does not.

    wide: how far the robot's links lie apart [m].
    """
    joint = robot.joint(name)
    least = SPRING * wide if joint.type is JointType.PRISMATIC else SLACK
    return not joint.limits.upper - joint.limits.lower < least


def _end_point(robot: Robot, link: str, group: list[str]) -> tuple[str, Array, float] | None:
    """Link, point in its frame and radius of the end that is furthest from a link's joint; None without shapes."""
    placed = {link: SE3.identity()}
    for name in group[1:]:
        joint = robot.parent_joint(name)
        assert joint is not None
        placed[name] = placed[joint.parent] @ joint.pose @ joint.joint_from_child
    best: tuple[float, str, Array, float] | None = None
    for name in group:
        for collision in robot.link(name).collisions:
            shape = collision.geometry
            if isinstance(shape, Plane):
                continue
            try:
                candidates = _round_ends(shape) or _far_end(shape, placed[name] @ collision.pose)
            except AndanteError:
                continue
            for middle, radius in candidates:
                in_foot = collision.pose @ middle
                distance = float(np.linalg.norm(placed[name] @ in_foot)) + radius
                if best is None or distance > best[0] + 1e-3:
                    best = (distance, name, in_foot, radius)
    return None if best is None else best[1:]


def _round_ends(shape: object) -> list[tuple[Array, float]]:
    if isinstance(shape, Sphere):
        return [(np.zeros(3), shape.radius)]
    if isinstance(shape, Capsule):
        return [(np.array([0.0, 0.0, sign * shape.length / 2]), shape.radius) for sign in (-1.0, 1.0)]
    return []


def _far_end(shape: Geometry, pose: SE3) -> list[tuple[Array, float]]:
    """The middle of the corners that are furthest out."""
    ends = surface(shape)[0]
    distance = np.linalg.norm(pose @ ends, axis=-1)
    far = ends[distance > distance.max() - 0.03 * np.ptp(distance) - 1e-9]
    return [(far.mean(axis=0), 0.0)]


def resting_pose(robot: Robot) -> tuple[dict[str, float], bool]:
    """Joint positions to look at the robot in, and whether it is a standing pose that its author has named.

    Positions beyond a limit are brought to it, as at the start of a simulation.
    """
    given = {j.name: j.initial for j in robot.movable} if robot.standing is None else robot.pose(robot.standing)
    limits = {j.name: j.limits for j in robot.movable}
    inside = {k: min(max(q, limits[k].lower), limits[k].upper) if k in limits else q for k, q in given.items()}
    return robot.complete(inside), robot.standing is not None


def without_odd_pose(robot: Robot) -> Robot:
    """The robot without a named pose in which it stands on two of four like legs; itself otherwise.

    Key frames hold what their author was after, also a pose on the hind legs, or one for other signs of the joints.
    """
    if robot.standing is None:
        return robot
    found, poses = branches(robot), robot.link_poses(resting_pose(robot)[0])
    low = {b.name: float((poses[b.foot] @ b.point)[2]) - b.radius for b in found}
    if len(low) < 4:
        return robot
    height = max(float(p.translation[2]) for p in poses.values()) - min(low.values())
    touching = [b for b in found if low[b.name] - min(low.values()) < 0.1 * max(height, 1e-6)]
    if len(touching) != 2:
        return robot
    hips = {b.name: float(poses[b.hip].translation[2]) for b in found}
    first, tall = touching[0], hips[touching[0].name] - low[touching[0].name]
    like = [b for b in found if len(b.joints) == len(first.joints)]
    level = [b for b in like if abs(hips[b.name] - hips[first.name]) < ODD * abs(tall)]
    if len(level) != 4 or not all(b in level for b in touching):
        return robot
    return replace(robot, poses={k: v for k, v in robot.poses.items() if k != robot.standing})


def find_legs(robot: Robot) -> list[Branch]:
    """The legs: those branches that carry the robot, in file order.

    In a named standing pose they are the ones that touch the ground; else of the groups of like branches that can
    reach below the rest of the robot the one of four or more, then the one that begins and reaches lowest.
    """
    robot = without_odd_pose(robot)
    found = branches(robot)
    if robot.loops and not found:
        raise _closed(robot, robot.loops[0])
    if len(found) < 2:
        counted = "only one branch of two or more joints ends" if found else "no branches of two or more joints end"
        raise BadInput(f"robot {robot.name!r} has no legs: {counted} in a collision shape")
    if words := lying_words(robot, found, robot.link_poses(resting_pose(robot)[0])):
        raise BadInput(words)
    legs = _standing(robot, found)
    twins = twins_of(robot, found, robot.link_poses(resting_pose(robot)[0]))
    for joint in robot.loops:
        leg = next((each for each in legs if _carried_by(robot, joint, each)), None)
        if leg is not None and (leg.name not in twins or end_loop(robot, leg, twins[leg.name]) is not joint):
            raise _closed(robot, joint)
    return legs


def _closed(robot: Robot, joint: Joint) -> BadInput:
    return BadInput(
        f"robot {robot.name!r}: its legs close loops ({joint.name!r} joins {joint.parent!r} and {joint.child!r}); "
        "it stands and is simulated so, but gaits move open legs, or two halves that a hinge joins at their ends"
    )


def _standing(robot: Robot, found: list[Branch]) -> list[Branch]:
    """Those branches that carry the robot."""
    pose, named = resting_pose(robot)
    poses = robot.link_poses(pose)
    twins = twins_of(robot, found, poses)
    seconds = {twin.name for twin in twins.values()}
    found = [branch for branch in found if branch.name not in seconds]
    if named:
        low = [float((poses[b.foot] @ b.point)[2]) - b.radius for b in found]
        height = max(float(p.translation[2]) for p in poses.values()) - min(low)
        return [b for b, z in zip(found, low, strict=True) if z - min(low) < 0.1 * max(height, 1e-6)]
    heights = {b.name: (float(poses[b.hip].translation[2]), _lowest_reach(robot, b, pose)) for b in found}
    groups = [group for group in _alike(found, heights) if len(group) > 1] or [found]
    groups = [group for group in groups if _on_one_body(robot, group)]
    if not groups:
        ends = _named([branch.foot for branch in found])
        raise BadInput(f"robot {robot.name!r} has no legs: its chains ({ends}) hang on arms, as fingers do")
    carrying = [group for group in groups if _carries(robot, group, twins, heights, poses)]
    return min(carrying or groups, key=lambda group: (len(group) < 4, _depth(group, heights)))


def _on_one_body(robot: Robot, group: list[Branch]) -> bool:
    """Whether branches begin on one body, of a few joints at most: fingers of two hands begin on the ends of arms."""
    lines = [_path(robot, branch.hip) for branch in group]
    shared = 0
    while all(len(line) > shared and line[shared] == lines[0][shared] for line in lines):
        shared += 1
    return max(len(line) for line in lines) - shared <= SPINE


def _carried_by(robot: Robot, loop: Joint, branch: Branch) -> bool:
    """Whether a joint that closes a loop is fixed to a link that a branch moves."""
    own = set(branch.joints)
    return any(joint.name in own for end in (loop.parent, loop.child) for joint in robot.ancestors(end))


def _depth(group: list[Branch], heights: dict[str, tuple[float, float]]) -> float:
    """How low branches begin and reach: hips and feet are lower than shoulders and hands."""
    return float(np.median([sum(heights[b.name]) for b in group]))


def _alike(found: list[Branch], heights: dict[str, tuple[float, float]]) -> list[list[Branch]]:
    """Branches of as many joints that begin and reach about as low: legs apart from arms."""
    out: list[list[Branch]] = []
    for count in dict.fromkeys(len(b.joints) for b in found):
        same = sorted((b for b in found if len(b.joints) == count), key=lambda b: sum(heights[b.name]))
        group = same[:1]
        for b in same[1:]:
            size = max(heights[group[0].name][0] - heights[group[0].name][1], 1e-6)
            if sum(heights[b.name]) - sum(heights[group[0].name]) > APART * size:
                out.append(group)
                group = []
            group.append(b)
        out.append(group)
    return [sorted(group, key=found.index) for group in out]


def _carries(
    robot: Robot,
    group: list[Branch],
    twins: dict[str, Branch],
    heights: dict[str, tuple[float, float]],
    poses: dict[str, SE3],
) -> bool:
    """Whether branches can reach below everything that they do not move, at rest: fingers and hands cannot."""
    whole = [*group, *(twins[branch.name] for branch in group if branch.name in twins)]
    moved = {name for branch in whole for name in branch.joints}
    low = math.inf
    for link in robot.links:
        if not any(joint.name in moved for joint in robot.ancestors(link.name)):
            for collision in link.collisions:
                if not isinstance(collision.geometry, Plane):
                    low = min(low, float(bounds(collision.geometry, poses[link.name] @ collision.pose)[0][2]))
    return float(np.median([heights[b.name][1] for b in group])) < low


SAMPLES = 400  # positions of a leg's joints that are tried


def _lowest_reach(robot: Robot, branch: Branch, rest: dict[str, float]) -> float:
    """Lowest height that an end reaches, root frame [m], over random positions of its own joints."""
    way: list[Joint] = []
    for joint in robot.ancestors(branch.foot):
        way.insert(0, joint)
        if joint.parent == branch.hip:
            break
    rng = np.random.default_rng(0)
    at = np.broadcast_to(robot.link_poses(rest)[branch.hip].matrix, (SAMPLES, 4, 4))
    for joint in way:
        at = at @ joint.pose.matrix
        if joint.one_dof:
            limits = joint.limits
            low, high = max(limits.lower, -math.pi), min(limits.upper, math.pi)
            free = joint.name in branch.joints and low < high
            values = rng.uniform(low, high, SAMPLES) if free else np.full(SAMPLES, rest.get(joint.name, 0.0))
            moved, axis = np.tile(np.eye(4), (SAMPLES, 1, 1)), np.asarray(joint.axis, dtype=float)
            if joint.type is JointType.PRISMATIC:
                moved[:, :3, 3] = values[:, None] * axis
            else:
                moved[:, :3, :3] = so3.from_axis_angle(axis, values)
            at = at @ moved
        at = at @ joint.joint_from_child.matrix
    return float(np.min(at[:, 2, :3] @ branch.point + at[:, 2, 3]))


def body_link(robot: Robot, legs: list[Branch]) -> str:
    """The link in whose frame feet are given: the root, or where legs meet when joints move that against it."""
    shared: list[str] | None = None
    for leg in legs:
        line = [leg.hip, *(joint.parent for joint in robot.ancestors(leg.hip))]
        shared = line if shared is None else [link for link in shared if link in line]
    assert shared
    body = shared[0]
    return body if any(robot.joint(name).one_dof for name in _path(robot, body)) else robot.root


def forward_azimuth(robot: Robot, legs: list[Branch], hips: Array, outward: Array) -> float:
    """Azimuth of straight ahead [rad], a multiple of a quarter turn.

    By names (front, hind, FL, RR ...; of two legs left and right), else by where a camera looks, else by the toes of
    two feet, else across the way that the legs point, else +x. hips (legs, 2) are their places, outward (legs, 2) where
    feet lie from there; root frame [m].
    """
    names = [" ".join((leg.foot, leg.hip, *leg.joints)).replace(" ", "_") for leg in legs]
    front = [i for i, text in enumerate(names) if FRONT.search(text) and not REAR.search(text)]
    rear = [i for i, text in enumerate(names) if REAR.search(text) and not FRONT.search(text)]
    if front and rear and len(legs) > 2:
        return _quarter(hips[front].mean(axis=0) - hips[rear].mean(axis=0))
    sides = _left_right(names)
    if sides is not None:
        aside = hips[sides[0]] - hips[sides[1]]
        return _quarter(np.array([aside[1], -aside[0]]))
    poses = robot.link_poses()
    for spec in robot.sensors:
        if spec.kind == "camera":
            look = (poses[spec.link].rotation @ spec.pose.rotation)[:2, 0]
            if float(np.hypot(*look)) > 0.5:
                return _quarter(look)
    if len(legs) == 2:
        toes = _toes(robot, legs)
        return _quarter(toes) if float(np.hypot(*toes)) > 1e-3 else 0.0
    x, y = np.abs(outward).sum(axis=0)
    return math.pi / 2 if x > ASKEW * y and y >= 0 and len(legs) > 4 else 0.0


def _toes(robot: Robot, legs: list[Branch]) -> Array:
    """Where feet lie from their last joints, root frame (2,) [m]: toes are longer than heels."""
    poses, out = robot.link_poses(), np.zeros(2)
    for leg in legs:
        joint, corners = robot.joint(leg.joints[-1]), poses[leg.foot] @ foot_corners(robot, leg.foot)
        if len(corners):
            middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
            out += (middle - (poses[joint.parent] @ joint.pose).translation)[:2] / len(legs)
    return out


def _left_right(names: list[str]) -> tuple[int, int] | None:
    """Which of two names tells of the left side and which of the right, by the first word of either in them."""
    sides = [SIDE.search(text) for text in names]
    if len(names) != 2 or sides[0] is None or sides[1] is None:
        return None
    first, second = (side.group(0).strip("_").lower()[0] for side in sides if side is not None)
    return None if first == second else (0, 1) if first == "l" else (1, 0)


def _quarter(direction: Array) -> float:
    turns = round(math.atan2(direction[1], direction[0]) / (math.pi / 2)) % 4
    return (0.0, math.pi / 2, math.pi, -math.pi / 2)[turns]


def ring_order(places: Array, forward: float) -> list[int]:
    """Legs counter-clockwise, from the first to the left of straight ahead; places (legs, 2) around their middle."""
    middle = (places.max(axis=0) + places.min(axis=0)) / 2
    azimuth = np.arctan2(places[:, 1] - middle[1], places[:, 0] - middle[0]) - forward
    return [int(i) for i in np.argsort((azimuth - 1e-3) % (2 * math.pi))]


def told_legs(robot: Robot) -> str:
    """The legs in a sentence, or why branches that might be some are none; empty where there is nothing like it."""
    try:
        legs = find_legs(robot)
    except BadInput as error:
        found = branches(robot)
        if len(found) >= 4 and not robot.loops:
            return str(error)
        return f"{error} ({leg_faults(robot)})" if found or robot.loops else ""
    counts = " or ".join(str(count) for count in sorted({len(leg.joints) for leg in legs}))
    if robot.fixed_base:  # an arm, a hand
        many = f"{len(legs)} chain{'s' * (len(legs) > 1)} of {counts} joints"
        return f"welded to the world: {many}, ending in {', '.join(leg.foot for leg in legs)}"
    many = "1 leg" if len(legs) == 1 else f"{len(legs)} legs"
    return f"{many} of {counts} joints, ending in {', '.join(leg.foot for leg in legs)}"


MOST_NAMED = 4  # links of a kind in the sentence
NO_SHAPE = "no <collision> at the end of the chain"
ONE_JOINT = "only one joint"
WHEEL = "only turn about themselves, as wheels do"
LEG = "a leg is a chain of two or more joints that ends in a <collision>"
FEET = "to stand on it, give the end of each leg a <collision>"
DRIVES = "what has wheels drives, by andante navigate or in the studio"
NOT_OWN = "fewer than two joints of their own (others are shared, mimic or cannot move)"


def leg_faults(robot: Robot) -> str:
    """What was seen, and what to do, as part of a sentence."""
    ends = chain_ends(robot)
    if not ends:
        return f"it has no joints that move; {LEG}"
    could = branches(robot)
    good = {name for branch in could for name in branch.joints}
    kinds: dict[str, list[str]] = {}
    for joint, group in ends:
        if joint.name not in good:
            kinds.setdefault(_fault(robot, joint, group), []).append(group[-1])
    parts = [f"{_named(links)}: {fault}" for fault, links in kinds.items()]
    if could:
        parts.insert(
            0, f"{_named([branch.foot for branch in could])}: could be {'a leg' if len(could) == 1 else 'legs'}"
        )
    if WHEEL in kinds and not could:
        return f"{'; '.join(parts)}; {DRIVES}"
    return f"{'; '.join(parts)}; {FEET if NO_SHAPE in kinds else LEG}"


def chain_ends(robot: Robot) -> list[tuple[Joint, list[str]]]:
    """The last joint of every chain, with the links that it moves."""
    movers = {joint.parent for joint in robot.joints if joint.one_dof}
    groups = [(joint, robot.welded(joint.child)) for joint in robot.movable]
    return [(joint, group) for joint, group in groups if not any(link in movers for link in group)]


def _fault(robot: Robot, joint: Joint, group: list[str]) -> str:
    end = _end_point(robot, joint.child, group)
    if end is None:
        return NO_SHAPE
    if _spins(robot, joint, end):
        return WHEEL
    return ONE_JOINT if len(_path(robot, joint.child)) < 2 else NOT_OWN


def _named(links: list[str]) -> str:
    more = len(links) - MOST_NAMED
    return ", ".join(links[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
