"""Rigs: inferred from robots of any make, written, edited, read back; errors that say what is missing."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.locomotion.legged.samples import upright, walker

import andante as an
from andante.errors import AndanteError, BadInput, UnknownName
from andante.locomotion.io.rig_file import read_rig, rig_for, rig_path, write_rig
from andante.locomotion.rigs.balance import inside, margin
from andante.locomotion.rigs.infer import _quick_steps, infer_rig
from andante.locomotion.rigs.legs import find_legs, resting_pose, ring_order
from andante.locomotion.rigs.rig import Leg, Rig, check_rig, missing_sensors, weak_joints, with_rig

HEXAGON = (30, 90, 150, 210, 270, 330)


def load(tmp_path, text, name="sample.urdf"):
    path = tmp_path / name
    path.write_text(text)
    return an.robot(path)


@pytest.fixture(scope="module")
def shell():
    robot = an.robot("shell")
    return robot, infer_rig(robot)


@pytest.fixture(scope="module")
def hexagon(tmp_path_factory):
    robot = load(tmp_path_factory.mktemp("hexagon"), walker(HEXAGON))
    return robot, infer_rig(robot)


def foot_places(robot, rig):
    poses = robot.link_poses(rig.stance)
    back = poses[rig.body].inverse()
    return np.array([back @ poses[leg.foot] @ np.asarray(leg.point) for leg in rig.legs])


def test_shell_stands_on_its_lower_feet(shell):
    robot, rig = shell
    assert [leg.foot for leg in rig.legs] == [f"lower_foot_{k}" for k in (1, 2, 3, 4, 5, 6)]
    assert all(len(leg.joints) == 3 for leg in rig.legs)  # the shared folding joint is nobody's own
    assert rig.forward == 0.0
    assert rig.stance["q113"] == pytest.approx(robot.pose("stand")["q113"], abs=1e-5)
    assert rig.servos == {}  # its side file has gains
    assert all(leg.reach > 0.03 for leg in rig.legs)
    places = foot_places(robot, rig)
    assert np.allclose(places[:, 2] - 0.0095, [leg.stand[2] for leg in rig.legs], atol=1e-5)


@pytest.mark.parametrize(
    "azimuths", [(45, 135, 225, 315), HEXAGON, tuple(range(20, 380, 45)), (30, 102, 174, 246, 318)]
)
def test_any_number_of_legs(tmp_path, azimuths):
    robot = load(tmp_path, walker(azimuths))
    rig = infer_rig(robot)
    assert len(rig.legs) == len(azimuths)
    places = foot_places(robot, rig)
    assert np.ptp(places[:, 2]) < 1e-3  # all on one plane
    assert margin(places[:, :2], np.asarray(rig.center[:2])) > 0.05  # and the robot stands on them
    assert all(leg.knee[2] > 0.2 for leg in rig.legs)  # knees up
    hips = robot.link_poses()
    for leg, place in zip(rig.legs, places, strict=True):
        assert np.hypot(*place[:2]) > np.hypot(*hips[f"{leg.name.removesuffix('_tibia')}_coxa"].translation[:2])
    for name, value in rig.stance.items():
        assert abs(value) <= robot.joint(name).limits.upper


def test_arms_are_no_legs(tmp_path):
    robot = load(tmp_path, walker(HEXAGON, arm=True))
    assert sorted(leg.foot for leg in find_legs(robot)) == [f"leg{i}_tibia" for i in range(6)]


@pytest.mark.parametrize(
    "names", [["front_a", "front_b", "rear_a", "rear_b"], ["FL_a", "FR_a", "BL_a", "BR_a"], ["lf", "rf", "lb", "rb"]]
)
def test_forward_by_names_and_by_the_sides_that_legs_mark(tmp_path, names):
    robot = load(tmp_path, walker((-45, -135, 135, 45), names=names))
    assert infer_rig(robot).forward == pytest.approx(-math.pi / 2)
    robot = load(tmp_path, walker((-30, 0, 30, 150, 180, 210)))
    rig = infer_rig(robot)
    assert rig.forward == pytest.approx(math.pi / 2)
    left = [leg.stand[0] for leg in rig.legs[:3]]
    assert max(left) < 0  # walking along +y, left is -x


def test_ring_order_starts_left_of_straight_ahead():
    places = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], dtype=float)
    assert ring_order(places, 0.0) == [1, 2, 3, 0]
    assert ring_order(places, math.pi / 2) == [2, 3, 0, 1]


def test_knees_and_height_are_choices(tmp_path):
    pytest.importorskip("pybullet_data")
    import pybullet_data

    robot = an.robot(Path(pybullet_data.getDataPath()) / "laikago" / "laikago_toes_zup.urdf")
    back, front = infer_rig(robot), infer_rig(robot, knees="front", height=0.4)
    assert all(leg.knee[0] < -0.9 for leg in back.legs)
    assert all(leg.knee[0] > 0.9 for leg in front.legs)
    assert front.height == pytest.approx(0.4, abs=1e-6)
    with pytest.raises(UnknownName, match="same, back"):
        infer_rig(robot, knees="sideways")


def test_gains_grow_with_the_weight(tmp_path):
    robot = load(tmp_path, walker(HEXAGON))
    heavy = replace(robot, links=tuple(_heavier(link) for link in robot.links))
    light_gains, heavy_gains = infer_rig(robot).servos, infer_rig(heavy).servos
    assert set(light_gains) == set(robot.joint_names)
    for name in light_gains:
        assert heavy_gains[name]["kp"] == pytest.approx(3 * light_gains[name]["kp"], rel=0.01)


def test_servos_too_weak_for_the_weight_are_named(tmp_path):
    robot = load(tmp_path, walker(HEXAGON))
    rig = infer_rig(robot)
    assert weak_joints(robot, rig) == {}
    weak = replace(robot, joints=tuple(replace(j, limits=replace(j.limits, effort=1e-3)) for j in robot.joints))
    found = weak_joints(weak, rig)
    assert found
    weight = 9.81 * 2 * rig.mass / len(rig.legs)
    assert all(effort == 1e-3 < load < weight for load, effort in found.values())  # levers below a meter
    loads = [load for load, _ in found.values()]
    assert loads == sorted(loads, reverse=True)
    enough = max(loads) * 1.001
    strong = replace(robot, joints=tuple(replace(j, limits=replace(j.limits, effort=enough)) for j in robot.joints))
    assert weak_joints(strong, rig) == {}


def _heavier(link):
    return replace(link, inertia=replace(link.inertia, mass=3 * link.inertia.mass)) if link.inertia else link


def test_round_trip_and_found_beside_the_robot(tmp_path, shell):
    robot = load(tmp_path, walker(HEXAGON))
    rig = infer_rig(robot)
    path = rig_path(tmp_path / "sample.urdf")
    assert path.name == "sample.rig.toml"
    write_rig(rig, path)
    assert read_rig(path, robot) == rig
    path.write_text(path.read_text().replace(f"step_height = {rig.step_height}", "step_height = 0.011"))
    assert rig_for(robot).step_height == 0.011
    write_rig(shell[1], tmp_path / "other.toml")
    assert read_rig(tmp_path / "other.toml", shell[0]) == shell[1]
    with pytest.raises(UnknownName, match=r"other\.toml.*lower_coxa_1"):
        rig_for(robot, tmp_path / "other.toml")
    assert not list(tmp_path.glob(".*partial"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t.replace('body = "body"', ""), "lacks body"),
        (lambda t: t.replace('hip = "body"', "", 1), r"legs\[0\] lacks hip"),
        (lambda t: t.replace('foot = "leg0_tibia"', 'foot = "nowhere"'), "nowhere"),
        (lambda t: t.replace('foot = "leg0_tibia"', 'foot = "leg1_tibia"'), "leg0"),
        (lambda t: t.replace("step_height = ", "step_hight = "), "step_hight"),
        (lambda t: t.replace("step_height = ", "step_height = -"), "step_height must be > 0"),
        (lambda t: t.replace("forward = 0.0", 'forward = "x"'), "forward needs a number"),
        (lambda t: t.replace("[stance]", "[stance"), "not valid TOML"),
        (lambda t: t.replace('"leg0_knee" = ', '"leg0_nee" = ', 1), "leg0_nee"),
        (lambda t: t.replace("radius = 0.008", "radius = [1]", 1), r"legs\[0\]\.radius"),
        (lambda t: t.replace("armature = ", "armature = -", 1), r"servos\.leg0_\w+\.armature must be >= 0, got -"),
        (lambda t: t.replace("kd = ", "kd = -", 1), r"servos\.leg0_\w+\.kd must be >= 0, got -"),
        (lambda t: t.replace('body = "body"', "body = 3"), "body needs a name, got 3"),
        (lambda t: re.sub(r"joints = .*", 'joints = "leg0_coxa"', t, count=1), "joints needs a list of joint names"),
        (lambda t: re.sub(r"stand = .*", "stand = [1.0, 2.0]", t, count=1), r"legs\[0\]\.stand needs three numbers"),
        (lambda t: "legs = [1]\nstance = {}\n" + t.split("[[legs]]")[0], r"legs needs one \[\[legs\]\] table per leg"),
        (lambda t: "servos = 3\n" + t.split("[servos")[0], r"servos needs one table per joint, like \[servos\.JOINT\]"),
        (lambda t: "stance = 3\n" + re.sub(r"\[stance\][^\[]*", "", t), r"\[stance\] needs lines like NAME = NUMBER"),
    ],
)
def test_bad_files_are_named(tmp_path, hexagon, change, told):
    robot, rig = hexagon
    path = tmp_path / "r.toml"
    write_rig(rig, path)
    text = path.read_text()
    changed = change(text)
    assert changed != text
    path.write_text(changed)
    with pytest.raises(AndanteError, match=told) as caught:
        read_rig(path, robot)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_spelling_of_0_1_0_is_read(tmp_path, shell):
    path = tmp_path / "rig.toml"
    write_rig(shell[1], path)
    path.write_text(path.read_text().replace("\ncenter =", "\ncentre ="))
    with pytest.warns(DeprecationWarning, match="centre is now called center"):
        assert read_rig(path, shell[0]) == shell[1]


def test_writing_is_refused_politely(tmp_path, shell):
    for path, told in ((tmp_path / "r.txt", "toml"), (tmp_path / "no" / "r.toml", "folder does not exist")):
        with pytest.raises(BadInput, match=told):
            write_rig(shell[1], path)
    (tmp_path / "d.toml").mkdir()
    with pytest.raises(BadInput, match="is a folder"):
        write_rig(shell[1], tmp_path / "d.toml")


def test_robots_without_legs_say_so():
    for name in ("rover", "waffle"):
        with pytest.raises(BadInput, match="no legs"):
            infer_rig(an.robot(name))


def test_missing_sensors_are_fitted_once(tmp_path, shell):
    robot = load(tmp_path, walker(HEXAGON))
    rig = infer_rig(robot)
    ready = with_rig(robot, rig)
    assert sorted(spec.kind for spec in ready.sensors) == ["contact"] * 6 + ["imu"]
    assert missing_sensors(ready, rig) == ()
    assert missing_sensors(shell[0], shell[1]) == ()
    assert ready.pose("rig") == ready.pose("stand") == dict(rig.stance)


def test_a_bad_rig_cannot_exist(shell):
    robot, rig = shell
    with pytest.raises(BadInput, match="2 or more"):
        replace(rig, legs=rig.legs[:1])
    with pytest.raises(BadInput, match="same name"):
        replace(rig, legs=(rig.legs[0], rig.legs[0]))
    with pytest.raises(BadInput, match="reach"):
        replace(rig.legs[0], reach=0.0)
    with pytest.raises(BadInput, match="no joints"):
        replace(rig.legs[0], joints=())
    with pytest.raises(UnknownName, match="body"):
        check_rig(replace(rig, body="trunk"), robot)
    with pytest.raises(UnknownName, match="lower_foot_1"):
        rig.leg("leg9")
    assert isinstance(rig, Rig)


def test_margin_and_nearest_stable_point():
    square = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]], dtype=float)
    assert margin(square, np.zeros(2)) == pytest.approx(1.0)
    assert margin(square, np.array([2.0, 0.0])) == pytest.approx(-1.0)
    assert margin(square[:2], np.zeros(2)) == -math.inf
    triangle = square[:3]
    there = inside(triangle, np.array([0.5, -0.5]), 0.2)
    assert margin(triangle, there) == pytest.approx(0.2, abs=1e-5)
    assert np.allclose(there, [-0.2 / math.sqrt(2), 0.2 / math.sqrt(2)], atol=1e-4)
    assert np.allclose(inside(triangle, np.zeros(2), 5.0), triangle.mean(axis=0))


@pytest.mark.parametrize(("velocity", "part"), [(100.0, 1.0), (4.0, 0.634), (0.5, 1.0)])
def test_slow_servos_step_shorter_in_the_time_in_which_a_body_falls(tmp_path, velocity, part):
    """Quick ones need not, and the slowest would only make tiny steps: 2 r / (0.2 v h) against 3 sqrt(h / g)."""
    path = tmp_path / "robot.urdf"
    path.write_text(walker([0.8, 2.34, -2.34, -0.8]).replace('velocity="8"', f'velocity="{velocity}"'))
    robot = an.robot(path)
    legs = [Leg(b.name, b.joints, b.hip, b.foot, reach=0.05) for b in find_legs(robot)]
    assert [leg.reach for leg in _quick_steps(robot, legs, 0.19)] == pytest.approx([0.05 * part] * 4, rel=0.02)


@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), (0.12, 0.0, 0.0), (-0.1, 0.04, 0.0)])
def test_four_feet_stand_around_the_center_of_mass(tmp_path, center):
    rig = infer_rig(load(tmp_path, upright(center=center)))
    middle = np.mean([leg.stand for leg in rig.legs], axis=0)
    assert middle[:2] == pytest.approx(rig.center[:2], abs=0.01)


def test_legs_that_swing_in_a_plane_step_along_it(tmp_path):
    rig = infer_rig(load(tmp_path, upright(roll=False)))
    for leg in rig.legs:
        assert len(leg.joints) == 2
        assert leg.reach > 0.05
        assert abs(leg.stand[1]) == pytest.approx(0.16, abs=1e-6)  # below its hip


def test_a_named_pose_beyond_the_limits_is_taken_at_them(tmp_path, shell):
    robot = load(tmp_path, walker((-45, -135, 135, 45)))
    knees = [joint for joint in robot.movable if joint.name.endswith("knee")]
    beyond = {joint.name: joint.limits.upper + 1.0 for joint in knees}
    pose, named = resting_pose(replace(robot, poses={"home": beyond}))
    assert named
    assert all(pose[joint.name] == joint.limits.upper for joint in knees)
