"""`andante play` and `explore` with `--body ... --record`: a robot in another process, reached over rosbridge."""

import math

import pytest

from andante.bags import bag_info
from andante.mapping.io import load_map

from .stand_in import Command, StandIn


def recorded(path):
    """Topics with messages of a recording."""
    return {topic.name for topic in bag_info(path).topics if topic.count}


def test_a_nao_plays_a_pose_and_is_recorded(started, tmp_path):
    robot = started(StandIn(tmp_path, "nao"))
    bag = tmp_path / "played.mcap"
    words = ("play", "nao", "Crouch", "--body", robot.address, "--yes", "--record", bag)
    told = started(Command(*words)).result()
    assert told["engine"] == robot.address
    assert told["finished"], told
    assert told["fallen"] is False
    assert told["reason"] == ""
    assert told["link"]["unheeded"] == 0
    assert told["tracking"]["rms"] < 0.1
    rows = robot.pass_time(0.5)
    assert not any(row["fallen"] for row in rows)
    topics = recorded(bag)
    assert {"/joint_states", "/tf", "/imu/data"} <= topics
    assert not any(name.startswith("/ground_truth") for name in topics)


@pytest.mark.drill
def test_a_waffle_explores_to_a_waypoint_and_is_recorded(started, tmp_path):
    robot = started(StandIn(tmp_path, "waffle", "lab"))
    bag, way = tmp_path / "explored.mcap", tmp_path / "way.txt"
    way.write_text("0.5 0.3\n")
    words = ("explore", "waffle", "-o", tmp_path / "map", "--waypoints", way, "--body", robot.address, "--yes")
    told = started(Command(*words, "--record", bag)).result()
    assert told["engine"] == robot.address
    rows = robot.pass_time(1.0)
    assert math.hypot(rows[-1]["x"] - 0.5, rows[-1]["y"] - 0.3) < 0.3, told
    assert load_map(tmp_path / "map.yaml").occupied().sum() > 50
    topics = recorded(bag)
    assert {"/joint_states", "/tf", "/scan"} <= topics
    assert not any(name.startswith("/ground_truth") for name in topics)
