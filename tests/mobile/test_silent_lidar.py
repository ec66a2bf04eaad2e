"""A lidar that stops turning: the robot stands and says so, and goes on when it is back."""

from __future__ import annotations

import math

import numpy as np

from andante.description import load_world
from andante.mapping.worlds import map_of_world
from andante.mobile import OnMap, drive_to_goal, mobile_robot
from andante.navigation import GoalChecker, Navigator, NavigatorSettings

FROM, TO = 1.5, 9.0  # without a scan [s]; longer than a robot may stand without progress


def test_it_stands_without_scans_and_goes_on_with_them(monkeypatch):
    start, world = np.array([0.0, -0.8, 0.0]), load_world("lab")
    grid = map_of_world(world, height=0.2)
    robot = mobile_robot("waffle", world, start, localizer=OnMap(grid, start, seed=1), seed=1)
    body, told = robot.body, type(robot.body).scans

    def scans(self, since):
        return () if self is body and FROM <= self.time < TO else told(self, since)

    monkeypatch.setattr(type(body), "scans", scans)
    settings = NavigatorSettings(arrival=GoalChecker(0.15, math.pi))
    navigator = Navigator(robot.vehicle, grid, settings=settings, seed=1)
    navigator.set_goal((0.8, -0.85))
    moved = []
    drive = drive_to_goal(
        robot, navigator, robot.step(), 40.0,
        lambda sensed, output: moved.append((sensed.time, float(np.abs(robot.sim.base_velocity[:2]).max()))),
    )  # fmt: skip
    words = [event for _, event in drive.events]
    assert drive.arrived, drive.reason
    assert not robot.truth.collided
    assert "standing until the lidar is back" in " ".join(words)
    assert "scans are back; going on" in words
    assert not any("no progress" in event for event in words)
    assert max(speed for time, speed in moved if FROM + 2.0 < time < TO) < 0.01
    robot.close()
