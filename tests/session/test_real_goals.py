"""Goals of a real client over rosbridge: an initial pose, RViz's goal, `move_base` and Nav2's `navigate_to_pose`."""

import importlib.util
import json
import math
import subprocess
import sys
import time
from pathlib import Path

import pytest

from andante.session import LiveSession
from andante.session.launch_file import ServerPlan
from andante.session.launch_run import plain_server

CLIENT = Path(__file__).parents[1] / "bridges" / "python" / "goals_client.py"


@pytest.mark.drill
@pytest.mark.skipif(importlib.util.find_spec("roslibpy") is None, reason="roslibpy is not installed")
def test_a_client_sends_the_robot_about(tmp_path: Path) -> None:
    with LiveSession("waffle", world="lab", folder=tmp_path, seed=2) as session:
        server = plain_server(session, ServerPlan())
        words = [sys.executable, str(CLIENT), "127.0.0.1", str(server.port)]
        client = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 400
        try:
            while client.poll() is None and time.monotonic() < end:
                session.run(0.2, pace=2.0)
        finally:
            client.kill()
            server.stop()
        told, errors = client.communicate()
        assert told.strip(), errors
        seen = json.loads(told.splitlines()[-1])
        assert seen["placed"]
        assert seen["simple"]
        assert (seen["move_base"], seen["status"]) == (True, 3)
        assert seen["feedback"] > 3
        assert seen["nav2"]
        assert "SUCCEEDED" in str(seen["nav2_result"])
        assert seen["nav2_feedback"] > 3
        x, y = session.stage.sim.base_pose[:2]
        assert math.hypot(x - 0.3, y) < 0.2
