"""The Shell: kinematics against the Denavit-Hartenberg rows, the folded ball, poses, masses and how it rests."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import andante as an
from andante.description import Robot, load_robot
from andante.description.check import check_robot
from andante.description.inertia import combine
from andante.description.solids import support
from andante.geometry import Array
from andante.robots.shell import masses
from andante.robots.shell._tiles import figures
from andante.robots.shell.meshes import MESHES

LEGS = range(1, 7)


@pytest.fixture(scope="module")
def shell() -> Robot:
    return load_robot("shell")


def dh(alpha: float, d: float, theta: float, r: float) -> Array:
    """The standard Denavit-Hartenberg matrix."""
    c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    return np.array([[c, -s * ca, s * sa, r * c], [s, c * ca, -c * sa, r * s], [0, sa, ca, d], [0, 0, 0, 1]])


def product(rows: list[tuple[float, float, float, float]]) -> Array:
    out = np.eye(4)
    for row in rows:
        out = out @ dh(*row)
    return out


def lower_rows(k: int, q: Array) -> list[tuple[float, float, float, float]]:
    """alpha, d, theta, r of a lower leg as published."""
    return [
        (0, -0.03825, k * math.pi / 3, 0),
        (0, 0, 0, 0.066),
        (0, 0, q[0], 0.120),
        (math.pi / 2, -0.025, q[1], 0.038),
        (0, 0.02375, 0, 0),
        (0, 0, q[2], 0.07),
        (0, 0, q[3] - math.pi / 2, 0.12475),
    ]


def upper_rows(k: int, q: Array) -> list[tuple[float, float, float, float]]:
    """alpha, d, theta, r of an upper leg as published."""
    return [
        (0, 0, k * math.pi / 3, 0),
        (math.pi / 2, 0.045, 0, 0.018),
        (0, 0, q[0], 0.085),
        (0, 0, q[1] + math.pi / 2, 0.124),
    ]


def turned(rows: list[tuple[float, float, float, float]]) -> Array:
    """The last row without its x shift and twist: the frame of the joint itself after its turn."""
    alpha, d, theta, _ = rows[-1]
    assert alpha in (0, math.pi / 2)
    return product([*rows[:-1], (0, d, theta, 0)])


# ---- kinematics ---------------------------------------------------------------------------------
def test_36_joints_of_which_31_are_independent(shell: Robot) -> None:
    lower = [f"q1{k}{j}" for k in LEGS for j in (1, 2, 3, 4)]
    upper = [f"q2{k}{j}" for k in LEGS for j in (1, 2)]
    assert list(shell.joint_names) == lower + upper
    assert len(shell.independent) == 31
    followers = [joint for joint in shell.movable if joint.mimic is not None]
    assert [joint.name for joint in followers] == [f"q1{k}1" for k in range(2, 7)]
    for joint in followers:
        assert joint.mimic is not None
        assert (joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset) == ("q111", 1.0, 0.0)


def test_every_leg_is_the_product_of_its_rows(shell: Robot) -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        fold = rng.uniform(-math.pi, math.pi)
        lower = np.column_stack([np.full(6, fold), rng.uniform(-math.pi, math.pi, (6, 3))])
        upper = rng.uniform(-math.pi, math.pi, (6, 2))
        q = {f"q1{k}{j + 1}": lower[k - 1, j] for k in LEGS for j in range(4)}
        q |= {f"q2{k}{j + 1}": upper[k - 1, j] for k in LEGS for j in range(2)}
        poses = shell.link_poses(q)
        for k in LEGS:
            low, up = lower_rows(k, lower[k - 1]), upper_rows(k, upper[k - 1])
            expected = {
                f"lower_coxa_{k}": turned(low[:3]),
                f"lower_hip_{k}": product([*low[:3], (0, *low[3][1:3], 0)]),
                f"lower_femur_{k}": turned(low[:6]),
                f"lower_tibia_{k}": turned(low[:7]),
                f"lower_foot_{k}": product(low),
                f"upper_thigh_{k}": turned(up[:3]),
                f"upper_petal_{k}": turned(up[:4]),
                f"upper_tip_{k}": product(up),
            }
            for link, matrix in expected.items():
                np.testing.assert_allclose(poses[link].matrix, matrix, atol=1e-12, err_msg=link)


# ---- the ball -----------------------------------------------------------------------------------
def test_the_ball_pose_holds_the_figures_that_the_tiles_are_made_for(shell: Robot) -> None:
    f = figures()
    pose = shell.pose("ball")
    for k in LEGS:
        assert [pose[f"q1{k}{j}"] for j in (1, 2, 3, 4)] == [f[f"ball_{n}"] for n in ("fold", "yaw", "femur", "tibia")]
        assert [pose[f"q2{k}{j}"] for j in (1, 2)] == [f["ball_thigh"], f["ball_petal"]]


def test_lower_and_upper_tips_mirror_each_other_in_the_ball(shell: Robot) -> None:
    poses = shell.link_poses(shell.pose("ball"))
    for k in LEGS:
        foot, knee = poses[f"lower_foot_{k}"].translation, poses[f"lower_tibia_{k}"].translation
        tip = poses[f"upper_tip_{k % 6 + 1}"].translation
        azimuths = [math.atan2(p[1], p[0]) for p in (foot, knee, tip)]
        np.testing.assert_allclose(np.exp(1j * np.array(azimuths)), np.exp(1j * (k + 1) * math.pi / 3), atol=1e-9)
        assert math.hypot(foot[0], foot[1]) == pytest.approx(0.020, abs=1e-9)
        assert np.linalg.norm(foot) + figures()["foot_radius"] == pytest.approx(0.200, abs=1e-9)
        assert np.linalg.norm(tip) == pytest.approx(0.19, abs=1e-4)


def test_the_folded_robot_is_round_from_every_side(shell: Robot) -> None:
    """The furthest point along any direction lies within 2 mm of the sphere: what a ball rolls on."""
    poses = shell.link_poses(shell.pose("ball"))
    rng = np.random.default_rng(3)
    directions = rng.normal(size=(400, 3))
    directions[:14] = [*np.eye(3), *-np.eye(3), *np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).T.reshape(-1, 3)]
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    reach = []
    for direction in directions:
        best = 0.0
        for link in shell.links:
            for collision in link.collisions:
                pose = poses[link.name] @ collision.pose
                local = pose.rotation.T @ direction
                best = max(best, direction @ pose.translation + support(collision.geometry, local))
        reach.append(best)
    assert min(reach) > 0.198
    assert max(reach) < 0.2001


def test_no_look_sticks_out_of_the_ball(shell: Robot) -> None:
    poses = shell.link_poses(shell.pose("ball"))
    for link in shell.links:
        for visual in link.visuals:
            part = visual.name
            points = np.asarray(MESHES[part]().vertices)
            pose = poses[link.name] @ visual.pose
            far = np.linalg.norm(points @ pose.rotation.T + pose.translation, axis=1).max()
            assert far < 0.2003, f"{link.name} {part} reaches {far:.4f} m"


# ---- looks and masses ---------------------------------------------------------------------------
@pytest.mark.parametrize("part", sorted(MESHES))
def test_meshes_are_closed(part: str) -> None:
    mesh = MESHES[part]()
    assert mesh.is_watertight
    assert mesh.volume > 0
    if "hull" in part:
        assert mesh.is_convex
        assert len(mesh.vertices) <= 120


def test_check_has_nothing_to_say(shell: Robot) -> None:
    assert [problem.message for problem in check_robot(shell).problems] == []


def test_masses_file_is_up_to_date() -> None:
    assert masses.TARGET.read_text(encoding="utf-8") == masses.masses_text()


def test_weighs_as_a_printed_robot_with_31_servos(shell: Robot) -> None:
    assert 3.0 < shell.mass < 4.0
    assert shell.mass > 30 * figures()["servo_mass"] + figures()["battery_mass"]
    poses = shell.link_poses(shell.pose("ball"))
    whole = combine(link.inertia.transformed(poses[link.name]) for link in shell.links if link.inertia is not None)
    assert whole is not None
    assert np.hypot(whole.com[0], whole.com[1]) < 0.001  # balanced about its axis
    assert -0.03 < whole.com[2] < 0.0  # a ball that rights itself slowly
    assert shell.sensors
    kinds = [sensor.kind for sensor in shell.sensors]
    assert kinds.count("force") == 6
    assert {"imu", "camera"} <= set(kinds)


# ---- poses --------------------------------------------------------------------------------------
def test_poses_name_every_joint_and_keep_the_limits(shell: Robot) -> None:
    assert {"zero", "stand", "low", "high", "tall", "tuck", "ball", "open"} <= set(shell.poses)
    for name, pose in shell.poses.items():
        assert set(pose) == set(shell.joint_names)
        assert shell.complete(pose) == pose
        for joint in shell.movable:
            assert joint.limits.lower <= pose[joint.name] <= joint.limits.upper, f"{name} {joint.name}"


@pytest.mark.parametrize(("name", "height"), [("stand", 0.157), ("low", 0.132), ("high", 0.202), ("tall", 0.199)])
def test_feet_of_the_stances_lie_in_one_plane_well_outside_the_body(shell: Robot, name: str, height: float) -> None:
    feet = np.array([shell.link_poses(shell.pose(name))[f"lower_foot_{k}"].translation for k in LEGS])
    np.testing.assert_allclose(feet[:, 2] - figures()["foot_radius"], -height, atol=1e-3)
    assert np.hypot(feet[:, 0], feet[:, 1]).min() > 0.24


def blend(shell: Robot, start: str, end: str, fraction: float) -> Array:
    one, two = shell.pose(start), shell.pose(end)
    return np.array([(1 - fraction) * one[n] + fraction * two[n] for n in shell.joint_names])


def test_nothing_touches_on_the_way_from_stance_to_ball(shell: Robot) -> None:
    """Straight lines in joint space between the poses, one engine step held still in the air at each place."""
    sim = an.simulate(shell, pose="stand", fixed=True, drop=1.0)
    try:
        for start, end in pairwise(("low", "stand", "tall", "tuck", "ball")):
            for fraction in np.linspace(0, 1, 9):
                sim.engine.set_joints(sim.model, blend(shell, start, end, fraction))
                sim.engine.step(1)
                assert len(sim.engine.contacts()) == 0, f"{start} to {end} at {fraction}"
    finally:
        sim.close()


# ---- at rest ------------------------------------------------------------------------------------
def test_stands_for_ten_seconds_without_drifting() -> None:
    sim = an.simulate("shell", pose="stand", sensors=False)
    sim.run(1.0)
    start = sim.base_pose.copy()
    sim.run(9.0)
    end = sim.base_pose
    assert not sim.fallen
    assert np.hypot(*(end - start)[:2]) < 0.01
    assert end[2] == pytest.approx(0.157, abs=0.004)
    assert np.abs(end[3:5]).max() < 0.005
    effort = np.abs(sim.joints.effort)
    limit = np.array([joint.limits.effort for joint in sim.robot.movable])
    assert (effort < 0.4 * limit).all()
    sim.close()


def test_the_ball_rests_on_the_ground_as_a_ball() -> None:
    sim = an.simulate("shell", pose="ball")
    sim.run(3.0)
    assert sim.base_pose[2] == pytest.approx(0.20, abs=0.01)
    assert np.linalg.norm(sim.base_velocity[:3]) < 0.02
    sim.close()


def test_a_pushed_ball_rolls() -> None:
    sim = an.simulate("shell", pose="ball")
    sim.run(0.3)
    sim.push("base_link", (5.0, 0.0, 0.0), 0.1)
    heights = []
    for _ in range(40):
        sim.run(0.05)
        heights.append(sim.base_pose[2])
    assert sim.base_pose[0] > math.pi * 0.20  # more than half a turn
    assert np.abs(np.array(heights) - 0.20).max() < 0.012
    sim.close()


def test_folds_on_the_ground_from_stance_to_ball() -> None:
    sim = an.simulate("shell", pose="stand")
    for start, end in pairwise(("stand", "tall", "tuck", "ball")):
        for fraction in np.linspace(0, 1, 31)[1:]:
            sim.target(blend(sim.robot, start, end, float(fraction)))
            sim.run(0.05)
    sim.run(1.0)
    wanted = np.array([sim.robot.pose("ball")[name] for name in sim.joints.names])
    assert np.abs(sim.joints.position - wanted).max() < 0.05
    assert sim.base_pose[2] == pytest.approx(0.20, abs=0.01)
    sim.close()
