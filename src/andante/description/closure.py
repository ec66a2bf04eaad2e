"""Closed loops: joint positions in which the joints that close them fit, and the joints that merely follow.

The joints of a robot form a tree; a joint of `Robot.loops` asks two links of it to fit together,

    r(q) = 0,    r: gap between the two frames of the joint, of the directions that it does not leave free,

a point [m] for a ball, point and axis for a hinge, the whole frame for a weld, all but the way along the axis for a
slider; angles count as lengths at a lever of `LEVER`. `close_loops` brings given positions onto r = 0 by damped least
squares (Levenberg, Quart. Appl. Math. 2, 1944; Nocedal and Wright, Numerical Optimization, ch. 10), and
`passive_joints` finds which joints follow the others: columns of dr/dq that span its range.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from andante.geometry import SE3, Array, so3

from .joint import Joint, JointType
from .link import IDENTITY
from .robot import Robot, joint_motion

LEVER = 0.1  # at which an angle counts as a length [m]
CLOSED = 1e-4  # a gap that counts as none: files round their anchors [m]
STEPS = 60  # of one descent
RESTARTS = 8  # from random positions, where the nearest ones do not close
LIKE_NEW = 0.9  # a further stage counts when it leaves less than this part of the gap
NUDGES = (0.5, 0.2, 0.05)  # positions are looked at this far off, where no two bars are in line by chance [rad, m]
FINE = 0.1 * CLOSED  # from here on a descent ends when it becomes slow, as in loops that hold more than they need [m]
RANKS = (0.3, 0.1, 0.03, 0.01)  # what a column adds to the others must be more, of its own length
TINY = 1e-6  # shorter columns move nothing [m]
HINGES = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS})
LOOSE = {JointType.BALL: 3, JointType.FLOATING: 6}  # joints of the tree of several degrees that a loop may move


@dataclass(frozen=True)
class Closure:
    """A robot with its loops closed as far as they close."""

    robot: Robot  # ball and floating joints stand as the loops want them, in their `pose`
    positions: dict[str, float]  # of all movable joints [rad, m]
    error: float  # largest gap that is left [m]

    @property
    def closed(self) -> bool:
        """Whether every loop fits within `CLOSED`."""
        return self.error <= CLOSED


def close_loops(robot: Robot, positions: Mapping[str, float], named: Collection[str] = ()) -> Closure:
    """The robot at the closed positions nearest to given ones [rad, m]; a robot without loops as it is.

    Joints that follow and are not `named` are moved first, then all that are not, then all that follow, then all; each
    only if the ones before did not close the loops. Limits are kept. Where no position closes them, the smallest gap
    that was found is left.
    """
    start = robot.complete(positions)
    if not robot.loops:
        return Closure(robot, start, 0.0)
    linkage = _Linkage(robot)
    follow, named = robot.passive, set(named)
    best = linkage.state(start)
    least = linkage.gap(best)
    everything = set(linkage.names)
    stages = (follow - named, everything - named, follow, everything)
    for free in dict.fromkeys(frozenset(stage) for stage in stages):
        if least > CLOSED:
            tried = linkage.descend(linkage.state(start), free)
            if (gap := linkage.gap(tried)) < LIKE_NEW * least:
                best, least = tried, gap
    rng = np.random.default_rng(0)
    for _ in range(RESTARTS):
        if least > 10 * CLOSED:
            tried = linkage.descend(linkage.scattered(start, rng), set(linkage.names))
            if (gap := linkage.gap(tried)) < LIKE_NEW * least:
                best, least = tried, gap
    return Closure(linkage.redrawn(best), robot.complete(best.q), least)


def passive_joints(robot: Robot) -> frozenset[str]:
    """Joints that follow the others through closed loops, and that nothing in the file gives a motor.

    As many as the loops take degrees of freedom: columns of dr/dq, those of joints without effort first, then from the
    ends of the chains inward. A transmission, or gains of its own in `robot.servos`, tells of a motor.
    """
    if not robot.loops:
        return frozenset()
    linkage = _Linkage(robot)
    rng = np.random.default_rng(0)
    start = robot.complete({j.name: min(max(j.initial, j.limits.lower), j.limits.upper) for j in robot.movable})
    everything = set(linkage.names)
    found_at = linkage.descend(linkage.state(start), everything)
    state, least = found_at, max(CLOSED, linkage.gap(found_at))
    for nudge in NUDGES:
        off = {name: value + nudge * rng.uniform(-1, 1) for name, value in found_at.q.items()}
        moved = linkage.descend(_State(robot.complete(off), found_at.motions), everything)
        if linkage.gap(moved) <= 2 * least:
            state = moved
            break
    jacobian = linkage.jacobian(state)
    driven = {name for transmission in robot.transmissions for name in transmission.joints}
    driven |= {j.name for j in robot.movable for key in robot.servos if key != "*" and fnmatchcase(j.name, key)}
    depth = {j.name: len(robot.ancestors(j.child)) for j in robot.movable}
    last = {name: i for i, name in enumerate(robot.joint_names)}
    ranked = sorted(
        (name for name in robot.joint_names if name in linkage.column and name not in driven),
        key=lambda name: (robot.joint(name).limits.effort != 0, -depth[name], -last[name]),
    )
    basis = _basis(jacobian[:, linkage.loose])  # what ball and floating joints take up moves no motor
    found: set[str] = set()
    for least in RANKS:  # those that close a loop with a good lever before those that could with a bad one
        for name in ranked:
            rest = column = jacobian[:, linkage.column[name]]
            for _ in range(2):  # twice is enough
                rest = rest - basis @ (basis.T @ rest)
            size = float(np.linalg.norm(rest))
            if name not in found and size > least * float(np.linalg.norm(column)) + TINY:
                basis = np.column_stack([basis, rest / size])
                found.add(name)
    return frozenset(found)


def reflected_inertia(robot: Robot) -> dict[str, float]:
    """Inertia [kg m² or kg] that each motor of a closed loop feels, the root held, where the robot starts.

    I = sum over the links of m v² + w I w, with their velocities at unit speed of that motor: those that follow go with
    it, dq = -J⁺ dr/dq, and the other motors stand. Along the tree alone it is that of bars that the loop does not move.
    """
    if not robot.loops:
        return {}
    start = robot.complete({j.name: min(max(j.initial, j.limits.lower), j.limits.upper) for j in robot.movable})
    linkage = _Linkage(robot)
    state = linkage.descend(linkage.state(start), set(linkage.names))
    links, frames = linkage.poses(state)
    jacobian, (axis, pivot) = linkage.jacobian(state), linkage.axes(state, frames)
    follows = np.array([k >= len(linkage.names) or linkage.names[k] in robot.passive for k in range(linkage.size)])
    solve = np.linalg.pinv(jacobian[:, follows], rcond=RANKS[-1])
    out = {}
    for name in linkage.names:
        if name in robot.passive:
            continue
        rates = np.zeros(linkage.size)
        rates[linkage.column[name]] = 1.0
        rates[follows] = -solve @ jacobian[:, linkage.column[name]]
        total = 0.0
        for link in robot.links:
            if link.inertia is None:
                continue
            use = linkage.moving(link.name)
            placed = link.inertia.transformed(links[link.name])
            speed = (linkage.ratios[use] * rates[linkage.variables[use]])[:, None]
            turns = linkage.turns[use, None]
            spin = np.sum(np.where(turns, axis[use], 0.0) * speed, axis=0)
            arms = np.asarray(placed.com) - pivot[use]
            way = np.sum(np.where(turns, _cross(axis[use], arms), axis[use]) * speed, axis=0)
            total += placed.mass * float(way @ way) + float(spin @ placed.matrix @ spin)
        out[name] = total
    return out


def _basis(columns: Array) -> Array:
    u, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(u[:, sizes > max(RANKS[-1] * float(sizes.max(initial=0.0)), TINY)])


@dataclass(frozen=True)
class _State:
    """Positions of the movable joints, and the motion of each ball and floating joint of the tree."""

    q: Mapping[str, float]
    motions: Mapping[str, SE3]


@dataclass(frozen=True)
class _Column:
    """One variable: a joint of the tree that it moves, about or along an axis of the joint's own frame."""

    joint: Joint
    axis: Array
    turns: bool
    ratio: float  # of a mimic to its source
    variable: int


class _Linkage:
    """Gap and derivative of a robot's loops. Variables: its independent joints, then the degrees of the loose ones."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        ends = {end for loop in robot.loops for end in (loop.parent, loop.child)}
        above = {end: {joint.name for joint in robot.ancestors(end)} for end in ends}
        moving = set().union(*(above[loop.parent] ^ above[loop.child] for loop in robot.loops))  # one end alone
        self.names: list[str] = []
        self.column: dict[str, int] = {}
        self._columns: list[_Column] = []
        for joint in robot.independent:
            followers = [(each, ratio) for each, ratio in _led_by(robot, joint) if each.name in moving]
            if followers:
                self.column[joint.name] = len(self.names)
                self.names.append(joint.name)
                for each, ratio in followers:
                    turns = each.type is not JointType.PRISMATIC
                    self._columns.append(_Column(each, np.asarray(each.axis), turns, ratio, len(self.names) - 1))
        count = len(self.names)
        self.several = [j for j in robot.joints if j.type in LOOSE and j.name in moving]
        for joint in self.several:
            for k in range(LOOSE[joint.type]):
                self._columns.append(_Column(joint, np.eye(3)[k % 3], k < 3, 1.0, count))
                count += 1
        self.loose = slice(len(self.names), count)
        self.turns = np.array([column.turns for column in self._columns], dtype=bool)
        self.ratios = np.array([column.ratio for column in self._columns])
        self.variables = np.array([column.variable for column in self._columns], dtype=int)
        self._moves = {  # columns that move an end
            end: self.moving(end) for end in ends
        }
        self.size = count
        limits = [robot.joint(name).limits for name in self.names]
        self.lower = np.array([limit.lower for limit in limits] + [-math.inf] * (count - len(self.names)))
        self.upper = np.array([limit.upper for limit in limits] + [math.inf] * (count - len(self.names)))

    def state(self, positions: Mapping[str, float]) -> _State:
        """The loose joints at rest, the others at given positions."""
        return _State(dict(positions), {joint.name: IDENTITY for joint in self.several})

    def scattered(self, positions: Mapping[str, float], rng: np.random.Generator) -> _State:
        """Random positions of all variables, within limits and a turn of the given ones [rad, m]."""
        q = dict(positions)
        for name in self.names:
            joint = self.robot.joint(name)
            reach = LEVER if joint.type is JointType.PRISMATIC else math.pi
            low, high = max(joint.limits.lower, q[name] - reach), min(joint.limits.upper, q[name] + reach)
            q[name] = float(rng.uniform(min(low, high), high))
        return self.state(self.robot.complete(q))

    def moved(self, state: _State, step: Array) -> _State:
        """The state a step (variables,) further on, inside the limits."""
        at = np.array([state.q[name] for name in self.names])
        n = len(at)
        inside = np.clip(at + step[:n], self.lower[:n], self.upper[:n])
        q = self.robot.complete({**state.q, **dict(zip(self.names, inside.tolist(), strict=True))})
        motions, k = dict(state.motions), n
        for joint in self.several:
            turn, way = step[k : k + 3], step[k + 3 : k + LOOSE[joint.type]]
            shift = way if len(way) else np.zeros(3)
            before = motions[joint.name]
            motions[joint.name] = SE3.from_parts(so3.exp(turn) @ before.rotation, before.translation + shift)
            k += LOOSE[joint.type]
        return _State(q, motions)

    def poses(self, state: _State) -> tuple[dict[str, SE3], dict[str, SE3]]:
        """Link poses, and the frames of the joints of the tree before they move; root frame."""
        links, frames = {self.robot.root: IDENTITY}, {}
        for joint in self.robot.topological:
            frame = frames[joint.name] = links[joint.parent] @ joint.pose
            motion = state.motions.get(joint.name)
            motion = joint_motion(joint, state.q.get(joint.name, 0.0)) if motion is None else motion
            links[joint.child] = frame @ motion @ joint.joint_from_child
        return links, frames

    def residual(self, state: _State) -> Array:
        """What is open, (rows,) [m]."""
        links, _ = self.poses(state)
        return np.concatenate([_open(loop, *_ends(loop, links)) for loop in self.robot.loops])

    def gap(self, state: _State) -> float:
        """Largest gap [m]."""
        links, _ = self.poses(state)
        return max(float(np.linalg.norm(_open(loop, *_ends(loop, links)))) for loop in self.robot.loops)

    def jacobian(self, state: _State) -> Array:
        """Derivative of the residual (rows, variables)."""
        links, frames = self.poses(state)
        axis, pivot = self.axes(state, frames)
        out = []
        for loop in self.robot.loops:
            parent, child = _ends(loop, links)
            block = np.zeros((len(_open(loop, parent, child)), self.size))
            for end, frame, sign in ((loop.parent, parent, -1.0), (loop.child, child, 1.0)):
                use = self._moves[end]
                turns = self.turns[use, None]
                spin = np.where(turns, axis[use], 0.0)
                speed = np.where(turns, _cross(axis[use], frame.translation - pivot[use]), axis[use])
                rates = self.ratios[use, None] * _opening(loop, parent, child, sign, speed, spin)
                np.add.at(block.T, self.variables[use], rates)
            out.append(block)
        return np.concatenate(out)

    def axes(self, state: _State, frames: Mapping[str, SE3]) -> tuple[Array, Array]:
        """Axes and a point of each, (columns, 3), root frame."""
        axes, pivots = [], []
        for column in self._columns:
            frame = frames[column.joint.name]
            axes.append(frame.rotation @ column.axis)
            motion = state.motions.get(column.joint.name)  # the pivot of a floating joint goes with it
            pivots.append(frame.translation if motion is None else frame @ motion.translation)
        return np.array(axes).reshape(-1, 3), np.array(pivots).reshape(-1, 3)

    def moving(self, link: str) -> np.ndarray:
        """Columns that move a link."""
        above = {joint.name for joint in self.robot.ancestors(link)}
        return np.array([k for k, column in enumerate(self._columns) if column.joint.name in above], dtype=int)

    def descend(self, state: _State, free: Collection[str]) -> _State:
        """Damped least squares over the loose joints and those that are `free`, inside their limits."""
        chosen = np.array([name in free for name in self.names] + [True] * (self.size - len(self.names)), dtype=bool)
        if not chosen.any():
            return state
        open_by = self.residual(state)
        damping = 1e-6
        for _ in range(STEPS):
            cost = float(open_by @ open_by)
            if cost < 1e-24:
                break
            jacobian = self.jacobian(state)
            gradient = jacobian.T @ open_by
            at = np.array([state.q[name] for name in self.names] + [0.0] * (self.size - len(self.names)))
            stuck = ((at <= self.lower) & (gradient > 0)) | ((at >= self.upper) & (gradient < 0))
            use = np.flatnonzero(chosen & ~stuck)
            part = jacobian[:, use]
            normal, step = part.T @ part, np.zeros(self.size)
            for _ in range(12):
                step[use] = np.linalg.solve(normal + damping * np.eye(len(use)), -gradient[use])
                longest = float(np.abs(step).max(initial=0.0))
                trial = self.moved(state, step * min(1.0, 0.5 / max(longest, 1e-12)))
                there = self.residual(trial)
                if there @ there < cost:
                    damping = max(damping / 10, 1e-12)
                    break
                damping *= 10
            else:
                break
            gain = cost - float(there @ there)
            done = gain < (0.05 if cost < FINE**2 else 1e-9) * cost
            state, open_by = trial, there
            if done:
                break
        return state

    def redrawn(self, state: _State) -> Robot:
        """The robot whose ball and floating joints stand, at rest, as they do in a state."""
        if all(motion is IDENTITY for motion in state.motions.values()):
            return self.robot
        joints = tuple(
            replace(joint, pose=joint.pose @ state.motions[joint.name]) if joint.name in state.motions else joint
            for joint in self.robot.joints
        )
        return replace(self.robot, joints=joints)


def _led_by(robot: Robot, leader: Joint) -> Sequence[tuple[Joint, float]]:
    """A joint and those that mimic it, through chains, with their ratios."""
    found = [(leader, 1.0)]
    for source, ratio in found:
        found += [
            (joint, ratio * joint.mimic.multiplier)
            for joint in robot.movable
            if joint.mimic is not None and joint.mimic.joint == source.name and joint is not leader
        ]
    return found


def _ends(loop: Joint, links: Mapping[str, SE3]) -> tuple[SE3, SE3]:
    """The frame of a loop joint on its parent and on its child."""
    return links[loop.parent] @ loop.pose, links[loop.child] @ loop.joint_from_child.inverse()


def _open(loop: Joint, parent: SE3, child: SE3) -> Array:
    """What is open between the two frames of a loop joint [m]."""
    gap = child.translation - parent.translation
    if loop.type is JointType.BALL:
        return np.asarray(gap)
    if loop.type in HINGES:
        axis = np.asarray(loop.axis)
        return np.concatenate([gap, LEVER * _cross(parent.rotation @ axis, child.rotation @ axis)])
    if loop.type in (JointType.FIXED, JointType.PRISMATIC):
        turn = LEVER * so3.log(child.rotation @ parent.rotation.T)
        if loop.type is JointType.PRISMATIC:
            axis = parent.rotation @ np.asarray(loop.axis)
            gap = gap - (gap @ axis) * axis
        return np.concatenate([gap, turn])
    return np.zeros(0)  # joints that leave too much free to be asked for


def _opening(loop: Joint, parent: SE3, child: SE3, sign: float, speed: Array, spin: Array) -> Array:
    """Rates (n, rows) of `_open` when the child's frame (sign 1) or the parent's (-1) has speeds and spins (n, 3)."""
    gap = sign * speed
    if loop.type is JointType.BALL:
        return np.asarray(gap)
    if loop.type in HINGES:
        first, second = parent.rotation @ np.asarray(loop.axis), child.rotation @ np.asarray(loop.axis)
        moved = (first, _cross(spin, second)) if sign > 0 else (_cross(spin, first), second)
        return np.concatenate([gap, LEVER * _cross(*moved)], axis=1)
    if loop.type in (JointType.FIXED, JointType.PRISMATIC):
        if loop.type is JointType.PRISMATIC:
            axis, open_by = parent.rotation @ np.asarray(loop.axis), child.translation - parent.translation
            turned = _cross(spin, axis) if sign < 0 else np.zeros_like(spin)
            along = gap @ axis + turned @ open_by
            gap = gap - along[:, None] * axis - float(open_by @ axis) * turned
        return np.concatenate([gap, LEVER * sign * spin], axis=1)
    return np.zeros((len(speed), 0))


def _cross(a: Array, b: Array) -> Array:
    """Cross product of vectors (..., 3); numpy's own is slow for a few."""
    return np.stack(
        [
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ],
        axis=-1,
    )
