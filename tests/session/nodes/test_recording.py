"""Recordings of a session are safe from a sudden end, also while time stands still."""

from __future__ import annotations

from pathlib import Path

import pytest

import andante as an
from andante.bags import bag_info, open_bag
from andante.session import LiveSession
from andante.session.nodes.recording import RecordingNode
from andante.simulation.recording import NAVIGATION
from andante.simulation.simulation import Simulation


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


@pytest.mark.parametrize(("pose", "lies"), [("StandInit", False), ("LyingBelly", True), ("LyingBack", True)])
def test_status_tells_what_the_robot_feels_not_the_truth(tmp_path: Path, pose: str, lies: bool, monkeypatch) -> None:
    """In a session and in the recording of a task alike; the simulator's truth stands under /ground_truth alone."""
    monkeypatch.setattr(Simulation, "fallen", property(lambda self: not lies))
    with LiveSession("nao", pose=pose, folder=tmp_path) as session:
        if session.stage.supervisor is not None:
            session.stage.supervisor.on = False
        told: list[bool] = []
        session.bus.subscribe("/status", None, lambda message: told.append(bool(message.fallen)))
        session.run(1.5)
    assert told[-1] is lies
    an.sim("nao", pose=pose, seconds=1.5, record=tmp_path / "run.mcap")
    with open_bag(tmp_path / "run.mcap") as bag:
        *_, last = (message.fallen for _, _, message in bag.decoded(("/status",)))
    assert bool(last) is lies
