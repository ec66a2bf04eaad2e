"""Recordings of a session are safe from a sudden end, also while time stands still."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.bags import bag_info
from andante.session import LiveSession
from andante.session.nodes.recording import RecordingNode


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
