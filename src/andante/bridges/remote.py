"""`RemoteBus`: the bus as the server process sees it, over the line to the loop process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from andante.bus.errors import BusError
from andante.errors import BadInput

from .client import OnFeedback
from .frames import Frame
from .graph_client import GraphClient
from .wire import Head, Unpacker, pack

BACKLOG = 8 * 2**20  # bytes that may wait for the loop; more publishing is dropped, calls are refused
CHUNK = 1 << 18


class RemoteBus(GraphClient):
    """A `BusClient` over a connection to `serve_bus`. Make it, then run `run` as a task until the loop ends."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__()
        self._reader, self._writer = reader, writer
        self.on_control: Callable[[Head, bytes], None] = lambda head, body: None  # orders from the loop process
        self._answers: dict[int, asyncio.Future[tuple[Head, bytes]]] = {}
        self._goals: dict[int, _Goal] = {}

    async def run(self) -> None:
        """Take packets until the loop process ends the line."""
        unpacker = Unpacker()
        try:
            while data := await self._reader.read(CHUNK):
                unpacker.feed(data)
                for head, body in unpacker.packets():
                    self._take(head, body)
        except (OSError, BadInput):
            pass
        finally:
            self._fail_all()

    def publish(self, topic: str, type_name: str, cdr: bytes, *, create: bool = False, latched: bool = False) -> None:
        """Publish into the session; dropped and counted when the loop is far behind."""
        if self._writer.transport.get_write_buffer_size() > BACKLOG:
            self.dropped += 1
            return
        self._send({"op": "publish", "topic": topic, "type": type_name, "create": create, "latched": latched}, cdr)

    async def call(self, service: str, request: bytes, timeout: float | None = None) -> bytes:
        """The response of a service."""
        _, body = await self._ask({"op": "call", "service": service}, request, timeout, service)
        return body

    async def send_goal(self, action: str, goal: bytes, on_feedback: OnFeedback | None = None) -> _Goal:
        """Send a goal and wait until it is taken."""
        handle = _Goal(self, next(self._numbers), on_feedback)
        self._goals[handle.number] = handle
        try:
            await self._ask({"op": "goal", "action": action, "goal": handle.number}, goal, None, action)
        except BaseException:
            self._goals.pop(handle.number, None)
            raise
        return handle

    async def parameters(self) -> dict[str, Any]:
        """Names and values of all parameters."""
        head, _ = await self._ask({"op": "parameters"}, b"", 10.0, "parameters")
        return head["values"]

    async def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter."""
        await self._ask({"op": "set", "name": name, "value": value}, b"", 10.0, name)

    def tell(self, head: Head, body: bytes = b"") -> None:
        """Send an order or a report to the loop process."""
        self._send(head, body)

    # Inside.

    def _take(self, head: Head, body: bytes) -> None:
        op = head.get("op")
        self.now = head.get("now", self.now)
        if op == "frame":
            self._frame(head, body)
        elif op == "answer":
            waiting = self._answers.pop(head["number"], None)
            if waiting is not None and not waiting.done():
                waiting.set_result((head, body))
        elif op in ("feedback", "done"):
            self._progress(op, head, body)
        elif op == "graph":
            self._learn(head)
        else:
            self.on_control(head, body)

    def _frame(self, head: Head, body: bytes) -> None:
        depth = int(head.get("latched", 0))
        self._channels.take(Frame(head["topic"], head["type"], head["stamp"], body, bool(depth)), depth)

    def _progress(self, op: str, head: Head, body: bytes) -> None:
        goal = self._goals.get(head["goal"])
        if goal is None:
            return
        if op == "feedback":
            if goal.on_feedback is not None:
                goal.on_feedback(body)
            return
        del self._goals[head["goal"]]
        if not goal.done.done():
            goal.done.set_result((head["status"], body))

    def _subscribe(self, topic: str, throttle: float) -> None:
        self._send({"op": "subscribe", "topic": topic, "throttle": throttle})

    def _unsubscribe(self, topic: str) -> None:
        self._send({"op": "unsubscribe", "topic": topic})

    def _send(self, head: Head, body: bytes = b"") -> None:
        if not self._writer.is_closing():
            self._writer.write(pack(head, body))

    async def _ask(self, head: Head, body: bytes, timeout: float | None, what: str) -> tuple[Head, bytes]:
        if self._writer.is_closing() or self._writer.transport.get_write_buffer_size() > BACKLOG:
            raise BusError(f"{what}: the session does not answer")
        number = next(self._numbers)
        waiting: asyncio.Future[tuple[Head, bytes]] = asyncio.get_running_loop().create_future()
        self._answers[number] = waiting
        self._send({**head, "number": number}, body)
        try:
            async with asyncio.timeout(timeout):
                answer, data = await waiting
        except TimeoutError:
            raise BusError(f"{what}: no answer within {timeout:g} s") from None
        finally:
            self._answers.pop(number, None)
        if "error" in answer:
            raise BusError(answer["error"])
        return answer, data

    def _fail_all(self) -> None:
        self._writer.close()
        futures: list[asyncio.Future[Any]] = [*self._answers.values(), *(goal.done for goal in self._goals.values())]
        for waiting in futures:
            if not waiting.done():
                waiting.set_exception(BusError("the session has ended"))
                waiting.exception()  # whoever no longer waits need not be told


class _Goal:
    """A goal that the loop works on."""

    def __init__(self, bus: RemoteBus, number: int, on_feedback: OnFeedback | None) -> None:
        self._bus, self.number, self.on_feedback = bus, number, on_feedback
        self.done: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()

    def cancel(self) -> None:
        """Ask for its end."""
        self._bus._send({"op": "cancel", "goal": self.number})
