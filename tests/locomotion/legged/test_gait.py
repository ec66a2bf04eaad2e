"""Legged gaits: on paper (no physics) and as walks on MuJoCo, judged by the simulator's truth."""

import math
from pathlib import Path

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput
from andante.geometry import SE3, so3
from andante.locomotion import Command, Readings
from andante.locomotion.attitude import Attitude, LegOdometry
from andante.locomotion.legged.gait import LeggedGait, LeggedSettings
from andante.locomotion.legged.patterns import GaitPattern
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import LegSolver
from andante.tasks.walk import walk

from .samples import phantomx, upright, walker

DT = 0.01


@pytest.fixture(scope="module")
def shell():
    robot = an.robot("shell")
    return robot, infer_rig(robot)


def readings(q, pressed=None, gyro=(0, 0, 0), time=0.0):
    forces = {} if pressed is None else {name: np.array([10.0 * on]) for name, on in pressed.items()}
    return Readings(time, q, np.zeros_like(q), gyro=np.array(gyro, dtype=float), forces=forces)


def stroll(gait, command, seconds, feel=None):
    """Ideal servos, no physics: what is commanded is where the joints are. States after every step."""
    q = np.array([gait.rig.stance[name] for name in gait._names])
    out = []
    for _ in range(round(seconds / DT)):
        pressed = feel(gait) if feel else None
        q = gait.update(readings(q, pressed, (0, 0, gait.twist[2])), command, DT)
        out.append((gait.feet.copy(), gait.swinging.copy(), gait.twist.copy(), q))
    return out


def test_solver_agrees_with_the_robot(shell):
    robot, rig = shell
    solver = LegSolver(robot, rig)
    q = np.array([robot.complete(rig.stance)[name] for name in robot.joint_names])
    feet = solver.feet(q)[:, :3, 3]
    poses = robot.link_poses(rig.stance)
    assert np.allclose(feet, [poses[leg.foot].translation for leg in rig.legs], atol=1e-9)
    target = feet + np.array([0.02, -0.01, 0.015])
    moved, error = solver.joints(target, q)
    assert error.max() < 1e-6
    assert np.allclose(solver.feet(moved)[:, :3, 3], target, atol=1e-6)


@pytest.mark.parametrize("name", ["tripod", "ripple", "wave", "crawl"])
@pytest.mark.parametrize("command", [Command(vx=1.0), Command(vy=-1.0), Command(wz=3.0), Command(1.0, 0.5, 1.0)])
def test_feet_stay_within_reach_at_any_command(shell, name, command):
    gait = LeggedGait(*shell, name)
    reach = np.array([leg.reach for leg in gait.rig.legs])
    states = stroll(gait, command, 2.5 * gait.period)
    home = gait.rig.stands
    worst = max(float((np.hypot(*(feet - home)[:, :2].T) / reach).max()) for feet, *_ in states)
    assert 0.5 < worst < 1.3
    limited = gait.limited(np.array([command.vx, command.vy, command.wz]))
    asked = np.array([command.vx, command.vy, command.wz])
    assert np.allclose(np.cross(limited, asked), 0, atol=1e-9)  # scaled, not bent


def test_starts_and_stops_smoothly_and_comes_home(shell):
    gait = LeggedGait(*shell, "tripod")
    assert gait.standing
    states = stroll(gait, Command(vx=0.1), 4.0)
    assert not gait.standing
    twists = np.array([twist for _, _, twist, _ in states])
    assert np.abs(np.diff(twists[:, 0])).max() < 1.01 * gait.max_speed * DT / (1.5 * gait.period)
    assert twists[-1, 0] == pytest.approx(0.1)
    states += stroll(gait, Command(), 4.0)
    assert gait.standing
    assert np.allclose(gait.feet[:, :2], gait.rig.stands[:, :2], atol=0.07 * 0.05)
    q = np.array([q for *_, q in states])
    assert np.abs(np.diff(q, axis=0)).max() / DT < 8.0  # no jumps [rad/s]


def test_own_estimate_is_what_ideal_servos_do(shell):
    gait = LeggedGait(*shell, "ripple")
    states = stroll(gait, Command(vx=0.05, wz=0.1), 8.0)
    pose = np.zeros(3)
    for _, _, twist, _ in states:
        from andante.geometry import se2

        pose = se2.compose(pose, se2.exp(twist * DT))
    assert gait.position == pytest.approx(pose, abs=0.02)


def test_early_ground_ends_a_swing_and_a_hole_is_searched(shell):
    robot, rig = shell
    step = {leg.foot: 0.0 for leg in rig.legs}
    high, deep = rig.legs[0].foot, rig.legs[3].foot
    step[high], step[deep] = 0.012, -0.012
    ground = rig.legs[0].stand[2]

    def feel(gait):
        heights = gait.feet[:, 2] - ground
        return {leg.foot: heights[i] <= step[leg.foot] + 5e-4 for i, leg in enumerate(rig.legs)}

    gait = LeggedGait(robot, rig, "tripod", LeggedSettings(level=False, height_gain=0.0))
    stroll(gait, Command(vx=0.05), 3 * gait.period, feel)
    stood = {high: [], deep: []}
    for feet, swinging, *_ in stroll(gait, Command(vx=0.05), gait.period, feel):
        for i in (0, 3):
            if not swinging[i]:
                stood[rig.legs[i].foot].append(feet[i, 2] - ground)
    assert np.median(stood[high]) == pytest.approx(0.012, abs=3e-3)
    assert np.median(stood[deep]) == pytest.approx(-0.012, abs=4e-3)


def test_body_height_and_tilt(shell):
    robot, rig = shell
    gait = LeggedGait(robot, rig, "tripod", LeggedSettings(level=False))
    q = np.array([rig.stance[name] for name in robot.joint_names])
    for command in (Command(height=0.012), Command(height=-0.02), Command(roll=0.06, pitch=-0.05)):
        q = gait.update(readings(q), command, DT)
        feet = LegSolver(robot, rig).feet(q)[:, :3, 3]
        level = feet @ so3.from_rpy((command.roll, command.pitch, 0.0)).T
        assert np.ptp(level[:, 2]) < 1e-5  # all feet on the ground of the tilted body
        assert level[:, 2].mean() == pytest.approx(0.0095 - rig.height - command.height, abs=1e-5)


def test_imu_levels_the_body(shell):
    gait = LeggedGait(*shell, "tripod")
    q = np.array([gait.rig.stance[name] for name in gait._names])
    lean = 0.05  # nose down
    felt = 9.81 * np.array([-math.sin(lean), 0.0, math.cos(lean)])
    for _ in range(20):
        gait.update(Readings(0.0, q, 0 * q, acceleration=felt), Command(), DT)
    assert gait.attitude.pitch == pytest.approx(lean, abs=1e-3)
    front, back = gait.rig.stands[:, 0].argmax(), gait.rig.stands[:, 0].argmin()
    assert gait.feet[front, 2] < gait.feet[back, 2] - 1e-3  # front legs longer


def test_attitude_follows_gyro_and_settles_on_gravity():
    filter_ = Attitude(settle=1.0)
    for _ in range(100):
        filter_.update(np.array([0.0, 0.0, 0.5]), np.array([0.0, 0.0, 9.81]), DT)
    assert filter_.heading == pytest.approx(0.5, abs=1e-6)
    for _ in range(50):
        filter_.update(np.array([0.4, math.nan, 0.0]), np.array([30.0, 0.0, 0.0]), DT)  # shaken: gyro alone
    assert filter_.roll == pytest.approx(0.2, abs=1e-3)
    for _ in range(1000):
        filter_.update(np.zeros(3), np.array([0.0, 0.0, 9.81]), DT)
    assert abs(filter_.roll) < 1e-3
    assert np.allclose(filter_.level_from_body @ filter_.up, [0, 0, 1])


def test_odometry_of_rolling_feet():
    radius, odometry = 0.02, LegOdometry(np.array([0.02, 0.02]))
    standing, tilt = np.array([True, True]), np.eye(3)
    for i in range(101):  # feet turn forward by 0.3 rad and roll: middles stand still under the body
        points = np.array([[0.1 - 0.05 * i / 100, 0.1, -0.3], [0.1 - 0.05 * i / 100, -0.1, -0.3]])
        turned = np.tile(so3.from_rpy((0.0, 0.3 * i / 100, 0.0)), (2, 1, 1))
        odometry.update(SE3.from_parts(turned, points).matrix, standing, tilt, 0.0)
    assert odometry.position == pytest.approx([0.05 + radius * 0.3, 0.0], abs=1e-5)


def test_crawl_keeps_the_center_over_its_support(tmp_path):
    path = tmp_path / "sample.urdf"
    path.write_text(walker((45, 135, 225, 315)))
    robot = an.robot(path)
    rig = infer_rig(robot)
    from andante.locomotion.rigs.balance import margin

    gait = LeggedGait(robot, rig, "crawl")
    q = np.array([rig.stance[name] for name in robot.joint_names])
    center = (rig.walking_from_body @ np.asarray(rig.center))[:2]
    worst, lifted = math.inf, 0
    for _ in range(round(2 * gait.period / DT)):
        q = gait.update(readings(q), Command(vx=0.3), DT)
        if gait.swinging.any():
            lifted += 1
            assert gait.swinging.sum() == 1
            worst = min(worst, margin(gait.feet[~gait.swinging, :2], center + gait.sway))
    assert lifted > 50
    assert worst > 0.01


def test_patterns_must_fit_the_rig(shell):
    with pytest.raises(BadInput, match="is for 2 legs, the rig has 6"):
        LeggedGait(*shell, GaitPattern("two", (0.0, 0.5), 0.6))


# ---- under physics -------------------------------------------------------------------------------
@pytest.mark.parametrize(("gait", "distance"), [("tripod", 1.0), ("ripple", 0.3)])
def test_shell_walks(gait, distance):
    outcome = walk("shell", gait=gait, distance=distance)
    assert not outcome.fallen
    assert outcome.arrived
    assert outcome.distance == pytest.approx(distance, rel=0.05)
    assert abs(outcome.drift) < 0.03
    assert abs(outcome.turned) < 5.0
    assert outcome.estimated[0] == pytest.approx(outcome.distance, rel=0.05)


def test_shell_turns_right_on_the_spot():
    outcome = walk("shell", turn=-90.0)
    assert outcome.turned == pytest.approx(-90.0, rel=0.05)
    assert np.hypot(outcome.distance, outcome.drift) < 0.03


def test_shell_climbs_onto_rough_ground():
    outcome = walk("shell", world="rough", distance=0.9, speed=80)
    assert not outcome.fallen
    assert outcome.distance == pytest.approx(0.9, rel=0.07)
    assert abs(outcome.turned) < 5.0


def test_same_seed_same_walk():
    first, again = (walk("shell", velocity=(0.05, 0.0, 0.1), seconds=1.0, seed=3) for _ in range(2))
    assert (first.distance, first.drift, first.turned) == (again.distance, again.drift, again.turned)


@pytest.mark.parametrize("file", ["a1/a1.urdf", "quadruped/vision60.urdf", "quadruped/spirit40.urdf"])
def test_quadrupeds_of_other_makers_walk(file):
    pybullet_data = pytest.importorskip("pybullet_data")
    outcome = walk(str(Path(pybullet_data.getDataPath()) / file), gait="trot", distance=1.0)
    assert not outcome.fallen
    assert outcome.distance == pytest.approx(1.0, abs=0.1)
    assert abs(outcome.turned) < 10.0


@pytest.mark.parametrize(
    "made",
    [
        {},  # knees that bend back have its center behind the middle of its hips
        {"center": (-0.15, 0.03, 0.05)},
        {"size": 0.25, "mass": 12.0},
        {"size": 3.0, "mass": 6.0},
        {"roll": False, "mass": 2.5, "effort": 6.0},
    ],
    ids=["even", "heavy behind", "tiny", "huge", "no tilt of hips"],
)
def test_quadrupeds_of_any_size_and_balance_trot(tmp_path, made):
    file = tmp_path / "upright.urdf"
    file.write_text(upright(**made))
    outcome = walk(str(file), distance=1.0)
    assert not outcome.fallen
    assert outcome.distance == pytest.approx(1.0, abs=0.1)
    assert abs(outcome.turned) < 10.0


def test_a_hexapod_of_another_maker_walks(tmp_path):
    file = tmp_path / "phantomx.urdf"
    file.write_text(phantomx())
    outcome = walk(str(file), gait="tripod", distance=1.0)
    assert not outcome.fallen
    assert outcome.distance == pytest.approx(1.0, abs=0.05)
    assert abs(outcome.turned) < 5.0


def test_legs_of_two_joints_walk(tmp_path):
    """The ant of `pybullet_data`, whose file leaves the free joint of its torso to the simulator."""
    pybullet_data = pytest.importorskip("pybullet_data")
    text = (Path(pybullet_data.getDataPath()) / "mjcf" / "ant.xml").read_text()
    file = tmp_path / "ant.xml"
    file.write_text(text)
    with pytest.raises(BadInput, match=r"welded to the world.*free joint"):
        walk(str(file), gait="trot", distance=1.0)
    file.write_text(
        text.replace('<body name="torso" pos="0 0 0.75">', '<body name="torso" pos="0 0 0.75"><freejoint/>')
    )
    outcome = walk(str(file), gait="trot", distance=1.0)
    assert not outcome.fallen
    assert outcome.distance == pytest.approx(1.0, abs=0.1)
