"""Recordings of a session are safe from a sudden end, also while time stands still."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.bags import bag_info, open_bag
from andante.session import LiveSession
from andante.session.nodes.recording import RecordingNode
from andante.simulation.recording import NAVIGATION


def test_the_last_messages_before_a_pause_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wall = [100.0]
    monkeypatch.setattr("andante.bags.writer.time.monotonic", lambda: wall[0])
    with LiveSession("waffle", folder=tmp_path, nodes=[RecordingNode]) as session:
        recording = session.nodes[0]
        assert isinstance(recording, RecordingNode)
        assert session.bus.call("/record_start", {"name": "run", "topics": ["/rosout"]}).success
        session.log("the last word")
        session.pause()
        session.step()
        written = recording.messages
        assert written > 0
        assert bag_info(tmp_path / "run.mcap").count < written
        wall[0] += 1.0
        session.step()
        assert recording.messages == written
        assert bag_info(tmp_path / "run.mcap").count == written


def test_a_recording_has_the_map_that_is_being_made(tmp_path: Path) -> None:
    """As the recording of an exploration has; without navigation or mapping nothing of the kind is in it."""
    kept = {}
    for name, maps in (("idle", False), ("mapping", True)):
        with LiveSession("waffle", world="arena", folder=tmp_path, seed=1) as session:
            session.bus.call("/record_start", {"name": name})
            if maps:
                assert session.bus.call("/mapping/start", {}).success
            session.run(2.5)
            session.bus.call("/record_stop", {})
        with open_bag(tmp_path / f"{name}.mcap") as bag:
            kept[name] = {topic.name: topic.type for topic in bag.topics if topic.name in NAVIGATION}
    assert kept["idle"] == {}
    assert kept["mapping"]["/map"] == "nav_msgs/msg/OccupancyGrid"
    assert "/amcl_pose" in kept["mapping"]
