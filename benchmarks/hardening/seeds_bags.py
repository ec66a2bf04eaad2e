# ruff: noqa: E501 (tables of data)
"""Seeds: rosbag1, MCAP and rosbag2 with scans, odometry, frames and joints; chunks without checksums, so that damage gets in."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from andante.bags import BagTopic, BagWriter, convert_bag, messages
from andante.mapping.records import Odometry
from andante.mapping.scan import Scan

from .seeds import Seed, words
from .seeds_maps import YAML, pgm, short_drive

Message = tuple[str, str, float, dict]  # topic, type, time [s], content


def contents() -> Iterator[Message]:
    """The drive as messages, with frames and some joint states."""
    static = {"header": {"frame_id": "base_link"}, "child_frame_id": "laser", "transform": {"rotation": {"w": 1.0}}}
    yield "/tf_static", "tf2_msgs/msg/TFMessage", 0.0, {"transforms": [static]}
    for record in short_drive().log.records:
        t = record.time + 1.0
        stamp = {"sec": int(t), "nanosec": int(t % 1 * 1e9)}
        if isinstance(record, Odometry):
            x, y, _ = record.pose
            pose = {"pose": {"position": {"x": x, "y": y}, "orientation": {"w": 1.0}}}
            told = {"header": {"frame_id": "odom", "stamp": stamp}, "child_frame_id": "base_link", "pose": pose}
            yield "/odom", "nav_msgs/msg/Odometry", t, told
        elif isinstance(record, Scan):
            scan = {"header": {"frame_id": "laser", "stamp": stamp}, "angle_min": record.angle_min, "range_min": 0.05,
                    "angle_max": record.angle_min + record.angle_increment * (len(record.ranges) - 1), "range_max": 12.0,
                    "angle_increment": record.angle_increment, "ranges": [float(r) for r in record.ranges]}  # fmt: skip
            yield "/scan", "sensor_msgs/msg/LaserScan", t, scan
            joints = {
                "header": {"stamp": stamp},
                "name": ["shoulder", "elbow", "wrist"],
                "position": [0.1 * (t % 2), 0.05, 0.0],
            }
            yield "/joint_states", "sensor_msgs/msg/JointState", t, joints


@cache
def bag1() -> bytes:
    """The drive as rosbag1."""
    return _written("x.bag")


@cache
def mcap_packed() -> bytes:
    """The drive as the recorder writes it: compressed chunks with checksums."""
    return _written("x.mcap")


@cache
def mcap_plain() -> bytes:
    """The drive in one open chunk without checksums."""
    from mcap.writer import CompressionType, Writer

    out = io.BytesIO()
    writer = Writer(out, chunk_size=4096, compression=CompressionType.NONE, enable_crcs=False)
    writer.start(profile="ros2", library="seed")
    channels: dict[str, int] = {}
    for topic, kind, t, content in contents():
        if topic not in channels:
            schema = writer.register_schema(kind, "ros2msg", messages.definition(kind).encode())
            channels[topic] = writer.register_channel(topic, "cdr", schema)
        data = messages.to_cdr(messages.from_dict(kind, content))
        writer.add_message(channels[topic], round(t * 1e9), data, round(t * 1e9))
    writer.finish()
    return out.getvalue()


@cache
def database() -> dict[str, bytes]:
    """The drive as a rosbag2 folder with an sqlite3 file."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "x.mcap"
        source.write_bytes(mcap_packed())
        convert_bag(source, Path(folder) / "drive", storage="sqlite3")
        return {f"drive/{path.name}": path.read_bytes() for path in sorted((Path(folder) / "drive").iterdir())}


def _written(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        with BagWriter(path) as writer:
            for topic, kind, t, content in contents():
                message = messages.from_dict(kind, content)
                if not writer.knows(topic):
                    text = messages.definition(kind, 1 if writer.encoding == "ros1" else 2)
                    writer.add(BagTopic(topic, kind, writer.encoding, text, latched=topic == "/tf_static"))
                data = messages.to_ros1(message) if writer.encoding == "ros1" else messages.to_cdr(message)
                writer.write(topic, round(t * 1e9), data)
        return path.read_bytes()


def seeds() -> Iterator[Seed]:
    """Bags of every kind."""
    room = {"room.yaml": YAML, "room.pgm": pgm()}
    lines = (
        "bag info {in}/%s --json",
        "bag info {in}/%s",
        "bag info {in}/%s --quick --json",
        "bag convert {in}/%s {out}/x.mcap --json",
        "bag convert {in}/%s {out}/x.bag",
    )
    slow = ("bag convert {in}/%s {out}/x.db3 --topic /scan", "map {in}/%s -o {out}/m --json",
             "localize {in}/%s --map {in}/room.yaml --initial-pose 1~1~0 --json")  # fmt: skip
    for name, data in (("b.bag", bag1()), ("plain.mcap", mcap_plain()), ("packed.mcap", mcap_packed())):
        yield Seed(
            "bag",
            name,
            {name: data, **room},
            words(*(line % name for line in lines)),
            (name,),
            words(*(line % name for line in slow)),
        )
    files = {**database(), **room}
    yield Seed(
        "bag",
        "folder",
        files,
        words(*(line % "drive" for line in lines)),
        tuple(database()),
        words(*(line % "drive" for line in slow)),
    )
