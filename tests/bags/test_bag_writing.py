"""Bags written by us: read by rosbags, mcap and Debian's rosbag; choices, rotation, errors."""

from __future__ import annotations

import math
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from andante.bags import BagTopic, BagWriter, TopicChoice, bag_info, messages
from andante.bus import Bus, Recorder
from andante.errors import BadInput

NUMBER = "std_msgs/msg/Int32"
STATE = "sensor_msgs/msg/JointState"
KINDS = ["run.mcap", "run.bag", "run"]


# ---- written by us, read by others ----------------------------------------------------------------
@pytest.mark.parametrize("name", KINDS)
def test_rosbags_reads_what_we_record(tmp_path: Path, name: str, record: Any) -> None:
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


def test_the_mcap_library_reads_and_checks_what_we_record(tmp_path: Path, record: Any) -> None:
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


def test_metadata_of_a_rosbag2_folder(tmp_path: Path, record: Any) -> None:
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


def test_rosbag_of_debian_reads_what_we_record(tmp_path: Path, record: Any, debian_ros: Path) -> None:
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


# ---- choices, rotation, jumps ---------------------------------------------------------------------
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
    from andante.bags.topics import chosen

    names = {"a": "/scan", "b": "/camera/image", "c": "/camera/info", "d": "/tf"}
    assert "".join(k for k, name in names.items() if chosen(choice).takes(name)) == taken


def test_a_bad_expression_is_told() -> None:
    with pytest.raises(BadInput, match=re.escape("regex '(' is not a regular expression")):
        TopicChoice(regex="(")


def test_only_chosen_topics_are_heard(tmp_path: Path, record: Any, content: Any) -> None:
    record(tmp_path / "run.mcap", topics=["/late", "/map*"])
    assert {topic for topic, _, _ in content(tmp_path / "run.mcap")} == {"/late", "/map_name"}


@pytest.mark.parametrize("name", ["run.mcap", "run.bag"])
def test_rotation_by_size_loses_nothing(tmp_path: Path, name: str, record: Any, content: Any) -> None:
    whole = tmp_path / f"whole{Path(name).suffix}"
    record(whole)
    recorder = record(tmp_path / name, max_size=10_000)
    parts = [tmp_path / part.name for part in recorder.writer.parts]
    assert len(parts) > 2
    assert parts[1].name == f"run_1{Path(name).suffix}"
    assert sorted(entry for part in parts for entry in content(part)) == sorted(content(whole))


def test_a_jump_back_of_the_clock_begins_a_new_file(tmp_path: Path, content: Any) -> None:
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
    found = bag_info(tmp_path / name)
    assert (found.count, found.duration, found.whole) == (0, 0.0, True)
