"""Small parts that all bridges stand on: names, channels, silent drivers, frames, types, and the ends of ROS 1."""

import asyncio
import contextlib
import json
import struct

import pytest

from andante.bags import messages
from andante.bridges.base import DriverWatch, is_moving
from andante.bridges.client import Graph, ServiceInfo, TopicInfo
from andante.bridges.encoding import Frame, absolute, full_type, ros1_times, short_type
from andante.bridges.graph_client import Channels, custom_types, learn_types
from andante.bridges.ros1 import ends
from andante.bridges.ros1.ends import (
    Connection,
    Kind,
    Publication,
    ServiceEnd,
    TcprosError,
    pack_header,
    read_frame,
    read_header,
)
from andante.errors import BadInput

TWIST = "geometry_msgs/msg/Twist"


# ---- names -----------------------------------------------------------------------------------------------


def test_types_in_both_forms():
    assert full_type("geometry_msgs/Twist", "msg") == full_type(TWIST, "msg") == TWIST
    assert short_type(TWIST) == "geometry_msgs/Twist"
    for bad in ("Twist", "geometry_msgs/srv/Twist", "a//B", "a/msg/", 7, "x" * 300):
        with pytest.raises(BadInput):
            full_type(bad, "msg")


def test_names_are_absolute_or_refused():
    assert absolute("cmd_vel") == absolute("/cmd_vel") == "/cmd_vel"
    for bad in ("", "/", "a b", "/a//b", "/1", None, ["/a"], "/" + "a" * 300):
        with pytest.raises(BadInput, match="is not a name such as"):
            absolute(bad)


def test_times_of_ros_1():
    message = messages.make("sensor_msgs/msg/JointState", header={"stamp": {"sec": 3, "nanosec": 5}}, name=["a"])
    told = ros1_times(messages.to_dict(message))
    assert told["header"]["stamp"] == {"secs": 3, "nsecs": 5}
    assert told["name"] == ["a"]
    assert messages.from_dict("sensor_msgs/msg/JointState", told) == message


# ---- channels --------------------------------------------------------------------------------------------


def frame(topic, text="", latched=False):
    return Frame(
        topic, "std_msgs/msg/String", 0.0, messages.to_cdr(messages.make("std_msgs/msg/String", data=text)), latched
    )


def test_latched_frames_are_kept_for_late_comers_and_forgotten_with_the_line():
    asked, first, late, last = [], [], [], []
    channels = Channels(lambda topic, throttle: asked.append(topic), lambda topic: None)
    channels.add("/a", first.append, 0.0)
    for text in "xyz":
        channels.take(frame("/a", text, True), 2)
    channels.add("/a", late.append, 0.0)
    assert [f.value["data"] for f in late] == ["y", "z"]
    channels.renew()
    assert asked == ["/a", "/a"]
    channels.add("/a", last.append, 0.0)
    assert last == []


def test_a_listener_that_leaves_while_it_is_told_does_no_harm():
    channels = Channels(lambda topic, throttle: None, lambda topic: None)
    heard = []
    once = channels.add("/a", lambda f: (heard.append(1), once.close()), 0.0)
    channels.add("/a", lambda f: heard.append(2), 0.0)
    channels.take(frame("/a"), 0)
    channels.take(frame("/a"), 0)
    assert heard == [1, 2, 2]


# ---- drivers that fall silent ----------------------------------------------------------------------------


def twist(x=0.0):
    return messages.make(TWIST, linear={"x": x})


def test_a_silent_driver_is_stopped_and_one_that_stopped_is_left_alone(monkeypatch):
    monkeypatch.setattr("andante.bridges.base.SILENCE", 0.05)

    async def check():
        sent = []
        watch = DriverWatch(lambda topic, kind, cdr: sent.append((topic, messages.from_cdr(kind, cdr).linear.x)))
        watch.pass_on("/a", TWIST, twist(1.0))
        watch.note("/b", TWIST, twist(1.0))
        watch.note("/b", TWIST, twist(0.0))  # it stopped by itself
        watch.note("/c", "std_msgs/msg/String", messages.make("std_msgs/msg/String"))
        await asyncio.sleep(0.3)
        assert sent == [("/a", 1.0), ("/a", 0.0)]
        watch.note("/d", TWIST, twist(1.0))
        watch.close()
        assert sent[-1] == ("/d", 0.0)
        await asyncio.sleep(0.1)
        assert len(sent) == 3  # once

    asyncio.run(check())


def test_stamped_velocities_move_too():
    kind = "geometry_msgs/msg/TwistStamped"
    assert is_moving(messages.make(kind, twist={"angular": {"z": -0.1}}))
    assert not is_moving(messages.make(kind))


# ---- frames and types ------------------------------------------------------------------------------------


def test_a_frame_in_every_encoding():
    from andante.bridges.encoding import from_cbor

    one = Frame("/a", "std_msgs/msg/String", 2.25, frame("/a", "hi").cdr)
    assert from_cbor(one.encoded("cbor"))["msg"] == {"data": "hi"}
    raw = from_cbor(one.encoded("cbor-raw"))["msg"]
    assert (raw["secs"], raw["nsecs"], raw["bytes"]) == (2, 250_000_000, one.cdr)
    assert one.encoded("none") == one.json
    assert '"op":"png"' in one.encoded("png").replace(" ", "")
    assert one.ros1 == struct.pack("<I", 2) + b"hi"
    assert one.json is one.json  # made once, however many want it


def test_types_of_the_users_own_travel_with_all_that_is_inside():
    store = messages.store()
    from rosbags.typesys import get_types_from_msg

    table = get_types_from_msg("float64 x\nstring<=8[<=3] names\n", "ends_test/msg/Inner")
    table |= get_types_from_msg("ends_test/Inner[2] parts\nint32 K=7\n", "ends_test/msg/Outer")
    store.register(table)
    told = custom_types(Graph({"/a": TopicInfo("ends_test/msg/Outer")}))["types"]
    assert set(told) == {"ends_test/msg/Inner", "ends_test/msg/Outer"}
    carried = json.loads(json.dumps(told))  # as the line carries it
    before = {name: store.fielddefs.pop(name) for name in told}
    learn_types(carried)
    assert {name: store.fielddefs[name] for name in told} == before
    assert custom_types(Graph({"/a": TopicInfo(TWIST)}, {"/b": ServiceInfo("std_srvs/srv/Trigger")})) == {}


# ---- the ends of ROS 1 -----------------------------------------------------------------------------------


class Writer:
    """A stream of which a test says how much waits in it."""

    def __init__(self, waiting=0):
        self.data, self.waiting, self.ended = b"", waiting, False
        self.transport = self

    def write(self, data):
        self.data += data

    async def drain(self):
        pass

    def get_write_buffer_size(self):
        return self.waiting

    def is_closing(self):
        return self.ended

    def close(self):
        self.ended = True


def reader_of(data):
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return reader


def test_a_slow_subscriber_loses_messages_and_a_gone_one_costs_nothing():
    writer = Writer()
    connection = Connection(writer, "/rviz")
    connection.send(b"abc")
    writer.waiting = ends.BACKLOG + 1
    connection.send(b"abc")
    writer.ended, writer.waiting = True, 0
    connection.send(b"abc")
    assert (connection.sent, connection.dropped, connection.bytes, writer.data) == (1, 1, 3, b"abc")
    assert connection.closed


def test_a_subscriber_is_served_until_it_leaves():
    async def check():
        counts = []
        publication = Publication("/a", Kind("p/T", "00", "int8 x"), True, lambda c: c.send(b"now"), counts.append)
        writer = Writer()
        await publication.serve("/node", {"callerid": "/me"}, reader_of(b""), writer)
        header = await read_header(reader_of(writer.data))
        assert (header["latching"], header["type"], header["message_definition"]) == ("1", "p/T", "int8 x")
        assert writer.data.endswith(b"now")
        assert counts == [1, 0]
        assert publication.connections == []

    asyncio.run(check())


def test_a_service_answers_once_or_as_long_as_it_is_asked():
    async def answer(request):
        if request == b"bad":
            raise BadInput("that is bad")
        return request * 2

    async def served(fields, requests):
        writer = Writer()
        end = ServiceEnd("/s", Kind("p/S", "00"), answer)
        data = b"".join(struct.pack("<I", len(r)) + r for r in requests)
        with contextlib.suppress(asyncio.IncompleteReadError):  # the caller hangs up
            await end.serve("/node", fields, reader_of(data), writer)
        (size,) = struct.unpack_from("<I", writer.data)
        return writer.data[4 + size :]

    good, bad = b"\x01\x04\x00\x00\x00abab", b"\x00\x0b\x00\x00\x00that is bad"
    assert asyncio.run(served({}, [b"ab", b"ab"])) == good
    assert asyncio.run(served({"persistent": "1"}, [b"ab", b"bad", b"ab"])) == good + bad + good
    assert asyncio.run(served({"probe": "1"}, [b"ab"])) == b""


def test_messages_without_end_are_refused():
    async def check():
        with pytest.raises(TcprosError, match="too large"):
            await read_frame(reader_of(struct.pack("<I", 2**31)))
        with pytest.raises(TcprosError, match="too large"):
            await read_header(reader_of(struct.pack("<I", 2**24)))
        with pytest.raises(asyncio.IncompleteReadError):
            await read_frame(reader_of(struct.pack("<I", 9) + b"abc"))
        assert await read_header(reader_of(pack_header(a="b=c", d=""))) == {"a": "b=c", "d": ""}

    asyncio.run(check())
