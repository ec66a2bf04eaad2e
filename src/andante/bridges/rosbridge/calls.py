"""Services and actions of a rosbridge client: calls into the session, and what clients offer to one another."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from andante.bags import messages
from andante.bridges.client import ABORTED, CANCELED, SUCCEEDED, BusClient, ClientGoal
from andante.bridges.encoding import ENCODINGS, absolute, full_type, to_cbor, to_json
from andante.errors import AndanteError, BadInput, TimedOut, UnknownName

from .rosapi import RosApi

CALL_TIMEOUT = 60.0  # of a call without a time of its own [s]

Send = Callable[[dict[str, Any]], None]  # one operation to a client, as JSON


@dataclass
class Advertisement:
    """A service or action that a client offers."""

    type_name: str
    send: Send
    waiting: dict[str, asyncio.Future[dict[str, Any]]] = field(default_factory=dict)
    feedback: dict[str, Callable[[Any], None]] = field(default_factory=dict)


class Hub:
    """What the clients of one server offer to one another; the loop never waits for a client."""

    def __init__(self) -> None:
        self.services: dict[str, Advertisement] = {}
        self.actions: dict[str, Advertisement] = {}

    def table(self, what: str) -> dict[str, Advertisement]:
        """Offers of a kind: service or action."""
        return self.services if what == "service" else self.actions


class Calls:
    """The calls, goals and offers of one client."""

    def __init__(
        self, bus: BusClient, hub: Hub, api: RosApi, send: Callable[[str | bytes], None], pending: int
    ) -> None:
        self._bus, self._hub, self._api, self._raw_send, self._pending = bus, hub, api, send, pending
        self._tasks: set[asyncio.Task[None]] = set()
        self._goals: dict[str, ClientGoal] = {}
        self._cancels: dict[str, Callable[[], None]] = {}
        self._early: set[str] = set()  # goals that were called off before they were taken
        self._offered: list[tuple[dict[str, Advertisement], str]] = []

    def close(self) -> None:
        """Cancel what is under way and withdraw all offers."""
        for goal in list(self._goals.values()):
            goal.cancel()
        for task in list(self._tasks):
            task.cancel()
        for table, name in self._offered:
            self._withdraw(table, name)
        self._offered.clear()

    # What this client asks of others.

    def call_service(self, message: dict[str, Any]) -> None:
        """Answer a `call_service` operation, now or later, by a `service_response`."""
        name = absolute(message.get("service"))
        self._start(self._call(name, message))

    async def _call(self, name: str, message: dict[str, Any]) -> None:
        compression = message.get("compression", "none")
        try:
            if compression not in ENCODINGS:
                raise BadInput(f"compression {compression!r} is not one of {', '.join(ENCODINGS)}")
            values = await self._values(name, message)
            result = True
        except Exception as error:
            values, result = _reason(error), False
        answer = {"op": "service_response", "service": message.get("service"), "values": values, "result": result}
        if "id" in message:
            answer["id"] = message["id"]
        self._raw_send(to_cbor(answer) if compression == "cbor" else to_json(answer))

    async def _values(self, name: str, message: dict[str, Any]) -> Any:
        arguments = message.get("args") or {}
        timeout = message.get("timeout")
        limit = float(timeout) if isinstance(timeout, int | float) and timeout > 0 else CALL_TIMEOUT
        if name in self._api.services:
            return await self._api.call(name, arguments)
        offer = self._hub.services.get(name)
        if offer is not None:
            return await _ask(offer, {"op": "call_service", "service": name, "args": arguments}, limit)
        info = self._bus.graph.services.get(name)
        if info is None:
            raise UnknownName.among("service", name, sorted({*self._bus.graph.services, *self._hub.services}))
        kind = f"{info.type_name}_Request"
        if isinstance(arguments, list):
            fields = [field_name for field_name, _ in messages.store().fielddefs[kind][1]]
            if len(arguments) > len(fields):
                raise BadInput(f"{name}: {len(arguments)} arguments, but the request has {len(fields)} fields")
            arguments = dict(zip(fields, arguments, strict=False))
        response = await self._bus.call(name, messages.to_cdr(messages.from_dict(kind, arguments)), limit)
        return messages.to_dict(messages.from_cdr(f"{info.type_name}_Response", response))

    def send_goal(self, message: dict[str, Any]) -> None:
        """Answer a `send_action_goal` operation by `action_feedback` and one `action_result`."""
        name, mark = absolute(message.get("action")), message.get("id")
        if not isinstance(mark, str) or not mark:
            raise BadInput("send_action_goal needs an id")
        if mark in self._cancels:
            raise BadInput(f"there is a goal with the id {mark!r} already")
        self._cancels[mark] = lambda: self._early.add(mark)
        try:
            self._start(self._goal(name, mark, message))
        except AndanteError:
            del self._cancels[mark]
            raise

    async def _goal(self, name: str, mark: str, message: dict[str, Any]) -> None:
        wanted = bool(message.get("feedback", False))
        compression = message.get("compression", "none")

        def send(part: dict[str, Any]) -> None:
            whole = {"id": mark, "action": message.get("action"), **part}
            self._raw_send(to_cbor(whole) if compression == "cbor" else to_json(whole))

        def feedback(values: Any) -> None:
            if wanted:
                send({"op": "action_feedback", "values": values})

        try:
            status, values = await self._outcome(name, mark, message.get("args") or {}, feedback)
            send({"op": "action_result", "values": values, "status": status, "result": True})
        except Exception as error:
            send({"op": "action_result", "values": _reason(error), "status": ABORTED, "result": False})
        finally:
            self._cancels.pop(mark, None)
            self._early.discard(mark)
            self._goals.pop(mark, None)

    async def _outcome(self, name: str, mark: str, arguments: Any, feedback: Callable[[Any], None]) -> tuple[int, Any]:
        offer = self._hub.actions.get(name)
        if offer is not None:
            inner = f"goal:{uuid.uuid4()}"
            offer.feedback[inner] = feedback
            self._cancels[mark] = lambda: offer.send({"op": "cancel_action_goal", "id": inner, "action": name})
            request = {"op": "send_action_goal", "action": name, "action_type": offer.type_name, "args": arguments}
            if mark in self._early:
                return CANCELED, {}
            try:
                answer = await _ask(offer, {**request, "feedback": True}, None, inner, whole=True)
            finally:
                offer.feedback.pop(inner, None)
            status = answer.get("status")
            return (status if status in (SUCCEEDED, CANCELED, ABORTED) else SUCCEEDED), answer.get("values")
        info = self._bus.graph.actions.get(name)
        if info is None:
            raise UnknownName.among("action", name, sorted({*self._bus.graph.actions, *self._hub.actions}))

        def decoded(cdr: bytes) -> None:
            feedback(messages.to_dict(messages.from_cdr(f"{info.type_name}_Feedback", cdr)))

        request = messages.to_cdr(messages.from_dict(f"{info.type_name}_Goal", arguments))
        goal = await self._bus.send_goal(name, request, decoded)
        self._goals[mark] = goal
        self._cancels[mark] = goal.cancel
        if mark in self._early:
            goal.cancel()
        status, result = await goal.done
        return status, messages.to_dict(messages.from_cdr(f"{info.type_name}_Result", result))

    def cancel_goal(self, message: dict[str, Any]) -> None:
        """Ask for the end of a goal of this client; its `action_result` follows."""
        mark = message.get("id")
        cancel = self._cancels.get(mark) if isinstance(mark, str) else None
        if cancel is None:
            raise BadInput(f"there is no goal with the id {mark!r}")
        cancel()

    # What this client offers to others.

    def advertise(self, message: dict[str, Any], what: str, send: Send, allowed: Callable[[str], bool]) -> None:
        """Offer a service (`what` = "service") or an action ("action") to the other clients."""
        name = absolute(message.get(what))
        table = self._hub.table(what)
        taken = self._bus.graph.services if what == "service" else self._bus.graph.actions
        if name in taken or name in table or name in self._api.services:
            raise BadInput(f"{what} {name!r} is advertised already")
        if not allowed(name):
            raise BadInput(f"{what} {name!r} may not be advertised by a client; `allow` of the server names what may")
        table[name] = Advertisement(full_type(message.get("type"), "srv" if what == "service" else "action"), send)
        self._offered.append((table, name))

    def unadvertise(self, message: dict[str, Any], what: str) -> None:
        """Take an offer back."""
        entry = self._own(message, what)
        self._offered.remove(entry)
        self._withdraw(*entry)

    def answered(self, message: dict[str, Any], what: str) -> None:
        """Pass on the `service_response` or `action_result` of this client."""
        table, name = self._own(message, what)
        waiting = table[name].waiting.get(str(message.get("id")))
        if waiting is None or waiting.done():
            raise BadInput(f"no request with the id {message.get('id')!r} waits for an answer")
        waiting.set_result(message)

    def progressed(self, message: dict[str, Any]) -> None:
        """Pass on the `action_feedback` of this client."""
        table, name = self._own(message, "action")
        feedback = table[name].feedback.get(str(message.get("id")))
        if feedback is None:
            raise BadInput(f"no goal with the id {message.get('id')!r} waits for feedback")
        feedback(message.get("values"))

    def _own(self, message: dict[str, Any], what: str) -> tuple[dict[str, Advertisement], str]:
        """The table and the name of an offer of this client."""
        entry = (self._hub.table(what), absolute(message.get(what)))
        if entry not in self._offered:
            raise BadInput(f"{what} {entry[1]!r} was not advertised by this client")
        return entry

    def _withdraw(self, table: dict[str, Advertisement], name: str) -> None:
        offer = table.pop(name)
        for waiting in offer.waiting.values():
            if not waiting.done():
                waiting.set_exception(BadInput(f"{name!r} was unadvertised by the client that provided it"))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        if len(self._tasks) >= self._pending:
            work.close()
            raise BadInput(f"{self._pending} calls and goals wait for an answer already")
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _reason(error: Exception) -> str:
    """What a client is told; every request gets an answer."""
    return str(error) if isinstance(error, AndanteError) else f"this cannot be done ({type(error).__name__}: {error})"


async def _ask(
    offer: Advertisement, request: dict[str, Any], timeout: float | None, mark: str = "", whole: bool = False
) -> Any:
    """The answer of the client that made an offer."""
    mark = mark or f"call:{uuid.uuid4()}"
    answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    offer.waiting[mark] = answer
    try:
        offer.send({**request, "id": mark})
        async with asyncio.timeout(timeout):
            message = await answer
    except TimeoutError:
        raise TimedOut(f"no answer within {timeout:g} s") from None
    finally:
        offer.waiting.pop(mark, None)
    if message.get("result") is False:
        raise BadInput(str(message.get("values") or "the client that provides it failed"))
    return message if whole else message.get("values") or {}
