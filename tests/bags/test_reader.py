"""`open_bag`: message objects, selection, limits, packed and torn rosbag2 folders and databases."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import zstandard

from andante.bags import BagTopic, BagWriter, bag_info, is_bag, messages, open_bag
from andante.errors import BadInput

NUMBER = "std_msgs/msg/Int32"
KINDS = ["run.mcap", "run.bag", "run.db3", "run", "sqlite"]


def write(path: Path, count: int = 300, **options: Any) -> Path:
    """Numbers on two topics, one a second, from time 5 s on."""
    with BagWriter(path, storage="sqlite3" if path.name == "sqlite" else "mcap", **options) as writer:
        ros = 1 if writer.encoding == "ros1" else 2
        pack = messages.to_ros1 if ros == 1 else messages.to_cdr
        for name in ("/n", "plain"):
            writer.add(BagTopic(name, NUMBER, writer.encoding, messages.definition(NUMBER, ros)))
        for k in range(count):
            writer.write("/n" if k % 2 else "plain", (5 + k) * 10**9, pack(messages.make(NUMBER, data=k)))
    return path


@pytest.mark.parametrize("name", KINDS)
def test_messages_are_chosen_by_topic_and_time(tmp_path: Path, name: str) -> None:
    with open_bag(write(tmp_path / name)) as bag:
        assert (bag.count, bag.duration, bag.whole, bag.broken) == (300, 299.0, True, 0)
        assert [m.data for _, _, m in bag.decoded()] == list(range(300))
        assert [m.data for _, _, m in bag.decoded("/n", stop=15 * 10**9)] == [1, 3, 5, 7, 9]
        assert [m.data for _, _, m in bag.decoded(["plain"], start=300 * 10**9)] == [296, 298]
        assert list(bag.decoded("/none")) == []
        assert {topic.name: topic.type for topic in bag.topics} == {"/n": NUMBER, "plain": NUMBER}
    assert is_bag(tmp_path / name)
    (tmp_path / "empty").mkdir()
    assert not is_bag(tmp_path / "empty")


def test_types_that_only_the_bag_knows_and_broken_messages(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "a.mcap") as writer:
        writer.add(BagTopic("/own", "own_msgs/msg/Pair", "cdr", "int32 first\nint32 second\n"))
        writer.add(BagTopic("/odd", "own_msgs/msg/Odd", "cdr", ""))
        writer.write("/own", 1, b"\0\1\0\0\3\0\0\0\4\0\0\0")
        writer.write("/own", 2, b"\0\1\0\0\3")
        writer.write("/odd", 3, b"\0\1\0\0\3")
    with open_bag(tmp_path / "a.mcap") as bag:
        ((topic, time, message),) = bag.decoded()
        assert (topic.name, time, message.first, message.second) == ("/own", 1, 3, 4)
        assert bag.broken == 1
        assert any("left out: /odd: the bag does not say how own_msgs/msg/Odd is laid out" in n for n in bag.notes)


def test_a_bag_with_too_many_messages_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with open_bag(write(tmp_path / "a.mcap")) as bag:
        assert len(list(bag.decoded(most=300))) == 300
        with pytest.raises(BadInput, match=r"more than 299 messages; `andante bag convert --stop S` cuts it"):
            list(bag.decoded(most=299))


def test_packed_files_and_messages_of_rosbag2(tmp_path: Path) -> None:
    """Files packed as `ros2 bag record --compression-mode file` does, and messages as its mode `message` does."""
    folder = write(tmp_path / "run")
    pack = zstandard.ZstdCompressor().compress
    file = folder / "run_0.mcap"
    (folder / "run_0.mcap.zstd").write_bytes(pack(file.read_bytes()))
    file.unlink()
    meta = folder / "metadata.yaml"
    meta.write_text(meta.read_text().replace("run_0.mcap", "run_0.mcap.zstd"))
    with open_bag(folder) as bag:
        assert bag.whole
        assert [m.data for _, _, m in bag.decoded()] == list(range(300))
    with BagWriter(tmp_path / "packed") as writer:
        writer.add(BagTopic("/n", NUMBER, "cdr", messages.definition(NUMBER)))
        writer.write("/n", 1, pack(messages.to_cdr(messages.make(NUMBER, data=7))))
    with open_bag(tmp_path / "packed") as bag:
        assert [m.data for _, _, m in bag.decoded()] == [7]


def test_a_folder_tells_which_of_its_files_are_lost(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", 3000, max_size=16384)
    files = sorted(folder.glob("*.mcap"))
    assert len(files) > 2
    files[1].unlink()
    torn = files[-1].read_bytes()
    files[-1].write_bytes(torn[: len(torn) // 2])
    found = bag_info(folder)
    assert not found.whole
    assert f"{files[1].name} is missing" in found.notes[0]
    assert any(files[-1].name in note and "salvaged" in note for note in found.notes)
    assert 0 < found.count < 3000
    (folder / "metadata.yaml").write_text("nonsense: [")
    assert "its metadata.yaml cannot be used" in bag_info(folder).notes[0]


@pytest.mark.parametrize("fraction", [0.3, 0.6, 0.9])
def test_a_cut_database_gives_what_is_left(tmp_path: Path, fraction: float) -> None:
    path = write(tmp_path / "run.db3", 5000)
    raw = path.read_bytes()
    path.write_bytes(raw[: int(fraction * len(raw))])
    with open_bag(path) as bag:
        numbers = [m.data for _, _, m in bag.decoded()]
        assert 0.5 * fraction * 5000 < len(numbers) < 5000
        assert numbers == sorted(set(numbers))
        assert not bag.whole
        assert any("salvaged" in note for note in bag.notes)


def test_a_damaged_page_of_a_database_is_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "run.db3", 5000)
    raw = bytearray(path.read_bytes())
    with sqlite3.connect(path) as base:
        size = base.execute("PRAGMA page_size").fetchone()[0]
    middle = len(raw) // 2 // size * size
    raw[middle : middle + 2 * size] = os.urandom(1) * (2 * size)
    path.write_bytes(raw)
    with open_bag(path) as bag:
        numbers = [m.data for _, _, m in bag.decoded()]
    assert 4000 < len(numbers) < 5000
    assert numbers[-1] == 4999
    assert len(numbers) == len(set(numbers))


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.db3").write_bytes(b"SQLite format 3\0" + bytes(2000))
    with pytest.raises(BadInput, match="it may be cut off or damaged"):
        open_bag(tmp_path / "x.db3")
    with pytest.raises(BadInput, match="cannot be read: "):
        open_bag(tmp_path / f"{'x' * 300}.mcap")
