"""What is told of a bag in short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from andante.bags import bag_info
from andante.bags.info import mean_rate, size_of
from andante.errors import MissingFile


@pytest.mark.parametrize(("name", "kind"), [("run.mcap", "mcap"), ("run.bag", "rosbag1"), ("run", "rosbag2")])
def test_a_bag_in_short(tmp_path: Path, record: Any, name: str, kind: str) -> None:
    record(tmp_path / name, steps=101)
    found = bag_info(tmp_path / name)
    assert (found.kind, found.whole, found.notes) == (kind, True, ())
    assert found.start == pytest.approx(5.0)
    assert found.duration == pytest.approx(1.0)
    topics = {topic.name: topic for topic in found.topics}
    assert list(topics) == sorted(topics)
    assert topics["/joint_states"].count == 101
    assert topics["/joint_states"].rate == pytest.approx(100.0)
    assert topics["/map_name"].rate is None
    assert [name for name, topic in topics.items() if topic.latched] == ["/map_name"]
    assert found.count == sum(topic.count for topic in found.topics)


def test_as_plain_values(tmp_path: Path, record: Any) -> None:
    record(tmp_path / "run.mcap", steps=3)
    told = bag_info(tmp_path / "run.mcap").to_json()
    assert told["path"] == str(tmp_path / "run.mcap")
    assert told["size"] == (tmp_path / "run.mcap").stat().st_size
    assert told["topics"][0] == {
        "name": "/joint_states",
        "type": "sensor_msgs/msg/JointState",
        "messages": 3,
        "rate": pytest.approx(100.0),
        "latched": False,
    }


def test_rates_and_sizes(tmp_path: Path) -> None:
    assert mean_rate(11, 2.0) == 5.0
    assert mean_rate(1, 2.0) is None
    assert mean_rate(5, 0.0) is None
    for name, size in (("a", 10), ("b", 5)):
        (tmp_path / name).write_bytes(b"x" * size)
    assert size_of(tmp_path / "a") == 10
    assert size_of(tmp_path) == 15
    with pytest.raises(MissingFile, match="no such bag"):
        bag_info(tmp_path / "nothing.mcap")
