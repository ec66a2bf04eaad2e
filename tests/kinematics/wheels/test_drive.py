"""Drives from numbers, from plugins of all spellings and from geometry; limits; errors."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import andante as an
from andante.description import JointType, Limits
from andante.description.io.convert import convert_file
from andante.errors import AndanteError, BadInput, UnknownName
from andante.kinematics import (
    Drive,
    FixedWheel,
    SwedishWheel,
    ackermann,
    differential,
    find_drive,
    mecanum,
    omni,
    skid_steer,
    tricycle,
)
from andante.kinematics.wheels.drive import DriveWheel

from .samples import body, fork, mecanum_robot, omni_robot, plugin, robot, roller_wheel, wheel

signed = st.floats(-2.0, 2.0)
twists = st.tuples(signed, signed, signed)

DRIVES = {
    "differential": differential(0.3, 0.03, max_wheel_speed=20.0),
    "skid_steer": skid_steer(0.5, 0.1, slip_factor=1.6, max_wheel_speed=10.0),
    "ackermann": ackermann(0.33, 0.25, 0.055, 0.45, max_wheel_speed=30.0),
    "tricycle": tricycle(0.5, 0.3, 0.1, 1.0, max_wheel_speed=10.0),
    "mecanum": mecanum(0.4, 0.3, 0.05, max_wheel_speed=20.0),
    "omni": omni(0.2, 0.05, max_wheel_speed=20.0),
}


def values(commands, mode):
    return {name: float(value) for name, (said, value) in commands.items() if said == mode}


# ---- from numbers ----------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", DRIVES)
@given(twist=twists)
@settings(max_examples=40, deadline=None)
def test_commands_bring_the_limited_twist_back(kind, twist):
    drive = DRIVES[kind]
    wanted = drive.limited(twist)
    commands = drive.joint_commands(twist)
    back = drive.twist(values(commands, "velocity"), values(commands, "position"))
    assert np.allclose(back.twist, wanted, atol=1e-6)
    assert back.slip < 1e-6
    motion = drive.wheel_motion(wanted)
    tops = np.array([part.max_speed for part in drive.wheels])
    assert (np.abs(motion.speeds) <= tops * (1 + 1e-9)).all()
    assert np.allclose(drive.limited(wanted), wanted, atol=1e-9)


@pytest.mark.parametrize("kind", ["mecanum", "omni"])
def test_holonomic_drives_keep_the_direction_of_fast_twists(kind):
    drive, fast = DRIVES[kind], np.array([3.0, -2.0, 1.0])
    assert drive.holonomic
    slow = drive.limited(fast)
    assert np.allclose(np.cross(slow, fast), 0, atol=1e-9)
    assert np.max(np.abs(drive.wheel_motion(slow).speeds)) == pytest.approx(20.0)


def test_curvature_survives_the_speed_limits():
    drive = differential(0.287, 0.033, max_wheel_speed=9.0, max_speed=0.26, max_turn=1.82)
    for twist in ([1.0, 0.0, 0.5], [0.1, 0.0, 5.0], [-2.0, 0.0, 3.0]):
        slow = drive.limited(twist)
        assert slow[2] / slow[0] == pytest.approx(twist[2] / twist[0])
        assert abs(slow[0]) <= 0.26 + 1e-12
        assert abs(slow[2]) <= 1.82 + 1e-12
    assert drive.limited([0.1, 0.7, 0.0]) == pytest.approx([0.1, 0, 0])  # no sideways speed
    assert drive.turning_radius == 0


def test_car_angles_and_turning_radius():
    car = DRIVES["ackermann"]
    assert car.turning_radius == pytest.approx(0.125 + 0.33 / math.tan(0.45), rel=1e-6)
    radius = 1.2
    commands = values(car.joint_commands([0.6, 0.0, 0.5]), "position")
    assert commands["steer_left"] == pytest.approx(math.atan(0.33 / (radius - 0.125)))
    assert commands["steer_right"] == pytest.approx(math.atan(0.33 / (radius + 0.125)))
    backward = values(car.joint_commands([-0.6, 0.0, -0.5]), "position")
    assert backward == pytest.approx(commands)
    sharp = car.limited([0.5, 0.0, 9.0])
    assert sharp[0] / sharp[2] == pytest.approx(car.turning_radius, rel=1e-6)
    assert car.limited([0.0, 0.0, 1.0]) == pytest.approx([0, 0, 0])  # a car does not turn on the spot
    assert DRIVES["tricycle"].turning_radius == pytest.approx(0.5 / math.tan(1.0), rel=1e-6)
    assert tricycle(0.5, 0.3, 0.1).turning_radius == 0  # 90 degrees of steering


def test_batches():
    batch = np.random.default_rng(1).normal(size=(3, 4, 3))
    car = DRIVES["ackermann"]
    commands = car.joint_commands(batch)
    assert all(value.shape == (3, 4) for _, value in commands.values())
    one = car.joint_commands(batch[1, 2])
    for name, (mode, value) in one.items():
        assert commands[name][0] == mode
        assert commands[name][1][1, 2] == pytest.approx(float(value), abs=1e-9)
    speeds = {name: value for name, (mode, value) in commands.items() if mode == "velocity"}
    angles = {name: value for name, (mode, value) in commands.items() if mode == "position"}
    assert np.allclose(car.twist(speeds, angles).twist, car.limited(batch), atol=1e-9)


@pytest.mark.parametrize("kind", DRIVES)
def test_one_twist_is_as_a_row_of_many(kind):
    drive = DRIVES[kind]
    for twist in np.random.default_rng(2).normal(scale=(2.0, 2.0, 8.0), size=(20, 3)):
        one, many = drive.joint_commands(twist), drive.joint_commands(twist[None])
        assert {name: mode for name, (mode, _) in one.items()} == {name: mode for name, (mode, _) in many.items()}
        for name, (_, value) in one.items():
            assert float(value) == pytest.approx(float(many[name][1][0]), abs=1e-9)
        speeds = np.array([float(one[name][1]) for name in drive.wheel_joints])
        speeds[0] = math.nan if twist[0] > 1.0 else speeds[0]  # one is not measured then
        alone, row = drive.base.forward(speeds), drive.base.forward(speeds[None])
        assert np.allclose(alone.twist, row.twist[0], atol=1e-12)
        assert np.allclose(alone.residual, row.residual[0], atol=1e-12)
        assert bool(alone.determined) == bool(row.determined[0])
        assert np.allclose(drive.at_root(twist), drive.at_root(twist[None])[0], atol=1e-12)
        assert np.allclose(drive.from_root(drive.at_root(twist)), twist, atol=1e-12)


def test_speeds_as_arrays_in_the_order_of_the_joints():
    drive = DRIVES["differential"]
    assert drive.wheel_joints == ("left", "right")
    assert drive.twist([10.0, 10.0]).twist == pytest.approx([0.3, 0, 0])
    assert drive.twist({"right": 10.0, "left": -10.0}).twist == pytest.approx([0, 0, 2.0])
    with pytest.raises(BadInput, match=r"\(..., 2\): steer_left, steer_right"):
        DRIVES["ackermann"].twist([1.0] * 4, [0.1])


# ---- built-in robots and files ---------------------------------------------------------------------
def test_waffle():
    drive = find_drive(an.robot("waffle"))
    assert drive.kind == "differential"
    assert drive.wheel_joints == ("wheel_left_joint", "wheel_right_joint")
    assert (drive.max_speed, drive.max_turn) == (0.26, 1.82)
    assert (drive.base.degrees.mobility, drive.base.degrees.steerability) == (2, 0)
    commands = values(drive.joint_commands([0.2, 0.0, 0.5]), "velocity")
    assert commands["wheel_right_joint"] == pytest.approx((0.2 + 0.5 * 0.287 / 2) / 0.033)
    assert commands["wheel_left_joint"] == pytest.approx((0.2 - 0.5 * 0.287 / 2) / 0.033)
    assert drive.footprint_radius == pytest.approx(math.hypot(0.064 + 0.133, 0.118), rel=1e-3)
    assert drive.notes == ()


@pytest.mark.parametrize("with_plugin", [True, False])
def test_rover_by_plugin_and_by_geometry(with_plugin):
    rover = an.robot("rover")
    drive = find_drive(rover if with_plugin else replace(rover, plugins=()))
    assert drive.kind == "ackermann"
    assert drive.max_speed == (2.0 if with_plugin else math.inf)
    assert drive.steering_joints == ("front_left_steering_joint", "front_right_steering_joint")
    assert [part.joint for part in drive.wheels if part.driven] == ["rear_left_wheel_joint", "rear_right_wheel_joint"]
    assert drive.turning_radius == pytest.approx(0.125 + 0.33 / math.tan(0.45), rel=1e-6)
    same = ackermann(0.33, 0.25, 0.055, 0.45).joint_commands([0.5, 0, 0.4])
    commands = drive.joint_commands([0.5, 0, 0.4])
    assert float(commands["rear_left_wheel_joint"][1]) == pytest.approx(float(same["rear_left"][1]))
    assert float(commands["front_left_steering_joint"][1]) == pytest.approx(float(same["steer_left"][1]))
    assert commands["front_left_wheel_joint"][0] == "off"


@pytest.mark.parametrize("name", ["waffle", "rover"])
@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml"])
def test_the_drive_survives_every_file_format(name, suffix, tmp_path):
    convert_file(name, tmp_path / f"copy.{suffix}")
    drive, copy = find_drive(an.robot(name)), find_drive(an.robot(tmp_path / f"copy.{suffix}"))
    assert (copy.kind, set(copy.wheel_joints)) == (drive.kind, set(drive.wheel_joints))
    twist = (0.2, 0.0, 0.1)
    assert values(copy.joint_commands(twist), "velocity") == pytest.approx(
        values(drive.joint_commands(twist), "velocity")
    )
    assert values(copy.joint_commands(twist), "position") == pytest.approx(
        values(drive.joint_commands(twist), "position")
    )


def bullet_file(name):
    data = pytest.importorskip("pybullet_data")
    return Path(data.getDataPath()) / name


def test_husky_by_geometry():
    drive = find_drive(an.robot(bullet_file("husky/husky.urdf")))
    assert drive.kind == "skid_steer"
    assert len(drive.wheels) == 4
    commands = values(drive.joint_commands([0.5, 0.0, 0.4]), "velocity")
    assert commands["front_left_wheel"] == pytest.approx(commands["rear_left_wheel"])
    wide = 0.2854 * (1 + (0.256 / 0.2854) ** 2)  # 1.80 times the track; its makers tell 1.875
    assert commands["rear_left_wheel"] == pytest.approx((0.5 - 0.4 * wide) / 0.17775)
    assert commands["rear_right_wheel"] == pytest.approx((0.5 + 0.4 * wide) / 0.17775)
    assert "modeled as one" in drive.notes[0]


def test_racecar_by_geometry_counts_tyres_not_joints():
    drive = find_drive(an.robot(bullet_file("racecar/racecar.urdf")))
    assert drive.kind == "ackermann"
    rear = [part.wheel.position[1] for part in drive.wheels if part.driven]
    assert rear == pytest.approx([0.1225, -0.1225], abs=1e-6)  # the tyre lies outside its joint
    commands = drive.joint_commands([0.5, 0.0, 0.3])
    radius = 0.5 / 0.3
    assert float(commands["left_steering_hinge_joint"][1]) == pytest.approx(math.atan(0.325 / (radius - 0.1)), abs=1e-5)
    back = drive.twist(values(commands, "velocity"), values(commands, "position"))
    assert np.allclose(back.twist, [0.5, 0, 0.3], atol=1e-4)


def test_r2d2_rolls_along_its_y_axis():
    drive = find_drive(an.robot(bullet_file("r2d2.urdf")))
    assert drive.reference[2] == pytest.approx(math.pi / 2)
    assert drive.at_root([1.0, 0.0, 0.0]) == pytest.approx([0, 1, 0], abs=1e-12)
    commands = values(drive.joint_commands([0.35, 0.0, 0.0]), "velocity")
    assert set(np.round(list(commands.values()), 9)) == {-10.0}  # its axes point to the right


# ---- plugins ---------------------------------------------------------------------------------------
PAIR = [wheel("l", 0.1, 0.15), wheel("r", 0.1, -0.15)]
FOUR = [wheel(n, x, y) for n, x, y in (("fl", 0.2, 0.15), ("fr", 0.2, -0.15), ("rl", -0.2, 0.15), ("rr", -0.2, -0.15))]


@pytest.mark.parametrize(
    ("filename", "name", "parameters"),
    [
        ("libgazebo_ros_diff_drive.so", "d", {"leftJoint": "l", "rightJoint": "r", "wheelSeparation": "0.3"}),
        ("libgazebo_ros_diff_drive.so", "d", {"left_joint": "l", "right_joint": "r", "wheel_diameter": "0.1"}),
        ("gz-sim-diff-drive-system", "gz::sim::systems::DiffDrive", {"left_joint": "l", "right_joint": "r"}),
        ("ignition-gazebo-diff-drive-system", "x", {"left_joint": "robot::l", "right_joint": "robot::r"}),
        ("libDiffDrivePlugin.so", "x", {"left_joint": "l", "right_joint": "r"}),
    ],
)
def test_spellings_of_the_differential_plugin(filename, name, parameters):
    drive = find_drive(robot("bot", PAIR, plugin(filename, parameters, name)))
    assert (drive.kind, drive.wheel_joints, drive.notes) == ("differential", ("l", "r"), ())
    assert drive.reference == (0.1, 0.0, 0.0)  # on the axle, ahead of the root
    assert drive.at_root([0.2, 0.0, 0.5]) == pytest.approx([0.2, -0.05, 0.5])
    assert drive.from_root([0.2, -0.05, 0.5]) == pytest.approx([0.2, 0, 0.5])
    assert drive.pose_from_root([1.0, 2.0, math.pi / 2]) == pytest.approx([1.0, 2.1, math.pi / 2])


def test_skid_steer_plugin_with_an_effective_separation():
    told = {
        "leftFrontJoint": "fl",
        "rightFrontJoint": "fr",
        "leftRearJoint": "rl",
        "rightRearJoint": "rr",
        "wheelSeparation": "0.45",
        "wheelDiameter": "0.1",
    }
    drive = find_drive(robot("bot", FOUR, plugin("libgazebo_ros_skid_steer_drive.so", told)))
    assert drive.kind == "skid_steer"
    commands = values(drive.joint_commands([0.0, 0.0, 1.0]), "velocity")
    assert commands == pytest.approx({"fl": -4.5, "rl": -4.5, "fr": 4.5, "rr": 4.5})
    assert any("1.5 times the track" in note for note in drive.notes)
    assert skid_steer(0.5, 0.1, wheelbase=0.5).twist([-10.0, -10.0, 10.0, 10.0]).twist[2] == pytest.approx(2.0)


HALF = Limits(-0.5, 0.5)


def car_robot(limits=HALF, axis=(0, 0, 1), filename="gz-sim-ackermann-steering-system", **told):
    pieces = [wheel("rl", 0, 0.1), wheel("rr", 0, -0.1)]
    for side, y in (("l", 0.1), ("r", -0.1)):
        pieces += [
            fork(f"steer_{side}", 0.3, y, 0.05, axis, limits),
            wheel(f"f{side}", 0, 0, parent=f"steer_{side}_link", z=0.0),
        ]
    return robot("car", pieces, plugin(filename, told) if told else None)


def test_ackermann_plugin_of_the_new_gazebo():
    told = {
        "left_joint": "fl rl",
        "right_joint": "fr rr",
        "left_steering_joint": "steer_l",
        "right_steering_joint": "steer_r",
        "steering_limit": "0.4",
        "max_velocity": "3",
    }
    drive = find_drive(car_robot(**told))
    assert drive.kind == "ackermann"
    assert all(part.driven for part in drive.wheels)  # the list names all four
    assert drive.turning_radius == pytest.approx(0.1 + 0.3 / math.tan(0.4), rel=1e-6)
    assert drive.max_speed == 3


def test_steering_joints_that_point_down_turn_the_other_way():
    up, down = find_drive(car_robot()), find_drive(car_robot(limits=Limits(-0.3, 0.6), axis=(0, 0, -1)))
    angles = [float(d.joint_commands([0.5, 0, 0.2])["steer_l"][1]) for d in (up, down)]
    assert angles[0] == pytest.approx(-angles[1])
    right, left = down.curvature_limits
    assert 1 / left == pytest.approx(0.1 + 0.3 / math.tan(0.3), rel=1e-6)  # left is -0.3 of the joint
    assert -1 / right == pytest.approx(0.1 + 0.3 / math.tan(0.6), rel=1e-6)
    speeds = {"rl": 1.0, "rr": 2.0}
    assert np.allclose(down.twist(speeds, {"steer_l": -0.1}).twist, up.twist(speeds, {"steer_l": 0.1}).twist)


def test_tricycle_plugin():
    pieces = [
        wheel("rl", 0, 0.1),
        wheel("rr", 0, -0.1),
        fork("steer", 0.3, 0, 0.05, limits=Limits(-1.2, 1.2)),
        wheel("front", 0, 0, parent="steer_link", z=0.0),
    ]
    told = {
        "steeringJoint": "steer",
        "wheelActuatedJoint": "front",
        "encoderWheelLeftJoint": "rl",
        "encoderWheelRightJoint": "rr",
        "actuatedWheelDiameter": "0.1",
    }
    for drive, driven in (
        (find_drive(robot("trike", pieces, plugin("libgazebo_ros_tricycle_drive.so", told))), {"front"}),
        (find_drive(robot("trike", pieces)), {"rl", "rr"}),
    ):
        assert drive.kind == "tricycle"
        assert {part.joint for part in drive.wheels if part.driven} == driven
        commands = drive.joint_commands([0.3, 0.0, 0.5])
        assert float(commands["steer"][1]) == pytest.approx(math.atan2(0.5 * 0.3, 0.3))


def test_mecanum_by_plugin():
    drive = find_drive(mecanum_robot())
    assert drive.kind == "mecanum"
    commands = values(drive.joint_commands([0.3, 0.2, 0.5]), "velocity")
    reach = 0.2 + 0.15
    assert commands["front_left"] == pytest.approx((0.3 - 0.2 - reach * 0.5) / 0.05)
    assert commands["front_right"] == pytest.approx((0.3 + 0.2 + reach * 0.5) / 0.05)
    assert commands["rear_left"] == pytest.approx((0.3 + 0.2 - reach * 0.5) / 0.05)
    assert commands["rear_right"] == pytest.approx((0.3 - 0.2 + reach * 0.5) / 0.05)


def test_planar_move():
    told = plugin("libgazebo_ros_planar_move.so", {"odometryRate": "20"})
    assert find_drive(replace(mecanum_robot(), plugins=(told,))).kind == "mecanum"
    drive = find_drive(robot("slider", [], told))
    assert (drive.kind, drive.joint_commands([1.0, 1.0, 1.0])) == ("planar", {})
    assert drive.limited([1.0, 2.0, 3.0]) == pytest.approx([1, 2, 3])
    assert drive.footprint_radius == pytest.approx(0.25, rel=1e-3)


# ---- geometry --------------------------------------------------------------------------------------
def test_three_omni_by_geometry():
    drive = find_drive(omni_robot())
    assert drive.kind == "omni"
    assert drive.base.degrees.mobility == 3
    same = omni(0.2, 0.05).wheel_motion([0.3, -0.2, 0.7]).speeds
    assert np.allclose(drive.wheel_motion([0.3, -0.2, 0.7]).speeds, same)


@pytest.mark.parametrize("gamma", [0.0, math.pi / 4, -math.pi / 4, 0.5])
@pytest.mark.parametrize("yaw", [0.0, 1.0, math.pi])
def test_rollers_tell_their_angle(gamma, yaw):
    pieces = [
        piece
        for i in range(4)
        for piece in roller_wheel(
            f"w{i}",
            *((0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15))[i],
            yaw + (0 if abs(gamma) > 0.1 else i * math.pi / 2),
            gamma * (1, -1, -1, 1)[i],
        )
    ]
    drive = find_drive(robot("rolling", pieces))
    assert drive.kind == ("mecanum" if gamma else "omni")
    found = [part.wheel.roller_angle for part in drive.wheels if isinstance(part.wheel, SwedishWheel)]
    assert found == pytest.approx([gamma, -gamma, -gamma, gamma], abs=1e-9)
    assert [part.wheel.radius for part in drive.wheels] == pytest.approx([0.05] * 4)
    commands = drive.joint_commands([0.1, 0.1, 0.1])
    assert commands["w0_free_3"] == ("off", 0.0)


def test_casters_run_free():
    pieces = [
        *PAIR,
        fork("caster_fork", -0.2, 0.0, 0.05),
        wheel("caster", -0.03, 0, radius=0.03, parent="caster_fork_link", z=-0.02),
    ]
    for drive in (
        find_drive(robot("bot", pieces)),
        find_drive(
            robot("bot", pieces, plugin("libgazebo_ros_diff_drive.so", {"left_joint": "l", "right_joint": "r"}))
        ),
    ):
        assert drive.kind == "differential"
        commands = drive.joint_commands([0.2, 0.0, 0.3])
        assert commands["caster_fork"][0] == commands["caster"][0] == "off"
        free = drive.wheels[2].wheel
        assert (free.kind, free.lead) == ("caster", pytest.approx(-0.03))
        assert drive.twist({"l": 1.0, "r": 1.0}).twist == pytest.approx([0.05, 0, 0])


def test_steered_wheels_alone_make_a_swerve_base():
    pieces = []
    for i, (x, y) in enumerate(((0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15))):
        pieces += [fork(f"turn{i}", x, y, 0.05), wheel(f"drive{i}", 0, 0, parent=f"turn{i}_link", z=0.0)]
    drive = find_drive(robot("swerve", pieces))
    assert drive.kind == "steered"
    assert (drive.base.degrees.mobility, drive.base.degrees.steerability) == (1, 2)
    for twist in ([0.0, 0.5, 0.0], [0.2, -0.3, 0.8], [0.0, 0.0, 1.0]):
        commands = drive.joint_commands(twist)
        back = drive.twist(values(commands, "velocity"), values(commands, "position"))
        assert np.allclose(back.twist, twist, atol=1e-9)


def test_things_that_only_look_like_wheels_are_none():
    arm = [
        fork("turret", 0, 0, 0.2),
        wheel("shoulder", 0, 0, parent="turret_link", z=0.1),
        wheel("elbow", 0, 0, parent="shoulder_link", z=0.3),
    ]
    drive = find_drive(robot("bot", [*PAIR, *arm]))
    assert drive.wheel_joints == ("l", "r")


# ---- errors ----------------------------------------------------------------------------------------
DIFF = "libgazebo_ros_diff_drive.so"


def diff(pieces, **values):
    return robot("b", pieces, plugin(DIFF, values))


@pytest.mark.parametrize(
    ("told", "kind", "words"),
    [
        (diff(PAIR, left_joint="q", right_joint="r"), "differential", "no joint 'q' in robot 'b', plugin .*choices: l"),
        (diff(PAIR, left_joint="l"), "differential", "it gives left_joint"),
        (diff(PAIR, left_joint="l", right_joint="l"), "differential", "'l' is both a left and a right wheel"),
        (diff(FOUR, left_joint="fl", right_joint="rl"), "skid_steer", "one line"),
        (diff(PAIR, left_joint="l", right_joint="r", wheelDiameter="big"), "differential", "a number, got 'big'"),
        (car_robot(left_joint="rl", right_joint="rr", left_steering_joint="steer_l"), "ackermann", "joint 'steer_l'"),
        (robot("b", PAIR, plugin("libgazebo_ros_planar_move.so", {})), "differential", "2 wheels cannot move sideways"),
        (
            robot("b", [wheel(f"w{i}", 0.2 * math.cos(2.1 * i), 0.2 * math.sin(2.1 * i), 2.1 * i + math.pi / 2)
                        for i in range(3)], plugin(DIFF, {"left_joint": "w0", "right_joint": "w1"})),
            "omni", "not parallel",
        ),
    ],
)  # fmt: skip
def test_a_plugin_that_contradicts_the_wheels_is_left_out_with_a_note(told, kind, words):
    drive = find_drive(told)
    assert drive.kind == kind
    assert re.search(words, drive.notes[-1])
    assert drive.notes[-1].endswith("; the wheels themselves count")


def test_a_plugin_of_another_thing_is_no_drive():
    told = plugin("libgazebo_ros_ir_omni_plugin.so", {"topic": "ir"})
    assert find_drive(robot("b", PAIR, told)).kind == "differential"


def test_wheels_on_revolute_joints_with_room_for_turns():
    link, joint = PAIR[0]
    turning = link, replace(joint, type=JointType.REVOLUTE, limits=Limits(-1e16, 1e16))
    assert find_drive(robot("b", [turning, PAIR[1]])).wheel_joints == ("l", "r")
    narrow = link, replace(joint, type=JointType.REVOLUTE, limits=Limits(-2.0, 2.0))
    with pytest.raises(BadInput, match="make no drive"):
        find_drive(robot("b", [narrow, PAIR[1]]))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: find_drive(an.robot("nao")), BadInput, "robot 'nao' has no wheels.*continuous joints: none"),
        (lambda: find_drive(robot("uni", PAIR[:1])), BadInput, r"the wheels \(l\) make no drive"),
        (lambda: find_drive(robot("odd", [PAIR[0], wheel("x", 0, -0.1, 1.0)])), BadInput, "two parallel ones"),
        (
            lambda: find_drive(
                robot("b", [PAIR[0], wheel("x", 0, -0.1, 1.0)], plugin(DIFF, {"left_joint": "l", "right_joint": "x"}))
            ),
            BadInput,
            "not parallel",
        ),
        (
            lambda: find_drive(robot("b", [*PAIR, *roller_wheel("w", -0.2, 0, 0, 0.0)])),
            BadInput,
            "with and without rollers",
        ),
        (
            lambda: Drive("fixed", tuple(DriveWheel(FixedWheel(0.2, i * 2.1, 0.1, 0.1), f"w{i}") for i in range(3))),
            BadInput,
            "w0, w1, w2 contradict each other",
        ),
        (lambda: differential(0.3, 0.03, ("a", "a")), BadInput, "'a' is named for two wheels"),
        (lambda: differential(-0.3, 0.03), BadInput, "track must be > 0"),
        (lambda: omni(0.2, 0.05, ("a", "b")), BadInput, "3 or more wheels"),
        (lambda: DRIVES["differential"].twist({"lef": 1.0}), UnknownName, "no wheel joint 'lef'.*choices: left, right"),
        (lambda: DRIVES["ackermann"].twist({}, {"steer": 1.0}), UnknownName, "choices: steer_left, steer_right"),
    ],
)
def test_errors_are_one_line_with_the_choices(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert isinstance(caught.value, AndanteError)
    assert "\n" not in str(caught.value)


def test_a_wheel_without_a_round_shape_needs_the_radius_of_the_plugin():
    square = [(replace(link, collisions=body().collisions), joint) for link, joint in PAIR]
    told = {"left_joint": "l", "right_joint": "r"}
    with pytest.raises(BadInput, match="no round collision shape"):
        find_drive(robot("b", square, plugin(DIFF, told)))
    drive = find_drive(robot("b", square, plugin(DIFF, told | {"wheel_diameter": "0.2"})))
    assert [part.wheel.radius for part in drive.wheels] == [0.1, 0.1]


def test_a_plugin_that_disagrees_with_the_joints_is_noted():
    told = {"left_joint": "r", "right_joint": "l", "wheel_separation": "0.5"}
    drive = find_drive(robot("b", PAIR, plugin(DIFF, told)))
    assert len(drive.notes) == 2
    assert drive.twist({"l": 1.0, "r": 2.0}).twist[2] > 0  # places count, so left stays left
