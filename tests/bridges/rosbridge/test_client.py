"""A session over its WebSocket: the same calls as over the line, and a connection that comes back."""

import asyncio
import math
import os
import signal

import pytest

from andante.bags import messages
from andante.bridges.rosbridge.client import SessionClient
from andante.bus import BusError
from andante.errors import BadInput


def with_client(session, test):
    """Run test(client, said) with a connected client."""

    async def whole():
        said = []
        client = SessionClient(session.server.ws_url, said.append)
        running = asyncio.create_task(client.run())
        try:
            await asyncio.wait_for(client.ready(), 20)
            await asyncio.wait_for(test(client, said), 40)
        finally:
            running.cancel()

    asyncio.run(whole())


async def until(condition, seconds=20.0):
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.01)


def test_everything_a_bridge_needs(session):
    async def check(client, said):
        assert client.graph.topics["/robot_description"].latched == 1
        assert client.graph.topics["/joint_states"].sensor
        assert client.graph.topics["/cmd_vel"].heard
        assert client.graph.services["/pause"].node == "/session"
        frames, texts, again = [], [], []
        listening = client.subscribe("/joint_states", frames.append)
        client.subscribe("/robot_description", texts.append)
        await until(lambda: len(frames) > 3 and texts)
        joints = messages.from_cdr(frames[0].type_name, frames[0].cdr)
        assert joints.position[0] == 0.25
        assert math.isnan(joints.position[1])
        assert frames[-1].stamp > frames[0].stamp
        client.subscribe("/robot_description", again.append)
        assert len(again) == 1  # kept
        listening.close()
        twist = messages.make("geometry_msgs/msg/Twist", linear={"x": 0.125})
        client.publish("/cmd_vel", "geometry_msgs/msg/Twist", messages.to_cdr(twist))
        await until(lambda: (0.125, 0.0) in session.heard)
        request = messages.to_cdr(messages.make("std_srvs/srv/Trigger_Request"))
        answer = messages.from_cdr("std_srvs/srv/Trigger_Response", await client.call("/pause", request))
        assert answer.message == "paused"
        with pytest.raises(BusError, match="ZeroDivisionError"):
            await client.call("/broken", request)
        with pytest.raises(BadInput, match="no service '/nope'"):
            await client.call("/nope", request)
        assert "/nao/pgain" in await client.parameters()
        await client.set_parameter("/nao/pgain", 2.25)
        assert (await client.parameters())["/nao/pgain"] == 2.25
        with pytest.raises(BusError, match="goes from 0 to 10"):
            await client.set_parameter("/nao/pgain", -1.0)
        feedback, kind = [], "control_msgs/action/FollowJointTrajectory"
        goal = await client.send_goal("/reach", messages.to_cdr(messages.make(f"{kind}_Goal")), feedback.append)
        status, result = await goal.done
        assert (status, messages.from_cdr(f"{kind}_Result", result).error_string) == (4, "there")
        assert len(feedback) == 3
        slow = messages.make(f"{kind}_Goal", trajectory={"joint_names": ["slow"]})
        goal = await client.send_goal("/reach", messages.to_cdr(slow))
        goal.cancel()
        assert (await goal.done)[0] == 5
        client.publish(
            "/my/own", "std_msgs/msg/String", messages.to_cdr(messages.make("std_msgs/msg/String")), create=True
        )
        await until(lambda: "/my/own" in client.graph.topics)
        assert said == []

    with_client(session, check)


def test_a_connection_that_is_lost_comes_back(make_session):
    session = make_session()

    async def check(client, said):
        frames = []
        client.subscribe("/joint_states", frames.append)
        await until(lambda: frames)
        os.kill(session.server.pid, signal.SIGKILL)
        await until(lambda: not client.connected)
        assert any("the connection is lost" in text for text in said)
        with pytest.raises(BusError, match="no connection"):
            await client.set_parameter("/nao/pgain", 1.0)
        client.publish("/cmd_vel", "geometry_msgs/msg/Twist", messages.to_cdr(messages.make("geometry_msgs/msg/Twist")))
        assert client.dropped == 1
        await asyncio.get_running_loop().run_in_executor(None, session.do, session.server.restart)
        count = len(frames)
        await until(lambda: len(frames) > count + 3)

    with_client(session, check)


def test_an_orderly_end_is_no_loss(make_session):
    """Neither that of the session nor one's own."""
    session, heard = make_session(), []

    async def check(client, said):
        heard.append(said)
        await asyncio.get_running_loop().run_in_executor(None, session.do, session.server.stop)
        await until(lambda: not client.connected)
        await until(lambda: said)
        assert "the session has ended" in said[0]

    with_client(session, check)

    async def leave(_client, said):
        heard.append(said)

    with_client(make_session(), leave)
    assert heard[1] == []


def test_an_address_that_is_no_websocket():
    async def check():
        with pytest.raises(BadInput, match="should look like ws://"):
            SessionClient("http://x")

    asyncio.run(check())
