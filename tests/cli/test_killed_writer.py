"""Bags whose writer was killed by kill -9 are read by every command, which says how much was saved."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from andante.bags import bag_info, open_bag

WRITER = """
import math, sys, time
import numpy as np
from andante.bags import BagTopic, BagWriter, messages
from andante.mapping.synthetic import drive, rooms, smooth_path

walls = rooms([(0, 0), (6, 0), (6, 4), (0, 4)], (2.5, 1.5, 1, 1))
run = drive(walls, smooth_path([(1, 1), (4.8, 1.2), (5, 3.2), (1.2, 3), (1, 1)], 0.05))
anchors = {"a": (0, 0, 0), "b": (0, 4, 0), "c": (6, 0, 0), "d": (6, 4, 2)}
name, storage = sys.argv[1:]
writer = BagWriter(name, storage="mcap" if storage == "mcap" else "sqlite3")
if storage == "wal":  # as rosbag2 writes with its resilient preset
    writer._file._base.execute("PRAGMA journal_mode = WAL")

def put(topic, kind, stamp, **fields):
    if not writer.knows(topic):
        ros = 1 if writer.encoding == "ros1" else 2
        writer.add(BagTopic(topic, kind, writer.encoding, messages.definition(kind, ros)))
    message = messages.make(kind, **fields)
    pack = messages.to_ros1 if writer.encoding == "ros1" else messages.to_cdr
    writer.write(topic, round(stamp * 1e9), pack(message))

for k, (scan, odometry, truth) in enumerate(zip(run.log.scans, run.log.odometry, run.truth.poses)):
    now = scan.time
    x, y, yaw = odometry.pose
    pose = {"position": {"x": x, "y": y}, "orientation": {"z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}}
    put("/odom", "nav_msgs/msg/Odometry", now, header=messages.header(now, "odom"), child_frame_id="base_link",
        pose={"pose": pose})
    put("/scan", "sensor_msgs/msg/LaserScan", now, header=messages.header(now, "base_link"), range_min=0.05,
        angle_min=scan.angle_min, angle_increment=scan.angle_increment, range_max=12.0, ranges=scan.ranges)
    put("/joint_states", "sensor_msgs/msg/JointState", now, header=messages.header(now), name=["swing"],
        position=[0.3 * math.sin(now)])
    for anchor, place in anchors.items():
        far = math.dist((truth[0], truth[1], 0.2), place)
        put(f"/uwb/tag0/{anchor}", "sensor_msgs/msg/Range", now, header=messages.header(now, "tag0"), range=far)
    if k % 20 == 10:
        writer.flush()
    if k % 20 == 12:  # more is waiting by now
        print(k - 2, flush=True)
    time.sleep(0.002)
print("complete", flush=True)
"""
ROBOT = """<robot name="pendulum">
<link name="base"><inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="1 1 0.2"/></geometry></collision></link>
<link name="arm"><inertial><origin xyz="0 0 0.1"/><mass value="0.1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="swing" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="5"/></joint></robot>"""
KINDS = {
    "run.mcap": "mcap",
    "run.bag": "mcap",
    "folder": "mcap",
    "run.db3": "sqlite3",
    "sqlite": "sqlite3",
    "wal": "wal",
}


@dataclass(frozen=True)
class Killed:
    """A bag without an end, and the number of the last scan that is known to be on the disk."""

    path: Path
    flushed: int


@pytest.fixture(scope="module", params=KINDS)
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """A real process killed while it writes."""
    folder = tmp_path_factory.mktemp("killed")
    path, storage = folder / request.param, KINDS[request.param]
    process = subprocess.Popen([sys.executable, "-c", WRITER, path, storage], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        flushed = 0
        while flushed < 90:
            flushed = int(process.stdout.readline())
    finally:
        process.kill()
        process.wait(timeout=10)
    (folder / "robot.urdf").write_text(ROBOT)
    (folder / "anchors.txt").write_text("a 0 0 0\nb 0 4 0\nc 6 0 0\nd 6 4 2\ntag tag0 0 0 0.2\n")
    return Killed(path, flushed)


Command = Callable[..., tuple[int, str, str]]


def told(err: str, killed: Killed) -> None:
    """One plain line on stderr names the bag and says how much was saved."""
    lines = [line for line in err.splitlines() if "salvaged" in line and "messages" in line]
    assert lines
    assert killed.path.name in lines[0]


def test_the_reader_gives_all_that_was_flushed(killed: Killed) -> None:
    before = {file: file.stat().st_size for file in killed.path.parent.rglob("*")}
    with open_bag(killed.path) as bag:
        assert not bag.whole
        assert any("salvaged" in note for note in bag.notes)
        counts = {topic.name: topic.count for topic in bag.topics}
        assert min(counts.values()) > killed.flushed
        seen: dict[str, list[int]] = {}
        for topic, time, _ in bag.decoded():
            seen.setdefault(topic.name, []).append(time)
        assert bag.broken == 0
        assert {name: len(times) for name, times in seen.items()} == counts
        assert all(times == sorted(set(times)) for times in seen.values())
        half = bag.start + (bag.end - bag.start) // 2
        late = [time for _, time, _ in bag.decoded("/scan", start=half)]
        assert late == [time for time in seen["/scan"] if time >= half]
    assert before == {file: file.stat().st_size for file in killed.path.parent.rglob("*")}  # nothing is touched


def test_bag_info(killed: Killed, andante: Command) -> None:
    code, out, _ = andante("bag", "info", killed.path, "--json")
    found = json.loads(out)
    assert code == 0
    assert not found["whole"]
    assert found["mappable"]
    assert any("salvaged" in note for note in found["notes"])
    assert next(t for t in found["topics"] if t["name"] == "/scan")["messages"] > killed.flushed


@pytest.mark.parametrize("target", ["new.mcap", "new.bag", "new.db3"])
def test_bag_convert_makes_it_whole(killed: Killed, andante: Command, tmp_path: Path, target: str) -> None:
    code, out, err = andante("bag", "convert", killed.path, tmp_path / target, "--json")
    assert code == 0
    told(err, killed)
    assert bag_info(tmp_path / target).whole
    assert bag_info(tmp_path / target).count == json.loads(out)["messages"] == bag_info(killed.path).count


def test_bag_play(killed: Killed, andante: Command) -> None:
    code, out, err = andante("bag", "play", killed.path, "--speed", 1000, "--json")
    assert code == 0
    told(err, killed)
    assert json.loads(out)["messages"] == bag_info(killed.path).count
    assert json.loads(out)["broken"] == 0


def test_map(killed: Killed, andante: Command, tmp_path: Path) -> None:
    code, out, err = andante("map", killed.path, "-o", tmp_path / "m", "--no-loop-closure", "--json")
    assert code == 0
    told(err, killed)
    assert json.loads(out)["scans"] > killed.flushed
    assert (tmp_path / "m.yaml").exists()


def test_localize_by_uwb(killed: Killed, andante: Command) -> None:
    code, out, err = andante("localize", killed.path, "--uwb", killed.path.parent / "anchors.txt", "--json")
    assert code == 0
    told(err, killed)
    assert json.loads(out)["updates"] > killed.flushed


def test_play(killed: Killed, andante: Command) -> None:
    code, out, err = andante("play", killed.path.parent / "robot.urdf", killed.path, "--seconds", 2, "--json")
    assert code == 0
    told(err, killed)
    found = json.loads(out)
    assert found["kind"] == "recording"
    assert found["tracking"]["joint"] == "swing"
