"""Wheel encoders count what the wheels turn, in ticks, with the errors asked for."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from rooms import carrier

import andante as an
from andante.description import SensorSpec
from andante.errors import BadInput, UnknownName
from andante.physics import Mode
from andante.sensors import SensorSuite, WheelEncoders, WheelErrors, wheel_joints

WAFFLE = an.robot("waffle")


class Turning:
    """A scene whose wheels turn by a step at every look."""

    def __init__(self, joints: int, step: float) -> None:
        self.joint_positions, self._step = np.zeros(joints), step

    def turn(self) -> Turning:
        self.joint_positions = self.joint_positions + self._step
        return self


def counted(errors: WheelErrors, steps: int, step: float, seed: int) -> np.ndarray:
    sensor = WheelEncoders(WAFFLE, errors=errors)
    sensor.draw_from(np.random.default_rng(seed))
    scene = Turning(len(WAFFLE.joint_names), step)
    sensor.measure(scene)
    for _ in range(steps):
        out = sensor.measure(scene.turn())
    return out


def test_wheels_are_the_joints_without_end():
    assert wheel_joints(an.robot("waffle")) == ("wheel_left_joint", "wheel_right_joint")
    assert len(wheel_joints(an.robot("rover"))) == 4
    assert wheel_joints(an.robot("nao")) == ()
    assert "wheel_encoders" not in {channel.name for channel in an.simulate("nao", sensors=True).sensors}


def test_ticks_are_whole_and_follow_the_wheels():
    sim = an.simulate("waffle", sensors=True)
    joints = [sim.robot.joint_names.index(name) for name in wheel_joints(sim.robot)]
    sim.engine.command(sim.model, [3.0, -2.0], Mode.VELOCITY, joints)
    sim.run(2.0)
    values, step = sim.sensors["wheel_encoders"].reading.values, 2 * math.pi / 4096
    assert np.abs(values - sim.joints.position[joints]).max() <= step / 2 + 1e-9
    assert values[0] > 5.0
    assert values[1] < -3.0
    ticks = sim.sensors["wheel_encoders"].sensor.ticks(values)
    assert ticks * step == pytest.approx(values, abs=1e-9)


def test_extra_slip_grows_with_the_root_of_the_way_and_scale_errors_with_the_way():
    few = np.concatenate([counted(WheelErrors(0, slip_stddev=0.02), 100, 0.01, seed) for seed in range(400)]) - 1.0
    many = np.concatenate([counted(WheelErrors(0, slip_stddev=0.02), 400, 0.01, seed) for seed in range(400)]) - 4.0
    assert few.std() == pytest.approx(0.02, rel=0.08)
    assert many.std() == pytest.approx(0.04, rel=0.08)
    assert abs(many.mean()) < 0.006
    scaled = np.concatenate([counted(WheelErrors(0, scale_stddev=0.01), 4, 2.5, seed) for seed in range(600)]) - 10.0
    assert scaled.std() == pytest.approx(0.1, rel=0.08)


def test_a_description_states_the_errors_and_they_go_on_from_a_saved_state():
    robot = an.robot("waffle")
    spec = SensorSpec("wheels", "wheel_encoders", "base_link", rate=50.0, parameters={"ticks": 64, "slip_stddev": 0.01})
    sim = an.simulate(
        type(robot)(**{**{f: getattr(robot, f) for f in ("name", "links", "joints")}, "sensors": (spec,)})
    )
    sim.sensors = SensorSuite(sim.engine, sim.model, seed=3)
    assert sim.sensors["wheels"].sensor.errors == WheelErrors(64, 0.0, 0.01)
    sim.sensors.update()
    sim.engine.command(sim.model, [8.0, 8.0], Mode.VELOCITY, [0, 1])
    sim.run(0.3)
    saved, after = sim.snapshot(), []
    for _ in range(2):
        sim.run(0.5)
        after.append(sim.sensors["wheels"].reading.values)
        sim.restore(saved)
    assert np.array_equal(after[0], after[1])
    assert after[0] * 64 / (2 * math.pi) == pytest.approx(np.rint(after[0] * 64 / (2 * math.pi)), abs=1e-9)


def test_mistakes_are_named():
    with pytest.raises(BadInput, match="'carrier' has no joint that turns without end"):
        WheelEncoders(carrier())
    with pytest.raises(UnknownName, match="fifth"):
        WheelEncoders(an.robot("waffle"), ["fifth"])
    with pytest.raises(BadInput, match="ticks >= 0 per turn, got -1"):
        WheelErrors(ticks=-1)
    with pytest.raises(BadInput, match="slip_stddev must be at least 0"):
        WheelErrors(slip_stddev=math.inf)
    with pytest.raises(BadInput, match=r"sensor 'w': .*'many'"):
        WheelErrors.of(SensorSpec("w", "wheel_encoders", "base", parameters={"ticks": "many"}))
