"""Bags from one kind into another, and what is told about them."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.bags import BagTopic, BagWriter, bag_info, convert_bag, messages, open_bag
from andante.bags.salvage import Damage, salvage
from andante.bags.storage import Bag1File, McapFile
from andante.bus import Bus, Player
from andante.errors import BadInput

NUMBER = "std_msgs/msg/Int32"
STATE = "sensor_msgs/msg/JointState"
KINDS = ["run.mcap", "run.bag", "run"]


# ---- conversion -----------------------------------------------------------------------------------
@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", ["new.mcap", "new.bag", "new.db3", "new", "sqlite"])
def test_every_kind_becomes_every_other(tmp_path: Path, source: str, target: str, record: Any, content: Any) -> None:
    record(tmp_path / source, steps=40)
    made = convert_bag(tmp_path / source, tmp_path / target, storage="sqlite3" if target == "sqlite" else "mcap")
    assert (made.count, made.notes) == (61, [])
    assert sorted(content(tmp_path / target)) == sorted(content(tmp_path / source))
    found = bag_info(tmp_path / target)
    assert found.kind == {"new.mcap": "mcap", "new.bag": "rosbag1", "new.db3": "sqlite3"}.get(target, "rosbag2")
    assert {t.name for t in found.topics if t.latched} == {"/map_name"}
    assert sorted(os.listdir(tmp_path)) == sorted([source, target])


def test_parts_can_be_chosen(tmp_path: Path, record: Any, content: Any) -> None:
    record(tmp_path / "run.mcap")
    made = convert_bag(tmp_path / "run.mcap", tmp_path / "part.bag", "/joint_states", start=0.5, stop=1.0)
    assert made.count == 50
    times = [time for _, time, _ in content(tmp_path / "part.bag")]
    assert (times[0], times[-1]) == (5_500_000_000, 5_990_000_000)


def test_types_of_their_own_survive_the_way_there_and_back(tmp_path: Path) -> None:
    """A type that the bus does not know, with a header: by the text in the bag alone."""
    rule = "=" * 80
    text = (
        f"std_msgs/Header header\nodd_msgs/Inner[] inner\n{rule}\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\n"
        f"string frame_id\n{rule}\nMSG: odd_msgs/Inner\nuint8 a\nfloat64 b\n"
    )
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    types = get_typestore(Stores.ROS1_NOETIC)
    types.register(
        {k: v for k, v in get_types_from_msg(text, "odd_msgs/msg/Odd").items() if not k.startswith("std_msgs")}
    )
    inner = types.types["odd_msgs/msg/Inner"]
    head = types.types["std_msgs/msg/Header"](0, types.types["builtin_interfaces/msg/Time"](3, 4), "map")
    raw = bytes(
        types.serialize_ros1(types.types["odd_msgs/msg/Odd"](head, [inner(1, 0.5), inner(2, 1.5)]), "odd_msgs/msg/Odd")
    )
    with BagWriter(tmp_path / "a.bag") as writer:
        writer.add(BagTopic("/odd", "odd_msgs/msg/Odd", "ros1", text))
        writer.write("/odd", 7, raw)
    convert_bag(tmp_path / "a.bag", tmp_path / "b.mcap")
    convert_bag(tmp_path / "b.mcap", tmp_path / "c.bag")
    with open_bag(tmp_path / "c.bag") as bag:
        (message,) = bag.messages()
        assert message.data == raw
        assert message.topic.type == "odd_msgs/msg/Odd"
    bus, got = Bus(), []
    player = Player(bus, tmp_path / "a.bag")
    bus.subscribe("/odd", None, got.append)
    player.play_all()
    assert [entry.b for entry in got[0].inner] == [0.5, 1.5]
    assert got[0].header.frame_id == "map"


def test_types_that_ros1_lays_out_otherwise_are_converted_by_their_fields(tmp_path: Path) -> None:
    name = "visualization_msgs/msg/Marker"
    marker = messages.make(name, ns="a", id=3, scale={"x": 2.0}, texture_resource="only in ROS 2")
    with BagWriter(tmp_path / "a.mcap") as writer:
        writer.add(BagTopic("/m", name, "cdr", messages.definition(name)))
        writer.write("/m", 7, messages.to_cdr(marker))
    convert_bag(tmp_path / "a.mcap", tmp_path / "b.bag")
    convert_bag(tmp_path / "b.bag", tmp_path / "c.mcap")
    with open_bag(tmp_path / "c.mcap") as bag:
        (message,) = bag.messages()
    back = messages.from_cdr(name, message.data)
    assert (back.ns, back.id, back.scale.x, back.texture_resource) == ("a", 3, 2.0, "")


def test_topics_that_cannot_be_told_and_broken_messages_are_left_out_with_a_note(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "a.bag") as writer:
        writer.add(BagTopic("/odd", "odd_msgs/msg/Other", "ros1", "nonsense nonsense nonsense ["))
        writer.add(BagTopic("/n", NUMBER, "ros1", messages.definition(NUMBER, 1)))
        writer.write("/n", 1, messages.to_ros1(messages.make(NUMBER, data=5)))
        writer.write("/n", 2, b"\x00")
    file = McapFile(tmp_path / "b.mcap", 1000)
    number = file.add(BagTopic("/odd", "odd_msgs/msg/Other", "cdr", "nonsense ["))
    file.write(number, 5, b"abcd")
    file.close()
    made = convert_bag(tmp_path / "a.bag", tmp_path / "new.mcap")
    assert made.count == 1
    assert made.notes == ["/n: 1 broken messages left out"]
    made = convert_bag(tmp_path / "b.mcap", tmp_path / "new.bag")
    assert made.count == 0
    assert any("left out" in note and "odd_msgs/msg/Other" in note for note in made.notes)


def foreign(path: Path) -> None:
    """An MCAP file of another maker: JSON and ROS 1 messages side by side."""
    from mcap.writer import Writer

    with path.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="")
        schema = writer.register_schema("std_msgs/Int32", "ros1msg", b"int32 data\n")
        numbers = writer.register_channel("/numbers", "ros1", schema)
        schema = writer.register_schema("sensor_msgs/msg/Image", "jsonschema", b"{}")
        words = writer.register_channel("/words", "json", schema)
        for k in range(5):
            writer.add_message(numbers, k, messages.to_ros1(messages.make(NUMBER, data=k)), k)
            writer.add_message(words, k, b'{"k": 1}', k)
        writer.finish()


def test_files_of_other_makers_give_what_is_ros(tmp_path: Path) -> None:
    foreign(tmp_path / "other.mcap")
    found = bag_info(tmp_path / "other.mcap")
    assert {(t.name, t.type, t.count) for t in found.topics} == {
        ("/numbers", NUMBER, 5),
        ("/words", "sensor_msgs/msg/Image", 5),
    }
    made = convert_bag(tmp_path / "other.mcap", tmp_path / "new.bag")
    assert made.count == 5
    assert any("/words: its messages are json, not those of ROS" in note for note in made.notes)
    bus, got = Bus(), []
    player = Player(bus, tmp_path / "other.mcap")
    bus.subscribe("/numbers", None, lambda m: got.append(m.data))
    player.play_all()
    assert got == list(range(5))
    assert "/words" not in bus.topics()


@pytest.mark.parametrize(
    ("target", "options", "fragment"),
    [
        ("run.mcap", {}, "exists already"),
        ("new", {"storage": "tape"}, "one of mcap, sqlite3, got 'tape'"),
        ("new.db3", {"max_size": 10_000}, "sqlite storage is not split"),
        ("new.txt", {}, "recordings are .mcap, .bag"),
        ("none/new.mcap", {}, "no such folder"),
        ("new.mcap", {"topics": ["/other"]}, "has no topic /other; it has /"),
    ],
)
def test_conversions_are_checked_and_leave_nothing(
    tmp_path: Path, target: str, options: Any, fragment: str, record: Any
) -> None:
    record(tmp_path / "run.mcap", steps=4)
    with pytest.raises(BadInput, match=re.escape(fragment)):
        convert_bag(tmp_path / "run.mcap", tmp_path / target, **options)
    assert os.listdir(tmp_path) == ["run.mcap"]


SAMPLES = st.lists(
    st.tuples(st.sampled_from(["/a", "/b", "/c"]), st.integers(0, 2**40), st.text(max_size=40)), max_size=40
)


@settings(max_examples=25, deadline=None)
@given(samples=SAMPLES, chunk=st.integers(1, 2000), flushes=st.sets(st.integers(0, 40), max_size=5))
def test_anything_written_is_read_by_others(samples: list[tuple[str, int, str]], chunk: int, flushes: set[int]) -> None:
    """Any order of topics and times, any size of chunks: rosbags and mcap give all of it back, by time."""
    from mcap.reader import make_reader
    from rosbags.rosbag1 import Reader as Reader1
    from rosbags.rosbag2 import Reader as Reader2

    name = "std_msgs/msg/String"
    with tempfile.TemporaryDirectory() as folder:
        for file, ros, pack in (
            (McapFile(Path(folder) / "x.mcap", chunk), 2, messages.to_cdr),
            (Bag1File(Path(folder) / "x.bag", chunk), 1, messages.to_ros1),
        ):
            channels: dict[str, int] = {}
            expected = []
            for k, (topic, stamp, text) in enumerate(samples):
                if topic not in channels:
                    channels[topic] = file.add(BagTopic(topic, name, file.encoding, messages.definition(name, ros)))
                data = pack(messages.make(name, data=text))
                file.write(channels[topic], stamp, data)
                expected.append((topic, stamp, data))
                if k in flushes:
                    file.flush()
            file.close()
            with (Reader1 if ros == 1 else Reader2)(file.path) as reader:
                read = [(c.topic, t, bytes(d)) for c, t, d in reader.messages()]
            assert sorted(read) == sorted(expected)
            assert [t for _, t, _ in read] == sorted(t for _, t, _ in read)
            assert sorted((t.name, s, d) for t, s, d in salvage(file.path, Damage())) == sorted(expected)
        with (Path(folder) / "x.mcap").open("rb") as stream:
            found = make_reader(stream, validate_crcs=True).iter_messages()
            assert len(list(found)) == len(samples)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pkg/Other x\n", "names pkg/msg/Other and does not say how that is laid out"),
        ("Thing[] x\n", "pkg/msg/Thing holds itself"),
        (
            "T0 x\n"
            + "".join(f"{'=' * 80}\nMSG: pkg/T{k}\nT{k + 1} x\n" for k in range(80))
            + f"{'=' * 80}\nMSG: pkg/T80\n",
            "more than 50 types in each other",
        ),
    ],
)
def test_topics_whose_definition_has_gaps_or_circles_are_left_out(tmp_path: Path, text: str, said: str) -> None:
    with BagWriter(tmp_path / "a.mcap") as writer:
        writer.add(BagTopic("/x", "pkg/msg/Thing", "cdr", text))
        writer.write("/x", 0, b"\0\1\0\0\0\0\0\0")
        writer.add(BagTopic("/n", NUMBER, "cdr", messages.definition(NUMBER)))
        writer.write("/n", 1, messages.to_cdr(messages.make(NUMBER, data=3)))
    made = convert_bag(tmp_path / "a.mcap", tmp_path / "b.bag")
    assert made.count == 1
    assert len(made.notes) == 1
    assert re.search(f"left out: pkg/msg/Thing: its definition .*{said}", made.notes[0])
    with open_bag(tmp_path / "a.mcap") as bag:
        player = Player(Bus(), bag)
        assert any(said in note for note in player.notes)


def test_sums_of_types_in_types_are_made_once() -> None:
    from andante.bags.messages.definitions import md5_of, private_store

    text = "T0 a\nT0 b\n" + "".join(f"{'=' * 80}\nMSG: pkg/T{k}\nT{k + 1} a\nT{k + 1} b\n" for k in range(40))
    types = private_store(f"{text}{'=' * 80}\nMSG: pkg/T40\nint8 a\n", "pkg/msg/Thing", ros2=False)
    assert len(md5_of(types, "pkg/msg/Thing")) == 32
