"""Robots in other processes, and a command of ours that moves them: what the tests of `--body` share."""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

PACE = 0.3  # of the robot's time: a busy machine must not look like a slow line
BUSY = 5.0  # load at which the robot's time goes still slower
PATIENCE = 200.0  # for a whole run on a busy machine [s]
HERE = Path(__file__).parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}


def suited_pace():
    """Pace of a robot's time on a machine with this load."""
    return PACE * min(1.0, BUSY / max(os.getloadavg()[0], 1.0))


class StandIn:
    """A live session that stands in for a real robot, reached over its rosbridge server, or a ROS 1 master."""

    def __init__(self, folder, robot, world="empty", seed=0, master="", pace=None):
        self.log, pace = folder / f"{robot}_{seed}.jsonl", pace or suited_pace()
        self._start("robot_process.py", robot, world, seed, pace, self.log, *([master] if master else []))
        self.address = master or self.address

    def _start(self, script, *words):
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / script), *map(str, words)],
            stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True,
        )  # fmt: skip
        self.told = json.loads(self.process.stdout.readline())
        self.address, self.server = self.told["url"], self.told["server"]

    @property
    def rows(self):
        """Instants of the robot's truth so far."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        told = [json.loads(line) for line in lines if line.endswith("}")]
        return [row for row in told if "x" in row]

    def wait(self, condition, what, driver=None):
        """Wait until something holds for the newest instant, while the driver lives; the instants so far."""
        end = time.monotonic() + PATIENCE
        while True:
            rows = self.rows
            if rows and condition(rows[-1]):
                return rows
            assert time.monotonic() < end, f"waited in vain until {what}: {rows[-1:]}"
            assert self.process.poll() is None
            assert driver is None or driver.process.poll() is None, driver.process.communicate()
            time.sleep(0.05)

    def pass_time(self, seconds):
        """Let a time of the robot's clock pass; the instants so far."""
        until = self.rows[-1]["time"] + seconds
        return self.wait(lambda row: row["time"] >= until, f"{seconds} s have passed")

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # with its server and bridge
        self.process.wait()
        self.process.stdout.close()


class Rover(StandIn):
    """A rover with its firmware, reached over a pseudo terminal; in a world also with a lidar and UWB tags."""

    def __init__(self, folder, pace=None, world=""):
        self.log = folder / "rover.jsonl"
        self._start("rover_process.py", folder, pace or suited_pace(), *([world] if world else []))


class Command:
    """`andante ...` in a process of its own."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "andante", *map(str, words), "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=ENVIRONMENT,
        )  # fmt: skip

    def result(self):
        """What it printed, once it has ended by itself."""
        out, errors = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, errors
        return json.loads(out)

    def close(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()


def moved_last(rows, since, slow=0.03):
    """When the robot's root last moved faster than `slow` [m/s] after a time, in seconds after it."""
    last = 0.0
    for before, row in pairwise(rows):
        dt = row["time"] - before["time"]
        if dt > 0 and math.hypot(row["x"] - before["x"], row["y"] - before["y"]) / dt > slow:
            last = row["time"] - since
    return last
