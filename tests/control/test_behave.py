"""Behaviours on a simulated body: what they are given, when, and what becomes of their targets."""

from __future__ import annotations

import numpy as np
import pytest

import andante as an
from andante.control.behave import Behave, readings_of
from andante.errors import BadInput
from andante.geometry import SE3
from andante.locomotion import Command
from andante.sensors import ContactSwitch, Noise, SensorSuite
from andante.simulation.falls import FallRule, Stance, stance


class Hold:
    """Holds the pose of the first reading and keeps what it was given."""

    def __init__(self):
        self.seen = []

    def update(self, readings, command, dt):
        self.seen.append((readings, command, dt))
        return self.seen[0][0].position


def test_a_behaviour_gets_the_newest_readings_at_its_rate():
    sim = an.simulate("nao", sensors=True, seed=1)
    hold = Hold()
    sim.observers.append(Behave(hold, lambda now: Command(vx=now), rate=50.0))
    sim.run(0.5)
    times = [readings.time for readings, _, _ in hold.seen]
    assert times == pytest.approx([0.002, *np.arange(1, 26) / 50.0])  # at once, then every 20 ms
    readings, command, dt = hold.seen[-1]
    assert command.vx == pytest.approx(0.5)
    assert dt == pytest.approx(0.02)
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
    sim.observers.append(Behave(hold, Command()))
    sim.run(0.1)
    sim.sensors.add(ContactSwitch(sim.robot, "l_ankle", "left foot"), 100.0, Noise())
    sim.sensors.add(ContactSwitch(sim.robot, "r_ankle", "late foot"), 100.0, Noise(), latency=0.05)
    sim.run(0.1)
    assert "left foot" not in hold.seen[5][0].pressed
    assert [("late foot" in readings.pressed) for readings, _, _ in hold.seen[-10:]] == [False] * 5 + [True] * 5
    assert hold.seen[-1][0].pressed["late foot"]
    assert hold.seen[-1][0].pressed["left foot"]


def test_readings_and_targets_that_cannot_be():
    sim = an.simulate("nao")
    observer = Behave(Hold(), Command())
    with pytest.raises(BadInput, match="needs sensors"):
        observer.update(sim)
    sim = an.simulate("nao", sensors=True)

    class Lost:
        def update(self, readings, command, dt):
            return np.full(len(readings.position), np.nan)

    with pytest.raises(BadInput, match="Lost gave targets that are not finite"):
        Behave(Lost(), Command()).update(sim)
    with pytest.raises(BadInput, match="no encoder reading"):
        readings_of(SensorSuite(sim.engine, sim.actor), 0.0)


@pytest.mark.parametrize(
    ("start", "now", "fallen"),
    [
        ((0, 0, 0), (0.9, 0, 2.0), False),
        ((0, 0, 0), (1.1, 0, -1.0), True),
        ((0.5, 0, 0.3), (0.5, 0, 1.3), False),  # only turned
        ((0.5, 0, 0), (-0.4, 0, 0), False),
        ((0.5, 0, 0), (-0.6, 0, 0), True),
    ],
)
def test_the_lean_counts_from_how_it_stood(start, now, fallen):
    poses = [SE3.from_xyz_rpy((0, 0, 0.3), angles).vector for angles in (start, now)]
    assert FallRule().fallen(Stance(poses[0], 0.3), Stance(poses[1], 0.3)) == fallen


def test_the_height_of_a_stance_is_that_of_the_centre_of_mass():
    sim = an.simulate("nao", place=(0.3, 0.1, 0.7))
    sim.run(0.1)
    robot = sim.robot
    poses = dict(zip([link.name for link in robot.links], sim.engine.link_poses(sim.actor), strict=True))
    links = [each for each in robot.links if each.inertia is not None]
    weighed = [(each.inertia.mass, SE3.from_vector(poses[each.name]) @ each.inertia.com) for each in links]
    centre = sum(mass * point[2] for mass, point in weighed) / sum(mass for mass, _ in weighed)
    assert stance(sim.engine, sim.actor, 0.05).height == pytest.approx(centre - 0.05, abs=1e-4)
    assert FallRule().fallen(Stance(sim.base_pose, 1.0), stance(sim.engine, sim.actor, 0.0))
