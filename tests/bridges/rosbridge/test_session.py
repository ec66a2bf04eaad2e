"""The protocol of one client, against a bus of paper."""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andante.bags import messages
from andante.bridges.client import ABORTED, CANCELED, SUCCEEDED, Graph, ServiceInfo, TopicInfo
from andante.bridges.encoding import Frame, from_cbor, to_cbor
from andante.bridges.rosbridge.calls import Hub
from andante.bridges.rosbridge.session import Session
from andante.bridges.server.access import Limits
from andante.bus import BusError

TWIST, TEXT = "geometry_msgs/msg/Twist", "std_msgs/msg/String"
ACTION = "control_msgs/action/FollowJointTrajectory"


class PaperGoal:
    def __init__(self, on_feedback):
        self.on_feedback, self.cancelled = on_feedback, False
        self.done = asyncio.get_running_loop().create_future()

    def cancel(self):
        self.cancelled = True
        self.finish(CANCELED)

    def finish(self, status):
        if not self.done.done():
            self.done.set_result((status, messages.to_cdr(messages.make(f"{ACTION}_Result", error_string="end"))))


class PaperBus:
    """A BusClient that writes everything down."""

    def __init__(self):
        self.graph = Graph(
            {
                "/cmd_vel": TopicInfo(TWIST, subscribers=("/base",)),
                "/chatter": TopicInfo(TEXT, publishers=("/robot",)),
                "/echoed": TopicInfo(TEXT, publishers=("/robot",), subscribers=("/bridge",)),
            },
            {"/set": ServiceInfo("std_srvs/srv/SetBool", "/session")},
            {"/reach": ServiceInfo(ACTION, "/robot")},
        )
        self.now = 12.5
        self.published, self.listeners, self.goals = [], {}, []
        self.values = {"/nao/pgain": 1.5}

    def subscribe(self, topic, on_frame, throttle=0.0):
        bus = self

        class Listening:
            def close(self):
                bus.listeners[topic].remove(entry)

        entry = (on_frame, throttle)
        self.listeners.setdefault(topic, []).append(entry)
        return Listening()

    def say(self, topic, text):
        cdr = messages.to_cdr(messages.make(TEXT, data=text))
        for on_frame, _ in list(self.listeners.get(topic, [])):
            on_frame(Frame(topic, TEXT, 0.0, cdr))

    def publish(self, topic, type_name, cdr, *, create=False, latched=False):
        self.published.append((topic, messages.from_cdr(type_name, cdr), create, latched))

    async def call(self, service, request, timeout=None):
        asked = messages.from_cdr("std_srvs/srv/SetBool_Request", request)
        if not asked.data:
            raise BusError("service /set: refused")
        return messages.to_cdr(messages.make("std_srvs/srv/SetBool_Response", success=True, message="done"))

    async def send_goal(self, action, goal, on_feedback=None):
        self.goals.append(PaperGoal(on_feedback))
        return self.goals[-1]

    async def parameters(self):
        return self.values

    async def set_parameter(self, name, value):
        if name not in self.values:
            raise BusError(f"no parameter {name!r}")
        self.values[name] = value


class Box:
    """An outlet that keeps everything."""

    def __init__(self):
        self.items = []

    def put(self, data, lane="", depth=0):
        self.items.append((from_cbor(data) if isinstance(data, bytes) else json.loads(data), lane, depth))

    @property
    def messages(self):
        return [item for item, _, _ in self.items]


class Peer:
    def __init__(self, bus=None, hub=None, allow=("/my/*",), **limits):
        self.bus, self.box = bus or PaperBus(), Box()
        self.session = Session(self.bus, hub or Hub(), self.box, Limits(**limits), tuple(allow))

    def send(self, **message):
        self.session.receive(json.dumps(message))
        return self.box.messages

    def error(self):
        last = self.box.messages[-1]
        assert (last["op"], last["level"]) == ("status", "error")
        return last["msg"]


def run(test):
    """Run a coroutine function as a test."""

    def wrapped():
        asyncio.run(asyncio.wait_for(test(), 20.0))

    wrapped.__name__ = test.__name__
    return wrapped


async def turn(times=5):
    for _ in range(times):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("{", "this is not JSON: '{'"),
        ("[" * 100000, "not JSON"),
        ("[1]", "an object with an op"),
        ('{"op": "fly"}', "no op 'fly'; choices: advertise,"),
        ('{"op": 7}', "no op '7'"),
        ("{}", "no op 'None'"),
        ('{"op": "subscribe"}', "None is not a name such as /cmd_vel"),
        ('{"op": "subscribe", "topic": "/a b"}', "'/a b' is not a name"),
        ('{"op": "subscribe", "topic": "/nope"}', "no topic '/nope'; choices: /chatter, /cmd_vel, /echoed"),
        ('{"op": "subscribe", "topic": "/chatter", "type": "std_msgs/Bool"}', "has the type std_msgs/msg/String, not"),
        ('{"op": "subscribe", "topic": "/chatter", "compression": "zip"}', "compression 'zip' is not one of none"),
        ('{"op": "subscribe", "topic": "/chatter", "throttle_rate": -1}', "throttle_rate should be a number from 0"),
        ('{"op": "subscribe", "topic": "/chatter", "queue_length": "x"}', "queue_length should be a number"),
        ('{"op": "unsubscribe", "topic": "/chatter"}', "is not subscribed to by this client"),
        ('{"op": "advertise", "topic": "/nope", "type": "std_msgs/String"}', "no topic '/nope'"),
        ('{"op": "advertise", "topic": "/my/x", "type": "std_msgs/Nope"}', "no message type 'std_msgs/msg/Nope'"),
        ('{"op": "advertise", "topic": "/my/x", "type": "../x"}', "is not a type such as geometry_msgs/Twist"),
        ('{"op": "advertise", "topic": "/my/x", "type": "std_srvs/srv/Empty"}', "not a type of kind 'msg'"),
        ('{"op": "advertise", "topic": "/cmd_vel", "type": "std_msgs/String"}', "has the type geometry_msgs/msg/Twist"),
        ('{"op": "unadvertise", "topic": "/cmd_vel"}', "was not advertised by this client"),
        ('{"op": "publish", "topic": "/nope", "msg": {}}', "no topic '/nope'"),
        ('{"op": "publish", "topic": "/chatter", "msg": {}}', "clients may not publish topic"),
        ('{"op": "publish", "topic": "/echoed", "msg": {}}', "clients may not publish topic"),
        ('{"op": "publish", "topic": "/cmd_vel", "msg": {"linear": {"w": 1}}}', "has no field 'w'"),
        ('{"op": "publish", "topic": "/cmd_vel", "msg": {"linear": {"x": "fast"}}}', "linear.x: a number is wanted"),
        ('{"op": "cancel_action_goal", "id": "z"}', "there is no goal with the id 'z'"),
        ('{"op": "send_action_goal", "action": "/reach"}', "needs an id"),
        ('{"op": "service_response", "service": "/set", "id": "1"}', "was not advertised by this client"),
        ('{"op": "action_feedback", "action": "/reach", "id": "1"}', "was not advertised by this client"),
        ('{"op": "advertise_service", "service": "/set", "type": "std_srvs/SetBool"}', "is advertised already"),
        ('{"op": "advertise_service", "service": "/new", "type": "std_srvs/SetBool"}', "may not be advertised"),
        ('{"op": "unadvertise_service", "service": "/my/s"}', "was not advertised by this client"),
        ('{"op": "set_level", "level": "loud"}', "level 'loud' is not one of info"),
        ('{"op": "fragment", "id": "a"}', "a fragment needs id, data, num and total"),
        ('{"op": "fragment", "id": "a", "data": "", "num": 2, "total": 2}', "fragment 2 of 2 does not exist"),
        ('{"op": "fragment", "id": "a", "data": "", "num": 0, "total": 100000}', "does not exist"),
        ('{"op": "fragment", "id": "a", "data": "[]", "num": 0, "total": 1}', "together are not an operation"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(message, told):
    @run
    async def check():
        peer = Peer()
        peer.session.receive(message)
        assert told in peer.error()
        assert peer.bus.published == []

    check()


def test_status_carries_the_id_and_heeds_the_level():
    @run
    async def check():
        peer = Peer()
        assert peer.send(op="subscribe", topic="/nope", id="s1")[-1]["id"] == "s1"
        peer.send(op="set_level", level="none")
        count = len(peer.box.items)
        peer.send(op="subscribe", topic="/nope")
        assert len(peer.box.items) == count

    check()


def test_publish_reaches_the_bus_in_json_and_cbor():
    @run
    async def check():
        peer = Peer()
        peer.send(op="publish", topic="cmd_vel", msg={"linear": {"x": 0.5}, "angular": {"z": None}})
        peer.session.receive(to_cbor({"op": "publish", "topic": "/cmd_vel", "msg": {"linear": {"x": float("inf")}}}))
        (topic, first, create, _), (_, second, _, _) = peer.bus.published
        assert (topic, first.linear.x, create) == ("/cmd_vel", 0.5, False)
        assert first.angular.z != first.angular.z  # null is NaN
        assert second.linear.x == float("inf")

    check()


def test_a_topic_of_the_clients_own_where_that_is_allowed():
    @run
    async def check():
        peer = Peer()
        peer.send(op="advertise", topic="/my/words", type="std_msgs/String", latch=True)
        peer.send(op="publish", topic="/my/words", msg={"data": "hi"})
        topic, message, create, latched = peer.bus.published[-1]
        assert (topic, message.data, create, latched) == ("/my/words", "hi", True, True)
        peer.send(op="unadvertise", topic="/my/words")
        peer.send(op="publish", topic="/my/words", msg={"data": "hi"})
        assert "no topic '/my/words'" in peer.error()

    check()


@pytest.mark.parametrize(("speeds", "zeros"), [([0.5], 1), ([0.5, 0.0], 0), ([], 0), ([0.0, -0.2], 1)])
def test_a_lost_driver_stops_the_robot(speeds, zeros):
    @run
    async def check():
        peer = Peer()
        for speed in speeds:
            peer.send(op="publish", topic="/cmd_vel", msg={"angular": {"z": speed}})
        count = len(peer.bus.published)
        peer.session.close()
        stops = peer.bus.published[count:]
        assert len(stops) == zeros
        assert all(topic == "/cmd_vel" and message.angular.z == 0.0 for topic, message, _, _ in stops)

    check()


def test_subscribing_twice_brings_each_message_once():
    @run
    async def check():
        peer = Peer()
        peer.send(op="subscribe", topic="/chatter", id="a", throttle_rate=200)
        peer.send(op="subscribe", topic="/chatter", id="b", compression="cbor", queue_length=3)
        assert [throttle for _, throttle in peer.bus.listeners["/chatter"]] == [0.0]
        peer.bus.say("/chatter", "one")
        assert peer.box.items == [({"op": "publish", "topic": "/chatter", "msg": {"data": "one"}}, "/chatter", 100)]
        peer.send(op="unsubscribe", topic="/chatter", id="b")
        assert peer.session.subscriptions == ["/chatter"]
        peer.send(op="unsubscribe", topic="/chatter", id="a")
        assert peer.session.subscriptions == []
        assert peer.bus.listeners["/chatter"] == []
        peer.bus.say("/chatter", "two")
        assert len(peer.box.items) == 1

    check()


def test_throttled_messages_are_left_out_or_kept_by_the_queue():
    @run
    async def check():
        dropping, keeping = Peer(), Peer()
        dropping.send(op="subscribe", topic="/chatter", throttle_rate=60)
        keeping.send(op="subscribe", topic="/chatter", throttle_rate=60, queue_length=1)
        for peer in (dropping, keeping):
            for n in range(5):
                peer.bus.say("/chatter", str(n))
        await asyncio.sleep(0.3)
        assert [m["msg"]["data"] for m in dropping.box.messages] == ["0"]
        assert [m["msg"]["data"] for m in keeping.box.messages] == ["0", "4"]
        for peer in (dropping, keeping):
            peer.session.close()

    check()


def test_long_texts_go_out_and_come_in_as_fragments():
    @run
    async def check():
        peer = Peer()
        peer.send(op="subscribe", topic="/chatter", fragment_size=600)
        peer.bus.say("/chatter", "x" * 2400)
        parts = peer.box.messages
        assert len(parts) > 4
        assert {part["op"] for part in parts} == {"fragment"}
        assert json.loads("".join(part["data"] for part in parts))["msg"]["data"] == "x" * 2400
        whole = json.dumps({"op": "publish", "topic": "/cmd_vel", "msg": {"linear": {"y": 2.0}}})
        pieces = [whole[at : at + 20] for at in range(0, len(whole), 20)]
        for number in reversed(range(len(pieces))):
            peer.send(op="fragment", id="f", data=pieces[number], num=number, total=len(pieces))
        assert peer.bus.published[-1][1].linear.y == 2.0

    check()


def test_fragments_are_never_so_short_that_they_cost_more_than_the_message():
    @run
    async def check():
        peer = Peer()
        peer.send(op="subscribe", topic="/chatter", fragment_size=1)
        peer.bus.say("/chatter", "x" * 100_000)
        assert len(peer.box.messages) <= 100_100 / 512 + 1
        assert json.loads("".join(part["data"] for part in peer.box.messages))["msg"]["data"] == "x" * 100_000

    check()


def test_ids_of_subscriptions_are_bounded():
    @run
    async def check():
        peer = Peer(subscriptions=8)
        for n in range(20):
            peer.send(op="subscribe", topic="/chatter", id=f"s{n}")
        assert "under 8 ids" in peer.error()
        count = len(peer.box.messages)
        peer.send(op="subscribe", topic="/chatter", id="s3", throttle_rate=100)  # one that it has may change
        assert len(peer.box.messages) == count

    check()


def test_fragments_are_bounded():
    @run
    async def check():
        peer = Peer(message_size=1000, fragments=4)
        peer.send(op="fragment", id="f", data="x" * 900, num=0, total=3)
        peer.send(op="fragment", id="f", data="x" * 200, num=1, total=3)
        assert "larger than 1000 bytes" in peer.error()
        for n in range(50):
            peer.send(op="fragment", id=f"f{n}", data="x", num=0, total=2)
        assert len(peer.session._fragments) == 4

    check()


def test_services_answer_with_values_or_the_reason():
    @run
    async def check():
        peer = Peer()
        peer.send(op="call_service", service="/set", id="1", args={"data": True})
        peer.send(op="call_service", service="/set", id="2", args=[True])
        peer.send(op="call_service", service="/set", id="3", args={"data": False})
        peer.send(op="call_service", service="/set", id="4", args={"datum": 1})
        peer.send(op="call_service", service="/set", id="5", args=[1, 2, 3])
        peer.send(op="call_service", service="/nope", id="6")
        peer.send(op="call_service", service="/set", id="7", args=[True], compression="cbor")
        peer.send(op="call_service", service="/set", id="8", args=[True], compression="zip")
        await turn()
        answers = {answer["id"]: answer for answer in peer.box.messages}
        for number in "127":
            assert answers[number]["values"] == {"success": True, "message": "done"}
            assert answers[number]["result"] is True
        for number, told in {
            "3": "refused",
            "4": "no field 'datum'",
            "5": "3 arguments, but the request has 1 fields",
            "6": "no service '/nope'",
            "8": "compression 'zip'",
        }.items():
            assert answers[number]["result"] is False
            assert told in answers[number]["values"]

    check()


def test_pending_calls_are_bounded():
    @run
    async def check():
        peer = Peer(pending=3)
        for n in range(4):
            peer.send(op="send_action_goal", action="/reach", id=str(n))
        assert "3 calls and goals wait" in peer.error()
        peer.session.close()
        await turn()

    check()


def test_goals_with_feedback_result_and_cancel():
    @run
    async def check():
        peer = Peer()
        peer.send(op="send_action_goal", action="/reach", id="g", args={}, feedback=True)
        peer.send(op="send_action_goal", action="/reach", id="h", args={})
        await turn()
        first, second = peer.bus.goals
        feedback = messages.to_cdr(messages.make(f"{ACTION}_Feedback", joint_names=["a"]))
        first.on_feedback(feedback)
        second.on_feedback(feedback)  # not asked for
        first.finish(SUCCEEDED)
        peer.send(op="cancel_action_goal", action="/reach", id="h")
        await turn()
        told, *ends = peer.box.messages
        assert (told["op"], told["id"], told["values"]["joint_names"]) == ("action_feedback", "g", ["a"])
        assert {(end["op"], end["id"], end["status"], end["result"]) for end in ends} == {
            ("action_result", "g", SUCCEEDED, True),
            ("action_result", "h", CANCELED, True),
        }
        assert ends[0]["values"]["error_string"] == "end"
        peer.send(op="send_action_goal", action="/nope", id="i")
        await turn()
        assert peer.box.messages[-1]["result"] is False
        assert peer.box.messages[-1]["status"] == ABORTED

    check()


def test_the_goals_of_a_client_that_leaves_are_cancelled():
    @run
    async def check():
        peer = Peer()
        peer.send(op="send_action_goal", action="/reach", id="g")
        await turn()
        peer.session.close()
        assert peer.bus.goals[0].cancelled

    check()


def test_a_service_that_one_client_offers_to_another():
    @run
    async def check():
        bus, hub = PaperBus(), Hub()
        server, client = Peer(bus, hub), Peer(bus, hub)
        server.send(op="advertise_service", service="/my/add", type="std_srvs/SetBool")
        client.send(op="call_service", service="/my/add", id="1", args={"data": True})
        await turn()
        asked = server.box.messages[-1]
        assert (asked["op"], asked["service"], asked["args"]) == ("call_service", "/my/add", {"data": True})
        server.send(op="service_response", service="/my/add", id=asked["id"], values={"success": True}, result=True)
        await turn()
        assert client.box.messages[-1]["values"] == {"success": True}
        client.send(op="call_service", service="/my/add", id="2", timeout=0.05)
        await asyncio.sleep(0.1)
        assert "no answer within 0.05 s" in client.box.messages[-1]["values"]
        client.send(op="call_service", service="/my/add", id="3")
        await turn()
        server.session.close()
        await turn()
        assert "unadvertised" in client.box.messages[-1]["values"]
        client.send(op="call_service", service="/my/add", id="4")
        await turn()
        assert "no service '/my/add'" in client.box.messages[-1]["values"]

    check()


def test_an_action_that_one_client_offers_to_another():
    @run
    async def check():
        bus, hub = PaperBus(), Hub()
        server, client = Peer(bus, hub), Peer(bus, hub)
        server.send(op="advertise_action", action="/my/count", type=ACTION)
        client.send(op="send_action_goal", action="/my/count", id="g", args={"n": 3}, feedback=True)
        await turn()
        goal = server.box.messages[-1]
        assert (goal["op"], goal["args"]) == ("send_action_goal", {"n": 3})
        server.send(op="action_feedback", action="/my/count", id=goal["id"], values={"at": 1})
        assert client.box.messages[-1] == {
            "id": "g",
            "action": "/my/count",
            "op": "action_feedback",
            "values": {"at": 1},
        }
        client.send(op="cancel_action_goal", action="/my/count", id="g")
        assert server.box.messages[-1]["op"] == "cancel_action_goal"
        server.send(
            op="action_result", action="/my/count", id=goal["id"], values={"n": 1}, status=CANCELED, result=True
        )
        await turn()
        end = client.box.messages[-1]
        assert (end["op"], end["status"], end["values"]) == ("action_result", CANCELED, {"n": 1})
        server.send(op="unadvertise_action", action="/my/count")
        assert hub.actions == {}

    check()


async def ask(peer, service, /, **arguments):
    peer.send(op="call_service", service=service, id="x", args=arguments)
    await turn()
    answer = peer.box.messages[-1]
    assert answer["result"] is True, answer
    return answer["values"]


def test_rosapi_tells_the_graph():
    @run
    async def check():
        peer = Peer()
        topics = await ask(peer, "rosapi/topics")
        assert dict(zip(topics["topics"], topics["types"], strict=True))["/cmd_vel"] == TWIST
        assert (await ask(peer, "/rosapi/topic_type", topic="/chatter"))["type"] == TEXT
        assert (await ask(peer, "/rosapi/topic_type", topic="/nope"))["type"] == ""
        assert (await ask(peer, "/rosapi/topics_for_type", type="std_msgs/String"))["topics"] == ["/chatter", "/echoed"]
        assert (await ask(peer, "/rosapi/publishers", topic="/chatter"))["publishers"] == ["/robot"]
        assert (await ask(peer, "/rosapi/subscribers", topic="/cmd_vel"))["subscribers"] == ["/base"]
        raw = await ask(peer, "/rosapi/topics_and_raw_types")
        assert "float64 x" in raw["typedefs_full_text"][raw["topics"].index("/cmd_vel")]
        services = (await ask(peer, "/rosapi/services"))["services"]
        assert {"/set", "/rosapi/topics"} <= set(services)
        assert (await ask(peer, "/rosapi/service_type", service="/set"))["type"] == "std_srvs/srv/SetBool"
        assert (await ask(peer, "/rosapi/service_type", service="/rosapi/get_param"))[
            "type"
        ] == "rosapi_msgs/srv/GetParam"
        assert (await ask(peer, "/rosapi/services_for_type", type="std_srvs/SetBool"))["services"] == ["/set"]
        assert (await ask(peer, "/rosapi/service_node", service="/set"))["node"] == "/session"
        assert (await ask(peer, "/rosapi/service_providers", service="/set"))["providers"] == ["/session"]
        assert (await ask(peer, "/rosapi/action_servers"))["action_servers"] == ["/reach"]
        assert (await ask(peer, "/rosapi/action_type", action="/reach"))["type"] == ACTION
        assert (await ask(peer, "/rosapi/nodes"))["nodes"] == ["/base", "/bridge", "/robot", "/session"]
        details = await ask(peer, "/rosapi/node_details", node="/robot")
        assert details == {"publishing": ["/chatter", "/echoed"], "subscribing": [], "services": []}
        assert (await ask(peer, "/rosapi/get_time"))["time"] == {
            "sec": 12, "nanosec": 500000000, "secs": 12, "nsecs": 500000000,
        }  # fmt: skip
        assert (await ask(peer, "/rosapi/get_ros_version"))["version"] == 2

    check()


def test_rosapi_tells_types():
    @run
    async def check():
        peer = Peer()
        first, second = (await ask(peer, "/rosapi/message_details", type="geometry_msgs/Twist"))["typedefs"]
        assert first["type"] == "geometry_msgs/Twist"
        assert first["fieldnames"] == ["linear", "angular"]
        assert first["fieldtypes"] == ["geometry_msgs/Vector3"] * 2
        assert first["fieldarraylen"] == [-1, -1]
        assert second["fieldtypes"] == ["float64"] * 3
        scan = (await ask(peer, "/rosapi/message_details", type="sensor_msgs/LaserScan"))["typedefs"][0]
        assert scan["fieldarraylen"][scan["fieldnames"].index("ranges")] == 0
        covariance = (await ask(peer, "/rosapi/message_details", type="sensor_msgs/Imu"))["typedefs"][0]
        assert 9 in covariance["fieldarraylen"]
        request = (await ask(peer, "/rosapi/service_request_details", type="std_srvs/SetBool"))["typedefs"]
        assert request[0]["fieldnames"] == ["data"]
        response = (await ask(peer, "/rosapi/service_response_details", type="std_srvs/SetBool"))["typedefs"]
        assert response[0]["fieldnames"] == ["success", "message"]
        empty = (await ask(peer, "/rosapi/service_request_details", type="std_srvs/Trigger"))["typedefs"]
        assert empty[0]["fieldnames"] == []
        for part in ("goal", "result", "feedback"):
            assert (await ask(peer, f"/rosapi/action_{part}_details", type=ACTION))["typedefs"]
        peer.send(op="call_service", service="/rosapi/message_details", id="x", args={"type": "no/Such"})
        await turn()
        assert peer.box.messages[-1]["values"] == "no type 'no/msg/Such'"

    check()


def test_rosapi_reads_and_sets_parameters():
    @run
    async def check():
        peer = Peer()
        assert (await ask(peer, "/rosapi/get_param_names"))["names"] == ["/nao/pgain"]
        assert (await ask(peer, "/rosapi/get_param", name="/nao/pgain"))["value"] == "1.5"
        assert (await ask(peer, "/rosapi/get_param", name="/nope"))["successful"] is False
        assert (await ask(peer, "/rosapi/get_param", name="/nope", default_value="7"))["value"] == "7"
        assert (await ask(peer, "/rosapi/set_param", name="/nao/pgain", value="2.5"))["successful"] is True
        assert peer.bus.values["/nao/pgain"] == 2.5
        refused = await ask(peer, "/rosapi/set_param", name="/nope", value="1")
        assert refused == {"successful": False, "reason": "no parameter '/nope'"}
        assert (await ask(peer, "/rosapi/set_param", name="/nao/pgain", value="{"))["successful"] is False
        assert (await ask(peer, "/rosapi/has_param", name="/nao/pgain"))["exists"] is True
        assert (await ask(peer, "/rosapi/search_param", name="pgain"))["global_name"] == "/nao/pgain"
        assert (await ask(peer, "/rosapi/delete_param", name="/nao/pgain"))["successful"] is False

    check()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.binary(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    "topic service action type id msg args num total data level compression throttle_rate queue_length values result "
    "feedback status timeout fragment_size latch"
)
NAMES = st.sampled_from(
    ["/cmd_vel", "/chatter", "/set", "/reach", "/my/x", "/rosapi/topics", "/rosapi/get_param", "x y", ""]
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(Session(PaperBus(), Hub(), Box()).operations)),
            st.dictionaries(st.sampled_from(FIELDS.split()), VALUES | NAMES, max_size=6),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_nothing_a_client_sends_breaks_the_session(messages_sent):
    @run
    async def check():
        peer = Peer()
        for op, fields in messages_sent:
            peer.session.receive(to_cbor({"op": op, **fields}))
            await turn(2)
        assert "cannot be done" not in str(peer.box.messages)
        peer.session.close()
        await turn()

    check()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60) | st.binary(max_size=60))
def test_noise_is_answered_by_status(data):
    @run
    async def check():
        peer = Peer()
        peer.session.receive(data)
        assert peer.box.messages[-1]["op"] == "status"

    check()
