"""Two sessions joined over rosbridge, and a foreign server that speaks JSON only."""

import asyncio
import json
import threading

import pytest

from andante.bags import messages
from andante.bridges.client import Directions
from andante.bridges.rosbridge.client import RosbridgeBridge, SessionClient
from andante.errors import AndanteError, BadInput


class Foreign:
    """A rosbridge server as a ROS 1 robot has it: JSON, types as pkg/Name and no others, no services of ours."""

    def __init__(self):
        self.got, self.ready, self.port = [], threading.Event(), 0
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        assert self.ready.wait(10)

    async def _run(self):
        from websockets.asyncio.server import serve

        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with serve(self._serve, "127.0.0.1", 0, close_timeout=0.2) as server:
            self.port = server.sockets[0].getsockname()[1]
            self.ready.set()
            await self._end.wait()

    def stop(self):
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(2)

    async def _serve(self, socket):
        async for data in socket:
            assert isinstance(data, str), "a foreign server understands text only"
            message = json.loads(data)
            self.got.append(message)
            if message["op"] == "call_service":
                values = {
                    "/rosapi/topics": {
                        "topics": ["/cmd_vel", "/points", "/odd"],
                        "types": ["geometry_msgs/Twist", "std_msgs/String", "no_such/Type"],
                    },
                    "/rosapi/services": {"services": ["/reset", "/odd"]},
                    "/rosapi/service_type": {"type": "std_srvs/Empty" if "reset" in str(message["args"]) else "x/Y"},
                }.get(message["service"])
                answer = {"op": "service_response", "id": message["id"], "service": message["service"]}
                answer |= {"result": values is not None, "values": values or "no such service"}
                await socket.send(json.dumps(answer))
            elif message["op"] == "subscribe" and message["topic"] == "/cmd_vel":
                twist = {"linear": {"x": 0.625}, "angular": {"z": None}}
                await socket.send(json.dumps({"op": "publish", "topic": "/cmd_vel", "msg": twist}))


async def until(condition, seconds=20.0):
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.02)


def joined(session, url, directions, test):
    async def whole():
        said = []
        client = SessionClient(session.server.ws_url, said.append)
        connecting = asyncio.create_task(client.run())
        await client.ready()
        bridging = asyncio.create_task(RosbridgeBridge(client, url, directions, said.append).run())
        try:
            await test(said)
        finally:
            bridging.cancel()
            await asyncio.wait([bridging])
            connecting.cancel()

    asyncio.run(asyncio.wait_for(whole(), 60))


def test_a_robot_with_ros_drives_and_is_told(session):
    foreign = Foreign()
    session.heard.clear()

    async def check(said):
        await until(lambda: any(x == 0.625 for x, *_ in session.heard))
        await until(lambda: session.heard[-1] == (0.0, 0.0))  # it fell silent
        await until(lambda: any(m["op"] == "publish" and m["topic"] == "/joint_states" for m in foreign.got))
        advertised = [m for m in foreign.got if m["op"] == "advertise"]
        assert [(m["topic"], m["type"]) for m in advertised] == [("/joint_states", "sensor_msgs/JointState")]
        published = next(m for m in foreign.got if m["op"] == "publish")
        assert set(published["msg"]["header"]["stamp"]) == {"secs", "nsecs"}  # it speaks the ROS 1 dialect
        assert published["msg"]["position"] == [0.25, None]
        assert any("/points is skipped: its type there is std_msgs/msg/String" in text for text in said)

    try:
        joined(session, f"ws://127.0.0.1:{foreign.port}", Directions(out=("/joint_states",)), check)
    finally:
        foreign.stop()


def test_the_services_of_a_foreign_server():
    foreign = Foreign()

    async def whole():
        client = SessionClient(f"ws://127.0.0.1:{foreign.port}")
        connecting = asyncio.create_task(client.run())
        await asyncio.wait_for(client.ready(), 20)
        assert set(client.graph.topics) == {"/cmd_vel", "/points"}
        assert {name: info.type_name for name, info in client.graph.services.items()} == {
            "/reset": "std_srvs/srv/Empty"
        }
        with pytest.raises(AndanteError, match="no such service"):
            await client.call("/reset", messages.to_cdr(messages.make("std_srvs/srv/Empty_Request")))
        connecting.cancel()

    try:
        asyncio.run(whole())
    finally:
        foreign.stop()


def test_two_sessions_joined(session, make_session):
    other = make_session()
    session.heard.clear()

    def drive():
        publisher = other.bus.advertise("/cmd_vel", "geometry_msgs/msg/Twist", node="pilot")
        other.bus.every(0.05, lambda: publisher.publish(messages.make("geometry_msgs/msg/Twist", linear={"x": 0.0625})))

    other.do(drive)

    async def check(said):
        await until(lambda: (0.0625, 0.0) in session.heard)

    joined(session, other.server.ws_url, None, check)


def test_a_server_that_is_not_there(monkeypatch):
    monkeypatch.setattr("andante.bridges.rosbridge.client.PATIENCE", 0.3)

    async def check():
        with pytest.raises(AndanteError, match=r"no rosbridge server answers at ws://127\.0\.0\.1:9"):
            await RosbridgeBridge(None, "ws://127.0.0.1:9").run()

    asyncio.run(check())


def test_directions_tell_in_from_out():
    from andante.bridges.client import Graph, ServiceInfo, TopicInfo

    graph = Graph(
        {
            "/scan": TopicInfo("a/msg/B", publishers=("/lidar",), subscribers=("/amcl",)),
            "/cmd_vel": TopicInfo("a/msg/B", publishers=("/bridge",), subscribers=("/base",)),
            "/odd": TopicInfo("a/msg/B", subscribers=("/bridge",)),
        },
        {"/pause": ServiceInfo("a/srv/B"), "/secret": ServiceInfo("a/srv/B")},
    )
    all_of_them = Directions()
    assert list(all_of_them.outgoing(graph)) == ["/scan"]
    assert list(all_of_them.incoming(graph)) == ["/cmd_vel"]
    assert list(Directions(without=("/sc*",)).outgoing(graph)) == []
    assert list(Directions(out=("/x",)).incoming(graph)) == ["/scan", "/cmd_vel"]
    assert Directions(without=("/secret",)).services(graph) == ["/pause"]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("8000", "ws://127.0.0.1:8000/rosbridge"),
        ("http://127.0.0.1:8000/", "ws://127.0.0.1:8000/rosbridge"),
        ("https://lab:1/?token=abc", "wss://lab:1/rosbridge?token=abc"),
        ("ws://lab:9090", "ws://lab:9090"),
    ],
)
def test_addresses_of_sessions(text, url):
    from andante.bridges.rosbridge.client import session_url

    assert session_url(text) == url


def test_an_address_that_is_none():
    from andante.bridges.rosbridge.client import session_url

    with pytest.raises(BadInput, match="should be a port or look like"):
        session_url("lab")
