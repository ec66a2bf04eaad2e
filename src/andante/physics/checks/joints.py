"""Checks of servos (modes, limits, gains, slewed references) and joints (limits, passive forces, mimic)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.description.joint import Dynamics, JointType, Limits
from andante.description.robot import Robot
from andante.description.world import Placement
from andante.errors import Unsupported
from andante.geometry import SE3, Array
from andante.gravity import GRAVITY
from andante.physics.engine import Engine
from andante.physics.state import Mode, Settings

from . import specimens
from .result import Checks, Findings

MILLI = Settings(dt=0.001)
ROTOR = specimens.hinge(axis=(0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0))  # upright axis: gravity has no lever

JOINTS = Checks()


def alone(engine: type[Engine], robot: Robot, settings: Settings = MILLI) -> Engine:
    """A scene of one robot above nothing."""
    return engine(specimens.world(), [Placement("robot", robot)], settings)


def named(refusal: Unsupported, joint: str, engine: type[Engine]) -> bool:
    """Whether a refusal names joint and engine."""
    return joint in str(refusal) and engine.name.casefold() in str(refusal).casefold()


def driven(
    engine: type[Engine], robot: Robot, value: float, mode: Mode = Mode.POSITION, steps: int = 500, dt: float = 0.001
) -> Engine:
    """A scene of one robot whose joint was commanded for some steps."""
    scene = alone(engine, robot, Settings(dt=dt))
    scene.command(0, [value], mode)
    scene.step(steps)
    return scene


@JOINTS.add
def effort_limit(engine: type[Engine], found: Findings) -> None:
    """A servo under a load above its limit gives way, never pulls more, and rests where the load equals the limit."""
    limit, mass, length = 2.0, 1.0, 1.0
    robot = specimens.hinge(
        length=length, mass=mass, limits=Limits(-3.0, 3.0, effort=limit), dynamics=Dynamics(damping=0.8)
    )
    scene = alone(engine, robot)
    scene.set_joints(0, [-math.pi / 2])  # level; gravity pulls with m g l/2 = 4.9 N m
    scene.set_gains(0, scene.gains[0].changed(kp=500.0, kd=10.0))
    scene.command(0, [-math.pi / 2])
    largest = 0.0
    for _ in range(60):
        scene.step(100)
        largest = max(largest, float(np.abs(scene.joint_efforts(0)).max()))
    q = float(scene.joint_positions(0)[0])
    found.true("the load wins", q > -math.pi / 2 + 0.3)
    found.close("load at rest [N m]", abs(mass * GRAVITY * length / 2 * math.sin(q)), limit, 0.02 * limit)
    found.close("effort at rest [N m]", abs(scene.joint_efforts(0)[0]), limit, 0.02 * limit)
    found.at_most("largest effort [N m]", largest, limit * 1.001)


@JOINTS.add
def position_servo(engine: type[Engine], found: Findings) -> None:
    """With default gains a servo settles on its target within 1 %, on hinges and sliders, and reports its effort."""
    for robot, target in ((ROTOR, 0.5), (specimens.slider(), 0.2)):
        scene = driven(engine, robot, target, dt=0.002)
        found.close("position after 1 s", scene.joint_positions(0)[0], target, 0.01 * target)
        found.at_most("speed after 1 s", scene.joint_velocities(0)[0], 0.02 * target)


@JOINTS.add
def stiff_arm(engine: type[Engine], found: Findings) -> None:
    """A stiffly held arm of five links stays calm for 10 s at 2 ms."""
    scene = alone(engine, specimens.chain(5, 0.2, 0.3), Settings(dt=0.002))
    target = np.array([-1.2, 0.4, -0.5, 0.6, 0.3])
    scene.set_joints(0, target)
    scene.set_gains(0, scene.gains[0].changed(kp=3000.0, kd=30.0))
    scene.command(0, target)
    scene.step(4500)
    fastest = 0.0
    for _ in range(50):
        scene.step(10)
        fastest = max(fastest, float(np.abs(scene.joint_velocities(0)).max()))
    found.at_most("fastest joint in the last second [rad/s]", fastest, 0.01)
    found.at_most("largest offset [rad]", float(np.abs(scene.joint_positions(0) - target).max()), 0.01)


@JOINTS.add
def servo_law(engine: type[Engine], found: Findings) -> None:
    """Under a load the servo gives way by load / kp; engines that state `rigid_servos = True` may give way less."""
    scene = alone(engine, specimens.slider(2.0, (0.0, 0.0, 1.0)))
    sag = 2 * GRAVITY / 1000.0
    scene.set_gains(0, scene.gains[0].changed(kp=1000.0, kd=60.0))
    scene.command(0, [0.0])
    scene.step(2000)
    q = float(scene.joint_positions(0)[0])
    if engine.rigid_servos:
        found.close("sag under 19.6 N at 1000 N/m [m]", -q, sag / 2, sag / 2 * 1.05)
    else:
        found.close("sag under 19.6 N at 1000 N/m [m]", -q, sag, 0.05 * sag)
    found.close("effort that carries the load [N]", scene.joint_efforts(0)[0], 2 * GRAVITY, 0.02 * 2 * GRAVITY)


@JOINTS.add
def gains_while_running(engine: type[Engine], found: Findings) -> None:
    """An overdamped servo closes its gap as exp(-t kp/kd); new gains act from the next step."""
    scene = alone(engine, specimens.hinge((0.0, 0.0, 1.0), 0.2, 0.1, (1.0, 0.0, 0.0)))
    scene.set_gains(0, scene.gains[0].changed(kp=10.0, kd=5.0))
    scene.command(0, [1.0])
    scene.step(500)
    gap = 1 - float(scene.joint_positions(0)[0])
    found.close("gap after one time constant of 0.5 s", gap, math.exp(-1), 0.05 * math.exp(-1))
    scene.set_gains(0, scene.gains[0].changed(kp=50.0, kd=5.0))
    scene.step(100)
    later = (1 - float(scene.joint_positions(0)[0])) / gap
    found.close("gap after one more of 0.1 s, relative", later, math.exp(-1), 0.07 * math.exp(-1))
    scene.set_gains(0, scene.gains[0].changed(kp=0.0, kd=0.0))
    scene.set_joints(0, [0.3])
    scene.step(200)
    found.close("without gains it stays where it is put", scene.joint_positions(0)[0], 0.3, 0.002)


@JOINTS.add
def velocity_servo(engine: type[Engine], found: Findings) -> None:
    """A velocity servo reaches its speed on hinges and sliders, and stays below its effort limit."""
    for robot, speed in ((ROTOR, 2.0), (specimens.slider(), -0.5)):
        scene = driven(engine, robot, speed, Mode.VELOCITY, 1000)
        found.close("speed after 1 s", scene.joint_velocities(0)[0], speed, 0.02 * abs(speed))
    weak = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), limits=Limits(effort=0.05))
    scene = alone(engine, weak)
    scene.set_gains(0, scene.gains[0].changed(kv=100.0))
    scene.command(0, [5.0], Mode.VELOCITY)
    scene.step(500)
    expected = 0.05 * 0.5 / specimens.hinge_inertia(weak)
    found.close("speed of a weak motor after 0.5 s [rad/s]", scene.joint_velocities(0)[0], expected, 0.02 * expected)


@JOINTS.add
def torque_mode(engine: type[Engine], found: Findings) -> None:
    """A torque accelerates by torque / inertia, a force by force / mass; efforts report what was commanded."""
    for robot, effort, inertia in ((ROTOR, 0.2, specimens.hinge_inertia(ROTOR)), (specimens.slider(2.0), -1.5, 2.0)):
        scene = driven(engine, robot, effort, Mode.TORQUE)
        expected = effort / inertia * 0.5
        found.close("speed after 0.5 s", scene.joint_velocities(0)[0], expected, 0.01 * abs(expected))
        found.close("effort", scene.joint_efforts(0)[0], effort, 1e-3)


@JOINTS.add
def passive_mode(engine: type[Engine], found: Findings) -> None:
    """Mode.OFF lets a joint swing as if it had never been commanded, and its effort is zero."""
    robot = specimens.hinge()
    touched, pure = alone(engine, robot), alone(engine, robot)
    touched.command(0, [0.4])
    touched.step(300)
    touched.command(0, [0.0], Mode.OFF)
    for scene in (touched, pure):
        scene.set_joints(0, [0.5])
        scene.step(700)
    found.close("swing [rad]", touched.joint_positions(0)[0], pure.joint_positions(0)[0], 1e-3)
    found.true("it swings", float(pure.joint_positions(0)[0]) < -0.3)
    found.at_most("effort [N m]", touched.joint_efforts(0)[0], 1e-6)


@JOINTS.add
def slewed_reference(engine: type[Engine], found: Findings) -> None:
    """A position servo moves its reference at the velocity limit; targets beyond the joint's limits are clipped."""
    robot = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), limits=Limits(-1.0, 0.8, velocity=0.5))
    scene = driven(engine, robot, 2.0, steps=1000)
    found.close("position after 1 s at 0.5 rad/s [rad]", scene.joint_positions(0)[0], 0.5, 0.04)
    found.close("speed on the way [rad/s]", scene.joint_velocities(0)[0], 0.5, 0.01)
    scene.step(1500)
    found.close("position at the end, clipped [rad]", scene.joint_positions(0)[0], 0.8, 0.008)


@JOINTS.add
def two_robots(engine: type[Engine], found: Findings) -> None:
    """Commands, gains and reads of one robot do not reach another of the same description."""
    arms = [Placement("a", ROTOR), Placement("b", ROTOR, SE3.from_xyz_rpy((3, 0, 0)))]
    scene = engine(specimens.world(specimens.ground()), arms, Settings())
    a, b = scene.model_index("a"), scene.model_index("b")
    scene.command(a, [0.5])
    scene.step(400)

    def both() -> Array:
        return np.array([scene.joint_positions(a)[0], scene.joint_positions(b)[0]])

    found.close("commanded robot [rad]", both()[0], 0.5, 0.005)
    found.at_most("the other one [rad]", both()[1], 1e-6)
    scene.command(b, [-0.7])
    scene.set_gains(a, scene.gains[a].changed(kp=0.0, kd=0.0))
    scene.step(400)
    found.close("the other one, commanded [rad]", both()[1], -0.7, 0.007)
    found.true("gains are its own", float(scene.gains[b].kp[0]) > 0)


@JOINTS.add
def several_joints(engine: type[Engine], found: Findings) -> None:
    """Joints of one robot can be in different modes and be commanded by index."""
    scene = engine(specimens.world(gravity=(0.0, 0.0, 0.0)), [Placement("t", specimens.tangle(True))], Settings())
    scene.command(0, [0.4], joints=[1])
    scene.command(0, [0.05], Mode.VELOCITY, joints=[2])
    scene.step(1000)
    found.close("position servo [rad]", scene.joint_positions(0)[1], 0.4, 0.01)
    found.close("velocity servo [m/s]", scene.joint_velocities(0)[2], 0.05, 0.002)
    found.at_most("effort of the passive joint [N m]", scene.joint_efforts(0)[0], 1e-9)


def _rotor(dynamics: Dynamics) -> Robot:
    return specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), dynamics=dynamics)


@JOINTS.add
def joint_limits(engine: type[Engine], found: Findings) -> None:
    """A limit holds against a hard run into it (0.02 rad, 10 mm) and a lasting push (0.01 rad, 2 mm), both ways."""
    arm = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), limits=Limits(-0.5, 0.3))
    for robot, effort, lower, upper, transient, lasting in (
        (arm, 5.0, -0.5, 0.3, 0.02, 0.01),
        (specimens.slider(limits=Limits(-0.1, 0.15)), 50.0, -0.1, 0.15, 0.01, 0.002),
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
        scene = driven(engine, robot, 0.8, Mode.TORQUE, 1000)
        found.at_most("creep in 1 s below the limit", scene.joint_positions(0)[0], 0.01)
        scene.command(0, [1.5], Mode.TORQUE)
        scene.step(300)
        expected = 0.5 / inertia * 0.3
        found.close("speed after 0.3 s above it", scene.joint_velocities(0)[0], expected, 0.05 * expected)


@JOINTS.add
def joint_spring(engine: type[Engine], found: Findings) -> None:
    """A spring in the joint swings with 2 pi sqrt(I / k) about its reference."""
    robot = _rotor(Dynamics(stiffness=2.0, reference=0.3))
    period = 2 * math.pi * math.sqrt(specimens.hinge_inertia(robot) / 2.0)
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
        scene = driven(engine, robot, 0.3, Mode.TORQUE)
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
def several_degrees(engine: type[Engine], found: Findings) -> None:
    """Floating, planar and ball joints inside a tree move as they should, or are refused by name."""
    for kind in (JointType.FLOATING, JointType.PLANAR, JointType.BALL):
        try:
            scene = alone(engine, specimens.carried(kind))
        except Unsupported as refusal:
            found.true(f"the refusal names joint and engine ({refusal})", named(refusal, "free", engine))
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
