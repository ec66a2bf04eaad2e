"""`SessionClient`: a session as a bridge process sees it, over the rosbridge WebSocket of that session.

It also speaks to a foreign rosbridge server (a robot with ROS): messages then travel as JSON or CBOR values.
`run_beside` runs a bridge beside a session until it is stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from andante.bags import messages
from andante.bridges.base import Bridge, DriverWatch, GraphBridge, stale
from andante.bridges.client import (
    ABORTED,
    BusClient,
    ClientGoal,
    Directions,
    Graph,
    OnFeedback,
    Say,
    ServiceInfo,
    TopicInfo,
    quiet,
)
from andante.bridges.encoding import Frame, from_cbor, ros1_times, short_type, to_cbor, to_json
from andante.bridges.graph_client import GraphClient
from andante.bus.errors import BusError
from andante.errors import AndanteError, BadInput, TimedOut, one_line

REFRESH = 1.0  # time between looks at the graph [s]
ORDERLY = (1000, 1001, 1012)  # codes of RFC 6455 with which a server that stops says so
FIRST_WAIT, LONGEST_WAIT = 0.2, 3.0  # before connecting again [s]
CALL_TIMEOUT = 60.0  # [s]
PATIENCE = 10.0  # time in which the session must answer first [s]


class SessionClient(GraphClient):
    """A `BusClient` over WebSocket that connects again by itself. Run `run` as a task; `ready` waits for the graph."""

    def __init__(self, url: str, say: Say = quiet) -> None:
        if not url.startswith(("ws://", "wss://")):
            raise BadInput(f"address {url!r} should look like ws://127.0.0.1:8000/rosbridge")
        super().__init__()
        self.url, self._say = url, say
        self.connected = False
        self._own = False  # the far side is one of ours: CBOR both ways, frames as CDR
        self._foreign: bool | None = None  # not known yet
        self._ros1 = False  # the far side is ROS 1: types are pkg/Name, times have secs and nsecs
        self._advertised: set[str] = set()
        self._out: asyncio.Queue[str | bytes] = asyncio.Queue(maxsize=1000)

    @property
    def stamped(self) -> bool:
        """Whether the far side is one of ours: its messages come with its time."""
        return self._own

    async def run(self) -> None:
        """Keep the connection until cancelled."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        wait, complained = FIRST_WAIT, False
        while True:
            try:
                async with connect(self.url, max_size=2**28, compression=None, proxy=None, close_timeout=1.0) as socket:
                    wait, complained = FIRST_WAIT, False
                    await self._serve(socket)
            except (OSError, WebSocketException, TimeoutError) as error:
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise asyncio.CancelledError from None  # the farewell of a cancelled task failed
                if not complained:
                    self._say(f"{self.url}: no connection ({one_line(error)[:120]}); trying again")
                    complained = True
            await asyncio.sleep(wait)
            wait = min(2.0 * wait, LONGEST_WAIT)

    async def _serve(self, socket: Any) -> None:
        """One connection from its first to its last message."""
        self._out = asyncio.Queue(maxsize=1000)
        self._advertised.clear()
        self.connected, self._own, self._foreign = True, False, None
        tasks = [asyncio.create_task(self._write(socket)), asyncio.create_task(self._look())]
        try:
            async for data in socket:
                self._take(from_cbor(data) if isinstance(data, bytes) else json.loads(data))
        finally:
            self.connected = False
            for task in tasks:
                task.cancel()
            self._fail_all("the connection to the session is lost")
            own = (task := asyncio.current_task()) is not None and task.cancelling()
            if not own:  # who ends it is told nothing
                orderly = getattr(socket, "close_code", None) in ORDERLY
                self._say(f"{self.url}: {'the session has ended' if orderly else 'the connection is lost'}")

    def publish(self, topic: str, type_name: str, cdr: bytes, *, create: bool = False, latched: bool = False) -> None:
        """Publish into the session; dropped and counted when there is no connection."""
        if create and topic not in self._advertised:
            self._advertised.add(topic)
            kind = short_type(type_name) if self._ros1 else type_name
            self._send({"op": "advertise", "topic": topic, "type": kind, "latch": latched})
        value = self._value(type_name, cdr)
        if not self._send({"op": "publish", "topic": topic, "msg": value}):
            self.dropped += 1

    async def call(self, service: str, request: bytes, timeout: float | None = None) -> bytes:
        """The response of a service."""
        info = self.graph.services.get(service)
        if info is None:
            raise BadInput(f"no service {service!r}")
        arguments = self._value(f"{info.type_name}_Request", request)
        values = await self._call(service, arguments, timeout)
        return _cdr(f"{info.type_name}_Response", values)

    async def send_goal(self, action: str, goal: bytes, on_feedback: OnFeedback | None = None) -> ClientGoal:
        """Send a goal; whether it is taken shows in its end."""
        info = self.graph.actions.get(action)
        if info is None:
            raise BadInput(f"no action {action!r}")
        mark = f"goal:{next(self._numbers)}"
        cancel: dict[str, Any] = {"op": "cancel_action_goal", "id": mark, "action": action}
        message = {"op": "send_action_goal", "id": mark, "action": action, "action_type": info.type_name}
        arguments = self._value(f"{info.type_name}_Goal", goal)
        if not self._send({**message, "args": arguments, "feedback": on_feedback is not None}):
            raise BusError(f"{action}: there is no connection to the session")
        handle = self._goals[mark] = ClientGoal(lambda: self._send(cancel), on_feedback, info.type_name)
        return handle

    async def parameters(self) -> dict[str, Any]:
        """Names and values of all parameters."""
        if self._own:
            return dict((await self._call("/rosapi/andante_parameters", {}, 10.0))["values"])
        names = (await self._call("/rosapi/get_param_names", {}, 10.0))["names"]
        return {
            name: json.loads((await self._call("/rosapi/get_param", {"name": name}, 10.0))["value"]) for name in names
        }

    async def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter."""
        answer = await self._call("/rosapi/set_param", {"name": name, "value": json.dumps(value)}, 10.0)
        if answer.get("successful") is False:
            raise BusError(answer.get("reason") or f"parameter {name!r} was not set")

    # Inside.

    def _value(self, type_name: str, cdr: bytes) -> Any:
        """A message as the far side reads it."""
        value = messages.to_dict(messages.from_cdr(type_name, cdr))
        return ros1_times(value) if self._ros1 else value

    def _send(self, message: dict[str, Any]) -> bool:
        if not self.connected or self._out.full():
            return False
        self._out.put_nowait(to_cbor(message) if self._own else to_json(message))
        return True

    async def _write(self, socket: Any) -> None:
        while True:
            await socket.send(await self._out.get())

    def _subscribe(self, topic: str, throttle: float) -> None:
        if self._foreign is None:
            return  # asked for with the first graph of the connection
        message = {"op": "subscribe", "id": f"hear:{topic}", "topic": topic, "throttle_rate": round(throttle * 1000.0)}
        self._send({**message, "compression": "cbor-raw" if self._own else "none"})

    def _unsubscribe(self, topic: str) -> None:
        self._send({"op": "unsubscribe", "topic": topic})

    def _take(self, message: Any) -> None:
        op, mark = message.get("op"), message.get("id")
        if op == "publish":
            self._frame(message["topic"], message["msg"])
        elif op == "service_response":
            self._answered(mark, message)
        elif op in ("action_feedback", "action_result"):
            self._progress(mark, message)
        elif op == "status" and message.get("level") == "error":
            self._say(f"{self.url}: {message.get('msg')}")

    def _frame(self, topic: str, message: Any) -> None:
        info = self.graph.topics.get(topic)
        if info is None:
            return
        if self._own:
            cdr, stamp = message["bytes"], message["secs"] + 1e-9 * message["nsecs"]
            self.now = stamp
        else:
            try:
                cdr, stamp = _cdr(info.type_name, message), self.now
            except AndanteError as error:
                self._say(f"{topic}: {error}")
                return
        self._channels.take(Frame(topic, info.type_name, stamp, cdr, bool(info.latched)), info.latched)

    def _progress(self, mark: str, message: dict[str, Any]) -> None:
        """Feedback of a goal, or its end."""
        goal = self._goals.get(mark)
        if goal is None:
            return
        if message["op"] == "action_feedback":
            goal.progress(_cdr(f"{goal.type_name}_Feedback", message["values"]))
            return
        del self._goals[mark]
        if message.get("result") is False:
            goal.fail(str(message.get("values")))
        else:
            goal.finish(int(message.get("status", ABORTED)), _cdr(f"{goal.type_name}_Result", message["values"]))

    async def _call(self, service: str, arguments: Any, timeout: float | None) -> dict[str, Any]:
        mark = f"call:{next(self._numbers)}"
        message = {"op": "call_service", "id": mark, "service": service, "args": arguments}
        whole = {**message, "compression": "cbor"} if self._own else message
        answer = await self._answer(mark, partial(self._send, whole), timeout or CALL_TIMEOUT, service)
        if not answer.get("result"):
            raise BusError(str(answer.get("values") or f"{service} failed"))
        return answer.get("values") or {}

    async def _look(self) -> None:
        """Look at the graph again and again."""
        known: Any = None
        while self.connected:
            with contextlib.suppress(AndanteError):
                seen = await self._graph()
                if seen != known:
                    self._learn(seen, renew=known is None)
                    known = seen
            await asyncio.sleep(REFRESH)

    async def _graph(self) -> dict[str, Any]:
        if self._own or self._foreign is None:
            try:
                seen = await self._call("/rosapi/andante_graph", {}, 10.0)
                self._own, self._foreign = True, False
                return seen
            except BusError:
                if not self.connected or self._own:
                    raise
                self._foreign = True
        listed = await self._call("/rosapi/topics", {}, 10.0)
        self._ros1 = any(kind.count("/") == 1 for kind in listed["types"])
        topics = {
            name: TopicInfo(full, publishers=("/ros",), subscribers=("/ros",))
            for name, kind in zip(listed["topics"], listed["types"], strict=True)
            if (full := messages.full_name(kind)) in messages.store().fielddefs
        }
        services = {}
        for name in (await self._call("/rosapi/services", {}, 10.0))["services"]:
            kind = (await self._call("/rosapi/service_type", {"service": name}, 10.0)).get("type", "")
            if kind and f"{messages.full_name(kind, 'srv')}_Request" in messages.store().fielddefs:
                services[name] = ServiceInfo(messages.full_name(kind, "srv"), "/ros")
        return {"graph": Graph(topics, services).as_dict()}


def _cdr(type_name: str, values: Any) -> bytes:
    return messages.to_cdr(messages.from_dict(type_name, values))


def session_url(text: str) -> str:
    """The WebSocket address of a session from a port, the address of its page, or that address itself."""
    if text.isdigit():
        return f"ws://127.0.0.1:{text}/rosbridge"
    head, mark, query = text.partition("?")
    if head.startswith(("http://", "https://")):
        head = "ws" + head.removeprefix("http")
        head = head.rstrip("/") + "/rosbridge"
    if not head.startswith(("ws://", "wss://")):
        raise BadInput(f"session {text!r} should be a port or look like ws://127.0.0.1:8000/rosbridge")
    return head + mark + query


async def run_beside(
    session: str, make: Callable[[SessionClient], Bridge], seconds: float | None = None, say: Say = quiet
) -> None:
    """Connect to a session, make the bridge, and run it for so many seconds or until cancelled."""
    client = SessionClient(session_url(session), say)
    async with _connected(client, f"no session answers at {client.url}; start one with andante studio"):
        bridge = make(client)
        try:
            async with asyncio.timeout(seconds) as limit:
                await bridge.run()
        except TimeoutError:
            if not limit.expired():
                raise


@contextlib.asynccontextmanager
async def _connected(client: SessionClient, silence: str) -> AsyncIterator[None]:
    """The client runs in the block and knows the graph of the far side; `silence`: the error where nobody answers."""
    connecting = asyncio.create_task(client.run())
    try:
        try:
            async with asyncio.timeout(PATIENCE):
                await client.ready()
        except TimeoutError:
            raise TimedOut(silence) from None
        yield
    finally:
        connecting.cancel()


class RosbridgeBridge(GraphBridge):
    """Copies what the session subscribes to from the other server, and what is named from the session to it."""

    def __init__(self, bus: BusClient, url: str, directions: Directions | None = None, say: Say = quiet) -> None:
        """By default nothing goes out: `directions.out` names it, such as "/cmd_vel" for a robot to drive."""
        super().__init__(bus, directions or Directions(out=()), say)
        self._far = SessionClient(url, say)
        self._passed: dict[str, str] = {}  # topic with its direction: type
        self._refused: set[str] = set()
        self._far_drivers = DriverWatch(partial(self._far.publish, create=True))

    async def run(self) -> None:
        """Bridge until cancelled."""
        async with _connected(self._far, f"no rosbridge server answers at {self._far.url} within {PATIENCE:g} s"):
            far_watch = self._far.on_graph(self._follow)
            self._begin()
            self._say(f"joined to {self._far.url}")
            try:
                await asyncio.Event().wait()
            finally:
                far_watch.close()
                self._far_drivers.close()
                self._end()
                await asyncio.sleep(0.1)  # the last commands are on their way

    def _follow(self, _: Graph) -> None:
        own, far = self._bus.graph, self._far.graph
        incoming = {f"<{name}": topic.type_name for name, topic in self._directions.incoming(own).items()}
        wanted = {mark: kind for mark, kind in incoming.items() if self._fits(mark[1:], kind, far)}
        wanted |= {f">{name}": topic.type_name for name, topic in self._directions.outgoing(own).items()}
        for mark in stale(self._passed, wanted):
            self._unhear(mark)
        for mark in stale(wanted, self._passed):
            source = self._far if mark[0] == "<" else self._bus
            self._listening[mark] = source.subscribe(mark[1:], partial(self._pass, mark[0] == "<"))
        self._passed = wanted

    def _fits(self, name: str, type_name: str, far: Graph) -> bool:
        """Whether the other side has the topic, with the same type."""
        topic = far.topics.get(name)
        if topic is not None and topic.type_name != type_name and name not in self._refused:
            self._refused.add(name)
            self._say(f"{name} is skipped: its type there is {topic.type_name}, here {type_name}")
        return topic is not None and topic.type_name == type_name

    def _pass(self, inward: bool, frame: Frame) -> None:
        message = messages.from_cdr(frame.type_name, frame.cdr)
        if inward:
            self._bus.publish(frame.topic, frame.type_name, frame.cdr)
            self._drivers.note(frame.topic, frame.type_name, message)
        else:
            self._far.publish(frame.topic, frame.type_name, frame.cdr, create=True, latched=frame.latched)
            self._far_drivers.note(frame.topic, frame.type_name, message)
