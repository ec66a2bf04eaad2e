"""The /rosapi services alone, on a session that is written down; `test_session.py` asks them over the protocol."""

import asyncio
import json

import pytest

from andante.bags import messages
from andante.bridges.client import Graph, ServiceInfo, TopicInfo
from andante.bridges.rosbridge.rosapi import RosApi, details
from andante.errors import BadInput, UnknownName

TWIST = "geometry_msgs/msg/Twist"
TRIGGER = "std_srvs/srv/Trigger"
REACH = "control_msgs/action/FollowJointTrajectory"


class Written:
    """What RosApi asks of a session."""

    now = 12.25
    graph = Graph(
        {"/cmd_vel": TopicInfo(TWIST, publishers=("/keys",), subscribers=("/base",))},
        {"/pause": ServiceInfo(TRIGGER, "/session")},
        {"/reach": ServiceInfo(REACH, "/robot")},
    )

    def __init__(self) -> None:
        self.values = {"/base/pgain": 1.5, "/name": "x"}

    async def parameters(self):
        return dict(self.values)

    async def set_parameter(self, name, value):
        if name not in self.values:
            raise BadInput(f"no parameter {name!r}")
        self.values[name] = value


def ask(name, /, *, api=None, **fields):
    return asyncio.run((api or RosApi(Written(), lambda: {"/add": TRIGGER})).call(f"/rosapi/{name}", fields))


@pytest.mark.parametrize(
    ("name", "fields", "answer"),
    [
        ("topics", {}, {"topics": ["/cmd_vel"], "types": [TWIST]}),
        ("topics_for_type", {"type": "geometry_msgs/Twist"}, {"topics": ["/cmd_vel"]}),
        ("topic_type", {"topic": "cmd_vel"}, {"type": TWIST}),
        ("topic_type", {"topic": "/none"}, {"type": ""}),
        ("publishers", {"topic": "/cmd_vel"}, {"publishers": ["/keys"]}),
        ("subscribers", {"topic": "/none"}, {"subscribers": []}),
        ("services_for_type", {"type": "std_srvs/Trigger"}, {"services": ["/pause", "/add"]}),
        ("service_type", {"service": "/rosapi/get_time"}, {"type": "rosapi_msgs/srv/GetTime"}),
        ("service_node", {"service": "/add"}, {"node": "/client"}),
        ("service_providers", {"service": "/none"}, {"providers": []}),
        ("action_servers", {}, {"action_servers": ["/reach"]}),
        ("action_type", {"action": "/reach"}, {"type": REACH}),
        ("nodes", {}, {"nodes": ["/base", "/keys", "/robot", "/session"]}),
        ("node_details", {"node": "/base"}, {"publishing": [], "subscribing": ["/cmd_vel"], "services": []}),
        ("get_param", {"name": "/base/pgain"}, {"value": "1.5", "successful": True, "reason": ""}),
        ("get_param", {"name": "/no", "default_value": "3"}, {"value": "3", "successful": True, "reason": ""}),
        ("get_param", {"name": "/no"}, {"value": "null", "successful": False, "reason": "no parameter '/no'"}),
        ("has_param", {"name": "name"}, {"exists": True}),
        ("search_param", {"name": "pgain"}, {"global_name": "/base/pgain"}),
        ("search_param", {"name": "nothing"}, {"global_name": ""}),
        ("get_param_names", {}, {"names": ["/base/pgain", "/name"]}),
        ("get_ros_version", {}, {"version": 2, "distro": "humble"}),
        ("andante_parameters", {}, {"values": {"/base/pgain": 1.5, "/name": "x"}}),
    ],
)
def test_answers(name, fields, answer):
    assert ask(name, **fields) == answer


def test_a_parameter_is_set_or_refused_with_the_reason():
    api = RosApi(Written())
    assert ask("set_param", api=api, name="/base/pgain", value="2.5") == {"successful": True, "reason": ""}
    assert ask("get_param", api=api, name="/base/pgain")["value"] == "2.5"
    assert ask("set_param", api=api, name="/no", value="1")["reason"] == "no parameter '/no'"
    assert not ask("set_param", api=api, name="/base/pgain", value="{")["successful"]
    assert "belongs to the session" in ask("delete_param", api=api, name="/base/pgain")["reason"]


def test_time_has_the_names_of_both_versions_of_ros():
    time = ask("get_time")["time"]
    assert (time["sec"], time["nanosec"]) == (time["secs"], time["nsecs"]) == (12, 250_000_000)


def test_the_whole_graph_comes_back():
    assert Graph.from_dict(json.loads(json.dumps(ask("andante_graph")["graph"]))) == Written.graph


def test_types_are_told_with_all_types_in_them():
    twist, vector = details(TWIST)
    assert twist["type"] == "geometry_msgs/Twist"
    assert twist["fieldtypes"] == ["geometry_msgs/Vector3"] * 2
    assert vector["fieldnames"] == ["x", "y", "z"]
    assert vector["examples"] == ["0.0"] * 3
    assert ask("message_details", type="geometry_msgs/Twist")["typedefs"] == [twist, vector]
    asked = ask("service_request_details", type="std_srvs/Trigger")["typedefs"]
    assert asked[0]["fieldnames"] == []  # a request without fields
    raw = ask("topics_and_raw_types")
    assert raw["typedefs_full_text"] == [messages.definition(TWIST)]


@pytest.mark.parametrize(
    ("name", "fields", "fragment"),
    [
        ("topics_for_type", {"type": 3}, "field 'type' must be a string"),
        ("topic_type", {"topic": "a b"}, "is not a name"),
        ("message_details", {"type": "no_msgs/Nothing"}, "no type"),
        ("message_details", {"type": "Twist"}, "is not a type"),
    ],
)
def test_what_cannot_be_answered_is_told(name, fields, fragment):
    with pytest.raises((BadInput, UnknownName), match=fragment):
        ask(name, **fields)


def test_arguments_are_fields():
    with pytest.raises(BadInput, match="must be an object"):
        asyncio.run(RosApi(Written()).call("/rosapi/topics", [1]))
