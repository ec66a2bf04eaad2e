"""Bags: written by us and read by rosbags, mcap and Debian's rosbag; read back, salvaged, converted, replayed."""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.bus import Bus, messages
from andante.bus.bags import BagTopic, BagWriter, Player, Recorder, TopicChoice, bag_info, convert_bag, open_bag
from andante.bus.bags.bag1_file import Bag1File
from andante.bus.bags.mcap_file import McapFile
from andante.bus.bags.salvage import Damage, salvage
from andante.errors import BadInput

NUMBER = "std_msgs/msg/Int32"
STATE = "sensor_msgs/msg/JointState"
KINDS = ["run.mcap", "run.bag", "run"]


def state(k: int) -> Any:
    return messages.make(STATE, header=messages.header(k * 0.01, "base"), name=["a", "b"], position=[k, math.nan])


def record(path: Path, steps: int = 200, topics: Any = None, start: float = 0.0, **options: Any) -> Recorder:
    """A session of joint states at 100 Hz, a latched map and an empty message that comes up later."""
    bus = Bus()
    bus.clock.reset(start)
    joints = bus.advertise("/joint_states", STATE)
    fixed = bus.advertise("/map_name", "std_msgs/msg/String", latched=True)
    fixed.publish(messages.make("std_msgs/String", data="lab"))
    bus.clock.advance_to(start + 5.0)
    with Recorder(bus, path, topics, **options) as recorder:
        late = None
        for k in range(steps):
            bus.clock.advance_to(start + 5.0 + k * 0.01)
            joints.publish(state(k))
            if k == steps // 2:
                late = bus.advertise("/late", "std_msgs/msg/Empty", sensor=True)
            if late is not None:
                late.publish(messages.make("std_msgs/Empty"))
            bus.spin()
    return recorder


def content(path: Path) -> list[tuple[str, int, bytes]]:
    """Topic, time and CDR of all messages, whatever the kind."""
    from andante.bus.bags.types import converter

    with open_bag(path) as bag:
        ways = {topic.name: converter(topic, "cdr") for topic in bag.topics}
        return [(m.topic.name, m.time, ways[m.topic.name](m.data)) for m in bag.messages()]


# ---- written by us, read by others ---------------------------------------------------------------
@pytest.mark.parametrize("name", KINDS)
def test_rosbags_reads_what_we_record(tmp_path: Path, name: str) -> None:
    from rosbags.highlevel import AnyReader

    recorder = record(tmp_path / name)
    assert recorder.count == 301
    assert not recorder.active
    with AnyReader([tmp_path / name]) as reader:
        assert reader.message_count == 301
        assert {t: i.msgtype for t, i in reader.topics.items()} == {
            "/joint_states": STATE,
            "/late": "std_msgs/msg/Empty",
            "/map_name": "std_msgs/msg/String",
        }
        read = [(c.topic, t, reader.deserialize(raw, c.msgtype)) for c, t, raw in reader.messages()]
    joints: list[Any] = [(t, m) for topic, t, m in read if topic == "/joint_states"]
    assert [t for t, _ in joints] == [5_000_000_000 + k * 10_000_000 for k in range(200)]
    assert [m.position[0] for _, m in joints] == list(range(200))
    assert all(math.isnan(m.position[1]) for _, m in joints)
    (fixed,) = [(t, m) for topic, t, m in read if topic == "/map_name"]
    assert fixed[0] == 5_000_000_000  # latched before: the time of the start of the recording
    assert fixed[1].data == "lab"  # type: ignore[attr-defined]


def test_the_mcap_library_reads_and_checks_what_we_record(tmp_path: Path) -> None:
    from mcap.reader import make_reader
    from mcap.stream_reader import StreamReader

    record(tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        assert reader.get_header().profile == "ros2"
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.message_count == 301
        assert summary.statistics.message_start_time == 5_000_000_000
        assert {schema.encoding for schema in summary.schemas.values()} == {"ros2msg"}
        found = [(channel.topic, message.log_time) for _, channel, message in reader.iter_messages()]
        assert len(found) == 301
        assert [t for _, t in found] == sorted(t for _, t in found)
    with (tmp_path / "run.mcap").open("rb") as file:
        assert sum(1 for _ in StreamReader(file, validate_crcs=True).records) > 301


def test_metadata_of_a_rosbag2_folder(tmp_path: Path) -> None:
    record(tmp_path / "run", max_size=8192)
    told = yaml.safe_load((tmp_path / "run" / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
    assert (told["version"], told["storage_identifier"], told["message_count"]) == (5, "mcap", 301)
    assert told["starting_time"]["nanoseconds_since_epoch"] == 5_000_000_000
    assert told["duration"]["nanoseconds"] == 1_990_000_000
    names = told["relative_file_paths"]
    assert names == [f"run_{k}.mcap" for k in range(len(names))]
    assert len(names) > 1
    assert sum(part["message_count"] for part in told["files"]) == 301
    quality = {
        entry["topic_metadata"]["name"]: yaml.safe_load(entry["topic_metadata"]["offered_qos_profiles"])[0]
        for entry in told["topics_with_message_count"]
    }
    assert quality["/map_name"]["durability"] == 1
    assert quality["/late"]["reliability"] == 2
    assert (quality["/joint_states"]["durability"], quality["/joint_states"]["reliability"]) == (2, 1)
    assert sorted(os.listdir(tmp_path / "run")) == sorted(["metadata.yaml", *names])


@pytest.mark.skipif(shutil.which("rosbag") is None, reason="Debian's rosbag is not installed")
def test_rosbag_of_debian_reads_what_we_record(tmp_path: Path) -> None:
    record(tmp_path / "run.bag", start=100.0)
    ran = subprocess.run(["rosbag", "info", "-y", tmp_path / "run.bag"], capture_output=True, text=True, timeout=60)
    told = yaml.safe_load(ran.stdout)
    assert told["messages"] == 301
    assert told["indexed"] is True
    assert {t["topic"]: (t["type"], t["messages"]) for t in told["topics"]} == {
        "/joint_states": ("sensor_msgs/JointState", 200),
        "/late": ("std_msgs/Empty", 100),
        "/map_name": ("std_msgs/String", 1),
    }
    code = (
        "import rosbag, sys\n"
        "for topic, message, stamp in rosbag.Bag(sys.argv[1]).read_messages(['/joint_states']):\n"
        "    print(stamp.to_nsec(), message.position[0], message.header.frame_id)"
    )
    ran = subprocess.run(
        ["/usr/bin/python3", "-c", code, tmp_path / "run.bag"], capture_output=True, text=True, timeout=60
    )
    assert ran.stdout.splitlines() == [f"{105_000_000_000 + k * 10_000_000} {float(k)} base" for k in range(200)]


# ---- choices, rotation, jumps --------------------------------------------------------------------
@pytest.mark.parametrize(
    ("choice", "taken"),
    [
        (None, "abcd"),
        (["/scan"], "a"),
        (["scan"], "a"),
        ("/camera/*", "bc"),
        (["/camera/*", "/tf"], "bcd"),
        (TopicChoice(regex="image|^/tf$"), "bd"),
        (TopicChoice(exclude=("/camera/*",)), "ad"),
        (TopicChoice(("/camera/*",), exclude_regex="info$"), "b"),
    ],
)
def test_choice_of_topics(choice: Any, taken: str) -> None:
    from andante.bus.bags.topics import chosen

    names = {"a": "/scan", "b": "/camera/image", "c": "/camera/info", "d": "/tf"}
    assert "".join(k for k, name in names.items() if chosen(choice).takes(name)) == taken


def test_a_bad_expression_is_told() -> None:
    with pytest.raises(BadInput, match=re.escape("regex '(' is not a regular expression")):
        TopicChoice(regex="(")


def test_only_chosen_topics_are_heard(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap", topics=["/late", "/map*"])
    assert {topic for topic, _, _ in content(tmp_path / "run.mcap")} == {"/late", "/map_name"}


@pytest.mark.parametrize("name", ["run.mcap", "run.bag"])
def test_rotation_by_size_loses_nothing(tmp_path: Path, name: str) -> None:
    whole = tmp_path / f"whole{Path(name).suffix}"
    record(whole)
    recorder = record(tmp_path / name, max_size=10_000)
    parts = [tmp_path / part.name for part in recorder.writer.parts]
    assert len(parts) > 2
    assert parts[1].name == f"run_1{Path(name).suffix}"
    assert sorted(entry for part in parts for entry in content(part)) == sorted(content(whole))


def test_a_jump_back_of_the_clock_begins_a_new_file(tmp_path: Path) -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    with Recorder(bus, tmp_path / "run") as recorder:
        for start in (0.0, 0.0):
            bus.clock.reset(start)
            for k in range(3):
                bus.clock.advance_to(2.0 * k)
                publisher.publish(messages.make(NUMBER, data=k))
                bus.spin()
    assert [(part.count, part.start, part.end) for part in recorder.writer.parts] == [(3, 0, 4_000_000_000)] * 2
    assert [time for _, time, _ in content(tmp_path / "run")] == [0, 2_000_000_000, 4_000_000_000] * 2


def test_what_is_queued_at_the_end_is_written(tmp_path: Path) -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    recorder = Recorder(bus, tmp_path / "run.mcap")
    publisher.publish(messages.make(NUMBER, data=1))
    recorder.close()
    recorder.close()
    assert recorder.count == 1
    assert not publisher.wanted()
    assert not bus._listeners


def test_an_error_of_the_disk_ends_the_recording_only(tmp_path: Path) -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    lines: list[str] = []
    bus.subscribe("/rosout", None, lambda m: lines.append(m.msg))
    recorder = Recorder(bus, tmp_path / "run.mcap", exclude_log())

    class Full:
        def write(self, data: bytes) -> None:
            raise OSError(28, "No space left on device")

        def flush(self) -> None: ...
        def close(self) -> None: ...

    recorder.writer._file._file.close()  # type: ignore[union-attr]
    recorder.writer._file._file = Full()  # type: ignore[union-attr]
    recorder.writer._file.chunk_size = 1  # type: ignore[union-attr]
    for k in range(3):
        publisher.publish(messages.make(NUMBER, data=k))
        bus.spin()
    assert not recorder.active
    assert recorder.error == f"{tmp_path / 'run.mcap'}: No space left on device"
    assert lines == [f"recording stopped: {recorder.error}"]
    recorder.close()


def exclude_log() -> TopicChoice:
    return TopicChoice(exclude=("/rosout",))


def test_a_message_that_cannot_be_packed_is_left_out(tmp_path: Path) -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    bad = messages.make(NUMBER)
    bad.data = "x"
    with Recorder(bus, tmp_path / "run.mcap", exclude_log()) as recorder:
        publisher.publish(bad)
        publisher.publish(messages.make(NUMBER, data=2))
        bus.spin()
    assert recorder.count == 1


@pytest.mark.parametrize(
    ("name", "options", "fragment"),
    [
        ("run.txt", {}, "recordings are .mcap, .bag, or a folder"),
        ("there.mcap", {}, "exists already; choose another name"),
        ("run.mcap", {"max_size": 10}, "at least 4096 bytes"),
    ],
)
def test_writers_are_checked(tmp_path: Path, name: str, options: dict[str, Any], fragment: str) -> None:
    (tmp_path / "there.mcap").touch()
    with pytest.raises(BadInput, match=fragment):
        BagWriter(tmp_path / name, **options)


def test_topics_of_a_writer_are_checked(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "run.mcap") as writer:
        writer.add(BagTopic("/n", NUMBER, "cdr", messages.definition(NUMBER)))
        with pytest.raises(BadInput, match="/n carries std_msgs/msg/Int32, not std_msgs/msg/String"):
            writer.add(BagTopic("/n", "std_msgs/msg/String"))
        with pytest.raises(BadInput, match="takes cdr messages, /m is ros1"):
            writer.add(BagTopic("/m", NUMBER, "ros1"))


@pytest.mark.parametrize("name", KINDS)
def test_an_empty_recording_is_a_whole_bag(tmp_path: Path, name: str) -> None:
    BagWriter(tmp_path / name).close()
    found = bag_info(tmp_path / name, mapping=False)
    assert (found.count, found.duration, found.whole) == (0, 0.0, True)


# ---- crashes -------------------------------------------------------------------------------------
CRASHER = """
import sys, time
from andante.bus import Bus, messages
from andante.bus.bags import Recorder
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
def test_what_was_written_before_kill_9_is_readable(tmp_path: Path, name: str) -> None:
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
    mended = tmp_path / f"mended{path.suffix or '.mcap'}"
    made = convert_bag(path, mended)
    assert made.count == len(read)
    assert any("has no index" in note for note in made.notes)
    assert bag_info(mended).whole
    assert content(mended) == content(path)


@pytest.mark.skipif(shutil.which("rosbag") is None, reason="Debian's rosbag is not installed")
def test_rosbag_of_debian_can_reindex_a_bag_that_was_cut(tmp_path: Path) -> None:
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
    made = convert_bag(path, tmp_path / f"mended{path.suffix}")
    if name == "run.mcap":  # checksums tell; rosbag1 has none, so only what cannot be read is missing
        assert made.count == 50
        assert any("1 damaged chunks left out" in note for note in made.notes)
        with pytest.raises(BadInput, match=r"is damaged .*andante bag convert"), open_bag(path) as bag:
            list(bag.messages())
    else:
        assert 50 <= made.count <= 60


@pytest.mark.parametrize(
    ("name", "data", "fragment"),
    [
        ("a.mcap", b"", "is empty"),
        ("a.bag", b"hello world, this is no bag", "neither an MCAP file nor a rosbag1"),
        ("a.mcap", b"hello world, this is no bag", "neither an MCAP file nor a rosbag1"),
        ("a.db3", b"hello world, this is no bag" * 100, "cannot be read as a bag, it may be cut off or damaged"),
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


def test_a_folder_without_metadata_is_read_by_its_files(tmp_path: Path) -> None:
    record(tmp_path / "run", max_size=8192)
    before = content(tmp_path / "run")
    (tmp_path / "run" / "metadata.yaml").unlink()
    assert sorted(content(tmp_path / "run")) == sorted(before)


# ---- conversion ----------------------------------------------------------------------------------
@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", ["new.mcap", "new.bag", "new.db3", "new", "sqlite"])
def test_every_kind_becomes_every_other(tmp_path: Path, source: str, target: str) -> None:
    record(tmp_path / source, steps=40)
    made = convert_bag(tmp_path / source, tmp_path / target, storage="sqlite3" if target == "sqlite" else "mcap")
    assert (made.count, made.notes) == (61, [])
    assert sorted(content(tmp_path / target)) == sorted(content(tmp_path / source))
    found = bag_info(tmp_path / target, mapping=False)
    assert found.kind == {"new.mcap": "mcap", "new.bag": "rosbag1", "new.db3": "sqlite3"}.get(target, "rosbag2")
    assert {t.name for t in found.topics if t.latched} == {"/map_name"}
    assert sorted(os.listdir(tmp_path)) == sorted([source, target])


def test_parts_can_be_chosen(tmp_path: Path) -> None:
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
    file = McapFile(tmp_path / "b.mcap")
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
def test_conversions_are_checked_and_leave_nothing(tmp_path: Path, target: str, options: Any, fragment: str) -> None:
    record(tmp_path / "run.mcap", steps=4)
    with pytest.raises(BadInput, match=re.escape(fragment)):
        convert_bag(tmp_path / "run.mcap", tmp_path / target, **options)
    assert os.listdir(tmp_path) == ["run.mcap"]


# ---- info ----------------------------------------------------------------------------------------
def test_info_says_what_a_log_lacks_for_mapping(tmp_path: Path) -> None:
    bus = Bus()
    scan = bus.advertise("/front", "sensor_msgs/msg/LaserScan")
    with Recorder(bus, tmp_path / "run.mcap"):
        for k in range(5):
            bus.clock.advance_to(k * 0.1)
            header = messages.header(k * 0.1, "laser")
            ranges = np.ones(90, np.float32)
            scan.publish(
                messages.make(
                    "sensor_msgs/LaserScan",
                    header=header,
                    angle_min=-1.5,
                    angle_increment=0.03,
                    range_max=10.0,
                    ranges=ranges,
                )
            )
            bus.spin()
    found = bag_info(tmp_path / "run.mcap")
    assert found.mappable
    told = " ".join(found.mapping)
    assert "--tf FILE" in told
    assert "has no odometry" in told
    assert "--odom" in told
    (topic,) = found.topics
    assert topic.rate == pytest.approx(10.0)
    assert found.to_json()["topics"][0]["messages"] == 5
    record(tmp_path / "other.mcap", steps=3)
    assert not bag_info(tmp_path / "other.mcap").mappable
    assert bag_info(tmp_path / "other.mcap").mapping == (
        "no sensor_msgs/LaserScan topic: there is nothing to map from",
    )


def test_info_of_a_carmen_log(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(
        "ODOM 0 0 0 0 0 0 1.0 host 1.0\nFLASER 3 1.0 1.0 1.0 0 0 0 0 0 0 2.0 host 2.0\n"
        "FLASER 3 1.0 1.0 1.0 0 0 0 0 0 0 3.0 host 3.0\n"
    )
    found = bag_info(tmp_path / "a.log")
    assert (found.kind, found.mappable) == ("carmen", True)
    assert {t.name: t.count for t in found.topics}["scan"] == 2


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


# ---- replay --------------------------------------------------------------------------------------
def listen(bus: Bus, *topics: str) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {}
    for topic in topics:
        out[topic] = []
        bus.subscribe(topic, None, lambda s, name=topic: out[name].append(s), queue=10_000, whole=True)
    return out


@pytest.mark.parametrize("name", KINDS)
def test_replay_gives_the_same_messages_at_the_same_times(tmp_path: Path, name: str) -> None:
    record(tmp_path / name)
    bus = Bus()
    player = Player(bus, tmp_path / name)
    got = listen(bus, "/joint_states", "/clock", "/map_name", "/late")
    assert player.play_all() == 301
    assert player.finished
    assert [round(s.stamp, 6) for s in got["/joint_states"]] == [round(5.0 + k * 0.01, 6) for k in range(200)]
    assert [s.message.position[0] for s in got["/joint_states"]] == list(range(200))
    assert len(got["/late"]) == 100
    clock = [messages.seconds(s.message.clock) for s in got["/clock"]]
    assert clock == pytest.approx([5.0 + k * 0.01 for k in range(200)])
    assert bus.topic("/map_name").publishers[0].latched
    player.close()
    assert bus.topics() == {topic: kind for topic, kind in bus.topics().items() if bus.topic(topic).subscriptions}


@pytest.mark.parametrize("speed", [0.5, 1.0, 20.0])
def test_replay_keeps_the_pace_it_is_told(tmp_path: Path, speed: float) -> None:
    record(tmp_path / "run.mcap")
    bus = Bus()
    player = Player(bus, tmp_path / "run.mcap", speed=speed)
    got = listen(bus, "/joint_states")
    for _ in range(10):
        player.advance(0.1 / speed)
    assert len(got["/joint_states"]) == 101
    assert bus.clock.now == pytest.approx(6.0)
    assert player.position == pytest.approx(1.0)
    assert not player.finished


def test_replay_runs_by_the_wall_clock(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap")
    bus = Bus()
    player = Player(bus, tmp_path / "run.mcap", speed=10.0)
    told: list[float] = []
    begun = time.monotonic()
    player.run(lambda p: told.append(p.position))
    assert time.monotonic() - begun >= 0.19
    assert player.finished
    assert player.count == 301
    assert told


def test_replay_from_the_middle_gives_latched_messages_first(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap")
    bus = Bus()
    player = Player(bus, tmp_path / "run.mcap", start=1.0)
    got = listen(bus, "/joint_states", "/map_name")
    player.play_all()
    assert got["/map_name"][0].message.data == "lab"
    assert got["/joint_states"][0].message.position[0] == 100


def test_replay_loops_with_a_jump_of_the_clock(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap", steps=20)
    bus = Bus()
    jumps: list[float] = []
    player = Player(bus, tmp_path / "run.mcap", loop=True)
    bus.clock.on_reset(lambda: jumps.append(bus.clock.now))
    got = listen(bus, "/joint_states")
    for _ in range(3):
        player.play_all()
    assert player.rounds == 3
    assert not player.finished
    assert jumps == [5.0, 5.0, 5.0]
    assert [s.message.position[0] for s in got["/joint_states"]] == list(range(20)) * 3


def test_a_looped_replay_keeps_its_pace_over_the_seam(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap", steps=20)
    bus = Bus()
    player = Player(bus, tmp_path / "run.mcap", loop=True)
    got = listen(bus, "/joint_states")
    for _ in range(50):
        player.advance(0.01)
    assert player.rounds == 2  # 0.19 s each
    assert player.position == pytest.approx(0.12, abs=1e-6)
    assert len(got["/joint_states"]) == 20 + 20 + 13
    player.advance(1e6)  # at most twice over the seam at once
    assert player.rounds <= 4


def test_a_looped_bag_of_one_instant_does_not_hang(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap", steps=1)
    player = Player(Bus(), tmp_path / "run.mcap", loop=True)
    for _ in range(3):
        player.advance(0.01)
    assert player.rounds == 6


def test_replay_of_some_topics_without_clock(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap", steps=20)
    bus = Bus()
    player = Player(bus, tmp_path / "run.mcap", topics="/late", clock=False)
    assert bus.topics() == {"/late": "std_msgs/msg/Empty"}
    assert player.play_all() == 10


def test_a_recorded_clock_is_not_told_twice(tmp_path: Path) -> None:
    bus = Bus()
    clock = bus.advertise("/clock", "rosgraph_msgs/msg/Clock")
    with Recorder(bus, tmp_path / "run.mcap"):
        for k in range(4):
            bus.clock.advance_to(k * 0.5)
            clock.publish(messages.make("rosgraph_msgs/Clock", clock=messages.time(k * 0.5)))
            bus.spin()
    again = Bus()
    player = Player(again, tmp_path / "run.mcap")
    got = listen(again, "/clock")
    player.play_all()
    assert len(got["/clock"]) == 4


def test_a_recording_of_a_replay_is_the_recording(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap")
    bus = Bus()
    player = Player(bus, tmp_path / "run.mcap", clock=False)
    with Recorder(bus, tmp_path / "again.mcap"):
        player.play_all()
    assert sorted(content(tmp_path / "again.mcap")) == sorted(content(tmp_path / "run.mcap"))


def test_a_cut_bag_is_replayed_as_far_as_it_goes(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap")
    raw = (tmp_path / "run.mcap").read_bytes()
    (tmp_path / "cut.mcap").write_bytes(raw[: len(raw) - 200])
    bus = Bus()
    player = Player(bus, tmp_path / "cut.mcap")
    assert any("its index cannot be used" in note for note in player.notes)
    assert player.play_all() == 301


def test_a_bag_damaged_in_the_middle_is_replayed_without_the_bad_chunk(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with BagWriter(path) as writer:
        writer.add(BagTopic("/n", NUMBER, "cdr", messages.definition(NUMBER)))
        places = []
        for k in range(60):
            writer.write("/n", k * 1_000_000, messages.to_cdr(messages.make(NUMBER, data=k)))
            if k % 10 == 9:
                places.append(writer.size)
                writer.flush()
        places = [chunk.chunk_start_offset for chunk in writer._file._chunks]  # type: ignore[union-attr]
    raw = bytearray(path.read_bytes())
    raw[places[3] + 60 : places[3] + 80] = bytes(20)
    path.write_bytes(raw)
    bus, got = Bus(), []
    player = Player(bus, path)
    bus.subscribe("/n", None, lambda m: got.append(m.data))
    player.play_all()
    assert got == [*range(30), *range(40, 60)]
    assert any("is damaged" in note for note in player.notes)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"speed": 0.0}, "speed of a replay must be > 0"),
        ({"speed": math.inf}, "speed of a replay must be > 0"),
        ({"start": -1.0}, "0 s or more"),
        ({"start": 100.0}, "lasts 0.190 s, cannot start at 100 s"),
        ({"topics": "/other"}, "has no topic /other"),
    ],
)
def test_replays_are_checked(tmp_path: Path, options: dict[str, Any], fragment: str) -> None:
    record(tmp_path / "run.mcap", steps=20)
    with pytest.raises(BadInput, match=fragment):
        Player(Bus(), tmp_path / "run.mcap", **options)
