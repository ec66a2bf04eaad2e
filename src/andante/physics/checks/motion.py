"""Checks of free motion: falling, spinning, swinging, pushing, and of what is read and set."""

from __future__ import annotations

import math

import numpy as np

from andante.description.robot import Robot
from andante.description.world import Placement
from andante.geometry import SE3, Array, so3
from andante.gravity import GRAVITY
from andante.physics.engine import Engine
from andante.physics.state import Settings

from . import specimens
from .result import Checks, Findings

MILLI = Settings(dt=0.001)


MOTION = Checks()


@MOTION.add
def free_fall(engine: type[Engine], found: Findings) -> None:
    """A thrown block falls by g t^2/2 (within what one step of Euler's rule explains) and keeps its momentum."""
    scene = engine(specimens.world(), [Placement("block", specimens.block(2.0))], MILLI)
    scene.set_base(0, [0, 0, 10, 0, 0, 0, 1], [1, -0.5, 0, 0, 0, 3])
    scene.step(500)
    x, y, z = scene.base_pose(0)[:3]
    velocity = scene.base_velocity(0)
    found.close("fall after 0.5 s [m]", 10 - z, GRAVITY / 8, GRAVITY * 0.5 * MILLI.dt)
    found.close("speed after 0.5 s [m/s]", -velocity[2], GRAVITY * 0.5, 0.001 * GRAVITY)
    found.close("sideways path [m]", x, 0.5, 0.001)
    found.close("sideways path [m]", y, -0.25, 0.001)
    found.close("sideways speed [m/s]", velocity[0], 1.0, 0.001)
    found.close("spin about the axis [rad/s]", velocity[5], 3.0, 0.003)
    found.close("turned angle [rad]", so3.log(so3.from_quaternion(scene.base_pose(0)[3:]))[2], 1.5, 0.005)


@MOTION.add
def tumbling(engine: type[Engine], found: Findings) -> None:
    """A box that tumbles about no main axis keeps its angular momentum R I Rᵀ w."""
    robot = specimens.block(1.0, (0.3, 0.2, 0.1))
    scene = engine(specimens.world(gravity=(0.0, 0.0, 0.0)), [Placement("block", robot)], MILLI)
    tensor = robot.links[0].inertia.matrix  # type: ignore[union-attr]

    def momentum() -> Array:
        R = so3.from_quaternion(scene.base_pose(0)[3:])
        return R @ tensor @ R.T @ scene.base_velocity(0)[3:]

    scene.set_base(0, [0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 1.0, 2.0, 3.0])
    before = momentum()
    scene.step(500)
    found.at_most(
        "change of angular momentum after 0.5 s, relative",
        float(np.linalg.norm(momentum() - before) / np.linalg.norm(before)),
        0.02,
    )


def _period(scene: Engine, seconds: float) -> float:
    """Mean time between upward crossings of the mean of joint 0 [s]."""
    values = np.empty(round(seconds / scene.dt))
    for i in range(len(values)):
        scene.step()
        values[i] = scene.joint_positions(0)[0]
    middle = (values.max() + values.min()) / 2
    above = values - middle
    up = np.flatnonzero((above[:-1] < 0) & (above[1:] >= 0))
    if len(up) < 2:
        return math.nan
    crossings = up + above[up] / (above[up] - above[up + 1])
    return float((crossings[-1] - crossings[0]) / (len(up) - 1) * scene.dt)


@MOTION.add
def pendulum(engine: type[Engine], found: Findings) -> None:
    """A physical pendulum swings with 2 pi sqrt(I / (m g l)), also about an oblique joint frame."""
    turned = SE3.from_xyz_rpy((0.1, 0.2, 0.3), (0.0, 0.0, 0.7))
    for robot in (specimens.hinge(), specimens.hinge(length=1.0, mass=3.0, pose=turned)):
        link = robot.link("arm").inertia
        if link is None:
            continue
        expected = 2 * math.pi * math.sqrt(specimens.hinge_inertia(robot) / (link.mass * GRAVITY * -link.com[2]))
        scene = engine(specimens.world(), [Placement("p", robot)], MILLI)
        scene.set_joints(0, [0.05])
        found.close("period [s]", _period(scene, 3.2 * expected), expected, 0.01 * expected)


def mechanical_energy(scene: Engine, model: int) -> tuple[float, float]:
    """Potential and kinetic energy of a model from its link poses and velocities [J]."""
    robot = scene.models[model].tree.robot
    poses, velocities = SE3.from_vector(scene.link_poses(model)), scene.link_velocities(model)
    gravity = np.asarray(scene.world.gravity)
    potential = kinetic = 0.0
    for i, link in enumerate(robot.links):
        if link.inertia is None:
            continue
        R = poses.rotation[i]
        arm = R @ np.asarray(link.inertia.com)
        spin = velocities[i, 3:]
        speed = velocities[i, :3] + np.cross(spin, arm)
        potential -= link.inertia.mass * float(gravity @ (poses.translation[i] + arm))
        kinetic += 0.5 * link.inertia.mass * float(speed @ speed)
        kinetic += 0.5 * float(spin @ R @ link.inertia.matrix @ R.T @ spin)
    return potential, kinetic


@MOTION.add
def double_pendulum(engine: type[Engine], found: Findings) -> None:
    """A double pendulum of 1 m rods keeps its energy for 5 s within `energy_tolerance` (2 %) of the potential swing.

    What is lost is the error of the integrator, first order in the step: half the step loses at most 0.65 as much.
    """
    whole, half = (_lost_energy(engine, dt, found) for dt in (0.001, 0.0005))
    found.at_most("largest change of energy in 5 s at 1 ms, relative to the swing", whole, engine.energy_tolerance)
    found.at_most("the same at 0.5 ms", half, 0.65 * whole)


def _lost_energy(engine: type[Engine], dt: float, found: Findings) -> float:
    """Largest change of a swinging double pendulum's energy in 5 s, relative to its potential swing."""
    scene = engine(specimens.world(), [Placement("p", specimens.chain(2, 1.0, 1.0))], Settings(dt=dt))
    lowest, _ = mechanical_energy(scene, 0)
    scene.set_joints(0, [1.0, 0.5])
    start = sum(mechanical_energy(scene, 0))
    worst = 0.0
    for _ in range(100):
        scene.step(round(0.05 / dt))
        worst = max(worst, abs(sum(mechanical_energy(scene, 0)) - start))
    found.true(f"it moves at {dt:g} s", float(np.abs(scene.joint_velocities(0)).max()) > 1e-3)
    return worst / (start - lowest)


@MOTION.add
def push(engine: type[Engine], found: Findings) -> None:
    """A push for t gives F t / m; off the center it also gives r x F t / I; it ends when set to zero."""
    robot = specimens.block(2.0, (0.2, 0.3, 0.1))
    moment = robot.links[0].inertia.moments[5]  # type: ignore[union-attr]
    scene = engine(specimens.world(gravity=(0.0, 0.0, 0.0)), [Placement("b", robot)], MILLI)
    scene.push(0, "block", [4.0, 0, 0])
    scene.step(100)
    scene.push(0, "block", [0, 0, 0])
    scene.step(100)
    velocity = scene.base_velocity(0)
    found.close("speed after 4 N for 0.1 s on 2 kg [m/s]", velocity[0], 0.2, 0.002)
    found.at_most("spin after a central push [rad/s]", float(np.linalg.norm(velocity[3:])), 1e-4)
    found.close("path [m]", scene.base_pose(0)[0], 0.01 + 0.02, 0.0005)
    scene.set_base(0, [0, 0, 0, 0, 0, 0, 1])
    scene.push(0, "block", [0, 4.0, 0], point=[0.1, 0, 0])
    scene.step(10)
    found.close("speed after a push beside the center [m/s]", scene.base_velocity(0)[1], 0.02, 0.0004)
    found.close(
        "spin after a push beside the center [rad/s]",
        scene.base_velocity(0)[5],
        0.1 * 4 * 0.01 / moment,
        0.02 / moment * 0.004,
    )
    scene.set_base(0, [0, 0, 0, 0, 0, 0, 1])
    scene.push(0, "block", [0, 0, 0], torque=[0, 0, 0.05])
    scene.step(10)
    found.close("spin after a torque [rad/s]", scene.base_velocity(0)[5], 0.05 * 0.01 / moment, 1e-5 / moment)


def _apart(a: Array, b: Array) -> float:
    """Largest difference of the matrices of poses (..., 7)."""
    return float(np.abs(SE3.from_vector(a).matrix - SE3.from_vector(b).matrix).max())


def _in_world(robot: Robot, base: Array, names: tuple[str, ...], q: Array) -> Array:
    poses = robot.link_poses(dict(zip(names, q, strict=True)))
    return np.stack([(SE3.from_vector(base) @ poses[link.name]).vector for link in robot.links])


@MOTION.add
def forward_kinematics(engine: type[Engine], found: Findings) -> None:
    """Link poses agree with `Robot.link_poses` at random positions, on a free and on a fixed base, to 1e-5."""
    rng = np.random.default_rng(4)
    for fixed in (False, True):
        robot = specimens.tangle(fixed)
        start = SE3.from_xyz_rpy((0.3, -0.2, 1.0), (0.2, 0.4, -1.0))
        scene = engine(specimens.world(), [Placement("t", robot, start)], MILLI)
        found.at_most("base at the start", _apart(scene.base_pose(0), start.vector), 1e-5)
        for _ in range(4):
            base = SE3.exp(rng.normal(size=6)).vector
            q = rng.uniform(-0.15, 0.25, size=3) * [8, 6, 1]
            scene.set_base(0, base)
            scene.set_joints(0, q)
            found.at_most("joint positions", np.abs(scene.joint_positions(0) - q).max(), 1e-5)
            expected = _in_world(robot, base, robot.joint_names, q)
            found.at_most("link poses", _apart(scene.link_poses(0), expected), 1e-5)
            scene.step(5)
            now = _in_world(robot, scene.base_pose(0), robot.joint_names, scene.joint_positions(0))
            here = scene.link_poses(0)
            found.at_most("link positions in motion [m]", np.abs(here[:, :3] - now[:, :3]).max(), 5e-4)


@MOTION.add
def velocities(engine: type[Engine], found: Findings) -> None:
    """Link velocities agree with finite differences of the poses, joint velocities with those of the positions."""
    dt = 1e-4
    scene = engine(specimens.world(), [Placement("t", specimens.tangle())], Settings(dt=dt))
    scene.set_base(0, [0, 0, 2, 0, 0, 0, 1], [0.3, -0.2, 0.5, 0.4, -0.6, 0.8])
    scene.set_joints(0, [0.3, 0.5, 0.1], [1.0, -2.0, 0.3])
    found.at_most("joint velocities as set", np.abs(scene.joint_velocities(0) - [1.0, -2.0, 0.3]).max(), 1e-5)
    found.at_most("base velocity as set", np.abs(scene.base_velocity(0) - [0.3, -0.2, 0.5, 0.4, -0.6, 0.8]).max(), 1e-5)
    scene.step(20)
    before, q = SE3.from_vector(scene.link_poses(0)), scene.joint_positions(0)
    v0 = scene.link_velocities(0)
    scene.step(20)
    after = SE3.from_vector(scene.link_poses(0))
    mean = (v0 + scene.link_velocities(0)) / 2
    linear = (after.translation - before.translation) / (20 * dt)
    angular = so3.log(after.rotation @ np.swapaxes(before.rotation, -1, -2)) / (20 * dt)
    found.at_most("linear velocities of the links [m/s]", np.abs(linear - mean[:, :3]).max(), 0.02)
    found.at_most("angular velocities of the links [rad/s]", np.abs(angular - mean[:, 3:]).max(), 0.02)
    rate = (scene.joint_positions(0) - q) / (20 * dt)
    found.at_most("joint velocities [rad/s, m/s]", np.abs(rate - scene.joint_velocities(0)).max(), 0.05)


@MOTION.add
def bases(engine: type[Engine], found: Findings) -> None:
    """A fixed base stays under load and moves by `set_base`; a free base falls; a fixed placement holds any robot."""
    loose, bolted = specimens.block(name="block"), specimens.tangle(fixed_base=True)
    at = SE3.from_xyz_rpy((2, 0, 1))
    placements = [
        Placement("loose", loose, SE3.from_xyz_rpy((0, 0, 1))),
        Placement("held", loose, SE3.from_xyz_rpy((1, 0, 1)), fixed=True),
        Placement("bolted", bolted, at),
    ]
    scene = engine(specimens.world(), placements, MILLI)
    scene.push(1, "block", [50.0, 0, 0])
    scene.push(2, "trunk", [50.0, 0, 0])
    scene.step(200)
    found.close("fall of the free base [m]", 1 - scene.base_pose(0)[2], GRAVITY * 0.02, 0.003)
    found.at_most("motion of a held placement [m]", np.abs(scene.base_pose(1)[:3] - [1, 0, 1]).max(), 1e-6)
    found.at_most("motion of a fixed base [m]", _apart(scene.base_pose(2), at.vector), 1e-6)
    new = SE3.from_xyz_rpy((0.5, 2, 1.5), (0, 0, 1.0)).vector
    scene.set_base(2, new)
    found.at_most("fixed base as set", _apart(scene.base_pose(2), new), 1e-6)
    scene.step(50)
    found.at_most("fixed base stays there", _apart(scene.base_pose(2), new), 1e-6)
