"""`andante bench bus`: what it costs to say something, beside the bare work that cannot be saved.

CPU time of this process, the sides taking turns, the fastest of several rounds. A joint state has 26 joints, a tf
message 30 frames. Baselines: an empty method call, a queue and a call written by hand, the codecs of `rosbags`, the
writer of `mcap`, and products of numpy matrices for a transform over five frames.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from timeit import Timer
from typing import Any

import numpy as np

from andante.bags import BagTopic, messages
from andante.bags.storage import McapFile
from andante.bags.writer import CHUNK
from andante.bus import Bus, TfBuffer

from .rows import Row

ROUNDS = 5
JOINTS, FRAMES, DEPTH = 26, 30, 5
STATE, TF = "sensor_msgs/msg/JointState", "tf2_msgs/msg/TFMessage"


def run(seconds: float, quiet: bool) -> tuple[Row, ...]:
    """A row per case, in microseconds per message."""
    del quiet  # nothing is left out
    fraction = max(0.02, seconds / (7 * 2 * ROUNDS))
    rows = []
    for case, ours, bare in (
        ("publish, nobody listens", *nobody()),
        ("joint state to one listener", *one_listener()),
        ("pack joint state, CDR", *packed(joint_state())),
        ("pack tf of 30 frames, CDR", *packed(frames())),
        ("joint state to ROS 1 bytes", *ros1(joint_state())),
        *(("record joint state, MCAP", *sides) for sides in recorded()),
        ("transform over 5 frames", *transform()),
    ):
        mine, theirs = fastest((ours, bare), fraction)
        rows.append(Row(case, 1e6 * mine, 1e6 * theirs, "us"))
    return tuple(rows)


def fastest(sides: tuple[Callable[[], object], ...], fraction: float) -> list[float]:
    """Least CPU time of one call of each side [s]; the sides take turns."""
    timers, counts = [Timer(side, timer=time.process_time) for side in sides], []
    for timer in timers:
        count, spent = 1, 0.0
        while spent < fraction / 4:
            count *= 2
            spent = timer.timeit(count)
        counts.append(max(1, round(count * fraction / max(spent, 1e-9))))
    rounds = [[timer.timeit(n) / n for timer, n in zip(timers, counts, strict=True)] for _ in range(ROUNDS)]
    return [min(times) for times in zip(*rounds, strict=True)]


def joint_state() -> Any:
    """A joint state of a humanoid."""
    values = np.linspace(-1.0, 1.0, JOINTS)
    names = [f"joint_{k}" for k in range(JOINTS)]
    return messages.make(
        STATE, header=messages.header(1.0, "base_link"), name=names, position=values, velocity=values, effort=values
    )


def frames() -> Any:
    """A tf message of a humanoid."""
    return messages.make(
        TF,
        transforms=[
            {
                "header": messages.header(1.0, "odom"),
                "child_frame_id": f"link_{k}",
                "transform": {"rotation": {"w": 1.0}},
            }
            for k in range(FRAMES)
        ],
    )


def nobody() -> tuple[Callable[[], object], Callable[[], object]]:
    """A publish that reaches nobody, and an empty call."""
    publisher, message = Bus().advertise("/joint_states", STATE), joint_state()

    class Nothing:
        def publish(self, message: object) -> bool:
            return False

    nothing = Nothing()
    return lambda: publisher.publish(message), lambda: nothing.publish(message)


def one_listener() -> tuple[Callable[[], object], Callable[[], object]]:
    """Publish, spin and callback, and the same with a bare queue."""
    bus, message = Bus(), joint_state()
    publisher = bus.advertise("/joint_states", STATE)
    bus.subscribe("/joint_states", STATE, lambda _message: None)
    queue: deque[Any] = deque()

    def ours() -> None:
        publisher.publish(message)
        bus.spin()

    def bare() -> None:
        queue.append(message)
        while queue:
            _listen(queue.popleft())

    return ours, bare


def _listen(message: object) -> None:
    """A listener that does nothing."""


def packed(message: Any) -> tuple[Callable[[], object], Callable[[], object]]:
    """Our packing and that of rosbags."""
    types, name = messages.store(), messages.type_of(message)
    return lambda: messages.to_cdr(message), lambda: types.serialize_cdr(message, name)


def ros1(message: Any) -> tuple[Callable[[], object], Callable[[], object]]:
    """Our ROS 1 bytes and those of rosbags with messages of its ROS 1 store."""
    types, name = messages.ros1_store(), messages.type_of(message)
    theirs = types.deserialize_ros1(messages.to_ros1(message), name)
    return lambda: messages.to_ros1(message), lambda: types.serialize_ros1(theirs, name)


def recorded() -> Iterator[tuple[Callable[[], object], Callable[[], object]]]:
    """A packed joint state into our MCAP file and into that of the mcap library, to memory; nothing without that."""
    try:
        from mcap.writer import Writer
    except ImportError:
        sys.stderr.write("left out: record joint state, MCAP: the package mcap is not installed\n")
        return

    data = messages.to_cdr(joint_state())
    with tempfile.TemporaryDirectory() as folder:
        ours = McapFile(Path(folder) / "bench.mcap", CHUNK)
        ours.abandon()
    ours._file = _Sink()
    channel = ours.add(BagTopic("/joint_states", STATE, "cdr", messages.definition(STATE)))
    writer = Writer(_Sink(), chunk_size=ours.chunk_size)
    writer.start(profile="ros2")
    schema = writer.register_schema(STATE, "ros2msg", messages.definition(STATE).encode())
    number = writer.register_channel("/joint_states", "cdr", schema)
    yield lambda: ours.write(channel, 1, data), lambda: writer.add_message(number, 1, data, 1)


class _Sink(io.BytesIO):
    """Takes everything and keeps nothing."""

    def write(self, data: Any) -> int:
        return len(data)


def transform() -> tuple[Callable[[], object], Callable[[], object]]:
    """A lookup between two instants through a chain of frames, and the product of their matrices alone."""
    buffer = TfBuffer()
    for k in range(DEPTH):
        for t in np.arange(0.0, 5.0, 0.02):
            buffer.set_pose(f"f{k}", f"f{k + 1}", float(t), (0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0))
    matrices = [np.eye(4) for _ in range(DEPTH)]

    def bare() -> Any:
        out = np.eye(4)
        for matrix in matrices:
            out = out @ matrix
        return out

    return lambda: buffer.lookup("f0", f"f{DEPTH}", 2.511), bare
