"""Wheels that are drawn simpler than they are: rollers that the file leaves out, and the treads of casters.

Rollers: the base slides freely and is drawn along by what its wheels turn.

Files of mecanum and omni bases mostly show plain cylinders and leave the rest to a plugin, which moves the body. Under
physics such wheels would only scrub. Here they lose their friction, and the base feels the traction that ideal rollers
would give it: a force and a moment toward the twist that the wheels, as they turn now, make,

    F = m (v_wheels - v) / lag,  |F| <= mu m g,      M = I (w_wheels - w) / lag,  |M| <= mu m g * lever

Casters: a wheel on a free fork holds nothing, neither along nor across, and its tread is round. A drawn cylinder or
mesh stands on both of its edges and scrubs with them as the fork swivels, which takes mu N w / (2 lead) at the pivot,
more than the driven wheels of a base with four such casters can give. Casters get little friction instead, and so do
balls and glides: shapes of the body itself, or on a ball joint, that touch the ground beside its wheels, unless a
friction is stated. A body on two wheels that nothing else holds leans on its edge: what reaches below the axles.
Where such shapes could carry the robot without its wheels, these would spin in the air or hardly press: files draw
bodies down to the floor that in truth hang in springs or clear it. They are lifted by a hair, so that wheels carry.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from andante.description import Link, Robot
from andante.description.check.recognize import Wheel as FoundWheel
from andante.description.check.recognize import find_wheels, spins
from andante.description.joint import JointType
from andante.description.shapes import Plane
from andante.description.solids import bounds, support_point
from andante.errors import AndanteError
from andante.geometry import SE3, Array, so3
from andante.gravity import GRAVITY
from andante.physics.commands import Push

from .motors import with_motors

if TYPE_CHECKING:
    from andante.kinematics import Drive

    from .simulation import Simulation

LAG = 0.02  # in which the base follows its wheels [s]
GRIP = 0.8  # of rubber rollers on a floor: friction coefficient
RATE = 200.0  # how often the traction is set [Hz]
CASTER_GRIP = 0.05  # friction of wheels on free forks, of balls and of glides
UPRIGHT = 0.7  # a base that leans further stands on something else than its wheels
TOUCHES = 5e-3  # a shape that ends within this from the wheels' ground touches it [m]
HAIR = 2e-3  # by which shapes that could keep the wheels off the ground are held over it [m]
BESIDE = 0.01  # from their outline, within which a center of mass hardly presses wheels [m]
ROLLING = ("mecanum", "omni")
_TURNS = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
DOWN = np.stack([0.01 * np.cos(_TURNS), 0.01 * np.sin(_TURNS), -np.ones(16)], axis=-1)  # to the rim of a bottom


def roller_drive(robot: Robot) -> Drive | None:
    """The drive of a base whose wheels should have rollers and have none in the file; None: any other robot."""
    drive = _drive_of(robot)
    bare = drive is not None and drive.kind in ROLLING and not any(part.rollers for part in drive.wheels)
    return drive if bare else None


def _drive_of(robot: Robot) -> Drive | None:
    """The drive of a base on wheels; None: any other robot."""
    if sum(map(spins, robot.movable)) < 2:
        return None
    from andante.kinematics import find_drive  # takes a while

    try:
        return find_drive(robot)
    except AndanteError:
        return None


def with_plain_wheels(robot: Robot) -> Robot:
    """The robot with wheels that slide where they should have rollers, and casters that hardly hold; else as it is.

    Driven wheels get the motors that they lack (`motors`).
    """
    drive = _drive_of(robot)
    if drive is None:
        return robot
    robot = with_motors(robot, drive)
    from andante.kinematics.wheels.wheel import CasterWheel

    bare = drive.kind in ROLLING and not any(part.rollers for part in drive.wheels)
    grips: dict[str, float] = {}
    for part in drive.wheels:
        if bare or isinstance(part.wheel, CasterWheel):
            grip = 0.0 if bare else CASTER_GRIP
            grips |= dict.fromkeys(robot.welded(robot.joint(part.joint).child), grip)
    wheels = _wheels(robot, drive)
    bottoms = _bottoms(robot) if wheels else {}
    glides = _glides(robot, drive, wheels, bottoms)
    lifts = _lifts(robot, wheels, bottoms)
    if not grips and not glides and not lifts:
        return robot
    links = (_slippery(link, grips.get(link.name), glides.get(link.name, ())) for link in robot.links)
    poses = robot.link_poses() if lifts else {}
    return replace(robot, links=tuple(_lifted(link, lifts, poses) for link in links))


def _wheels(robot: Robot, drive: Drive) -> list[FoundWheel]:
    """The wheels of a drive as they stand."""
    turned = {part.joint for part in drive.wheels}
    return [wheel for wheel in find_wheels(robot) if wheel.joint in turned]


def _floor(wheels: Sequence[FoundWheel]) -> float:
    return min(float(wheel.center[2]) - wheel.radius for wheel in wheels)


def _bottoms(robot: Robot) -> dict[tuple[str, int], float]:
    """Lowest points of the shapes of the body itself and of its balls, by link and number, root frame [m]."""
    body = [*robot.welded(robot.root)]
    balls = [joint.child for joint in robot.joints if joint.type is JointType.BALL and joint.parent in body]
    poses, bottoms = robot.link_poses(), dict[tuple[str, int], float]()
    for name in (*body, *balls):
        for i, each in enumerate(robot.link(name).collisions):
            if not isinstance(each.geometry, Plane):
                try:
                    bottoms[name, i] = float(bounds(each.geometry, poses[name] @ each.pose)[0][2])
                except AndanteError:
                    continue
    return bottoms


def _lifts(
    robot: Robot, wheels: Sequence[FoundWheel], bottoms: Mapping[tuple[str, int], float]
) -> dict[tuple[str, int], float]:
    """How far shapes of the body are lifted off the ground that could keep the wheels from pressing on it [m].

    One shape, or those of one link, without which the robot stands on its wheels and the others; else all of them.
    """
    if not wheels:
        return {}
    floor = _floor(wheels)
    low = {part: floor + HAIR - at for part, at in bottoms.items() if abs(at - floor) < TOUCHES and at < floor + HAIR}
    poses, points = robot.link_poses(), dict[tuple[str, int], Array]()
    for name, i in low:
        shape = robot.link(name).collisions[i]
        at = poses[name] @ shape.pose
        touched = [support_point(shape.geometry, d) for d in DOWN @ at.rotation]
        points[name, i] = (np.array(touched) @ at.rotation.T + at.translation)[:, :2]
    center = robot.center_of_mass()[:2]
    if not low or not _holds(list(points.values()), center, -BESIDE):
        return {}
    rims = np.array([wheel.center[:2] for wheel in wheels])
    groups = [{part} for part in low] + [{part for part in low if part[0] == name} for name, _ in low]
    for group in groups:
        rest = [touched for part, touched in points.items() if part not in group]
        if _holds([rims, *rest], center, BESIDE) and not _holds(rest, center, -BESIDE):
            return {part: low[part] for part in group}
    return low if any(_holds([touched], center, BESIDE) for touched in points.values()) else {}


def _holds(points: Sequence[Array], place: Array, margin: float) -> bool:
    """Whether points (n, 2) on the ground have a place between them, so far from their outline [m]."""
    if not points:
        return False
    around = np.linspace(0.0, 2 * np.pi, 32, endpoint=False)
    ways = np.stack([np.cos(around), np.sin(around)], axis=-1)
    return bool(np.all(np.max(ways @ np.concatenate(points).T, axis=1) - ways @ place > margin))


def _lifted(link: Link, lifts: Mapping[tuple[str, int], float], poses: Mapping[str, SE3]) -> Link:
    """The link with some shapes higher."""
    if not any(name == link.name for name, _ in lifts):
        return link
    parts = list(link.collisions)
    for (name, i), lift in lifts.items():
        if name == link.name:
            up = SE3.from_parts(np.eye(3), poses[name].rotation.T @ np.array([0.0, 0.0, lift]))
            parts[i] = replace(parts[i], pose=up @ parts[i].pose)
    return replace(link, collisions=tuple(parts))


def _glides(
    robot: Robot, drive: Drive, wheels: Sequence[FoundWheel], bottoms: Mapping[tuple[str, int], float]
) -> dict[str, tuple[int, ...]]:
    """Shapes by link, as numbers, that the body itself puts on the ground beside its wheels and that state no friction.

    Where there are none, those that reach below its axles. Bases that scrub stand on their wheels alone.
    """
    if not wheels or drive.kind == "skid_steer":
        return {}
    floor = _floor(wheels)
    touching = {part for part, low in bottoms.items() if abs(low - floor) < TOUCHES}
    axle = min(float(wheel.center[2]) for wheel in wheels)
    found = touching or {part for part, low in bottoms.items() if low < axle}
    out: dict[str, tuple[int, ...]] = {}
    for name, i in sorted(found):
        if robot.link(name).collisions[i].surface.mu is None:
            out[name] = (*out.get(name, ()), i)
    return out


def _slippery(link: Link, grip: float | None, glides: tuple[int, ...]) -> Link:
    """The link with no more friction than that on all shapes (None: as they are), and glides that hardly hold."""
    if grip is None and not glides:
        return link
    parts = []
    for i, each in enumerate(link.collisions):
        most = grip if grip is not None else CASTER_GRIP if i in glides else None
        if most is not None:
            mu = most if each.surface.mu is None else min(most, each.surface.mu)
            each = replace(each, surface=replace(each.surface, mu=mu, mu2=None, fdir1=None))
        parts.append(each)
    return replace(link, collisions=tuple(parts))


class Rollers:
    """An observer that gives a base the traction of its wheels."""

    def __init__(self, sim: Simulation, drive: Drive) -> None:
        self.next_time = sim.time
        self._drive = drive
        names = sim.robot.joint_names
        self._wheels = [names.index(joint) for joint in drive.wheel_joints]
        self._free = np.array([not part.driven for part in drive.wheels])
        tree = sim.engine.models[sim.model].tree
        self._mass = float(tree.weights[0].sum())
        self._body = int(tree.link_body[0])
        self._center = np.asarray(tree.bodies[self._body].inertia.com)
        lever = max(part.wheel.distance for part in drive.wheels)
        self._inertia = 0.5 * self._mass * lever**2  # of a disc as large as the stand of the wheels
        self._most = GRIP * self._mass * GRAVITY
        self._turn = self._most * lever
        self._own: Push | None = None  # that was set last
        self._outside: Push | None = None  # somebody else's push on the same body

    def update(self, sim: Simulation) -> None:
        """Set the force and the moment for the coming instants."""
        engine, model = sim.engine, sim.model
        self.next_time = (round(sim.time * RATE) + 1) / RATE
        held = engine.pushes.get((model, self._body))
        if held is not self._own:
            self._outside = held
        pose, velocity = engine.base_pose(model), engine.base_velocity(model)
        turn = so3.from_quaternion(pose[3:])
        force, moment = np.zeros(3), 0.0
        if turn[2, 2] > UPRIGHT:
            force, moment = self._traction(sim, turn, velocity)
        torque = np.array([0.0, 0.0, moment])
        if self._outside is not None:
            arm = turn @ (np.asarray(self._outside.point) - self._center)
            force = force + self._outside.force
            torque = torque + self._outside.torque + np.cross(arm, self._outside.force)
        engine.push(model, sim.robot.root, force, torque)
        self._own = engine.pushes.get((model, self._body))

    def _traction(self, sim: Simulation, turn: Array, velocity: Array) -> tuple[Array, float]:
        speeds = sim.engine.joint_velocities(sim.model)[self._wheels]
        speeds = np.where(self._free, np.nan, speeds)
        wanted = self._drive.at_root(np.nan_to_num(self._drive.twist(speeds).twist))
        yaw = math.atan2(turn[1, 0], turn[0, 0])
        c, s = math.cos(yaw), math.sin(yaw)
        ahead = np.array([c * wanted[0] - s * wanted[1], s * wanted[0] + c * wanted[1]])
        force = self._mass * (ahead - velocity[:2]) / LAG
        size = math.hypot(*force)
        if size > self._most:
            force *= self._most / size
        moment = self._inertia * (float(wanted[2]) - float(velocity[5])) / LAG
        return np.array([*force, 0.0]), max(-self._turn, min(self._turn, moment))
