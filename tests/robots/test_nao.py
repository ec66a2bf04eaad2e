"""The NAO against the figures of its tables: joints, masses, symmetry, sole, sensors, frames and poses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.description import Placement, Robot, World, load_robot
from andante.description.inertia import combine
from andante.description.mesh.triangles import hull
from andante.description.shapes import Mesh
from andante.geometry import SE3
from andante.physics import Engine, Settings, engine_class
from andante.robots.nao import generate_links
from andante.robots.nao.tables import rows, sole_outline

TEN_POSES = (
    "Stand",
    "StandInit",
    "StandZero",
    "Crouch",
    "Sit",
    "SitRelax",
    "LyingBelly",
    "LyingBack",
    "ros_init",
    "ros_zero",
)
MIRROR = np.diag([1.0, -1.0, 1.0])


@pytest.fixture(scope="module")
def nao() -> Robot:
    return load_robot("nao")


def other_side(name: str) -> str:
    if name[:2] in ("l_", "r_"):
        return {"l": "r", "r": "l"}[name[0]] + name[1:]
    if name[0] in "LR" and name[1].isupper():
        return {"L": "R", "R": "L"}[name[0]] + name[1:]
    return name


# ---- joints -------------------------------------------------------------------------------------
def test_joints_are_those_of_the_table(nao: Robot) -> None:
    table = rows("joints")
    assert nao.joint_names == tuple(row["joint"] for row in table)
    for row in table:
        joint = nao.joint(row["joint"])
        assert (joint.parent, joint.child) == (row["parent"], row["child"])
        assert joint.type == "revolute"
        np.testing.assert_allclose(joint.pose.translation, [float(row[k]) for k in "xyz"], atol=1e-12)
        np.testing.assert_allclose(joint.pose.rotation, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(joint.axis, [float(row[f"axis_{k}"]) for k in "xyz"], atol=1.5e-6)
        limits = joint.limits
        assert [limits.lower, limits.upper, limits.effort, limits.velocity] == [
            float(row[k]) for k in ("lower", "upper", "effort", "velocity")
        ]


def test_26_joints_of_which_25_are_independent(nao: Robot) -> None:
    assert len(nao.movable) == 26
    assert len(nao.independent) == 25
    followers = [joint for joint in nao.movable if joint.mimic is not None]
    assert [joint.name for joint in followers] == ["RHipYawPitch"]
    assert followers[0].mimic is not None
    assert (followers[0].mimic.joint, followers[0].mimic.multiplier, followers[0].mimic.offset) == (
        "LHipYawPitch",
        1.0,
        0.0,
    )


def test_every_drive_has_rotor_inertia_and_losses(nao: Robot) -> None:
    for joint in nao.movable:
        assert joint.dynamics.armature > 0
        assert 0 < joint.dynamics.friction < 0.1 * joint.limits.effort
        assert joint.dynamics.damping > 0
    assert nao.joint("LHipRoll").dynamics.armature == pytest.approx(4.1e-7 * 201.3**2)


# ---- masses -------------------------------------------------------------------------------------
def test_mass(nao: Robot) -> None:
    assert nao.mass == pytest.approx(5.19535, abs=1e-9)


@pytest.mark.parametrize("version", generate_links.VERSIONS)
def test_links_file_is_what_the_generator_writes(version: str) -> None:
    assert generate_links.output(version).read_text(encoding="utf-8") == generate_links.text(version)


def test_left_and_middle_links_keep_the_official_origin_tensors(nao: Robot) -> None:
    for row in rows("links"):
        if row["link"] == "l_wrist":
            continue
        inertia = nao.link(row["link"]).inertia
        assert inertia is not None
        assert inertia.mass == float(row["mass"])
        np.testing.assert_allclose(inertia.com, [float(row[f"com_{k}"]) for k in "xyz"], atol=1e-12)
        wanted = {key: float(row[key]) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        if row["link"] in generate_links.MIDDLE:
            wanted["ixy"] = wanted["iyz"] = 0.0
        got = inertia.about_origin()
        for key, value in wanted.items():
            i, k = "xyz".index(key[1]), "xyz".index(key[2])
            assert got[i, k] == pytest.approx(value, rel=1e-7, abs=1e-11)


def test_hand_and_fingers_together_are_the_official_hand(nao: Robot) -> None:
    row = next(row for row in rows("links") if row["link"] == "l_wrist")
    wrist, fingers = nao.link("l_wrist").inertia, nao.link("l_gripper").inertia
    assert wrist is not None
    assert fingers is not None
    assert fingers.mass == pytest.approx(generate_links.FINGER_MASS)
    joint = nao.joint("LHand")
    whole = combine([wrist, fingers.transformed(joint.pose)])
    assert whole is not None
    assert whole.mass == pytest.approx(float(row["mass"]))
    np.testing.assert_allclose(whole.com, [float(row[f"com_{k}"]) for k in "xyz"], atol=1e-9)
    origin = whole.about_origin()
    for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        assert origin["xyz".index(key[1]), "xyz".index(key[2])] == pytest.approx(float(row[key]), abs=1e-11)


def test_tensors_are_physical(nao: Robot) -> None:
    for link in nao.links:
        if link.inertia is None:
            continue
        a, b, c = np.linalg.eigvalsh(link.inertia.matrix)
        assert a > 0
        assert a + b >= c


def test_robot_is_its_own_mirror_image(nao: Robot) -> None:
    poses = nao.link_poses({})
    for link in nao.links:
        if link.inertia is None:
            continue
        twin = nao.link(other_side(link.name)).inertia
        assert twin is not None
        here = link.inertia.transformed(poses[link.name])
        there = twin.transformed(poses[other_side(link.name)])
        assert here.mass == pytest.approx(there.mass)
        np.testing.assert_allclose(here.com, MIRROR @ np.asarray(there.com), atol=1e-9)
        np.testing.assert_allclose(here.matrix, MIRROR @ there.matrix @ MIRROR, atol=1e-12)


# ---- frames, sole, height -----------------------------------------------------------------------
def test_stands_a_third_of_a_meter_high_on_straight_legs(nao: Robot) -> None:
    poses = nao.link_poses({})
    for sole, y in (("l_sole", 0.05), ("r_sole", -0.05)):
        np.testing.assert_allclose(poses[sole].translation, [0, y, -0.33301], atol=1e-9)
    np.testing.assert_allclose(poses["base_footprint"].translation, [0, 0, -0.33301], atol=1e-9)


def test_humanoid_frames(nao: Robot) -> None:
    assert nao.root == "base_link"
    names = {link.name for link in nao.links}
    assert {"base_footprint", "torso", "gaze", "l_sole", "r_sole", "l_ankle", "r_ankle"} <= names
    assert {"l_wrist", "r_wrist", "l_gripper", "r_gripper"} <= names
    poses = nao.link_poses({})
    optical = poses["CameraTop_frame"].inverse() @ poses["CameraTop_optical_frame"]
    np.testing.assert_allclose(optical.rotation @ [0, 0, 1], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(optical.rotation @ [1, 0, 0], [0, -1, 0], atol=1e-12)


@pytest.mark.parametrize(("link", "side"), [("l_ankle", 1), ("r_ankle", -1)])
def test_foot_collides_as_the_sole_polygon(nao: Robot, link: str, side: int) -> None:
    (collision,) = nao.link(link).collisions
    assert isinstance(collision.geometry, Mesh)
    points, _ = hull(collision.geometry)
    low = points[points[:, 2] < points[:, 2].min() + 1e-6]
    assert low[0, 2] == pytest.approx(-0.04511, abs=1e-6)
    middle = low[:, :2].mean(axis=0)
    turn = np.argsort(np.arctan2(low[:, 1] - middle[1], low[:, 0] - middle[0]))
    x, y = low[turn, 0], low[turn, 1]
    area = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    assert area == pytest.approx(0.01165, rel=0.01)
    for corner in sole_outline() * [1, side]:
        assert np.min(np.linalg.norm(low[:, :2] - corner, axis=1)) < 1e-6


# ---- sensors ------------------------------------------------------------------------------------
def test_sensors_are_those_of_the_table(nao: Robot) -> None:
    table = rows("sensors")
    assert len(table) == 34
    specs = {spec.name: spec for spec in nao.sensors}
    assert set(specs) == {row["name"] for row in table} | {"Imu"}
    poses = nao.link_poses({})
    for row in table:
        spec = specs[row["name"]]
        assert spec.kind == ("force" if row["kind"] == "fsr" else row["kind"])
        assert spec.link == row["link"]
        pose = SE3.from_xyz_rpy([float(row[k]) for k in "xyz"], [float(row[k]) for k in ("roll", "pitch", "yaw")])
        np.testing.assert_allclose(spec.pose.matrix, pose.matrix, atol=1e-9)
        frame = poses[row["link"]].inverse() @ poses[row["frame"]]
        np.testing.assert_allclose(frame.matrix, pose.matrix, atol=1e-9)
        assert nao.link(row["frame"]).inertia is None


def test_sensor_figures(nao: Robot) -> None:
    kinds: dict[str, list] = {}
    for spec in nao.sensors:
        kinds.setdefault(spec.kind, []).append(spec)
    assert {kind: len(found) for kind, found in kinds.items()} == {
        "accelerometer": 1,
        "gyrometer": 1,
        "imu": 1,
        "force": 8,
        "bumper": 4,
        "button": 1,
        "camera": 2,
        "sonar": 2,
        "touch": 9,
        "infrared": 2,
        "microphone": 4,
    }
    assert {spec.parameters["range_max"] for spec in kinds["force"]} == {25.0}
    assert kinds["imu"][0].parameters["gyro_axes"] == "xy"
    for camera in kinds["camera"]:
        assert camera.parameters["horizontal_fov"] == pytest.approx(math.radians(60.9), abs=1e-4)
    for sonar in kinds["sonar"]:
        assert (sonar.parameters["range_min"], sonar.parameters["range_max"]) == (0.25, 2.55)


# ---- poses and servos ---------------------------------------------------------------------------
def test_ten_poses_and_two_aliases(nao: Robot) -> None:
    assert set(nao.poses) == {*TEN_POSES, "init", "zero"}
    assert nao.pose("STANDINIT") == nao.pose("StandInit")
    assert nao.pose("init") == nao.pose("ros_init")
    for name in nao.poses:
        assert set(nao.pose(name)) == set(nao.joint_names)
        assert nao.pose(name)["RHipYawPitch"] == nao.pose(name)["LHipYawPitch"]
    assert nao.pose("StandInit")["LKneePitch"] == 0.7
    assert nao.pose("LyingBack")["RElbowRoll"] == 1.54462


def test_poses_are_within_the_limits(nao: Robot) -> None:
    for name in nao.poses:
        outside = {
            joint
            for joint, value in nao.pose(name).items()
            if not nao.joint(joint).limits.lower <= value <= nao.joint(joint).limits.upper
        }
        assert outside == ({"LElbowRoll", "RElbowRoll"} if name == "ros_zero" else set())


def test_zero_is_ros_zero_inside_the_limits(nao: Robot) -> None:
    for joint, value in nao.pose("ros_zero").items():
        limits = nao.joint(joint).limits
        assert nao.pose("zero")[joint] == min(max(value, limits.lower), limits.upper)


def test_servos_name_joints_that_exist(nao: Robot) -> None:
    from fnmatch import fnmatchcase

    for pattern, gains in nao.servos.items():
        assert any(fnmatchcase(name, pattern) for name in nao.joint_names)
        assert gains["kp"] > 0
        assert gains["kd"] > 0


# ---- collisions ---------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def scene(nao: Robot) -> Engine:
    return engine_class("mujoco")(World("nothing"), (Placement("nao", nao),), Settings())


def touching(scene: Engine, nao: Robot, positions: dict[str, float]) -> set[frozenset[str]]:
    """Pairs of links of the robot that touch at these joint positions."""
    q = nao.complete(positions)
    scene.set_joints(0, np.array([q[name] for name in nao.joint_names]))
    scene.set_base(0, (0, 0, 1, 0, 0, 0, 1))
    scene.step()
    contacts = scene.contacts()
    ends = zip(contacts.link_a, contacts.link_b, strict=True)
    return {frozenset((nao.links[a].name, nao.links[b].name)) for a, b in ends}


@pytest.mark.parametrize("pose", [*TEN_POSES, "init", "zero"])
def test_no_link_touches_another_in_the_poses(scene: Engine, nao: Robot, pose: str) -> None:
    """In Crouch the published angles make the heels of the published outline touch; nothing else ever does."""
    heels = {frozenset(("l_ankle", "r_ankle"))}
    assert touching(scene, nao, nao.pose(pose)) == (heels if pose == "Crouch" else set())


def test_only_arms_and_legs_led_inwards_touch_something(scene: Engine, nao: Robot) -> None:
    inwards = {("LShoulderRoll", "lower"), ("RShoulderRoll", "upper"), ("LHipRoll", "lower"), ("RHipRoll", "upper")}
    stand = nao.pose("Stand")
    found = {
        (joint.name, end)
        for joint in nao.independent
        for end in ("lower", "upper")
        if touching(scene, nao, stand | {joint.name: getattr(joint.limits, end)})
    }
    assert found == inwards


def test_legs_and_feet_may_collide_with_each_other(nao: Robot) -> None:
    assert nao.self_collide
    for pair in (("LThigh", "RThigh"), ("LTibia", "RTibia"), ("l_ankle", "r_ankle"), ("l_ankle", "RTibia")):
        assert frozenset(pair) not in nao.no_collision
