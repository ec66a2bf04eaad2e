"""What the loop does for the server process, over a pair of sockets and without a second process."""

import json
import math
import socket

import pytest

from andante.bags import messages
from andante.bridges import Link, serve_bus
from andante.bridges.client import Graph
from andante.bridges.graph_client import _listed, _tupled, custom_types, learn_types
from andante.bridges.server.link import Unpacker, pack
from andante.bridges.server.serve import graph_of
from andante.bus import Bus
from andante.errors import BadInput

TWIST, TEXT = "geometry_msgs/msg/Twist", "std_msgs/msg/String"
ACTION = "control_msgs/action/FollowJointTrajectory"


class Line:
    """A bus that is served, and the far end of its line."""

    def __init__(self):
        self.bus = Bus()
        near, self.far = socket.socketpair()
        self.far.setblocking(False)
        self.serving = serve_bus(self.bus, Link(near))
        self._unpacker = Unpacker()

    def send(self, body=b"", **head):
        self.far.sendall(pack(head, body))

    def turn(self):
        """One cycle; what arrives at the far end."""
        self.serving.poll()
        self.bus.spin()
        self.serving.poll()
        try:
            self._unpacker.feed(self.far.recv(1 << 20))
        except BlockingIOError:
            return []
        return list(self._unpacker.packets())

    def answer(self, body=b"", **head):
        self.send(body, **head, number=1)
        return next((head, body) for head, body in self.turn() if head["op"] == "answer")


@pytest.fixture
def line():
    made = Line()
    yield made
    made.serving.close()
    made.far.close()


def test_the_graph_is_sent_when_it_changes_and_only_then(line):
    ((head, _),) = line.turn()
    assert (head["op"], Graph.from_dict(head["graph"])) == ("graph", Graph())
    assert line.turn() == []
    line.bus.advertise("/words", TEXT, latched=3, node="robot")
    line.bus.provide("/pause", "std_srvs/srv/Trigger", lambda r: None, node="session")
    ((head, _),) = line.turn()
    graph = Graph.from_dict(json.loads(json.dumps(head["graph"])))
    assert graph == graph_of(line.bus)
    assert graph.topics["/words"].latched == 3
    assert graph.topics["/words"].publishers == ("/robot",)
    assert graph.nodes == ["/robot", "/session"]


def test_frames_are_packed_once_and_latched_ones_are_never_dropped(line):
    words = line.bus.advertise("/words", TEXT, latched=2)
    for text in ("one", "two", "three"):
        words.publish(messages.make(TEXT, data=text))
    line.send(op="subscribe", topic="/words", throttle=0.0)
    frames = [(head, body) for head, body in line.turn() if head["op"] == "frame"]
    assert [messages.from_cdr(TEXT, body).data for _, body in frames] == ["two", "three"]
    assert frames[0][0]["latched"] == 2
    line.send(op="unsubscribe", topic="/words")
    line.turn()
    assert line.bus.topic("/words").subscriptions == []


def test_a_wish_for_a_topic_that_is_gone_is_told_on_the_log(line):
    told = []
    line.bus.subscribe("/rosout", None, lambda m: told.append(m.msg))
    line.send(op="subscribe", topic="/gone")
    line.send(messages.to_cdr(messages.make(TEXT)), op="publish", topic="/gone", type=TEXT)
    line.send(b"\x00\x01", op="publish", topic="/new", type=TEXT, create=True)
    line.turn()
    assert told[:2] == ["topic '/gone' does not exist any more"] * 2
    assert "are not such a message" in told[2]


def test_at_most_so_many_requests_per_cycle(line):
    heard = []
    line.bus.subscribe("/cmd_vel", TWIST, lambda m: heard.append(m.linear.x), queue=500)
    for n in range(150):
        line.send(
            messages.to_cdr(messages.make(TWIST, linear={"x": float(n)})), op="publish", topic="/cmd_vel", type=TWIST
        )
    line.serving.poll(most=40)
    line.bus.spin()
    assert heard == list(range(40))
    line.serving.poll()
    line.bus.spin()
    assert len(heard) == 104
    assert line.serving.requests == 104


def test_calls_answer_or_say_why_not(line):
    line.bus.provide("/set", "std_srvs/srv/SetBool", lambda r: {"success": r.data})
    request = messages.to_cdr(messages.make("std_srvs/srv/SetBool_Request", data=True))
    head, body = line.answer(request, op="call", service="/set")
    assert "error" not in head
    assert messages.from_cdr("std_srvs/srv/SetBool_Response", body).success is True
    assert "no service '/nope'" in line.answer(request, op="call", service="/nope")[0]["error"]
    assert "are not such a message" in line.answer(b"", op="call", service="/set")[0]["error"]


def test_parameters_and_those_who_object(line):
    def changed(value):
        raise RuntimeError("the motor is hot")

    line.bus.parameters.declare("/a", 1.0)
    line.bus.parameters.declare("/b", 2, changed=changed)
    assert line.answer(op="parameters")[0]["values"] == {"/a": 1.0, "/b": 2}
    assert "error" not in line.answer(op="set", name="/a", value=3)[0]
    assert line.bus.parameters.get("/a") == 3.0
    assert line.answer(op="set", name="/b", value=3)[0]["error"] == "RuntimeError: the motor is hot"
    assert "no parameter" in line.answer(op="set", name="/c", value=3)[0]["error"]


def test_goals_report_and_end_with_the_line(line):
    def work(goal):
        while True:
            yield {"joint_names": ["a"]}

    action = line.bus.provide_action("/reach", ACTION, work)
    head, _ = line.answer(messages.to_cdr(messages.make(f"{ACTION}_Goal")), op="goal", action="/reach", goal=7)
    assert "error" not in head
    packets = line.turn()
    assert [head["op"] for head, _ in packets if head.get("goal") == 7] == ["feedback"]
    line.send(op="cancel", goal=7)
    line.send(op="cancel", goal=99)  # nobody's
    done = [head for head, _ in line.turn() if head["op"] == "done"]
    assert [(head["goal"], head["status"]) for head in done] == [(7, 5)]
    line.answer(messages.to_cdr(messages.make(f"{ACTION}_Goal")), op="goal", action="/reach", goal=8)
    line.far.close()
    line.serving.poll()
    line.bus.spin()
    assert action.goals == []


def test_the_end_of_the_line_stops_what_was_driven(line):
    heard = []
    line.bus.subscribe("/cmd_vel", TWIST, lambda m: heard.append(m.linear.x))
    line.send(messages.to_cdr(messages.make(TWIST, linear={"x": 0.5})), op="publish", topic="/cmd_vel", type=TWIST)
    line.turn()
    line.far.close()
    line.serving.poll()
    line.bus.spin()
    assert heard == [0.5, 0.0]
    assert [node.name for node in line.bus.graph()] == ["andante"]
    line.serving.poll()  # has no effect any more


def test_reports_of_the_server_reach_the_handle(line):
    seen = []
    line.serving.on_control = lambda head, body: seen.append((head, body))
    line.send(b"abc", op="report", clients=3)
    line.turn()
    assert seen == [({"op": "report", "clients": 3}, b"abc")]


def test_types_of_the_user_travel_with_the_graph():
    messages.register("float64 depth\nuint8[16] mark\n", "serve_tests/msg/Inner")
    messages.register("serve_tests/Inner[] parts\nstring<=20[<=3] names\nint32 KIND=4\n", "serve_tests/msg/Outer")
    messages.register("serve_tests/Outer wanted\n---\nbool fine\n", "serve_tests/srv/Ask")
    bus = Bus()
    assert custom_types(graph_of(bus)) == {}
    bus.provide("/ask", "serve_tests/srv/Ask", lambda r: None)
    table = json.loads(json.dumps(custom_types(graph_of(bus))["types"]))
    assert set(table) == {
        f"serve_tests/{name}" for name in ("srv/Ask_Request", "srv/Ask_Response", "msg/Outer", "msg/Inner")
    }
    for name, (constants, fields) in table.items():
        known = messages.store().fielddefs[name]
        assert [tuple(entry) for entry in constants] == [tuple(entry) for entry in known[0]]
        assert [(field, _tupled(kind)) for field, kind in fields] == list(known[1])
        assert [(field, _listed(kind)) for field, kind in known[1]] == [tuple(entry) for entry in fields]
    renamed = json.loads(json.dumps(table).replace("serve_tests", "serve_copies"))
    learn_types(renamed)
    made = messages.make("serve_copies/msg/Outer", parts=[{"depth": math.pi}], names=["a"])
    assert messages.from_cdr("serve_copies/msg/Outer", messages.to_cdr(made)).parts[0].depth == math.pi
    with pytest.raises(BadInput, match="at most 3"):
        messages.make("serve_copies/msg/Outer", names=["a"] * 4)


def test_what_is_called_comes_after_what_was_published_before_it(line):
    """Both arrive in one period: a program that sets an angle and then starts a move means the move."""
    seen = []
    line.bus.subscribe("/said", TEXT, lambda message: seen.append(str(message.data)))
    line.bus.provide("/ask", "std_srvs/srv/Trigger", lambda request: seen.append("asked") or {"success": True})
    line.send(messages.to_cdr(messages.make(TEXT, data="first")), op="publish", topic="/said", type=TEXT)
    line.send(messages.to_cdr(messages.make("std_srvs/srv/Trigger_Request")), op="call", service="/ask", number=1)
    line.send(messages.to_cdr(messages.make(TEXT, data="last")), op="publish", topic="/said", type=TEXT)
    line.turn()
    assert seen == ["first", "asked", "last"]
