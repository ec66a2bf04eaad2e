"""NAO V3.3, V5 and V6 and their hands, by arguments of the same file."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.description import Robot, load_robot
from andante.description.io.convert import write_description
from andante.errors import BadInput
from andante.robots.nao import generate_links
from andante.robots.nao.tables import rows

MASSES = {"V3.3": 5.00591, "V4": 5.19535, "V5": 5.30539, "V6": 5.30539}  # sums of the published tables [kg]


def nao(version: str, fingers: bool = False) -> Robot:
    return load_robot("nao", {"version": version, "fingers": str(fingers).lower()})


def sensors(robot: Robot) -> dict[str, object]:
    return {each.name: each for each in robot.sensors}


@pytest.mark.parametrize("version", MASSES)
def test_masses_are_those_of_the_version_and_bodies_are_physical(version: str) -> None:
    for fingers in (False, True):
        robot = nao(version, fingers)
        assert robot.mass == pytest.approx(MASSES[version], abs=1e-6)
        for link in robot.links:
            if link.inertia is not None:
                a, b, c = np.linalg.eigvalsh(link.inertia.matrix)
                assert a > 0, link.name
                assert c <= a + b, link.name


@pytest.mark.parametrize("version", MASSES)
def test_links_and_joints_are_alike_in_all_versions(version: str) -> None:
    """Lengths, ranges, torques and speeds are published alike for all of them."""
    robot = nao(version)
    assert robot.joint_names == tuple(row["joint"] for row in rows("joints"))
    for row in rows("joints"):
        limits = robot.joint(row["joint"]).limits
        assert [limits.lower, limits.upper, limits.effort, limits.velocity] == [
            float(row[key]) for key in ("lower", "upper", "effort", "velocity")
        ]
    np.testing.assert_allclose(robot.link_poses({})["l_sole"].translation, [0, 0.05, -0.33301], atol=1e-9)


def test_tables_keep_what_was_published() -> None:
    for version, table in generate_links.VERSIONS.items():
        robot = nao(version)
        for row in rows(table):
            if row["link"] != "l_wrist":  # the fingers are cut off it
                assert robot.link(row["link"]).inertia.mass == float(row["mass"])


@pytest.mark.parametrize(
    ("version", "across", "width", "yaw_gyro", "far", "infrared", "microphones"),
    [
        ("V3.3", 47.8, 640, False, 2.55, 2, 4), ("V4", 60.9, 1280, False, 2.55, 2, 4),
        ("V5", 60.9, 1280, True, 2.55, 2, 0), ("V6", 56.3, 640, True, 0.80, 0, 0),
    ],
)  # fmt: skip
def test_sensors(version, across, width, yaw_gyro, far, infrared, microphones) -> None:
    robot = nao(version)
    found = sensors(robot)
    top = found["CameraTop"].parameters
    assert math.degrees(top["horizontal_fov"]) == pytest.approx(across, abs=0.01)
    assert (top["width"], top["height"]) == (width, width * 3 / 4)
    assert ("z" in str(found["Imu"].parameters["gyro_axes"])) is yaw_gyro
    assert found["Sonar/Left"].parameters["range_max"] == pytest.approx(far)
    kinds = [each.kind for each in robot.sensors]
    assert (kinds.count("infrared"), kinds.count("microphone")) == (infrared, microphones)
    assert robot.plugins[0].parameters["version"].startswith(version)


def test_the_cameras_of_the_first_head() -> None:
    poses = nao("V3.3").link_poses({})
    seen = poses["Head"].inverse() @ poses["CameraBottom_frame"]
    np.testing.assert_allclose(seen.translation, [0.0488, 0.0, 0.02381], atol=1e-9)
    np.testing.assert_allclose(seen.rotation @ [1, 0, 0], [math.cos(0.6981), 0, -math.sin(0.6981)], atol=1e-9)


def test_fingers_close_with_the_hand() -> None:
    robot = nao("V5", fingers=True)
    bones = [joint for joint in robot.movable if "Finger" in joint.name or "Thumb" in joint.name]
    assert len(bones) == 16
    assert {bone.mimic.joint for bone in bones} == {"LHand", "RHand"}
    assert len(robot.independent) == 25

    def tip(hand: float, name: str) -> np.ndarray:
        poses = robot.link_poses({"LHand": hand})
        return (poses["l_wrist"].inverse() @ poses[name]).translation

    opened, closed = tip(1.0, "LFinger13_link"), tip(0.0, "LFinger13_link")
    thumb = tip(0.0, "LThumb2_link")
    assert np.linalg.norm(closed - thumb) < np.linalg.norm(opened - tip(1.0, "LThumb2_link")) - 0.01
    straight = [tip(1.0, f"LFinger1{k}_link") for k in (1, 2, 3)]
    along = [np.diff(straight, axis=0)[k] / 0.01436 for k in (0, 1)]
    np.testing.assert_allclose(along[0], along[1], atol=1e-6)  # an open finger is straight


def test_another_version_is_refused_in_a_line() -> None:
    with pytest.raises(BadInput, match=r"version is V3\.3, V4, V5 or V6, got V2"):
        nao("V2")


def test_it_is_told_in_a_written_file(tmp_path) -> None:
    write_description(nao("V6"), tmp_path / "nao.urdf")
    assert load_robot(tmp_path / "nao.urdf").plugins[0].parameters["version"] == "V6.0"
