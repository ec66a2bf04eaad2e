"""The scan pipeline: every scan exactly once, told from the reference point, and shown to the localizer."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.control.body import Body, BodyState
from andante.description import SensorSpec
from andante.geometry import SE3, se2
from andante.kinematics import find_drive
from andante.mapping import Scan
from andante.mobile.sensing import OdometryOnly, ScanPipeline


class Straight:
    """Odometry of a robot that drives and turns evenly from the start."""

    def __init__(self, twist=(0.5, 0.0, 0.2)):
        self.twist = np.array(twist)

    def at(self, time):
        return se2.exp(self.twist * time)


class Seen(OdometryOnly):
    """Keeps what it was shown."""

    def __init__(self, start=(0.0, 0.0, 0.0)):
        super().__init__(start)
        self.shown, self.asked = [], []

    def update(self, scan, odom):
        self.shown.append((scan.time, odom))

    def relocalize(self, scan):
        self.asked.append(scan.time)


class Lidar(Body):
    """A body with a list of scans that arrive later than they began."""

    def __init__(self, late=0.25):
        self.robot, self.now, self.late = an.robot("waffle"), 10.0, late
        self.all = [Scan(0.1 * i, np.ones(90), -0.5, 0.01, 0.1, 5.0, 5e-4, (0.1, 0.0, 0.3)) for i in range(200)]

    def read(self):
        return BodyState(self.now, np.zeros(2), np.zeros(2))

    def scans(self, since):
        return tuple(scan for scan in self.all if since < scan.time <= self.now - self.late)

    def write(self, command):
        pass

    def advance(self, seconds):
        self.now += seconds

    def stop(self):
        pass

    def close(self):
        pass


def test_late_scans_come_once_from_the_start_on_with_the_odometry_of_their_first_beam():
    body, odometry, seen = Lidar(), Straight(), Seen((1.0, 2.0, 0.0))
    pipeline = ScanPipeline(body, odometry, seen, (0.05, 0.0, 0.0))
    taken = []
    for _ in range(100):
        body.advance(0.03)
        taken += pipeline.take()
    assert [each.scan.time for each in taken] == pytest.approx(np.arange(100, 128) / 10.0)  # none from before
    assert [time for time, _ in seen.shown] == [each.scan.time for each in taken]
    for each, (_, odom) in zip(taken, seen.shown, strict=True):
        assert each.odom == pytest.approx(odometry.at(each.scan.time))
        assert odom is each.odom
        assert each.pose == pytest.approx(se2.compose((1.0, 2.0, 0.0), each.odom))
        assert each.twist == pytest.approx(odometry.twist, abs=1e-6)
        assert each.scan.sensor == pytest.approx((0.05, 0.0, 0.3))  # seen from the reference point
    assert pipeline.last is taken[-1]
    assert pipeline.take() == ()


def test_what_is_known_at_a_time():
    body, odometry, seen = Lidar(), Straight(), Seen((1.0, 2.0, 0.5))
    pipeline = ScanPipeline(body, odometry, seen, (0.0, 0.0, 0.0))
    pipeline.relocalize()  # nothing was seen yet
    body.advance(0.5)
    sensed = pipeline.sense(body.now, np.array([0.3, 0.0, 0.0]))
    assert sensed.time == body.now
    assert sensed.odom == pytest.approx(odometry.at(10.5))
    assert sensed.pose == pytest.approx(se2.compose((1.0, 2.0, 0.5), sensed.odom))
    assert sensed.reference[0] == 0.3
    assert sensed.trusted
    assert len(sensed.sweeps) == 3
    assert pipeline.sense(body.now, np.zeros(3)).sweeps == ()
    pipeline.relocalize()
    assert seen.asked == [sensed.sweeps[-1].scan.time]


def waffle(degrees, rate=10.0, beams=90):
    """The waffle with a lidar that sees a part of the circle."""
    robot = an.robot("waffle")
    half = math.radians(degrees) / 2
    figures = {"samples": beams, "min_angle": -half, "max_angle": half, "range_min": 0.1, "range_max": 8.0}
    mount = SE3.from_xyz_rpy((0.0, 0.0, 0.15), (0, 0, 0))
    spec = SensorSpec("part", "lidar", robot.root, mount, rate, parameters=figures)
    return replace(robot, sensors=(*(each for each in robot.sensors if each.kind != "lidar"), spec))


@pytest.mark.parametrize("degrees", [30.0, 180.0, 270.0, 359.0])
@pytest.mark.parametrize("period", [0.01, 0.07, 0.35])
def test_every_scan_of_a_lidar_exactly_once_also_where_it_sees_a_part_only(degrees, period):
    sim = an.simulate(waffle(degrees), world="lab", sensors=True)
    pipeline = ScanPipeline(sim, Straight((0.0, 0.0, 0.0)), Seen(), find_drive(sim.robot).reference)
    times = []
    while sim.time < 2.05:
        sim.advance(period)
        times += [each.scan.time for each in pipeline.take()]
    assert len(set(times)) == len(times) == math.floor(sim.time / 0.1 + 1e-6)
    assert times == pytest.approx(0.1 * np.arange(len(times)), abs=0.003)
    sim.close()
