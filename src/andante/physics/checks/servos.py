"""Checks of servos: modes, limits, gains, slewed references."""

from __future__ import annotations

import math

import numpy as np

from andante.description.joint import Dynamics, Limits
from andante.description.robot import Robot
from andante.description.world import Placement
from andante.geometry import SE3, Array
from andante.gravity import GRAVITY
from andante.physics.engine import Engine
from andante.physics.state import Mode, Settings

from . import specimens
from .result import Checks, Findings

MILLI = Settings(dt=0.001)
ROTOR = specimens.hinge(axis=(0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0))  # upright axis: gravity has no lever


SERVOS = Checks()


def alone(engine: type[Engine], robot: Robot, settings: Settings = MILLI) -> Engine:
    """A scene of one robot above nothing."""
    return engine(specimens.world(), [Placement("robot", robot)], settings)


@SERVOS.add
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


@SERVOS.add
def position_servo(engine: type[Engine], found: Findings) -> None:
    """With default gains a servo settles on its target within 1 %, on hinges and sliders, and reports its effort."""
    for robot, target in ((ROTOR, 0.5), (specimens.slider(), 0.2)):
        scene = alone(engine, robot, Settings())
        scene.command(0, [target])
        scene.step(500)
        found.close("position after 1 s", scene.joint_positions(0)[0], target, 0.01 * target)
        found.at_most("speed after 1 s", scene.joint_velocities(0)[0], 0.02 * target)


@SERVOS.add
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


@SERVOS.add
def servo_law(engine: type[Engine], found: Findings) -> None:
    """Under a load the servo gives way by load / kp; engines that state `rigid_servos = True` may give way less."""
    robot = specimens.slider(2.0, (0.0, 0.0, 1.0))
    scene = alone(engine, robot)
    sag = 2 * GRAVITY / 1000.0
    scene.set_gains(0, scene.gains[0].changed(kp=1000.0, kd=60.0))
    scene.command(0, [0.0])
    scene.step(2000)
    q = float(scene.joint_positions(0)[0])
    if getattr(engine, "rigid_servos", False):
        found.close("sag under 19.6 N at 1000 N/m [m]", -q, sag / 2, sag / 2 * 1.05)
    else:
        found.close("sag under 19.6 N at 1000 N/m [m]", -q, sag, 0.05 * sag)
    found.close("effort that carries the load [N]", scene.joint_efforts(0)[0], 2 * GRAVITY, 0.02 * 2 * GRAVITY)


@SERVOS.add
def gains_while_running(engine: type[Engine], found: Findings) -> None:
    """An overdamped servo closes its gap as exp(-t kp/kd); new gains act from the next step."""
    robot = specimens.hinge((0.0, 0.0, 1.0), 0.2, 0.1, (1.0, 0.0, 0.0))
    scene = alone(engine, robot)
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


@SERVOS.add
def velocity_servo(engine: type[Engine], found: Findings) -> None:
    """A velocity servo reaches its speed on hinges and sliders, and stays below its effort limit."""
    for robot, speed in ((ROTOR, 2.0), (specimens.slider(), -0.5)):
        scene = alone(engine, robot)
        scene.command(0, [speed], Mode.VELOCITY)
        scene.step(1000)
        found.close("speed after 1 s", scene.joint_velocities(0)[0], speed, 0.02 * abs(speed))
    weak = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), limits=Limits(effort=0.05))
    scene = alone(engine, weak)
    scene.set_gains(0, scene.gains[0].changed(kv=100.0))
    scene.command(0, [5.0], Mode.VELOCITY)
    scene.step(500)
    expected = 0.05 * 0.5 / specimens.hinge_inertia(weak)
    found.close("speed of a weak motor after 0.5 s [rad/s]", scene.joint_velocities(0)[0], expected, 0.02 * expected)


@SERVOS.add
def torque_mode(engine: type[Engine], found: Findings) -> None:
    """A torque accelerates by torque / inertia, a force by force / mass; efforts report what was commanded."""
    for robot, effort, inertia in (
        (ROTOR, 0.2, specimens.hinge_inertia(ROTOR)),
        (specimens.slider(2.0), -1.5, 2.0),
    ):
        scene = alone(engine, robot)
        scene.command(0, [effort], Mode.TORQUE)
        scene.step(500)
        expected = effort / inertia * 0.5
        found.close("speed after 0.5 s", scene.joint_velocities(0)[0], expected, 0.01 * abs(expected))
        found.close("effort", scene.joint_efforts(0)[0], effort, 1e-3)


@SERVOS.add
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


@SERVOS.add
def slewed_reference(engine: type[Engine], found: Findings) -> None:
    """A position servo moves its reference at the velocity limit; targets beyond the joint's limits are clipped."""
    limits = Limits(-1.0, 0.8, velocity=0.5)
    robot = specimens.hinge((0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0), limits=limits)
    scene = alone(engine, robot)
    scene.command(0, [2.0])
    scene.step(1000)
    found.close("position after 1 s at 0.5 rad/s [rad]", scene.joint_positions(0)[0], 0.5, 0.04)
    found.close("speed on the way [rad/s]", scene.joint_velocities(0)[0], 0.5, 0.01)
    scene.step(1500)
    found.close("position at the end, clipped [rad]", scene.joint_positions(0)[0], 0.8, 0.008)


@SERVOS.add
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


@SERVOS.add
def several_joints(engine: type[Engine], found: Findings) -> None:
    """Joints of one robot can be in different modes and be commanded by index."""
    scene = engine(specimens.world(gravity=(0.0, 0.0, 0.0)), [Placement("t", specimens.tangle(True))], Settings())
    scene.command(0, [0.4], joints=[1])
    scene.command(0, [0.05], Mode.VELOCITY, joints=[2])
    scene.step(1000)
    found.close("position servo [rad]", scene.joint_positions(0)[1], 0.4, 0.01)
    found.close("velocity servo [m/s]", scene.joint_velocities(0)[2], 0.05, 0.002)
    found.at_most("effort of the passive joint [N m]", scene.joint_efforts(0)[0], 1e-9)
