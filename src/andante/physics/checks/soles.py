"""Checks of soles: what a foot needs of the ground that it stands on, against statics.

Two soles, a box and a prism over ten corners, on a plane and on a box. A foot of weight W = m g that is pushed down
with F at the point p presses on the ground at (F p + W c) / (F + W), c its center of mass; a moment tips it when that
point leaves the outline. Several feet stand side by side in one scene.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from andante.description.joint import Dynamics, Joint, JointType, Limits
from andante.description.link import Collision, Link, Surface
from andante.description.robot import Robot
from andante.description.shapes import Box, Geometry, Vec3
from andante.description.world import Placement, World
from andante.geometry import SE3, Array
from andante.gravity import GRAVITY
from andante.physics.engine import Engine
from andante.physics.state import Settings

from . import specimens
from .result import Checks, Findings

SOLES = Checks()

TOLERANCE = 0.02  # of the length of the sole, or of the moment that tips it
LENGTH, WIDTH, THICKNESS = 0.15, 0.08, 0.03  # [m]
OUTLINE = (
    (-0.075, -0.026), (-0.06, -0.04), (0.032, -0.043), (0.062, -0.034), (0.075, -0.013),
    (0.075, 0.012), (0.06, 0.036), (0.04, 0.043), (-0.056, 0.042), (-0.073, 0.032),
)  # fmt: skip
FOOT_MASS, CENTER = 1.0, (0.0, 0.0, 0.03)  # [kg], of the foot with what it carries close above it [m]
MU = 0.8
SAMPLE = 5  # steps over which a pressure center is taken, as a force sensor of 100 Hz would
TIPPED = 3.0  # tilt above which a foot tips over [deg]
FLAT = 0.5  # largest tilt of a sole that lies flat [deg]


@dataclass(frozen=True)
class Sole:
    """A sole with its outline (n, 2) [m]."""

    name: str
    geometry: Geometry
    outline: Array

    def tolerance(self, engine: type[Engine]) -> float:
        """`TOLERANCE`, or what an engine states for hulls of more than four corners."""
        return TOLERANCE if len(self.outline) == 4 else engine.sole_tolerance

    def reach(self, angle: float) -> float:
        """Way from the middle of the sole to its edge in a direction [m]."""
        along, across = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
        best = 0.0
        for a, b in zip(self.outline, np.roll(self.outline, -1, axis=0), strict=True):
            u, v = float(a @ across), float(b @ across)
            if u <= 0.0 < v:
                best = float((a + (b - a) * u / (u - v)) @ along)
        return best


@contextmanager
def specimen_soles() -> Iterator[tuple[Sole, ...]]:
    """A box and a prism of ten corners."""
    half = np.array([LENGTH, WIDTH]) / 2
    corners = half * [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    with tempfile.TemporaryDirectory() as folder:
        prism = specimens.write_prism_mesh(Path(folder) / "sole.obj", OUTLINE, THICKNESS)
        yield (
            Sole("box", Box((LENGTH, WIDTH, THICKNESS)), corners),
            Sole("prism", prism, np.array(OUTLINE)),
        )


def _foot(sole: Sole, mass: float = FOOT_MASS, name: str = "foot") -> Link:
    """A foot whose origin is the middle of its underside."""
    inertia = specimens.box_inertia(mass, (LENGTH, WIDTH, 2 * CENTER[2]), CENTER)
    return Link(name, inertia, (), (Collision(sole.geometry, SE3.from_xyz_rpy((0, 0, THICKNESS / 2)), Surface(mu=MU)),))


def _grounds() -> Iterable[tuple[str, World]]:
    slab = specimens.solid("ground", Box((40.0, 4.0, 0.2)), mu=MU)
    yield "plane", specimens.world(specimens.ground(MU))
    yield "box", specimens.world(Placement("ground", slab, SE3.from_xyz_rpy((0, 0, -0.1)), fixed=True))


def _scene(engine: type[Engine], world: World, robot: Robot, poses: Iterable[SE3]) -> Engine:
    """Robots in a row, half a meter apart, each turned about the vertical a little more than the last."""
    placements = [
        Placement(f"foot{k}", robot, SE3.from_xyz_rpy((0.5 * k, 0.0, 0.0), (0.0, 0.0, 0.3 + 0.1 * k)) @ pose)
        for k, pose in enumerate(poses)
    ]
    return engine(world, placements, Settings())


def _tilt(scene: Engine, model: int) -> float:
    """Angle between a foot's sole and the ground [deg]."""
    return math.degrees(math.acos(min(1.0, float(SE3.from_vector(scene.base_pose(model)).rotation[2, 2]))))


def _pressure(scene: Engine, models: int) -> Array:
    """Mean pressure centers over a sample in the frames of the feet, (models, 2) [m]; NaN where nothing presses."""
    sums = np.zeros((models, 3))
    for _ in range(SAMPLE):
        scene.step(1)
        contacts = scene.contacts()
        for k in range(models):
            mine = contacts.of(k + 1)
            up = mine.force[:, 2]
            local = SE3.from_vector(scene.base_pose(k + 1)).inverse() @ mine.position
            sums[k] += (*(up @ local[:, :2]), up.sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, :2] / sums[:, 2:])


LOADS: tuple[tuple[float, float], ...] = ((0.0, 0.0), (0.05, 0.0), (-0.055, 0.0), (0.0, 0.028), (0.03, -0.02))
LOAD = 30.0  # [N]


@SOLES.add
def sole_pressure(engine: type[Engine], found: Findings) -> None:
    """Under a load that is moved about, the pressure center lies where statics has it, within 2 % of the sole."""
    weight = FOOT_MASS * GRAVITY
    with specimen_soles() as soles:
        for sole in soles:
            robot = Robot("foot", (_foot(sole),))
            for ground, world in _grounds():
                scene = _scene(engine, world, robot, [SE3.identity()] * len(LOADS))
                scene.step(50)
                for k, (x, y) in enumerate(LOADS):
                    scene.push(k + 1, "foot", (0.0, 0.0, -LOAD), point=(x, y, CENTER[2]))
                scene.step(200)
                expected = LOAD * np.array(LOADS) / (LOAD + weight)
                worst, bound = 0.0, sole.tolerance(engine) * LENGTH
                for _ in range(6):
                    off = np.linalg.norm(_pressure(scene, len(LOADS)) - expected, axis=1).max()
                    worst = max(worst, float(off) if math.isfinite(off) else math.inf)
                    scene.step(7)
                found.at_most(f"pressure center off, {sole.name} on {ground} [m]", worst, bound)
                scene.close()


LEVELS = np.array([-2.0, -1.0, 1.0, 2.0])  # tolerances from the moment of statics


@SOLES.add
def sole_tipping(engine: type[Engine], found: Findings) -> None:
    """A moment tips a foot when it exceeds weight times the way to the edge, within 2 %, in eight directions."""
    angles = [math.radians(45.0 * k) for k in range(8)]
    with specimen_soles() as soles:
        for sole in soles:
            robot, tolerance = Robot("foot", (_foot(sole),)), sole.tolerance(engine)
            levels = 1.0 + tolerance * LEVELS
            cases = [(angle, level) for angle in angles for level in levels]
            for ground, world in _grounds():
                scene = _scene(engine, world, robot, [SE3.identity()] * len(cases))
                scene.step(50)
                for k, (angle, level) in enumerate(cases):
                    heading = angle + 0.3 + 0.1 * k
                    moment = level * FOOT_MASS * GRAVITY * sole.reach(angle)
                    scene.push(k + 1, "foot", np.zeros(3), (-moment * math.sin(heading), moment * math.cos(heading), 0))
                tilts = np.zeros(len(cases))
                for _ in range(10):
                    scene.step(30)
                    tilts = np.maximum(tilts, [_tilt(scene, k + 1) for k in range(len(cases))])
                for angle, row in zip(angles, tilts.reshape(len(angles), -1), strict=True):
                    what = f"moment that tips by statics', {math.degrees(angle):.0f} deg, {sole.name} on {ground}"
                    found.close(what, _threshold(levels, row), 1.0, tolerance)
                scene.close()


def _threshold(levels: Array, tilts: Array) -> float:
    """Middle between the highest level that a foot stands and the lowest that tips it; NaN where they are mixed."""
    tipped = np.flatnonzero(tilts > TIPPED)
    if not len(tipped) or tipped[0] == 0 or len(tipped) != len(levels) - tipped[0]:
        return math.nan
    return float(levels[tipped[0] - 1] + levels[tipped[0]]) / 2


@SOLES.add
def sole_grip(engine: type[Engine], found: Findings) -> None:
    """A foot that is loaded at one end holds against 95 % of mu (F + W) at its pressure center, and slides at 105 %.

    The way that it slides then shows the grip within 2.5 %.
    """
    weight, x = FOOT_MASS * GRAVITY, 0.05
    center = LOAD * x / (LOAD + weight)
    with specimen_soles() as soles:
        for sole in soles:
            robot = Robot("foot", (_foot(sole),))
            scene = _scene(engine, specimens.world(specimens.ground(MU)), robot, [SE3.identity()] * 2)
            for k in (0, 1):  # contact directions of friction pyramids lie along the world's axes
                scene.set_base(k + 1, [0.5 * k, 0, 0, 0, 0, 0, 1])
            scene.step(50)
            for k, level in enumerate((0.95, 1.05)):
                # one wrench per body, at the point where the foot is loaded: the push along y acts on the ground there
                side, lever = level * MU * (LOAD + weight), center - x
                scene.push(
                    k + 1, "foot", (0.0, side, -LOAD), (side * CENTER[2], 0.0, side * lever), (x, 0.0, CENTER[2])
                )
            scene.step(200)
            for k, what in enumerate(("below its grip", "above its grip")):
                way = float(scene.base_pose(k + 1)[1])
                if k == 0:
                    found.at_most(f"way of a {sole.name} {what} [m]", way, 0.001)
                else:
                    expected = 0.05 * MU * GRAVITY * (LOAD + weight) / weight * 0.4**2 / 2
                    found.close(f"way of a {sole.name} {what} [m]", way, expected, 0.5 * expected)
            scene.close()


@SOLES.add
def sole_lands(engine: type[Engine], found: Findings) -> None:
    """A foot that is put down tilted by 2 degrees and then loaded lies flat, presses as statics has it, and stays."""
    ways = [(0.04, 0.0), (-0.04, 0.0), (0.0, 0.04), (0.03, -0.03)]
    tilted = [SE3.from_xyz_rpy((0, 0, 0.004), (roll, pitch, 0.0)) for roll, pitch in ways]
    feet = range(1, len(ways) + 1)
    with specimen_soles() as soles:
        for sole in soles:
            robot = Robot("foot", (_foot(sole),))
            for ground, world in _grounds():
                scene = _scene(engine, world, robot, tilted)
                scene.step(50)
                for k in feet:
                    scene.push(k, "foot", (0.0, 0.0, -LOAD), point=CENTER)
                scene.step(150)
                where = f"{sole.name} on {ground}"
                found.at_most(f"tilt 0.4 s after coming down, {where} [deg]", max(_tilt(scene, k) for k in feet), FLAT)
                before = np.array([scene.base_pose(k)[:2] for k in feet])
                off = np.linalg.norm(_pressure(scene, len(ways)), axis=1).max()
                found.at_most(f"pressure center off, {where} [m]", off, TOLERANCE * LENGTH)
                scene.step(150)
                crept = np.abs(np.array([scene.base_pose(k)[:2] for k in feet]) - before).max()
                found.at_most(f"creep in 0.3 s, {where} [m]", float(crept), 0.001)
                scene.close()


def leg(sole: Sole) -> Robot:
    """A foot with two hinges of the ankle, a knee and a hip under a body of 3 kg, as a walker stands on one leg."""
    y: Vec3 = (0.0, 1.0, 0.0)
    free, rotor = Limits(), Dynamics(armature=0.01)
    links = (
        _foot(sole, 0.2),
        specimens.box_link("ankle", 0.1, (0.03, 0.03, 0.03), collide=False),
        specimens.box_link("shank", 0.3, (0.05, 0.05, 0.1), (0.0, 0.0, 0.05), collide=False),
        specimens.box_link("thigh", 0.4, (0.06, 0.06, 0.1), (0.0, 0.0, 0.05), collide=False),
        specimens.box_link("body", 3.0, (0.1, 0.12, 0.1), (0.0, 0.0, 0.05), collide=False),
    )

    def up(z: float) -> SE3:
        return SE3.from_xyz_rpy((0.0, 0.0, z))

    joints = (
        Joint("roll", JointType.CONTINUOUS, "foot", "ankle", up(0.045), (1.0, 0.0, 0.0), free, rotor),
        Joint("pitch", JointType.CONTINUOUS, "ankle", "shank", up(0.0), y, free, rotor),
        Joint("knee", JointType.CONTINUOUS, "shank", "thigh", up(0.1), y, free, rotor),
        Joint("hip", JointType.CONTINUOUS, "thigh", "body", up(0.1), y, free, rotor),
    )
    return Robot("leg", links, joints)


POSTURES: tuple[tuple[float, ...], ...] = (
    (0.0, 0.0, 0.0, 0.0), (0.0, 0.15, 0.0, 0.0), (0.0, -0.15, 0.0, 0.0), (0.08, 0.0, 0.0, 0.0), (0.05, -0.4, 0.8, -0.2)
)  # fmt: skip


@SOLES.add
def standing_leg(engine: type[Engine], found: Findings) -> None:
    """Under a leg held by servos the pressure center follows the center of mass within 2 %, and the sole lies flat."""
    with specimen_soles() as soles:
        for sole in soles:
            for posture in POSTURES:
                _stand(engine, leg(sole), posture, sole.name, found)


def _stand(engine: type[Engine], robot: Robot, posture: tuple[float, ...], name: str, found: Findings) -> None:
    scene = _scene(engine, specimens.world(specimens.ground(MU)), robot, [SE3.identity()])
    scene.set_gains(1, scene.gains[1].changed(kp=150.0, kd=3.0))
    scene.set_joints(1, posture)
    scene.command(1, posture)
    scene.step(750)
    before = scene.base_pose(1)[:2]
    for _ in range(6):
        off = float(np.linalg.norm(_pressure(scene, 1)[0] - _mass_center(scene, 1)))
        found.at_most(f"pressure center off the center of mass, {name} [m]", off, TOLERANCE * LENGTH)
        scene.step(7)
    found.at_most(f"tilt of the sole, {name} [deg]", _tilt(scene, 1), FLAT)
    scene.step(500)
    found.at_most(f"creep in 1 s, {name} [m]", math.dist(before, scene.base_pose(1)[:2]), 0.001)
    scene.close()


def _mass_center(scene: Engine, model: int) -> Array:
    """Where the center of mass of a model is, in the frame of its root link, (2,) [m]."""
    links = scene.models[model].tree.robot.links
    inertias = [link.inertia for link in links]
    poses = SE3.from_vector(scene.link_poses(model))
    parts = [(i.mass, poses[k] @ np.asarray(i.com)) for k, i in enumerate(inertias) if i is not None]
    center = sum((mass * at for mass, at in parts), np.zeros(3)) / sum(mass for mass, _ in parts)
    return np.asarray((SE3.from_vector(scene.base_pose(model)).inverse() @ center)[:2])
