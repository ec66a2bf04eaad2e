"""Navigation as messages: frames of the map, costs in percent, particles that fit on a wire, goals told once."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import andante as an
from andante.bus import Bus
from andante.geometry import se2
from andante.mapping import map_of_world
from andante.mobile.publisher import (
    SHOWN,
    UNLOCALIZED,
    NavigationPublisher,
    NavigationState,
    RecordedNavigation,
    flat_message,
)  # fmt: skip
from andante.mobile.sensing import OdometryOnly, OnMap
from andante.navigation import Path, vehicle_of
from andante.navigation.navigator import Navigator

START = np.array([1.0, -0.5, math.pi / 2])
REFERENCE = np.array([-0.1, 0.0, 0.0])
GRID = map_of_world(an.world("lab"), height=0.2)
VIEW = SimpleNamespace()


class Drive(NavigationState):
    """A drive with a localizer that the test chooses."""

    def __init__(self, localizer=None, grid=None):
        vehicle = vehicle_of(an.robot("waffle"))
        super().__init__(Navigator(vehicle, grid), REFERENCE, START, grid)
        self._localizer = localizer or OdometryOnly(START)

    @property
    def localizer(self):
        return self._localizer


def heard(bus, *topics):
    """The messages of topics, as they come."""
    got = {topic: [] for topic in topics}
    for topic in topics:
        bus.subscribe(topic, None, got[topic].append)
    return got


def run(bus, publisher, seconds=2.0):
    for _ in range(round(seconds / 0.1)):
        bus.clock.advance_to(bus.clock.now + 0.1)
        publisher.update()
        bus.spin()


def test_odom_of_the_root_lies_behind_that_of_the_reference_point():
    drive = Drive()
    np.testing.assert_allclose(drive.map_from_odom, se2.compose(START, se2.inverse(REFERENCE)))
    assert not drive.localized
    np.testing.assert_array_equal(drive.covariance, UNLOCALIZED)


def test_the_local_plan_is_the_arc_of_the_present_velocity():
    drive = Drive()
    output = SimpleNamespace(velocity=(0.2, 0.0, 0.4), path=None)
    drive.take(SimpleNamespace(pose=START), output)
    poses = drive.preview()
    np.testing.assert_allclose(poses[0], START)
    np.testing.assert_allclose(np.diff(poses[:, 2]), 0.4 * 1.5 / 14)
    steps = np.hypot(*np.diff(poses[:, :2], axis=0).T)
    assert steps.sum() == pytest.approx(0.2 * 1.5, rel=1e-2)


def test_a_drive_is_told_in_the_frame_of_the_map():
    bus, drive = Bus(), Drive(OnMap(GRID, START, seed=1), GRID)
    publisher = NavigationPublisher(bus, lambda: VIEW, lambda: drive)
    got = heard(bus, "/amcl_pose", "/particlecloud", "/costmap", "/plan", "/local_plan", "/map")
    publisher.show_map(GRID)
    run(bus, publisher)
    pose = got["/amcl_pose"][-1]
    assert pose.header.frame_id == "map"
    assert (pose.pose.pose.position.x, pose.pose.pose.position.y) == (1.0, -0.5)
    assert pose.pose.pose.orientation.z == pytest.approx(math.sin(math.pi / 4))
    spread = np.array(pose.pose.covariance).reshape(6, 6)
    assert spread[0, 0] > 0
    assert spread[5, 5] > 0
    assert not spread[2:5, 2:5].any()  # a base on wheels stays on the floor
    assert 10 < len(got["/particlecloud"][-1].poses) <= SHOWN
    costs = np.array(got["/costmap"][-1].data)
    assert costs.min() >= -1
    assert costs.max() == 100
    assert (got["/map"][0].info.height, got["/map"][0].info.width) == GRID.shape
    assert got["/map"][0].info.origin.position.x == pytest.approx(GRID.origin[0])
    assert got["/local_plan"] == []  # nobody leads it
    assert got["/plan"][-1].poses == []


def test_the_plan_is_shown_while_it_leads_somewhere():
    bus, drive = Bus(), Drive()
    publisher = NavigationPublisher(bus, lambda: VIEW, lambda: drive)
    got = heard(bus, "/plan", "/local_plan")
    path = Path(np.array([[1.0, -0.5, 0.0], [1.5, -0.5, 0.0]]), np.ones(2))
    drive.take(SimpleNamespace(pose=START), SimpleNamespace(velocity=(0.2, 0.0, 0.0), path=path))
    drive.goal = np.array([1.5, -0.5, math.nan])
    run(bus, publisher)
    assert [pose.pose.position.x for pose in got["/plan"][-1].poses] == [1.0, 1.5]
    assert len(got["/local_plan"][-1].poses) == 15
    drive.goal = None
    run(bus, publisher)
    assert got["/plan"][-1].poses == []


def test_a_recording_has_each_map_and_goal_once_and_the_frame_of_the_localizer():
    bus, drive = Bus(), Drive(grid=GRID)
    state = SimpleNamespace(map_from_odom=np.zeros(3), localized=True)
    publisher = RecordedNavigation(bus, lambda: VIEW, state, lambda: drive)
    got = heard(bus, "/map", "/goal_pose")
    run(bus, publisher)
    drive.goal = np.array([2.0, 0.0, math.nan])
    run(bus, publisher)
    drive.goal = np.array([2.0, 1.0, 0.0])
    run(bus, publisher)
    assert len(got["/map"]) == 1
    assert [goal.pose.position.y for goal in got["/goal_pose"]] == [0.0, 1.0]
    free = got["/goal_pose"][0].pose.orientation
    assert (free.x, free.y, free.z, free.w) == (0.0, 0.0, 0.0, 0.0)  # any heading
    np.testing.assert_allclose(state.map_from_odom, drive.map_from_odom)
    assert not state.localized


def test_before_there_is_a_drive_nothing_is_told():
    bus = Bus()
    publisher = NavigationPublisher(bus, lambda: VIEW, lambda: None)
    got = heard(bus, "/amcl_pose", "/plan", "/costmap")
    run(bus, publisher)
    assert not any(got.values())
    assert flat_message([1.0, 2.0, 0.0]).orientation.w == 1.0
