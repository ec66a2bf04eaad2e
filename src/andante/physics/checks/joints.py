"""Checks of joints: limits, passive forces, mimic, loops, joints of several degrees."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.description.joint import Dynamics, JointType, Limits
from andante.description.robot import Robot
from andante.description.world import Placement
from andante.errors import Unsupported
from andante.geometry import SE3
from andante.gravity import GRAVITY
from andante.physics.engine import Engine
from andante.physics.state import Mode, Settings

from . import specimens
from .result import Checks, Findings
from .servos import alone

JOINTS = Checks()


def _rotor(dynamics: Dynamics) -> Robot:
    return specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), dynamics=dynamics)


@JOINTS.add
def joint_limits(engine: type[Engine], found: Findings) -> None:
    """A limit holds against a hard run into it (0.02 rad, 10 mm) and a lasting push (0.01 rad, 2 mm), both ways."""
    arm = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), limits=Limits(-0.5, 0.3))
    box = specimens.slider(limits=Limits(-0.1, 0.15))
    for robot, effort, lower, upper, transient, lasting in (
        (arm, 5.0, -0.5, 0.3, 0.02, 0.01),
        (box, 50.0, -0.1, 0.15, 0.01, 0.002),
    ):
        scene = alone(engine, robot)
        scene.command(0, [effort], Mode.TORQUE)
        highest = -math.inf
        for _ in range(600):
            scene.step()
            highest = max(highest, float(scene.joint_positions(0)[0]))
        found.at_most("overshoot at the upper limit", max(0.0, highest - upper), transient)
        found.close("rest at the upper limit", scene.joint_positions(0)[0], upper, lasting)
        scene.command(0, [-effort], Mode.TORQUE)
        lowest = math.inf
        for _ in range(900):
            scene.step()
            lowest = min(lowest, float(scene.joint_positions(0)[0]))
        found.at_most("overshoot at the lower limit", max(0.0, lower - lowest), transient)
        found.close("rest at the lower limit", scene.joint_positions(0)[0], lower, lasting)


@JOINTS.add
def joint_damping(engine: type[Engine], found: Findings) -> None:
    """Viscous friction lets a speed decay as exp(-d t / I)."""
    robot = _rotor(Dynamics(damping=0.1))
    scene = alone(engine, robot)
    scene.set_joints(0, [0.0], [3.0])
    scene.step(1000)
    expected = 3 * math.exp(-0.1 / specimens.hinge_inertia(robot))
    found.close("speed after 1 s [rad/s]", scene.joint_velocities(0)[0], expected, 0.03 * expected)


@JOINTS.add
def dry_friction(engine: type[Engine], found: Findings) -> None:
    """Dry friction of 1 N m holds 0.8 N m and leaves 0.5 of 1.5 N m; the same on a slider."""
    rotor = _rotor(Dynamics(friction=1.0))
    for robot, inertia in (
        (rotor, specimens.hinge_inertia(rotor)),
        (specimens.slider(2.0, dynamics=Dynamics(friction=1.0)), 2.0),
    ):
        scene = alone(engine, robot)
        scene.command(0, [0.8], Mode.TORQUE)
        scene.step(1000)
        found.at_most("creep in 1 s below the limit", scene.joint_positions(0)[0], 0.01)
        scene.command(0, [1.5], Mode.TORQUE)
        scene.step(300)
        expected = 0.5 / inertia * 0.3
        found.close("speed after 0.3 s above it", scene.joint_velocities(0)[0], expected, 0.05 * expected)


@JOINTS.add
def joint_spring(engine: type[Engine], found: Findings) -> None:
    """A spring in the joint swings with 2 pi sqrt(I / k) about its reference."""
    robot = _rotor(Dynamics(stiffness=2.0, reference=0.3))
    inertia = specimens.hinge_inertia(robot)
    period = 2 * math.pi * math.sqrt(inertia / 2.0)
    scene = alone(engine, robot)
    scene.set_joints(0, [0.8])
    half = round(period / 2 / scene.dt)
    scene.step(half)
    found.close("position after half a period [rad]", scene.joint_positions(0)[0], -0.2, 0.02)
    found.at_most("speed there [rad/s]", scene.joint_velocities(0)[0], 0.5 * 2 * math.pi / period * 0.05)
    scene.step(5 * half)
    found.at_most("speed after 3 periods [rad/s]", scene.joint_velocities(0)[0], 0.5 * 2 * math.pi / period * 0.2)
    calm = alone(engine, _rotor(Dynamics(stiffness=2.0, reference=0.3, damping=0.5)))
    calm.step(5000)
    found.close("rest of a damped spring [rad]", calm.joint_positions(0)[0], 0.3, 0.003)


@JOINTS.add
def armature(engine: type[Engine], found: Findings) -> None:
    """Rotor inertia adds to that of the link: torque / (I + armature) within 3 %; on a slider it adds to the mass."""
    rotor = _rotor(Dynamics(armature=0.1))
    for robot, inertia in (
        (rotor, specimens.hinge_inertia(rotor) + 0.1),
        (specimens.slider(1.0, dynamics=Dynamics(armature=0.5)), 1.5),
    ):
        scene = alone(engine, robot)
        scene.command(0, [0.3], Mode.TORQUE)
        scene.step(500)
        expected = 0.3 / inertia * 0.5
        found.close("speed after 0.5 s", scene.joint_velocities(0)[0], expected, 0.03 * expected)


@JOINTS.add
def initial_positions(engine: type[Engine], found: Findings) -> None:
    """A scene starts at `Joint.initial`."""
    robot = specimens.tangle(True)
    values = {"shoulder": 0.3, "elbow": -0.4, "slide": 0.1}
    joints = tuple(replace(j, initial=values.get(j.name, 0.0)) for j in robot.joints)
    scene = alone(engine, replace(robot, joints=joints))
    found.at_most("joints at the start", np.abs(scene.joint_positions(0) - [0.3, -0.4, 0.1]).max(), 1e-6)


@JOINTS.add
def mimic(engine: type[Engine], found: Findings) -> None:
    """A mimic joint keeps q = -2 q_leader + 0.1 within 0.02 rad while its leader moves, under gravity and a push."""
    scene = alone(engine, specimens.mimic_pair(), Settings(dt=0.002))

    def error() -> float:
        leader, follower = scene.joint_positions(0)
        return abs(float(follower) - (-2 * float(leader) + 0.1))

    found.at_most("error at the start [rad]", error(), 0.001)
    scene.set_joints(0, [0.3, 9.0])
    found.close("follower is put by its leader [rad]", scene.joint_positions(0)[1], -0.5, 1e-5)
    scene.set_joints(0, [0.0, 0.0])
    worst = 0.0
    for i in range(100):
        scene.command(0, [0.5 * math.sin(2 * math.pi * i / 50), 0.0])
        if i == 50:
            scene.push(0, "b", [0.0, 0.0, -10.0])
        scene.step(10)
        worst = max(worst, error())
    found.at_most("largest error [rad]", worst, 0.02)
    found.true("the leader moves", float(np.abs(scene.joint_velocities(0)).max()) > 0.1)


@JOINTS.add
def mimic_passive(engine: type[Engine], found: Findings) -> None:
    """A mimic joint also follows a leader that no servo holds, and a load on it reaches the leader."""
    scene = engine(
        specimens.world(gravity=(0.0, 0.0, 0.0)), [Placement("m", specimens.mimic_pair())], Settings(dt=0.001)
    )
    scene.push(0, "b", [0.0, 0.0, -0.5])
    scene.step(400)
    leader, follower = (float(v) for v in scene.joint_positions(0))
    found.at_most("error [rad]", follower - (-2 * leader + 0.1), 0.02)
    found.true("the load on the follower moves the leader", leader < -0.05)


@JOINTS.add
def loop(engine: type[Engine], found: Findings) -> None:
    """A four-bar linkage stays closed within 2 mm while driven, or the engine refuses its loop joint by name."""
    robot = specimens.four_bar()
    try:
        scene = alone(engine, robot, Settings(dt=0.002))
    except Unsupported as refusal:
        found.true(f"the refusal names joint and engine ({refusal})", _named(refusal, "closure", engine))
        return
    worst = 0.0
    drive = [robot.joint_names.index("drive")]
    for i in range(100):
        scene.command(0, [0.6 * math.sin(2 * math.pi * i / 50)], joints=drive)
        scene.step(10)
        poses = SE3.from_vector(scene.link_poses(0))
        gap = poses[2] @ np.array([0.4, 0, 0]) - poses[3] @ np.array([0, 0, 0.2])
        worst = max(worst, float(np.linalg.norm(gap)))
    found.at_most("largest gap of the loop [m]", worst, 0.002)
    scene.command(0, [0.5], joints=drive)
    scene.step(500)
    q = scene.joint_positions(0)
    found.close("the rocker follows the crank [rad]", q[robot.joint_names.index("pivot")], q[drive[0]], 0.02)
    found.close("the crank obeys [rad]", q[drive[0]], 0.5, 0.1)


def _named(refusal: Unsupported, joint: str, engine: type[Engine]) -> bool:
    return joint in str(refusal) and engine.name.casefold() in str(refusal).casefold()


@JOINTS.add
def several_degrees(engine: type[Engine], found: Findings) -> None:
    """Floating, planar and ball joints inside a tree move as they should, or are refused by name."""
    for kind in (JointType.FLOATING, JointType.PLANAR, JointType.BALL):
        try:
            scene = alone(engine, specimens.carried(kind))
        except Unsupported as refusal:
            found.true(f"the refusal names joint and engine ({refusal})", _named(refusal, "free", engine))
            continue
        start = scene.link_poses(0)[1, :3]
        found.at_most(f"{kind}: start [m]", np.abs(start - [0, 0, 1]).max(), 1e-6)
        if kind is JointType.BALL:
            scene.push(0, "box", [2.0, 1.0, 0.0])
        else:
            scene.push(0, "box", [1.0, 1.0, 0.0])
        scene.step(300)
        x, y, z = scene.link_poses(0)[1, :3] - start
        if kind is JointType.BALL:
            found.at_most("ball: motion of the pivot [m]", math.dist((x, y, z), (0, 0, 0)), 0.001)
            turned = SE3.from_vector(scene.link_poses(0)[1]).rotation @ [0, 0, -0.3]
            found.true("ball: it swings towards both pushes", turned[0] > 0.02 and turned[1] > 0.01)
            continue
        found.close(f"{kind}: fall after 0.3 s [m]", -z, GRAVITY * 0.045, 0.005)
        found.close(f"{kind}: path along the push [m]", x, 0.045, 0.001)
        across = 0.045 if kind is JointType.FLOATING else 0.0
        found.close(f"{kind}: path across the plane [m]", y, across, 0.001)
