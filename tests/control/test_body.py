"""Bodies: the simulated one keeps the contract and obeys; bad bodies are found by `check_body`."""

import math

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput, UnknownName, Unsupported
from andante.hardware import BodyCommand, BodyState, Car, JointTarget, SimulatedBody, check_body
from andante.physics import Mode


def simulated(name="rover", **options):
    sim = an.simulate(name, sensors=True, **options)
    return sim, SimulatedBody(sim.engine, sim.actor, sim.sensors)


@pytest.mark.parametrize("name", ["rover", "nao"])
def test_simulated_bodies_keep_the_contract(name):
    _, body = simulated(name)
    results = check_body(body)
    assert [str(each) for each in results if not each.passed] == []
    assert len(results) == 7


def test_a_body_makes_its_own_sensors_and_time():
    sim = an.simulate("nao")
    body = SimulatedBody(sim.engine, sim.actor, seed=3)
    body.advance(0.5)
    state = body.read()
    assert state.time == pytest.approx(0.5)
    assert np.isfinite(state.position).all()
    assert state.acceleration[2] == pytest.approx(9.81, abs=0.5)
    assert sum(values.sum() for values in state.forces.values()) == pytest.approx(body.robot.mass * 9.81, rel=0.1)
    assert not state.position.flags.writeable


def test_it_drives_by_a_twist_and_stops():
    sim, body = simulated()
    body.write(BodyCommand(twist=(0.5, 0.0, 0.2)))
    body.advance(2.0)
    x, y = sim.base_pose[:2]
    assert 0.7 < x < 1.05
    assert y > 0.1
    body.stop()
    body.advance(0.5)
    before = sim.base_pose[:2].copy()
    body.advance(0.5)
    assert np.hypot(*(sim.base_pose[:2] - before)) < 0.005


def test_it_takes_joint_targets():
    _, body = simulated("nao")
    body.write(BodyCommand({"HeadYaw": JointTarget(0.4)}))
    body.advance(1.0)
    assert body.read().position[body.joint_names.index("HeadYaw")] == pytest.approx(0.4, abs=0.02)
    body.write(BodyCommand({"HeadYaw": JointTarget(mode=Mode.OFF)}))
    body.advance(0.1)


def test_ranges_are_those_of_the_ranging_sensors():
    sim, body = simulated(world="lab", place=(0.0, 0.0, 0.0))
    body.advance(0.5)
    ranges = body.read().ranges
    assert "laser" in ranges
    assert "imu" not in ranges
    assert all(isinstance(values, np.ndarray) for values in ranges.values())
    sim.close()


def test_state_becomes_readings_for_behaviours():
    state = BodyState(1.0, np.zeros(2), np.ones(2), np.zeros(2), pressed={"bumper": True})
    readings = state.readings()
    assert readings.acceleration.tolist() == [0.0, 0.0, 9.81]
    assert readings.gyro.tolist() == [0.0, 0.0, 0.0]
    assert readings.pressed == {"bumper": True}
    _, body = simulated()
    body.advance(0.2)
    assert body.read().readings().acceleration[2] == pytest.approx(9.81, abs=0.5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BodyCommand({"a": JointTarget(math.nan)}), "target of joint 'a' must be finite"),
        (lambda: BodyCommand(twist=(1.0, 2.0, math.inf)), "three finite numbers"),
        (lambda: BodyCommand(twist=(1.0, 2.0)), "three finite numbers"),
    ],
)
def test_bad_commands_cannot_exist(make, words):
    with pytest.raises(BadInput, match=words):
        make()


def test_errors_name_what_is_wrong():
    _, rover = simulated()
    with pytest.raises(UnknownName, match="no joint 'wing' in body 'rover'; choices: "):
        rover.write(BodyCommand({"wing": JointTarget()}))
    with pytest.raises(BadInput, match="a time >= 0 s"):
        rover.advance(-1.0)
    rover.close()
    with pytest.raises(BadInput, match="body 'rover' is closed"):
        rover.write(BodyCommand())
    _, nao = simulated("nao")
    with pytest.raises(Unsupported, match="robot 'nao' takes no twist"):
        nao.write(BodyCommand(twist=(0.1, 0.0, 0.0)))


def test_check_body_finds_what_is_wrong():
    class Careless:
        name, joint_names, ticks = "careless", ("a", "a"), 5.0

        def read(self):
            return BodyState(self.ticks, np.zeros(3), np.zeros(2), np.zeros(2))

        def write(self, command):
            pass

        def stop(self):
            raise RuntimeError("no brakes")

        def close(self):
            pass

    failed = {each.name: each.message for each in check_body(Careless(), lambda seconds: None) if not each.passed}
    assert failed == {
        "names": "two joints have one name",
        "reading": "position has shape (3,), not (2,)",
        "clock": "time goes from 5.0 to 5.0 s in 0.05 s",
        "unknown joint": "a joint that the body does not have is taken in silence",
        "stopping": "RuntimeError: no brakes",
        "closing": "a closed body says that it is well",
    }
    assert len(check_body(Careless(), lambda seconds: None, close=False)) == 6


def test_the_rover_is_a_car_and_others_are_not():
    car = Car.of(an.robot("rover"))
    assert car.wheelbase == pytest.approx(0.33, abs=1e-3)
    assert (car.left, car.right) == ("rear_left_wheel_joint", "rear_right_wheel_joint")
    assert car.top_speed == pytest.approx(2.0, rel=0.05)
    targets = car.targets(0.0, 0.2)
    inner, outer = (targets[f"front_{side}_steering_joint"].value for side in ("left", "right"))
    assert inner > 0.2 > outer > 0  # Ackermann: cot outer - cot inner = track / wheelbase
    assert 1 / math.tan(outer) - 1 / math.tan(inner) == pytest.approx(0.25 / 0.33, rel=0.02)
    assert targets[car.left].value == 0
    at_limit = car.targets(1.0, 3.0)["front_left_steering_joint"].value
    assert at_limit == pytest.approx(0.45, abs=0.01)
    with pytest.raises(Unsupported, match="robot 'waffle' is no car"):
        Car.of(an.robot("waffle"))
