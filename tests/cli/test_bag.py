"""`andante bag`: info, convert, play, and recording a running session; also one killed in mid-run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from andante.bags import bag_info, messages, open_bag
from andante.bus import Bus, Recorder

NUMBER = "std_msgs/msg/Int32"
SESSION = """
import sys, time
from andante.bags import messages
from andante.bus import Bus
from andante.bridges.server.start import start_server
bus = Bus()
numbers = bus.advertise("/numbers", "std_msgs/msg/Int32", node="talker")
other = bus.advertise("/camera/info", "std_msgs/msg/String", node="talker")
clock = bus.advertise("/clock", "rosgraph_msgs/msg/Clock", node="talker")
name = bus.advertise("/map_name", "std_msgs/msg/String", latched=True, node="talker")
name.publish(messages.make("std_msgs/String", data="lab"))
bus.subscribe("/heard", "std_msgs/msg/Int32", lambda m: print(m.data, file=sys.stdout, flush=True), queue=1000)
with start_server(bus) as server:
    print(server.port, flush=True)
    begun = time.monotonic()
    k = 0
    while time.monotonic() - begun < 300:
        bus.clock.advance_to(100.0 + time.monotonic() - begun)
        numbers.publish(messages.make("std_msgs/Int32", data=k))
        other.publish(messages.make("std_msgs/String", data=str(k)))
        clock.publish(messages.make("rosgraph_msgs/Clock", clock=messages.time(bus.clock.now)))
        k += 1
        server.poll()
        bus.spin()
        time.sleep(0.005)
"""


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    """Ten numbers within 0.9 s."""
    bus = Bus()
    publisher = bus.advertise("/heard", NUMBER)
    with Recorder(bus, tmp_path / "run.mcap"):
        for k in range(10):
            bus.clock.advance_to(k * 0.1)
            publisher.publish(messages.make(NUMBER, data=k))
            bus.spin()
    return tmp_path / "run.mcap"


class Session:
    """A bus with its server in a process of its own."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", SESSION], stdout=subprocess.PIPE, text=True)
        self.port = int(self.line())

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def end(self) -> None:
        self.process.kill()
        self.process.wait(timeout=10)


@pytest.fixture(scope="module")
def session():
    """One session for all tests that do not harm it."""
    started = Session()
    yield started
    started.end()


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "andante", "bag", *map(str, words)]


def test_info_in_words_and_json(andante, bag) -> None:
    code, out, _ = andante("bag", "info", bag, "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["messages"], told["kind"], told["whole"], told["mappable"]) == (10, "mcap", True, False)
    assert told["topics"] == [
        {"name": "/heard", "type": NUMBER, "messages": 10, "rate": pytest.approx(10.0), "latched": False}
    ]
    code, out, _ = andante("bag", "info", bag)
    assert "10 messages" in out
    assert "/heard  std_msgs/msg/Int32" in out
    assert "no sensor_msgs/LaserScan topic" in out
    code, out, _ = andante("bag", "info", bag, "--quick")
    assert "mapping" not in out


def test_info_of_a_cut_bag_says_what_to_do(andante, bag) -> None:
    raw = bag.read_bytes()
    bag.write_bytes(raw[: raw.rindex(b"\x0f\x04") if b"\x0f\x04" in raw else len(raw) // 2])
    code, out, _ = andante("bag", "info", bag)
    assert code == 0
    assert "without index" in out
    assert "andante bag convert run.mcap NEW.mcap" in out


def test_convert(andante, bag, tmp_path) -> None:
    code, out, _ = andante("bag", "convert", bag, tmp_path / "new.bag", "--stop", 0.5, "--json")
    assert code == 0
    assert json.loads(out) == {"path": str(tmp_path / "new.bag"), "messages": 5, "notes": []}
    code, out, _ = andante("bag", "convert", tmp_path / "new.bag", tmp_path / "folder", "-t", "/h*")
    assert "5 messages" in out
    assert bag_info(tmp_path / "folder").kind == "rosbag2"
    code, out, _ = andante("bag", "convert", tmp_path / "new.bag", tmp_path / "new.db3")
    assert bag_info(tmp_path / "new.db3").count == 5


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        (("info", "none.bag"), "none.bag: no such bag"),
        (("info", "junk.mcap"), "neither an MCAP file nor a rosbag1"),
        (("convert", "run.mcap", "run.mcap"), "exists already"),
        (("convert", "run.mcap", "x.mcap", "-t", "/other"), "has no topic /other; it has /heard"),
        (("convert", "run.mcap", "x.mcap", "--max-size", 0), "max_size should be a number of megabytes above 0"),
        (("convert", "run.mcap", "x.mcap", "--regex", "("), "is not a regular expression"),
        (("play", "run.mcap", "--speed", 0), "speed of a replay must be > 0"),
        (("play", "run.mcap", "--start", 9), "lasts 0.900 s, cannot start at 9 s"),
        (("record", "-o", "x.mcap", "--url", "nowhere"), "should be a port or look like ws://"),
        (("record", "-o", "x.mcap", "--seconds", -1), "seconds should be a number above 0"),
        (("record", "/a", "-a", "-o", "x.mcap"), "--all and chosen topics contradict each other"),
    ],
)
def test_bad_input_is_one_clear_line(andante, bag, tmp_path, monkeypatch, words, fragment) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "junk.mcap").write_bytes(b"this is no bag at all")
    before = sorted(os.listdir(tmp_path))
    code, out, err = andante("bag", *words)
    assert code == 2
    assert out == ""
    assert fragment in err
    assert err.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == before


def test_play_serves_the_bag_to_clients(bag) -> None:
    """A rosbridge client hears the messages, in order, and the clock."""
    from websockets.sync.client import connect

    process = subprocess.Popen(
        command("play", bag, "--speed", 2, "--wait", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        url = line.split("rosbridge at ")[1].strip()
        numbers: list[int] = []
        clock = 0
        with connect(url, proxy=None) as socket:
            for topic in ("/heard", "/clock"):
                socket.send(json.dumps({"op": "subscribe", "topic": topic}))
            deadline = time.monotonic() + 30
            while (not numbers or numbers[-1] != 9) and time.monotonic() < deadline:
                message = json.loads(socket.recv(timeout=30))
                if message.get("topic") == "/heard":
                    numbers.append(message["msg"]["data"])
                clock += message.get("topic") == "/clock"
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait(timeout=10)
    assert numbers == list(range(10))[-len(numbers) :]
    assert len(numbers) >= 5
    assert clock > 10
    assert json.loads(out)["messages"] == 10


def test_record_a_running_session(session, tmp_path) -> None:
    ran = subprocess.run(
        command(
            "record",
            "/numbers",
            "/map*",
            "/none",
            "-o",
            tmp_path / "run.mcap",
            "--url",
            session.port,
            "--seconds",
            2,
            "--json",
        ),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert "no message received on /none" in ran.stderr
    with open_bag(tmp_path / "run.mcap") as bag:
        assert bag.whole
        assert {topic.name for topic in bag.topics} == {"/numbers", "/map_name"}
        assert bag.start >= 100_000_000_000  # the latched name comes with the time of the start
        read = [messages.from_cdr(NUMBER, m.data).data for m in bag.messages("/numbers")]
    assert len(read) + 1 == told["messages"]
    assert len(read) > 20
    assert read == sorted(read)


def test_recording_is_said_when_nothing_is_left_to_load(session, tmp_path, monkeypatch) -> None:
    """Loading the types takes a busy machine seconds, in which messages would wait in memory."""
    from andante.bags import TopicChoice
    from andante.tasks.bag.session import record_session

    order: list[str] = []
    monkeypatch.setattr(messages, "load", lambda encoding: order.append(f"load {encoding}"))
    record_session(str(session.port), tmp_path / "run.bag", TopicChoice(("/numbers",)), 0.2, say=order.append)
    assert order[:2] == ["load ros1", f"recording {tmp_path / 'run.bag'}; Ctrl-C stops it"]


def wait_for(path: Path, count: int) -> None:
    """Wait until a bag that is being written holds so many messages; what is flushed can be read meanwhile."""
    deadline = time.monotonic() + 60
    while (not path.exists() or bag_info(path).count < count) and time.monotonic() < deadline:
        time.sleep(0.2)


def test_a_recorder_killed_in_mid_run_leaves_a_bag_and_the_session(session, tmp_path) -> None:
    path = tmp_path / "run.mcap"
    recording = subprocess.Popen(command("record", "-o", path, "--url", session.port))
    try:
        wait_for(path, 40)
    finally:
        recording.send_signal(signal.SIGKILL)
        recording.wait(timeout=10)
    found = bag_info(path)
    assert not found.whole
    assert found.count >= 40
    assert session.process.poll() is None


def test_a_recording_ends_by_ctrl_c_and_with_its_session(tmp_path) -> None:
    own = Session()
    paths = (tmp_path / "one.bag", tmp_path / "two")
    one, two = (subprocess.Popen(command("record", "-o", path, "--url", own.port)) for path in paths)
    try:
        for path in paths:
            wait_for(path, 40)
        one.send_signal(signal.SIGINT)
        assert one.wait(timeout=60) == 0
        own.end()
        assert two.wait(timeout=60) == 0
    finally:
        own.end()
        for process in (one, two):
            process.kill()
            process.wait(timeout=10)
    for path in paths:
        found = bag_info(path)
        assert found.whole
        assert found.count >= 40


def test_no_session_leaves_no_file(andante, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("andante.bridges.rosbridge.client.PATIENCE", 0.5)
    code, _, err = andante("bag", "record", "-o", tmp_path / "run.mcap", "--url", "1")
    assert code == 2
    assert "no session answers at ws://127.0.0.1:1/rosbridge; start one with andante studio" in err
    assert os.listdir(tmp_path) == []


def test_play_into_a_running_session(session, bag) -> None:
    ran = subprocess.run(
        command("play", bag, "--speed", 4, "--url", session.port), capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    assert [int(session.line()) for _ in range(10)] == list(range(10))
