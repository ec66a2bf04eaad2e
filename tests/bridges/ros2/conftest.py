"""A bridge beside a session, and peers in other processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def domain():
    """A domain for this worker, whose process numbers follow one another; Linux gives away ports of those above 101."""
    return 1 + os.getpid() % 99


@pytest.fixture
def bridged(session, domain):
    """The domain of a bridge that runs as a user starts it."""
    session.heard.clear()
    bridge = subprocess.Popen(
        [sys.executable, "-m", "andante", "bridge", "ros2", session.server.ws_url, "--domain", str(domain)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    said = bridge.stdout.readline()
    assert f"in ROS domain {domain}" in said, bridge.stdout.read()
    yield domain
    bridge.send_signal(signal.SIGTERM)
    out, _ = bridge.communicate(timeout=20)
    assert bridge.returncode == 0, out
    assert "Traceback" not in out


@pytest.fixture
def report():
    """The JSON that a peer prints; a peer has the default settings of DDS."""

    def run(*words, timeout=90, **options):
        environment = {name: value for name, value in os.environ.items() if name != "CYCLONEDDS_URI"}
        peer = subprocess.run(
            [*map(str, words)], capture_output=True, text=True, timeout=timeout, check=False, env=environment, **options
        )
        assert peer.returncode == 0, peer.stderr
        return json.loads(peer.stdout.splitlines()[-1])

    return run
