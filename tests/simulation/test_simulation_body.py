"""A simulation as a body: it keeps the contract and obeys."""

from __future__ import annotations

import math

import numpy as np
import pytest

import andante as an
from andante.control.body import Body, BodyCommand, JointTarget
from andante.errors import BadInput, UnknownName, Unsupported
from andante.hardware import check_body
from andante.physics import Mode


def simulated(name="rover", **options):
    return an.simulate(name, sensors=True, **options)


@pytest.mark.parametrize("engine", ["mujoco", "bullet", "dart", "ode"])
@pytest.mark.parametrize("name", ["rover", "nao"])
def test_simulations_keep_the_contract(name, engine):
    pytest.importorskip({"bullet": "pybullet", "dart": "dartpy"}.get(engine, "mujoco"))
    body = simulated(name, engine=engine)
    assert isinstance(body, Body)
    assert body.simulated
    results = check_body(body)
    assert [str(each) for each in results if not each.passed] == []
    assert len(results) == 7


def test_a_body_without_sensors_feels_nothing():
    body = an.simulate("nao")
    body.advance(0.5)
    state = body.read()
    assert state.time == pytest.approx(0.5)
    for values in (state.position, state.velocity, state.effort):
        assert values.shape == (26,)
        assert np.isnan(values).all()
    assert (state.forces, state.pressed, state.ranges) == ({}, {}, {})


def test_sensors_tell_joints_weight_and_feet():
    body = simulated("nao", seed=3)
    body.advance(0.5)
    state = body.read()
    assert state.time == pytest.approx(0.5)
    assert np.isfinite(state.position).all()
    assert state.acceleration[2] == pytest.approx(9.81, abs=0.5)
    assert sum(values.sum() for values in state.forces.values()) == pytest.approx(body.robot.mass * 9.81, rel=0.1)
    for name, values in (("encoders", state.position), ("encoder_velocities", state.velocity)):
        measured = body.sensors[name].reading.values.copy()
        values[:] = 7.0  # whoever writes into a state spoils no sensor
        assert np.array_equal(body.sensors[name].reading.values, measured)


def test_reading_twice_at_one_instant_gives_the_same_state():
    """Whoever looks on as well takes nothing away from the mean of the IMU."""
    body = simulated("nao")
    body.advance(0.02)
    first = body.read()
    assert body.read() is first
    body.advance(0.02)
    felt = body.read()
    assert felt is not first
    assert felt.gyro[:2] == pytest.approx(body.sensors["Imu"].mean_since(first.time)[:2], abs=0)


def test_counted_wheels_stand_in_the_positions_with_the_time_they_were_counted():
    body = simulated()
    body.drive((0.5, 0.0, 0.0))
    body.advance(0.505)
    state, counted = body.read(), body.sensors["wheel_encoders"]
    places = [body.joint_names.index(name) for name in counted.sensor.joints]
    assert state.position[places] == pytest.approx(counted.reading.values, abs=0)
    assert state.measured_at == counted.reading.time
    assert state.measured_at <= state.time


def test_it_drives_by_a_twist_and_stops():
    body = simulated()
    body.write(BodyCommand(twist=(0.5, 0.0, 0.2)))
    body.advance(2.0)
    x, y = body.base_pose[:2]
    assert 0.7 < x < 1.05
    assert y > 0.1
    body.stop()
    body.advance(0.5)
    before = body.base_pose[:2].copy()
    body.advance(0.5)
    assert np.hypot(*(body.base_pose[:2] - before)) < 0.005


def test_it_takes_joint_targets():
    body = simulated("nao")
    body.write(BodyCommand({"HeadYaw": JointTarget(0.4)}))
    body.advance(1.0)
    assert body.read().position[body.joint_names.index("HeadYaw")] == pytest.approx(0.4, abs=0.02)
    body.write(BodyCommand({"HeadYaw": JointTarget(mode=Mode.OFF)}))
    body.advance(0.1)


def test_following_all_joints_at_once_is_writing_them_one_by_one():
    ends = []
    for at_once in (True, False):
        body = simulated("waffle")
        modes, targets = np.array([Mode.VELOCITY, Mode.VELOCITY]), np.array([3.0, 2.0])
        (body.follow if at_once else super(type(body), body).follow)(targets, modes)
        body.advance(0.5)
        ends.append(body.base_pose)
    assert ends[0][0] > 0.02
    assert np.array_equal(*ends)


def test_passive_joints_are_let_go_and_held_by_a_stop():
    body = simulated("waffle")
    modes = np.array([Mode.OFF, Mode.VELOCITY])
    for _ in range(2):
        body.follow(np.zeros(2), modes)
        assert body.engine.modes[body.model].tolist() == [Mode.OFF, Mode.VELOCITY]
        body.stop()
        assert body.engine.modes[body.model].tolist() == [Mode.VELOCITY, Mode.VELOCITY]


def test_parts_of_a_step_are_not_lost():
    body = simulated("waffle", dt=0.002)
    for _ in range(30):
        body.advance(1.0 / 30.0)
    assert body.time == pytest.approx(1.0, abs=0.001)
    for _ in range(1000):
        body.advance(0.0005)
    assert body.time == pytest.approx(1.5, abs=0.001)


def test_ranges_are_those_of_the_ranging_sensors():
    body = simulated(world="lab", start=(0.0, 0.0, 0.0))
    body.advance(0.5)
    ranges = body.read().ranges
    assert "laser" in ranges
    assert "imu" not in ranges
    assert all(isinstance(values, np.ndarray) for values in ranges.values())
    body.close()


def test_scans_come_oldest_first_and_only_once():
    body = simulated(world="lab")
    assert body.scans(0.0) == ()
    body.advance(0.55)
    times = [scan.time for scan in body.scans(-0.01)]
    assert times == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])
    assert [scan.time for scan in body.scans(times[2])] == times[3:]
    assert body.scans(times[-1]) == ()
    assert an.simulate("nao", sensors=True).scans(-math.inf) == ()


def test_errors_name_what_is_wrong():
    rover = simulated()
    with pytest.raises(UnknownName, match="no joint 'wing' in body 'rover'; choices: "):
        rover.write(BodyCommand({"wing": JointTarget()}))
    with pytest.raises(BadInput, match="a time >= 0 s"):
        rover.advance(-1.0)
    rover.close()
    for send in (lambda: rover.write(BodyCommand()), lambda: rover.follow(np.zeros(len(rover.joint_names)))):
        with pytest.raises(BadInput, match="body 'rover' is closed"):
            send()
    nao = simulated("nao")
    with pytest.raises(Unsupported, match="robot 'nao' takes no twist"):
        nao.write(BodyCommand(twist=(0.1, 0.0, 0.0)))


ENDLESS = """<robot name="crane"><link name="base"><inertial><mass value="5"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="boom"><inertial><origin xyz="0.2 0 0"/><mass value="0.1"/>
<inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slew" type="continuous"><parent link="base"/><child link="boom"/><origin xyz="0 0 0.3"/>
<axis xyz="0 0 1"/><limit effort="20" velocity="5"/></joint></robot>"""


def test_a_joint_without_end_that_is_no_wheel_is_read_by_its_encoder(tmp_path):
    file = tmp_path / "crane.urdf"
    file.write_text(ENDLESS)
    sim = an.simulate(file, pose={"slew": 0.8}, sensors=True, fixed=True)
    sim.run(0.1)
    assert sim.read().position[0] == pytest.approx(sim.joints["slew"], abs=0.01)
    assert sim.joints["slew"] == pytest.approx(0.8, abs=0.05)
    sim.close()
