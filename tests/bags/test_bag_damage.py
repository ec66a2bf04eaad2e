"""Bags after crashes and damage: what is left is read, told and repaired."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from andante.bags import BagTopic, BagWriter, bag_info, convert_bag, messages, open_bag
from andante.bags.salvage import Damage, salvage
from andante.bus import Bus, Recorder
from andante.errors import BadInput

NUMBER = "std_msgs/msg/Int32"
STATE = "sensor_msgs/msg/JointState"
KINDS = ["run.mcap", "run.bag", "run"]


# ---- crashes --------------------------------------------------------------------------------------
CRASHER = """
import sys, time
from andante.bags import messages
from andante.bus import Bus, Recorder
bus = Bus()
publisher = bus.advertise("/n", "std_msgs/msg/Int32")
recorder = Recorder(bus, sys.argv[1], "/n")
k = 0
while True:
    bus.clock.advance_to(k * 0.01)
    publisher.publish(messages.make("std_msgs/msg/Int32", data=k))
    bus.spin()
    if k % 50 == 0:
        recorder.writer.flush()
        print(k, flush=True)
    k += 1
    time.sleep(0.0005)
"""


@pytest.mark.parametrize("name", KINDS)
def test_what_was_written_before_kill_9_is_readable(tmp_path: Path, name: str, content: Any) -> None:
    """A real process killed in mid-run: all it had flushed is read, told, and made whole again."""
    path = tmp_path / name
    process = subprocess.Popen([sys.executable, "-c", CRASHER, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        told = -1
        while told < 300:
            told = int(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)
    found = bag_info(path)
    assert not found.whole
    assert found.count > told
    assert any("has no index" in note for note in found.notes)
    read = [messages.from_cdr(NUMBER, data).data for _, _, data in content(path)]
    assert read == list(range(len(read)))
    repaired = tmp_path / f"repaired{path.suffix or '.mcap'}"
    made = convert_bag(path, repaired)
    assert made.count == len(read)
    assert any("has no index" in note for note in made.notes)
    assert bag_info(repaired).whole
    assert content(repaired) == content(path)


@pytest.mark.parametrize("name", KINDS)
def test_what_waits_is_on_the_disk_half_a_second_later(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the wall's clock: that of the bus stands still."""
    wall = [100.0]
    monkeypatch.setattr("andante.bags.writer.time.monotonic", lambda: wall[0])
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    recorder = Recorder(bus, tmp_path / name, "/n")

    def on_disk() -> int:
        bus.spin()
        recorder.keep_safe()
        return bag_info(tmp_path / name).count

    publisher.publish(messages.make(NUMBER, data=1))
    assert on_disk() == 0
    wall[0] += 0.5
    assert on_disk() == 1
    publisher.publish(messages.make(NUMBER, data=2))
    wall[0] += 0.4
    assert on_disk() == 1
    wall[0] += 0.1
    assert on_disk() == 2
    recorder.close()


def test_rosbag_of_debian_can_reindex_a_bag_that_was_cut(tmp_path: Path, debian_ros: Path) -> None:
    writer = BagWriter(tmp_path / "cut.bag")
    writer.add(BagTopic("/n", NUMBER, "ros1", messages.definition(NUMBER, 1)))
    for k in range(10):
        writer.write("/n", k, messages.to_ros1(messages.make(NUMBER, data=k)))
    writer.flush()
    writer.abandon()
    ran = subprocess.run(["rosbag", "reindex", tmp_path / "cut.bag"], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert bag_info(tmp_path / "cut.bag").whole
    assert bag_info(tmp_path / "cut.bag").count == 10


@pytest.mark.parametrize("name", ["run.mcap", "run.bag"])
def test_bags_cut_anywhere_give_what_is_left_or_clear_words(tmp_path: Path, name: str) -> None:
    """Cut at many places: never a traceback, and never less than the chunks that are whole."""
    path = tmp_path / name
    with BagWriter(path) as writer:
        encoding = writer.encoding
        pack: Callable[[Any], bytes] = messages.to_ros1 if encoding == "ros1" else messages.to_cdr
        writer.add(BagTopic("/n", NUMBER, encoding, messages.definition(NUMBER, 1 if encoding == "ros1" else 2)))
        for k in range(60):
            writer.write("/n", k * 1000, pack(messages.make(NUMBER, data=k)))
            if k % 10 == 9:
                writer.flush()
    raw = path.read_bytes()
    cut = tmp_path / f"cut{path.suffix}"
    counts = []
    for end in [*range(0, len(raw), max(1, len(raw) // 60)), len(raw) - 1]:
        cut.write_bytes(raw[:end])
        try:
            bag = open_bag(cut)
        except BadInput:
            counts.append(0)
            continue
        with bag:
            counts.append(len(list(bag.messages())))
            assert bag.count == counts[-1]
            assert not bag.whole or counts[-1] == 60
    assert counts == sorted(counts)
    assert counts[-1] == 60
    assert len(set(counts)) >= 6


@pytest.mark.parametrize("name", ["run.mcap", "run.bag"])
def test_a_damaged_chunk_is_left_out_and_the_rest_saved(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with BagWriter(path) as writer:
        encoding = writer.encoding
        pack: Callable[[Any], bytes] = messages.to_ros1 if encoding == "ros1" else messages.to_cdr
        writer.add(
            BagTopic(
                "/s",
                "std_msgs/msg/String",
                encoding,
                messages.definition("std_msgs/String", 1 if encoding == "ros1" else 2),
            )
        )
        text = np.random.default_rng(0)
        places = []
        for k in range(6):
            places.append(writer.size)
            for _ in range(10):
                data = "".join(map(chr, text.integers(33, 126, 80)))
                writer.write("/s", k * 1000, pack(messages.make("std_msgs/String", data=f"{k} {data}")))
            writer.flush()
    raw = bytearray(path.read_bytes())
    middle = places[3] + (places[4] - places[3]) // 2
    raw[middle : middle + 40] = bytes(40)
    path.write_bytes(raw)
    made = convert_bag(path, tmp_path / f"repaired{path.suffix}")
    if name == "run.mcap":  # checksums tell; rosbag1 has none, so only what cannot be read is missing
        assert made.count == 50
        assert any("1 damaged chunks left out" in note for note in made.notes)
        with open_bag(path) as bag:
            assert bag.whole
            assert len(list(bag.messages())) == 50
            assert not bag.whole
            assert any(re.search("is damaged .*andante bag convert", note) for note in bag.notes)
            assert len(list(bag.messages())) == 50
    else:
        assert 50 <= made.count <= 60


@pytest.mark.parametrize(
    ("name", "data", "fragment"),
    [
        ("a.mcap", b"", "is empty"),
        ("a.bag", b"hello world, this is no bag", "neither an MCAP file nor a rosbag1"),
        ("a.mcap", b"hello world, this is no bag", "neither an MCAP file nor a rosbag1"),
        ("a.db3", b"hello world, this is no bag" * 100, "cannot be read as a bag, it may be cut off or damaged"),
        ("a.bag.gz", b"x", "is packed; unpack it first, then name"),
        ("a.txt", b"x", "bags are .bag (rosbag1), .mcap, .db3, or a rosbag2 folder"),
    ],
)
def test_what_is_no_bag_is_told(tmp_path: Path, name: str, data: bytes, fragment: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInput, match=re.escape(fragment)):
        open_bag(tmp_path / name)


def test_missing_bags_and_folders_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such bag"):
        open_bag(tmp_path / "none.bag")
    with pytest.raises(BadInput, match="is a folder without"):
        open_bag(tmp_path)


def test_wild_bytes_behind_the_magic_never_crash_the_salvage(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for k in range(150):
        for suffix, magic in ((".mcap", b"\x89MCAP0\r\n"), (".bag", b"#ROSBAG V2.0\n")):
            path = tmp_path / f"wild{suffix}"
            path.write_bytes(magic + rng.integers(0, 256 if k % 2 else 8, 200).astype(np.uint8).tobytes())
            list(salvage(path, Damage()))


def test_a_folder_without_metadata_is_read_by_its_files(tmp_path: Path, record: Any, content: Any) -> None:
    record(tmp_path / "run", max_size=8192)
    before = content(tmp_path / "run")
    (tmp_path / "run" / "metadata.yaml").unlink()
    assert sorted(content(tmp_path / "run")) == sorted(before)
