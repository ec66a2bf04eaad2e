"""The files that bags are written to: rosbag1, MCAP, sqlite; whole, with open chunks, and abandoned."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from andante.bags import BagTopic, messages, open_bag
from andante.bags.salvage import Damage, salvage
from andante.bags.storage import Bag1File, Db3File, McapFile, journals, recovered
from andante.bags.writer import BagFile

NUMBER = "std_msgs/msg/Int32"
FILES: list[tuple[Callable[[Path, int], BagFile], str]] = [(Bag1File, ".bag"), (McapFile, ".mcap"), (Db3File, ".db3")]


def topic(encoding: str, name: str = "/n") -> BagTopic:
    return BagTopic(name, NUMBER, encoding, messages.definition(NUMBER, 1 if encoding == "ros1" else 2), latched=True)


def packed(encoding: str, value: int) -> bytes:
    message = messages.make(NUMBER, data=value)
    return messages.to_ros1(message) if encoding == "ros1" else messages.to_cdr(message)


@pytest.mark.parametrize(("make", "suffix"), FILES)
def test_what_is_written_is_read(tmp_path: Path, make: Callable[[Path, int], BagFile], suffix: str) -> None:
    path = tmp_path / f"run{suffix}"
    file = make(path, 100)  # chunks of a few messages
    one, two = file.add(topic(file.encoding)), file.add(topic(file.encoding, "/other"))
    assert one != two
    for k in range(50):
        file.write(one if k % 2 else two, k * 10**9, packed(file.encoding, k))
    assert file.size > 0
    file.close()
    with open_bag(path) as bag:
        assert bag.whole
        assert [(m.data, t) for _, t, m in bag.decoded()] == [(k, k * 10**9) for k in range(50)]
        assert {topic.name: (topic.count, topic.latched) for topic in bag.topics} == {
            "/n": (25, True),
            "/other": (25, True),
        }


@pytest.mark.parametrize(("make", "suffix"), FILES)
def test_what_was_flushed_survives_a_file_that_is_abandoned(
    tmp_path: Path, make: Callable[[Path, int], BagFile], suffix: str
) -> None:
    path = tmp_path / f"run{suffix}"
    file = make(path, 1 << 20)
    channel = file.add(topic(file.encoding))
    file.write(channel, 1, packed(file.encoding, 1))
    file.flush()
    file.write(channel, 2, packed(file.encoding, 2))
    file.abandon()
    assert [time for _, time, _ in salvage(path, Damage())] == [1]


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    for make, suffix in FILES:
        path = tmp_path / f"run{suffix}"
        path.write_bytes(b"mine")
        with pytest.raises(FileExistsError):
            make(path, 1000)
        assert path.read_bytes() == b"mine"


def test_a_database_is_recovered_by_its_journal(tmp_path: Path) -> None:
    path = tmp_path / "run.db3"
    file = Db3File(path, 1 << 20)
    channel = file.add(topic("cdr"))
    file.write(channel, 1, packed("cdr", 1))
    file.close()
    assert journals(path) == []
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode = WAL").fetchall()
    base.execute("INSERT INTO messages VALUES(NULL, 1, 2, ?)", (packed("cdr", 2),))
    base.commit()
    assert journals(path) == [tmp_path / "run.db3-wal"]
    folder = tmp_path / "copy"
    folder.mkdir()
    copy = recovered(path, folder)
    base.close()
    with sqlite3.connect(copy) as plain:
        assert plain.execute("SELECT count(*) FROM messages").fetchone() == (2,)
