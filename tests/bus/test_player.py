"""Replay: the same messages at the same times, at any speed."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest
from mcap.reader import make_reader

from andante.bags import BagTopic, BagWriter, messages
from andante.bus import Bus, Player, Recorder
from andante.errors import BadInput

NUMBER = "std_msgs/msg/Int32"
STATE = "sensor_msgs/msg/JointState"
KINDS = ["run.mcap", "run.bag", "run"]


# ---- replay ---------------------------------------------------------------------------------------
def listen(bus: Bus, *topics: str) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {}
    for topic in topics:
        out[topic] = []
        bus.subscribe(topic, None, lambda s, name=topic: out[name].append(s), queue=10_000, whole=True)
    return out


@pytest.mark.parametrize("name", KINDS)
def test_replay_gives_the_same_messages_at_the_same_times(tmp_path: Path, name: str, record: Any) -> None:
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
def test_replay_keeps_the_pace_it_is_told(tmp_path: Path, speed: float, record: Any) -> None:
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


def test_replay_runs_by_the_wall_clock(tmp_path: Path, record: Any) -> None:
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


def test_replay_from_the_middle_gives_latched_messages_first(tmp_path: Path, record: Any) -> None:
    record(tmp_path / "run.mcap")
    bus = Bus()
    player = Player(bus, tmp_path / "run.mcap", start=1.0)
    got = listen(bus, "/joint_states", "/map_name")
    player.play_all()
    assert got["/map_name"][0].message.data == "lab"
    assert got["/joint_states"][0].message.position[0] == 100


def test_replay_loops_with_a_jump_of_the_clock(tmp_path: Path, record: Any) -> None:
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


def test_a_looped_replay_keeps_its_pace_over_the_seam(tmp_path: Path, record: Any) -> None:
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


def test_a_looped_bag_of_one_instant_does_not_hang(tmp_path: Path, record: Any) -> None:
    record(tmp_path / "run.mcap", steps=1)
    player = Player(Bus(), tmp_path / "run.mcap", loop=True)
    for _ in range(3):
        player.advance(0.01)
    assert player.rounds == 6


def test_replay_of_some_topics_without_clock(tmp_path: Path, record: Any) -> None:
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


def test_a_recording_of_a_replay_is_the_recording(tmp_path: Path, record: Any, content: Any) -> None:
    record(tmp_path / "run.mcap")
    bus = Bus()
    player = Player(bus, tmp_path / "run.mcap", clock=False)
    with Recorder(bus, tmp_path / "again.mcap"):
        player.play_all()
    assert sorted(content(tmp_path / "again.mcap")) == sorted(content(tmp_path / "run.mcap"))


def test_a_cut_bag_is_replayed_as_far_as_it_goes(tmp_path: Path, record: Any) -> None:
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
        for k in range(60):
            writer.write("/n", k * 1_000_000, messages.to_cdr(messages.make(NUMBER, data=k)))
            if k % 10 == 9:
                writer.flush()
    with path.open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    places = sorted(chunk.chunk_start_offset for chunk in summary.chunk_indexes)
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
def test_replays_are_checked(tmp_path: Path, options: dict[str, Any], fragment: str, record: Any) -> None:
    record(tmp_path / "run.mcap", steps=20)
    with pytest.raises(BadInput, match=fragment):
        Player(Bus(), tmp_path / "run.mcap", **options)
