"""`SessionClient`: a session as a bridge process sees it, over the rosbridge WebSocket of that session.

It also speaks to a foreign rosbridge server (a robot with ROS): messages then travel as JSON or CBOR values.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

from andante.bags import messages
from andante.bus.errors import BusError
from andante.errors import AndanteError, BadInput

from .client import ABORTED, Graph, OnFeedback, ServiceInfo, TopicInfo
from .encoding import from_cbor, to_cbor, to_json
from .frames import Frame
from .graph_client import GraphClient
from .names import ros1_times, short_type

REFRESH = 1.0  # time between looks at the graph [s]
FIRST_WAIT, LONGEST_WAIT = 0.2, 3.0  # before connecting again [s]
CALL_TIMEOUT = 60.0  # [s]


class SessionClient(GraphClient):
    """A `BusClient` over WebSocket that connects again by itself. Run `run` as a task; `ready` waits for the graph."""

    def __init__(self, url: str, say: Callable[[str], None] = lambda text: None) -> None:
        if not url.startswith(("ws://", "wss://")):
            raise BadInput(f"address {url!r} should look like ws://127.0.0.1:8000/rosbridge")
        super().__init__()
        self.url, self._say = url, say
        self.connected = False
        self._own = False  # the far side is one of ours: CBOR both ways, frames as CDR
        self._foreign: bool | None = None  # not known yet
        self._ros1 = False  # the far side is ROS 1: types are pkg/Name, times have secs and nsecs
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._goals: dict[str, SessionGoal] = {}
        self._advertised: set[str] = set()
        self._out: asyncio.Queue[str | bytes] = asyncio.Queue(maxsize=1000)

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
                    self._say(f"{self.url}: no connection ({_told(error)}); trying again")
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
            self._lose()
            self._say(f"{self.url}: the connection is lost")

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
        return messages.to_cdr(messages.from_dict(f"{info.type_name}_Response", values))

    async def send_goal(self, action: str, goal: bytes, on_feedback: OnFeedback | None = None) -> SessionGoal:
        """Send a goal; whether it is taken shows in its end."""
        info = self.graph.actions.get(action)
        if info is None:
            raise BadInput(f"no action {action!r}")
        handle = SessionGoal(self, f"goal:{next(self._numbers)}", action, info.type_name, on_feedback)
        self._goals[handle.mark] = handle
        arguments = self._value(f"{info.type_name}_Goal", goal)
        message = {"op": "send_action_goal", "id": handle.mark, "action": action, "action_type": info.type_name}
        if not self._send({**message, "args": arguments, "feedback": on_feedback is not None}):
            del self._goals[handle.mark]
            raise BusError(f"{action}: there is no connection to the session")
        return handle

    async def parameters(self) -> dict[str, Any]:
        """Names and values of all parameters."""
        if self._own:
            return (await self._call("/rosapi/andante_parameters", {}, 10.0))["values"]
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
            waiting = self._answers.get(mark)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
        elif op in ("action_feedback", "action_result"):
            goal = self._goals.get(mark)
            if goal is not None:
                goal.take(message)
                if op == "action_result":
                    del self._goals[mark]
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
                cdr, stamp = messages.to_cdr(messages.from_dict(info.type_name, message)), self.now
            except AndanteError as error:
                self._say(f"{topic}: {error}")
                return
        self._channels.take(Frame(topic, info.type_name, stamp, cdr, bool(info.latched)), info.latched)

    async def _call(self, service: str, arguments: Any, timeout: float | None) -> Any:
        mark = f"call:{next(self._numbers)}"
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[mark] = waiting
        message = {"op": "call_service", "id": mark, "service": service, "args": arguments}
        try:
            if not self._send({**message, "compression": "cbor"} if self._own else message):
                raise BusError(f"{service}: there is no connection to the session")
            async with asyncio.timeout(timeout or CALL_TIMEOUT):
                answer = await waiting
        except TimeoutError:
            raise BusError(f"{service}: no answer within {timeout or CALL_TIMEOUT:g} s") from None
        finally:
            self._answers.pop(mark, None)
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

    def _lose(self) -> None:
        for waiting in self._answers.values():
            if not waiting.done():
                waiting.set_exception(BusError("the connection to the session is lost"))
        for goal in self._goals.values():
            goal.fail("the connection to the session is lost")
        self._goals.clear()


class SessionGoal:
    """A goal of the session."""

    def __init__(
        self, client: SessionClient, mark: str, action: str, type_name: str, on_feedback: OnFeedback | None
    ) -> None:
        self._client, self.mark, self._action, self._type, self._told = client, mark, action, type_name, on_feedback
        self.done: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()

    def cancel(self) -> None:
        """Ask for its end."""
        self._client._send({"op": "cancel_action_goal", "id": self.mark, "action": self._action})

    def take(self, message: dict[str, Any]) -> None:
        """Feedback or the end."""
        if message["op"] == "action_feedback":
            if self._told is not None:
                self._told(messages.to_cdr(messages.from_dict(f"{self._type}_Feedback", message["values"])))
        elif message.get("result") is False:
            self.fail(str(message.get("values")))
        elif not self.done.done():
            result = messages.to_cdr(messages.from_dict(f"{self._type}_Result", message["values"]))
            self.done.set_result((int(message.get("status", ABORTED)), result))

    def fail(self, reason: str) -> None:
        """End without a result."""
        if not self.done.done():
            self.done.set_exception(BusError(reason))
            self.done.exception()


def _told(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text[:120] or type(error).__name__
