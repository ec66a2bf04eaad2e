"""The body over feet that stay put: on paper, and under physics by the simulator's truth."""

import math

import numpy as np
import pytest

import andante as an
from andante.control.loop import ControlLoop
from andante.errors import BadInput
from andante.geometry import SE3, so3
from andante.kinematics import parallel
from andante.locomotion import Command, Readings
from andante.locomotion.legged.body_motion import BodyMotion, BodyPose, circle
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import LegSolver, with_rig


@pytest.fixture(scope="module")
def shell():
    robot = an.robot("shell")
    rig = infer_rig(robot)
    return with_rig(robot, rig), rig


def still(robot, rig, time=0.0):
    q = np.array([robot.complete(rig.stance)[name] for name in robot.joint_names])
    return Readings(time, q, 0 * q)


def test_joints_are_those_of_the_parallel_robot(shell):
    """Without rolling (points for feet) the legs are a parallel robot whose forward solution is the body's pose."""
    robot, rig = shell
    pose = BodyPose(0.01, -0.015, 0.008, 0.06, -0.04, 0.05)
    motion = BodyMotion(robot, rig)
    q, error = motion.joints(pose)
    assert error.max() < 1e-6
    joints = dict(zip(robot.joint_names, q, strict=True))
    held = {name: value for name, value in joints.items() if name.endswith("1")}
    machine = parallel(robot, [leg.foot for leg in rig.legs], held=held)
    solver = LegSolver(robot, rig)
    feet = solver.feet(q)[:, :3, 3] @ pose.matrix[:3, :3].T + pose.matrix[:3, 3]  # where the middles have rolled to
    found = machine.forward(machine.vector(joints), feet)
    assert found.converged
    np.testing.assert_allclose(found.pose, pose.matrix, atol=1e-5)


def test_feet_roll_without_sliding(shell):
    robot, rig = shell
    motion, solver = BodyMotion(robot, rig), LegSolver(robot, rig)
    start = solver.feet(np.array([robot.complete(rig.stance)[name] for name in robot.joint_names]))
    pose = BodyPose(x=0.02, roll=0.08)
    now = pose.matrix @ solver.feet(motion.joints(pose)[0])
    for leg, before, after in zip(rig.legs, start, now, strict=True):
        down = np.array([0.0, 0.0, -leg.radius])
        touched = after[:3, 3] + after[:3, :3] @ before[:3, :3].T @ down
        np.testing.assert_allclose(touched[:2], before[:2, 3], atol=2e-5)
        assert after[2, 3] == pytest.approx(before[2, 3], abs=1e-6)


def test_speed_is_bounded_and_the_body_stops_at_its_reach(shell):
    robot, rig = shell
    motion = BodyMotion(robot, rig, lambda time: BodyPose(x=5.0), speed=0.05)
    targets = [motion.update(still(robot, rig, 0.01 * i), Command(), 0.01) for i in range(500)]
    assert 0.03 < motion.reached[0] < 0.3
    fastest = np.array([joint.limits.velocity for joint in robot.movable])
    assert (np.abs(np.diff(targets, axis=0)) <= fastest * 0.01).all()
    np.testing.assert_array_equal(targets[-1], targets[-2])
    by_hand = BodyMotion(robot, rig)
    for i in range(100):
        by_hand.update(still(robot, rig, 0.01 * i), Command(height=0.01, roll=0.1), 0.01)
    np.testing.assert_allclose(by_hand.reached, [0, 0, 0.01, 0.1, 0, 0], atol=1e-12)


def test_bad_input(shell):
    with pytest.raises(BadInput, match="period of a circle"):
        circle(0.02, 0.0)
    with pytest.raises(BadInput, match="body speeds"):
        BodyMotion(*shell, speed=0.0)


def touching_points(sim, rig, feet_before, radius):
    """Where the material points that touched the ground before are now (legs, 3), by truth."""
    joints = dict(zip(sim.robot.joint_names, sim.joints.position, strict=True))
    poses, base = sim.robot.link_poses(joints), SE3.from_vector(sim.base_pose)
    now = [(base @ poses[leg.foot]).matrix for leg in rig.legs]
    if feet_before is None:
        return np.array(now)
    down = np.array([0.0, 0.0, -radius])
    return np.array([n[:3, 3] + n[:3, :3] @ b[:3, :3].T @ down for n, b in zip(now, feet_before, strict=True)])


def test_feet_stay_within_two_millimeters_while_the_body_traces_a_circle_and_tilts(shell):
    robot, rig = shell
    radius, tilt, begin = 0.015, 0.05, 1.0
    path = circle(radius, 3.0, tilt)
    motion = BodyMotion(robot, rig, lambda time: path(time - begin) if time > begin else BodyPose())
    sim = an.simulate(robot, pose=rig.stance, sensors=True)
    loop = ControlLoop(sim, motion)
    loop.run(begin)
    first = touching_points(sim, rig, None, 0.0)
    foot = rig.legs[0].radius
    marks = touching_points(sim, rig, first, foot)
    stood = SE3.from_vector(sim.base_pose)
    worst, way, leans = 0.0, [], []
    for _ in range(200):  # on to the circle and once round it
        loop.run(0.02)
        moved = touching_points(sim, rig, first, foot) - marks
        worst = max(worst, float(np.linalg.norm(moved[:, :2], axis=1).max()))
        here = stood.inverse() @ SE3.from_vector(sim.base_pose)
        way.append(here.translation[:2])
        leans.append(math.acos(min(1.0, here.rotation[2, 2])))
    sim.close()
    assert worst < 0.002
    reach = np.linalg.norm(np.array(way[50:]), axis=1)
    assert reach.min() > 0.7 * radius
    assert reach.max() < 1.3 * radius
    angles = np.unwrap(np.arctan2(*np.array(way[50:]).T[::-1]))
    assert angles[-1] - angles[0] == pytest.approx(2 * math.pi, rel=0.1)
    assert np.median(leans[50:]) == pytest.approx(tilt, rel=0.25)
    assert so3.from_quaternion(stood.quaternion)[2, 2] > 0.99
