"""The control loop: what a behaviour is given, when, and what becomes of its targets."""

from __future__ import annotations

import math

import numpy as np
import pytest

import andante as an
from andante.control.body import Body, BodyState
from andante.control.loop import ControlLoop
from andante.errors import BadInput
from andante.locomotion import Behaviour, Command
from andante.locomotion.behaviour import HoldPose
from andante.physics import Mode
from andante.sensors import ContactSwitch, Noise


class Hold(Behaviour):
    """Holds the pose of the first reading and keeps what it was given."""

    def __init__(self):
        self.seen = []

    def update(self, readings, command, dt):
        self.seen.append((readings, command, dt))
        return self.seen[0][0].position


class Bench(Body):
    """A body of two joints that keeps what is sent to it."""

    def __init__(self, wants_twist=False):
        self.robot, self.wants_twist = an.robot("waffle"), wants_twist
        self.now, self.sent, self.twists = 0.0, [], []

    def read(self):
        return BodyState(self.now, np.zeros(2), np.zeros(2), effort=np.zeros(2))

    def write(self, command):
        if command.twist is not None:
            self.twists.append(command.twist)
        else:
            self.sent.append(command.joints)

    def advance(self, seconds):
        self.now += seconds

    def stop(self):
        pass

    def close(self):
        pass


def test_a_behaviour_gets_the_newest_readings_at_its_rate():
    sim = an.simulate("nao", sensors=True, seed=1)
    hold = Hold()
    loop = ControlLoop(sim, hold, 50.0, command=lambda state: Command(vx=state.time))
    loop.run(0.5)
    loop.step()
    times = [readings.time for readings, _, _ in hold.seen]
    assert times == pytest.approx(np.arange(26) / 50.0)  # at once, then every 20 ms
    assert loop.periods == 26
    assert sim.time == pytest.approx(0.52)
    readings, command, dt = hold.seen[-1]
    assert loop.state is readings
    assert loop.asked is command
    assert np.array_equal(loop.targets, hold.seen[0][0].position)
    assert command.vx == pytest.approx(0.5)
    assert dt == pytest.approx(0.02)


def test_readings_are_those_of_the_sensors_at_that_instant():
    sim = an.simulate("nao", sensors=True, seed=1)
    loop = ControlLoop(sim, Hold(), 50.0)
    loop.run(0.5)
    readings = sim.read()
    assert readings.time == sim.time
    assert np.array_equal(readings.position, sim.sensors["encoders"].reading.values)
    assert np.array_equal(readings.velocity, sim.sensors["encoder_velocities"].reading.values)
    last = [sim.sensors["Imu"].mean_since(sim.time - back) for back in (0.005, 0.02)]
    assert readings.gyro[:2] == pytest.approx(last[1][:2], abs=0)
    assert not np.array_equal(last[0], last[1], equal_nan=True)
    assert set(readings.forces) == {"l_ankle", "r_ankle"}
    assert np.array_equal(readings.forces["l_ankle"], sim.sensors["l_ankle/force"].reading.values)
    assert readings.pressed == {c.name: False for c in sim.sensors if isinstance(c.sensor, ContactSwitch)}


def test_a_sensor_added_later_is_felt():
    sim = an.simulate("nao", sensors=True)
    hold = Hold()
    loop = ControlLoop(sim, hold)
    loop.run(0.1)
    sim.sensors.add(ContactSwitch(sim.robot, "l_ankle", "left foot"), 100.0, Noise())
    sim.sensors.add(ContactSwitch(sim.robot, "r_ankle", "late foot"), 100.0, Noise(), latency=0.05)
    loop.run(0.11)
    assert "left foot" not in hold.seen[9][0].pressed
    assert [("late foot" in readings.pressed) for readings, _, _ in hold.seen[-10:]] == [False] * 5 + [True] * 5
    assert hold.seen[-1][0].pressed["late foot"]
    assert hold.seen[-1][0].pressed["left foot"]


@pytest.mark.parametrize(("rate", "dt"), [(30.0, 0.002), (100.0, 0.003), (70.0, 0.004), (333.0, 0.002)])
def test_rates_that_are_no_multiple_of_the_step_keep_in_step(rate, dt):
    """After every period the body's time is within half a step of what it should be, so nothing adds up."""
    sim = an.simulate("waffle", sensors=True, dt=dt)
    hold = Hold()
    loop = ControlLoop(sim, hold, rate)
    loop.run(3.0)
    times = np.array([readings.time for readings, _, _ in hold.seen])
    assert np.abs(times - np.arange(len(times)) / rate).max() <= dt / 2 + 1e-9
    assert len(times) == round(3.0 * rate)
    assert sim.time == pytest.approx(3.0, abs=dt)
    assert {each for _, _, each in hold.seen} == {1.0 / rate}
    sim.close()


def test_it_runs_for_a_time_or_until_something_holds():
    body = Bench()
    loop = ControlLoop(body, HoldPose(body.robot, {}))
    assert loop.run(0.25)
    assert loop.periods == 25
    assert not loop.run(0.1, until=lambda: False)
    assert loop.periods == 35
    assert loop.run(1.0, until=lambda: body.now > 0.395)
    assert loop.periods == 40
    assert loop.run(until=lambda: loop.periods >= 50)
    assert loop.run(1.0, until=lambda: True)  # it holds already: nothing is sent
    assert loop.periods == len(body.sent) == 50
    assert loop.run(0.0)
    assert loop.run(0.0, until=lambda: True)
    assert not loop.run(0.0, until=lambda: False)
    assert loop.periods == 50


def test_a_part_of_a_period_before_an_end():
    body = Bench()
    loop = ControlLoop(body, HoldPose(body.robot, {}), 10.0)
    loop.step()
    loop.step(0.03)
    assert body.now == pytest.approx(0.13)
    assert loop.periods == 2


def test_modes_and_twists_go_where_the_body_wants_them():
    class Wheels(HoldPose):
        base_twist = (0.1, 0.0, 0.2)
        modes = np.array([Mode.VELOCITY, Mode.POSITION])

    plain, driven = Bench(), Bench(wants_twist=True)
    for body in (plain, driven):
        ControlLoop(body, Wheels(body.robot, {})).step()
    assert [target.mode for target in plain.sent[0].values()] == [Mode.VELOCITY, Mode.POSITION]
    assert plain.twists == []
    assert driven.twists == [(0.1, 0.0, 0.2)]
    assert driven.sent == []
    still = Bench(wants_twist=True)
    ControlLoop(still, HoldPose(still.robot, {})).step()  # who gives no twist leaves such a base alone
    assert still.sent == []
    assert still.twists == []


def test_what_cannot_be():
    sim = an.simulate("nao", sensors=True)

    class Lost(Behaviour):
        def update(self, readings, command, dt):
            return np.full(len(readings.position), np.nan)

    loop = ControlLoop(sim, Lost())
    with pytest.raises(BadInput, match="Lost returned targets that are not finite"):
        loop.step()
    assert loop.periods == 0
    assert sim.time == 0
    for rate in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(BadInput, match="rate must be > 0 Hz"):
            ControlLoop(sim, Hold(), rate)
    for seconds in (-1.0, math.nan):
        with pytest.raises(BadInput, match="seconds must be >= 0"):
            loop.run(seconds)
    with pytest.raises(BadInput, match="needs `until`"):
        loop.run()
    with pytest.raises(BadInput, match=r"object is not a behaviour: subclass andante\.locomotion\.Behaviour"):
        ControlLoop(sim, object())
