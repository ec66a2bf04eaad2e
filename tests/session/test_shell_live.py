"""The Shell live: legs, keys for the body, fold into a ball, roll, and unfold before anything else takes over."""

from pathlib import Path

import numpy as np
import pytest

from andante.bags import messages
from andante.session import LiveSession


def hold_keys(session: LiveSession, keys: str, seconds: float) -> None:
    publisher = session.bus.advertise("/key", "std_msgs/msg/String")
    for _ in range(round(seconds * 10)):
        publisher.publish(messages.make("std_msgs/msg/String", data=keys))
        session.run(0.1)
    publisher.close()


def test_walks_lifts_folds_rolls_and_unfolds(tmp_path: Path) -> None:
    with LiveSession("shell", folder=tmp_path) as session:
        hold_keys(session, "w", 2.0)
        assert session.stage.sim.base_pose[0] > 0.1
        low = session.stage.sim.base_pose[2]
        hold_keys(session, "u", 1.0)
        session.run(1.0)
        assert session.stage.sim.base_pose[2] > low + 0.01
        hold_keys(session, "i", 0.2)
        assert "shell" in session.bus.call("/list", {"kind": "keys"}).names
        hold_keys(session, "shell", 0.1)
        _until(session, lambda: session.stage.activities.present.detail == "tripod (ball)", 20.0)
        before = session.stage.sim.base_pose[:2].copy()
        hold_keys(session, "w", 4.0)
        rolled = session.stage.sim.base_pose[:2] - before
        assert np.linalg.norm(rolled) > 0.5
        assert session.stage.position[:2] == pytest.approx(session.stage.sim.base_pose[:2], abs=0.25)
        assert session.bus.call("/play", {"name": "low"}).success
        assert session.stage.activities.waiting == "motion low"
        _until(session, lambda: session.stage.activities.present.name == "hold", 60.0)
        assert not session.stage.sim.fallen


def _until(session: LiveSession, done, seconds: float) -> None:
    for _ in range(round(seconds * 5)):
        if done():
            return
        session.run(0.2)
    raise AssertionError(f"not within {seconds} s: {session.behaviour} {session.stage.activities.present.detail}")
