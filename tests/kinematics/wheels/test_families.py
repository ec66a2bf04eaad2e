"""Drive commands under physics: bases follow the twist, and odometry from their joints agrees with the truth."""

import math
from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.geometry import SE3
from andante.kinematics import find_drive, integrate_path, twist_between
from andante.physics import Mode

from .samples import robot, roller_wheel

CORNERS = [("fl", 0.2, 0.15, -1), ("fr", 0.2, -0.15, 1), ("rl", -0.2, 0.15, 1), ("rr", -0.2, -0.15, -1)]
BEARINGS = [math.pi / 3 + i * 2 * math.pi / 3 for i in range(3)]


def mecanum_with_rollers():
    pieces = [
        p
        for name, x, y, sign in CORNERS
        for p in roller_wheel(name, x, y, 0.0, sign * math.pi / 4, count=24, reach=0.006)
    ]
    return replace(robot("mecanum", pieces), servos={name: {"kv": 5.0} for name, *_ in CORNERS})


def omni_with_rollers():
    pieces = [
        p
        for i, a in enumerate(BEARINGS)
        for p in roller_wheel(
            f"w{i}", 0.2 * math.cos(a), 0.2 * math.sin(a), a - math.pi / 2, 0.0, count=24, reach=0.006
        )
    ]
    return replace(robot("omni", pieces), servos={f"w{i}": {"kv": 5.0} for i in range(3)})


def command(sim, drive, twist):
    names = sim.robot.joint_names
    for joint, (mode, value) in drive.joint_commands(twist).items():
        sim.engine.command(sim.model, [float(value)], Mode[mode.upper()], [names.index(joint)])


def reference_pose(sim, drive):
    """True pose of the drive's reference point."""
    pose = SE3.from_vector(sim.base_pose)
    return drive.pose_from_root([*pose.translation[:2], pose.rpy[2]])


def joint_twist(sim, drive):
    """Twist told by the driven wheels and the steering alone."""
    joints = sim.joints
    speeds = dict(zip(joints.names, joints.velocity, strict=True))
    driven = {part.joint: speeds[part.joint] for part in drive.wheels if part.driven}
    return drive.twist(driven, {name: joints[name] for name in drive.steering_joints}).twist


@pytest.mark.parametrize(
    ("make", "twist", "tolerance"),
    [
        (lambda: an.robot("waffle"), (0.2, 0.0, 0.0), 0.01),
        (lambda: an.robot("waffle"), (0.15, 0.0, 0.6), 0.03),
        (lambda: an.robot("waffle"), (0.0, 0.0, -1.0), 0.03),
        (lambda: an.robot("rover"), (1.0, 0.0, 0.0), 0.01),
        (lambda: an.robot("rover"), (-0.4, 0.0, 0.3), 0.05),
        (mecanum_with_rollers, (0.2, 0.1, 0.4), 0.03),
        (omni_with_rollers, (0.1, 0.2, 0.4), 0.03),
    ],
)
def test_the_base_follows_the_twist(make, twist, tolerance):
    sim = an.simulate(make())
    drive = find_drive(sim.robot)
    command(sim, drive, twist)
    sim.run(1.0)
    start = reference_pose(sim, drive)
    sim.run(1.5)
    got = twist_between(start, reference_pose(sim, drive), 1.5)
    size = np.hypot(twist[0], twist[1]) + abs(twist[2]) * drive.base.length
    assert np.linalg.norm((got - twist) * [1, 1, drive.base.length]) < tolerance * size


@pytest.mark.parametrize("steer", [0.5, -0.45])
def test_rover_in_a_bend(steer):
    """Speed within 2 %, yaw rate within 5 %: some of that is the steering servo giving way, the rest slip."""
    sim = an.simulate("rover")
    drive = find_drive(sim.robot)
    command(sim, drive, (0.6, 0.0, steer))
    sim.run(1.0)
    start = reference_pose(sim, drive)
    told = joint_twist(sim, drive)
    sim.run(1.5)
    got = twist_between(start, reference_pose(sim, drive), 1.5)
    assert got[0] == pytest.approx(0.6, rel=0.02)
    assert got[2] == pytest.approx(steer, rel=0.05)
    assert got[2] == pytest.approx(told[2], rel=0.04)  # against what the joints really did
    assert abs(got[1]) < 0.005


@pytest.mark.parametrize("name", ["waffle", "rover"])
def test_odometry_of_a_drive_with_turns(name):
    sim = an.simulate(name)
    drive = find_drive(sim.robot)
    start, twists = reference_pose(sim, drive), []
    for twist in ((0.2, 0.0, 0.0), (0.2, 0.0, 0.3), (0.2, 0.0, -0.3), (-0.2, 0.0, 0.1)):
        command(sim, drive, twist)
        for _ in range(75):
            sim.run(0.02)
            twists.append(joint_twist(sim, drive))
    path = integrate_path(start, twists, 0.02)
    length = np.sum(np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1))
    assert length > 1.0
    assert np.linalg.norm(path[-1, :2] - reference_pose(sim, drive)[:2]) < 0.02 * length
