"""What lines to ROS do with too much, with nonsense, and with an end that hangs."""

import asyncio
import threading

import pytest

from andante.bags import messages
from andante.errors import BadInput
from andante.hardware.ros import link as ros_body_link
from andante.hardware.ros.body import RosBody
from andante.hardware.ros.link import OUTBOX, Listener, RosLink
from andante.hardware.ros.ros1 import Ros1Link, way_to
from andante.hardware.ros.rosbridge import RosbridgeLink

from .samples import until


class Heard:
    """A listener that keeps all it is told."""

    def __init__(self):
        self.messages, self.said, self.reasons = [], [], []

    def listener(self):
        return Listener(
            lambda topic, message: self.messages.append((topic, message)),
            lambda: None,
            self.reasons.append,
            lambda: None,
            self.said.append,
        )


class SlowLine(RosLink):
    """Takes messages one by one, whenever it is allowed to."""

    def __init__(self):
        super().__init__("slow")
        self.sent, self.go = [], threading.Event()

    async def _keep(self):
        self._join()
        await self._write(self._send)

    async def _send(self, topic, message):
        while not self.go.is_set():
            await asyncio.sleep(0.002)
        self.sent.append(message)


class HangingLine(RosLink):
    """Does not let itself be ended."""

    def __init__(self):
        super().__init__("hanging")
        self.go = threading.Event()

    async def _keep(self):
        self._join()
        self.go.wait(20)


class BrokenLine(RosLink):
    """Fails in a way that nobody thought of."""

    async def _keep(self):
        self._join()
        raise RuntimeError("no idea")


def test_a_line_that_takes_nothing_keeps_the_newest():
    line, heard = SlowLine(), Heard()
    line.open({}, {"/cmd": "x"}, heard.listener())
    until(lambda: line.connected)
    for k in range(OUTBOX + 20):
        line.post("/cmd", k)
    line.go.set()
    assert line.close()
    assert line.sent[-OUTBOX:] == list(range(20, OUTBOX + 20))  # sent on the way out, too
    assert line.dropped in (19, 20)  # one may have been taken before it was full


def test_a_line_closed_at_once_ends():
    line, heard = SlowLine(), Heard()
    line.open({}, {}, heard.listener())
    assert line.close()
    assert not line.connected
    line.post("/cmd", 1)  # into the void, without a word


def test_a_line_that_breaks_by_itself_tells_why():
    line, heard = BrokenLine("far"), Heard()
    line.open({}, {}, heard.listener())
    until(lambda: heard.said)
    assert heard.said == ["far: the line has ended (RuntimeError: no idea)"]
    assert line.over
    assert not line.connected
    assert line.close()


def test_a_body_whose_line_hangs_is_let_go(monkeypatch, waffle):
    monkeypatch.setattr(ros_body_link, "PATIENCE", 0.1)
    line = HangingLine()
    body = RosBody(line, waffle)
    until(lambda: line.connected)
    body.close()
    assert body.notes[-1] == "hanging does not respond; its thread is abandoned"
    line.go.set()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("no json", "received something that is not a rosbridge message"),
        ("[1, 2]", "received something that is not a rosbridge message"),
        ("7", "received something that is not a rosbridge message"),
        ("[" * 100_000, "received something that is not a rosbridge message"),
        (b"\xff\xfe", "received something that is not a rosbridge message"),
        ('{"op": "status", "level": "error", "msg": "topic /x is unknown"}', "topic /x is unknown"),
        ('{"op": "publish", "topic": "/t", "msg": {"data": {}}}', "/t: "),
        ('{"op": "publish", "topic": "/t", "msg": 3}', "/t: "),
    ],
)
def test_nonsense_over_rosbridge_is_told_once_and_lived_through(data, said):
    line, heard = RosbridgeLink("ws://127.0.0.1:1"), Heard()
    line.subscribed, line.listener = {"/t": "std_msgs/msg/Float64"}, heard.listener()
    line._take(data)
    line._take(data)
    assert len(heard.said) == 1
    assert said in heard.said[0]
    assert heard.messages == []


@pytest.mark.parametrize(
    "data",
    [
        '{"op": "status", "level": "info", "msg": "hello"}',
        '{"op": "publish", "topic": "/other", "msg": {"data": 1.0}}',
        '{"op": "publish", "topic": ["/t"], "msg": {"data": 1.0}}',
        '{"op": "publish", "msg": {"data": 1.0}}',
        '{"op": ["publish"], "topic": "/t"}',
    ],
)
def test_what_was_not_asked_for_is_passed_over(data):
    line, heard = RosbridgeLink("ws://127.0.0.1:1"), Heard()
    line.subscribed, line.listener = {"/t": "std_msgs/msg/Float64"}, heard.listener()
    line._take(data)
    line._take('{"op": "publish", "topic": "/t", "msg": {"data": 2.5}}')
    assert heard.said == []
    assert [(topic, message.data) for topic, message in heard.messages] == [("/t", 2.5)]


def test_a_broken_ros1_message_is_told_once():
    line, heard = Ros1Link("http://127.0.0.1:1"), Heard()
    line.listener = heard.listener()
    for _ in range(2):
        line._take("/s", "std_msgs/msg/String", b"\xff\xff\xff\x7fxx")
    line._take("/s", "std_msgs/msg/String", messages.to_ros1(messages.from_dict("std_msgs/msg/String", {"data": "a"})))
    assert len(heard.said) == 1
    assert heard.said[0].startswith("/s: ")
    assert [message.data for _, message in heard.messages] == ["a"]


def test_addresses():
    assert way_to("http://127.0.0.1:11311") == "127.0.0.1"
    with pytest.raises(BadInput, match=r"should look like ws://127\.0\.0\.1:9090"):
        RosbridgeLink("http://127.0.0.1")
