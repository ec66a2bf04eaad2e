"""A recorded session, and the content of any bag."""

from __future__ import annotations

import math
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from andante.bags import messages, open_bag
from andante.bus import Bus, Recorder

NUMBER = "std_msgs/msg/Int32"
STATE = "sensor_msgs/msg/JointState"
KINDS = ["run.mcap", "run.bag", "run"]


def state(k: int) -> Any:
    return messages.make(STATE, header=messages.header(k * 0.01, "base"), name=["a", "b"], position=[k, math.nan])


def _record(path: Path, steps: int = 200, topics: Any = None, start: float = 0.0, **options: Any) -> Recorder:
    """A session of joint states at 100 Hz, a latched map and an empty message that comes up later."""
    bus = Bus()
    bus.clock.reset(start)
    joints = bus.advertise("/joint_states", STATE)
    fixed = bus.advertise("/map_name", "std_msgs/msg/String", latched=True)
    fixed.publish(messages.make("std_msgs/String", data="lab"))
    bus.clock.advance_to(start + 5.0)
    with Recorder(bus, path, topics, **options) as recorder:
        late = None
        for k in range(steps):
            bus.clock.advance_to(start + 5.0 + k * 0.01)
            joints.publish(state(k))
            if k == steps // 2:
                late = bus.advertise("/late", "std_msgs/msg/Empty", sensor=True)
            if late is not None:
                late.publish(messages.make("std_msgs/Empty"))
            bus.spin()
    return recorder


def _content(path: Path) -> list[tuple[str, int, bytes]]:
    """Topic, time and CDR of all messages, whatever the kind."""
    from andante.bags.topics import converter

    with open_bag(path) as bag:
        ways = {topic.name: converter(topic, "cdr") for topic in bag.topics}
        return [(m.topic.name, m.time, ways[m.topic.name](m.data)) for m in bag.messages()]


@pytest.fixture
def record() -> Any:
    """Records a session; see `_record`."""
    return _record


@pytest.fixture
def content() -> Any:
    """Content of a bag; see `_content`."""
    return _content


@pytest.fixture
def debian_ros() -> Path:
    """Debian's ROS 1 packages; a missing one is a failure where CI=true."""
    packages = Path("/usr/lib/python3/dist-packages")
    if shutil.which("rosbag") is None or not (packages / "std_srvs").is_dir():
        reason = "Debian's rosbag and ROS 1 messages are not installed (python3-rosbag python3-std-srvs ...)"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return packages
