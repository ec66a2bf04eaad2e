"""A navigated drive is recorded alike from every door: the topics of a live session are in the recording of a task."""

import math

import numpy as np
import pytest

import andante as an
from andante.bags import messages, open_bag
from andante.mapping import map_of_world
from andante.session import LiveSession
from andante.simulation.recording import NAVIGATION

GOAL = (0.6, 0.2, 0.0)


def topics(path):
    """Topics with their types, and the last message of each."""
    with open_bag(path) as bag:
        last = {topic.name: message for topic, _, message in bag.decoded(("/goal_pose", "/map", "/tf", *NAVIGATION))}
        return {topic.name: topic.type for topic in bag.topics}, last


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """The recording of a live session that was sent to a goal."""
    folder = tmp_path_factory.mktemp("live")
    with LiveSession("waffle", world="lab", folder=folder, seed=1) as session:
        goals = session.bus.advertise("/goal_pose", "geometry_msgs/msg/PoseStamped", node="test")
        session.bus.call("/record_start", {"name": "live"})
        x, y, yaw = GOAL
        turn = {"z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}
        pose = {"position": {"x": x, "y": y}, "orientation": turn}
        goals.publish(messages.make("geometry_msgs/msg/PoseStamped", header={"frame_id": "map"}, pose=pose))
        for _ in range(250):
            session.step()
        session.bus.call("/record_stop", {})
    return topics(folder / "live.mcap")


def test_a_navigated_drive_has_the_topics_of_a_live_session(tmp_path, live):
    grid = map_of_world(an.world("lab"), height=0.2)
    result = an.navigate("waffle", world="lab", map=grid, goal=GOAL, seed=1, record=tmp_path / "task.mcap")
    assert result.success
    types, last = topics(tmp_path / "task.mcap")
    assert set(NAVIGATION) <= set(live[0])
    assert {name: types.get(name) for name in live[0]} == live[0]
    pose = last["/amcl_pose"].pose.pose.position
    assert math.hypot(pose.x - GOAL[0], pose.y - GOAL[1]) < 0.3
    assert last["/amcl_pose"].header.frame_id == "map"
    assert (last["/map"].info.height, last["/map"].info.width) == grid.shape
    assert len(last["/particlecloud"].poses) > 10
    assert (last["/goal_pose"].pose.position.x, last["/goal_pose"].pose.position.y) == GOAL[:2]


def test_an_exploration_has_them_too(tmp_path, live):
    an.explore("waffle", world="lab", timeout=6.0, seed=1, record=tmp_path / "task.mcap")
    types, last = topics(tmp_path / "task.mcap")
    missing = {name: kind for name, kind in live[0].items() if types.get(name) != kind}
    assert missing == {"/particlecloud": live[0]["/particlecloud"]}  # it maps, so no particles tell where it is
    assert np.any(np.asarray(last["/map"].data) == 0)
    assert last["/costmap"].header.frame_id == "map"
