"""What is saved of packed bags that end early or are damaged in the middle, record by record."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag1 import Writer as Bag1Writer
from rosbags.typesys import Stores, get_typestore

from andante.bags.salvage import Damage, salvage

COUNT = 120
RNG = np.random.default_rng(3)
SENT = [RNG.integers(0, 256, 200).astype(np.uint8).tobytes() for _ in range(COUNT)]  # hardly to be packed smaller
BAG_MAGIC = b"#ROSBAG V2.0\n"


def bag1(path: Path, compression: str) -> Path:
    writer = Bag1Writer(path)
    if compression != "none":
        writer.set_compression(Bag1Writer.CompressionFormat[compression.upper()])
    writer.chunk_threshold = 4096
    writer.open()
    topic = writer.add_connection("/n", "std_msgs/msg/ByteMultiArray", typestore=get_typestore(Stores.ROS1_NOETIC))
    for k, data in enumerate(SENT):
        writer.write(topic, k + 1, data)
    writer.close()
    return path


def mcap(path: Path, compression: str) -> Path:
    with path.open("wb") as file:
        writer = McapWriter(file, chunk_size=4096, compression=CompressionType[compression.upper()])
        writer.start()
        schema = writer.register_schema("std_msgs/msg/ByteMultiArray", "ros2msg", b"byte[] data")
        topic = writer.register_channel("/n", "cdr", schema)
        for k, data in enumerate(SENT):
            writer.add_message(topic, k + 1, data, k + 1, k)
        writer.finish()
    return path


WRITTEN = [
    pytest.param(bag1, "none", "b.bag", id="bag"),
    pytest.param(bag1, "bz2", "b.bag", id="bag-bz2"),
    pytest.param(bag1, "lz4", "b.bag", id="bag-lz4"),
    pytest.param(mcap, "none", "b.mcap", id="mcap"),
    pytest.param(mcap, "lz4", "b.mcap", id="mcap-lz4"),
    pytest.param(mcap, "zstd", "b.mcap", id="mcap-zstd"),
]


def saved(path: Path) -> tuple[list[int], Damage]:
    """Numbers of the messages that were found, each whole, and what was wrong."""
    damage, numbers = Damage(), []
    for topic, stamp, data in salvage(path, damage):
        assert topic.name == "/n"
        assert data == SENT[stamp - 1]
        numbers.append(stamp)
    return numbers, damage


@pytest.mark.parametrize(("write", "compression", "name"), WRITTEN)
def test_a_cut_bag_gives_all_before_the_cut(tmp_path, write, compression, name):
    path = write(tmp_path / name, compression)
    whole = path.read_bytes()
    numbers, damage = saved(path)
    assert numbers == list(range(1, COUNT + 1))
    assert not damage.cut
    before = 0
    for fraction in (0.3, 0.5, 0.7):
        path.write_bytes(whole[: int(fraction * len(whole))])
        numbers, damage = saved(path)
        assert numbers == list(range(1, len(numbers) + 1))
        assert damage.cut
        assert len(numbers) > before
        before = len(numbers)


@pytest.mark.parametrize(("write", "compression", "name"), [each for each in WRITTEN if each.values[1] != "none"])
def test_a_damaged_chunk_costs_only_itself(tmp_path, write, compression, name):
    path = write(tmp_path / name, compression)
    whole = bytearray(path.read_bytes())
    middle = whole.find(SENT[COUNT // 2][20:28])  # random bytes stand as they are in what cannot be packed
    middle = middle if middle > 0 else len(whole) // 2
    whole[middle - 200 : middle + 200] = bytes(400)
    path.write_bytes(whole)
    numbers, damage = saved(path)
    assert 1 in numbers
    assert COUNT in numbers
    assert COUNT - 50 < len(numbers) < COUNT
    assert damage.chunks >= 1


def record1(header: bytes, content: bytes = b"") -> bytes:
    return struct.pack("<I", len(header)) + header + struct.pack("<I", len(content)) + content


def field(text: bytes) -> bytes:
    return struct.pack("<I", len(text)) + text


@pytest.mark.parametrize(
    "records",
    [
        record1(field(b"op=")),  # an empty number of the kind
        record1(field(b"op=\x05")),  # a chunk without a size
        record1(field(b"op=\x05") + field(b"size=\x04\0\0\0") + field(b"compression=rar"), b"abcd"),
        record1(field(b"op=\x05") + field(b"size=\xff\xff\xff\xff"), b"abcd"),
        record1(field(b"op=\x05") + field(b"size=\x0f\0\0\0"), record1(field(b"op="))),  # the same inside a chunk
        record1(field(b"op=\x02") + field(b"conn=\0\0\0\0") + field(b"time=\1"), b"x"),
        record1(b"\xff\xff\xff\xff"),
    ],
)
def test_odd_records_of_old_bags_are_passed_over(tmp_path, records):
    path = tmp_path / "odd.bag"
    path.write_bytes(BAG_MAGIC + records)
    assert saved(path)[0] == []


@pytest.mark.parametrize(
    ("records", "words"),
    [
        (struct.pack("<BQ", 0xEE, 4) + b"abcd", "nonsense from byte 8 on"),
        (struct.pack("<BQ", 0x05, 3) + b"abc", ""),  # a message that is too short
        (struct.pack("<BQ", 0x06, 3) + b"abc", ""),  # a chunk that is none
        (struct.pack("<BQ", 0x03, 2) + b"ab", ""),
        (struct.pack("<BQ", 0x01, 0), ""),
    ],
)
def test_odd_records_of_mcap_are_passed_over(tmp_path, records, words):
    path = tmp_path / "odd.mcap"
    path.write_bytes(b"\x89MCAP0\r\n" + records)
    numbers, damage = saved(path)
    assert numbers == []
    assert words in " ".join(damage.words)


def test_what_a_bag_gains_while_it_is_read_is_left(tmp_path):
    """As of the moment at which reading began; a size that was measured before is never taken for a length."""
    whole = mcap(tmp_path / "whole.mcap", "none").read_bytes()
    ends, place = [], 8
    while place < len(whole) // 2:  # between two records, where no length tells of the end
        place += 9 + struct.unpack_from("<Q", whole, place + 1)[0]
        ends += [place] if whole[place] == 0x06 else []
    path = tmp_path / "growing.mcap"
    path.write_bytes(whole[: ends[-1]])
    early, _ = saved(path)
    damage = Damage()
    found = salvage(path, damage)
    numbers = [next(found)[1]]
    with path.open("ab") as file:
        file.write(whole[ends[-1] :])
    numbers += [stamp for _, stamp, _ in found]
    assert [number - 1 for number in numbers] == [number - numbers[0] for number in numbers] == list(range(len(early)))
