"""What a log of a drive holds and lacks, in short."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from andante.bags import messages
from andante.bus import Bus, Recorder
from andante.mapping.io.logs import log_info


def test_info_says_what_a_log_lacks_for_mapping(tmp_path: Path) -> None:
    bus = Bus()
    scan = bus.advertise("/front", "sensor_msgs/msg/LaserScan")
    with Recorder(bus, tmp_path / "run.mcap"):
        for k in range(5):
            bus.clock.advance_to(k * 0.1)
            header = messages.header(k * 0.1, "laser")
            ranges = np.ones(90, np.float32)
            scan.publish(
                messages.make(
                    "sensor_msgs/LaserScan",
                    header=header,
                    angle_min=-1.5,
                    angle_increment=0.03,
                    range_max=10.0,
                    ranges=ranges,
                )
            )
            bus.spin()
    found = log_info(tmp_path / "run.mcap")
    assert found.mappable
    told = " ".join(found.mapping)
    assert "--tf FILE" in told
    assert "has no odometry" in told
    assert "--odom" in told
    (topic,) = found.topics
    assert topic.rate == pytest.approx(10.0)
    assert found.to_json()["topics"][0]["messages"] == 5
    with Recorder(Bus(), tmp_path / "other.mcap"):
        pass
    assert not log_info(tmp_path / "other.mcap").mappable
    assert log_info(tmp_path / "other.mcap").mapping == (
        "no sensor_msgs/LaserScan topic: there is nothing to map from",
    )


def test_info_of_a_carmen_log(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(
        "ODOM 0 0 0 0 0 0 1.0 host 1.0\nFLASER 3 1.0 1.0 1.0 0 0 0 0 0 0 2.0 host 2.0\n"
        "FLASER 3 1.0 1.0 1.0 0 0 0 0 0 0 3.0 host 3.0\n"
    )
    found = log_info(tmp_path / "a.log")
    assert (found.kind, found.mappable) == ("carmen", True)
    assert {t.name: t.count for t in found.topics}["scan"] == 2
