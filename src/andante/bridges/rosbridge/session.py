"""The rosbridge v2 protocol of one client: operations in, text and bytes out; no sockets in here.

Protocol: https://github.com/RobotWebTools/rosbridge_suite/blob/ros2/ROSBRIDGE_PROTOCOL.md
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Protocol

from andante.bags import messages
from andante.bridges.base import note_motion
from andante.bridges.client import BusClient, Listening
from andante.bridges.encoding import ENCODINGS, Frame, absolute, from_cbor, full_type, to_json
from andante.bridges.server.access import Limits, Throttle
from andante.errors import AndanteError, BadInput, UnknownName

from .calls import Calls, Hub
from .rosapi import RosApi

LEAST_FRAGMENT = 512  # shorter fragments are not made: each costs as much as a message [characters]
MOST_FRAGMENTS = 4096  # of one message, in and out
DEPTH = 100  # messages of one topic that wait for a slow client when it did not say


@dataclass(frozen=True)
class SubscribeOptions:
    """How a client subscribes to a topic."""

    compression: str = "none"
    throttle: float = 0.0  # least time between messages [s]
    queue: int = 0  # messages kept while throttled, and while the client is slow; 0: none and a default
    fragment: int = 0  # longest text in characters, 0 for no limit


PRECEDENCE = ("cbor-raw", "cbor", "png", "none")


def merged(options: Collection[SubscribeOptions]) -> SubscribeOptions:
    """Options that serve all: a client that subscribes twice still gets each message once."""
    return SubscribeOptions(
        compression=next(c for c in PRECEDENCE if any(each.compression == c for each in options)),
        throttle=min(each.throttle for each in options),
        queue=min(each.queue for each in options),
        fragment=min((each.fragment for each in options if each.fragment), default=0),
    )


class Subscription:
    """Takes frames of one topic and hands those that are due to the client's outlet."""

    def __init__(self, topic: str, outlet: Any) -> None:
        self.topic = topic
        self.listening: Listening | None = None
        self.options = SubscribeOptions()
        self._outlet = outlet
        self._by_id: dict[str, SubscribeOptions] = {}
        self._throttle = Throttle(0.0)
        self._waiting: deque[Frame] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def empty(self) -> bool:
        """Whether the client has unsubscribed."""
        return not self._by_id

    @property
    def ids(self) -> int:
        """Number of ids that the client subscribes under."""
        return len(self._by_id)

    def has(self, mark: str) -> bool:
        """Whether the client subscribes under an id."""
        return mark in self._by_id

    def add(self, mark: str, options: SubscribeOptions) -> None:
        """Add or change the options of one subscription id."""
        self._by_id[mark] = options
        self._update()

    def remove(self, mark: str | None) -> None:
        """Remove the options of an id, or all of them; an unknown id changes nothing."""
        if mark is None:
            self._by_id.clear()
        else:
            self._by_id.pop(mark, None)
        if self._by_id:
            self._update()

    def take(self, frame: Frame) -> None:
        """Send a frame, keep it until it is due, or leave it out."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if not self._waiting and (frame.latched or self._throttle.ready(now)):
            self._send(frame)
        elif self.options.queue:
            self._waiting.append(frame)
            while len(self._waiting) > self.options.queue:
                self._waiting.popleft()
            if self._timer is None:
                self._timer = loop.call_later(self._throttle.wait(now), self._due)

    def close(self) -> None:
        """End the subscription."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waiting.clear()
        if self.listening is not None:
            self.listening.close()
            self.listening = None

    def _due(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        if self._waiting and self._throttle.ready(loop.time()):
            self._send(self._waiting.popleft())
        if self._waiting:
            self._timer = loop.call_later(max(1e-3, self._throttle.wait(loop.time())), self._due)

    def _send(self, frame: Frame) -> None:
        data = frame.encoded(self.options.compression)
        depth = self.options.queue or DEPTH
        size = self.options.fragment and max(self.options.fragment, LEAST_FRAGMENT, -(-len(data) // MOST_FRAGMENTS))
        if not size or isinstance(data, bytes) or len(data) <= size:
            self._outlet.put(data, self.topic, depth)
            return
        mark, total = str(uuid.uuid4()), -(-len(data) // size)
        for number in range(total):
            part = data[number * size : (number + 1) * size]
            self._outlet.put(to_json({"op": "fragment", "id": mark, "data": part, "num": number, "total": total}))

    def _update(self) -> None:
        self.options = merged(self._by_id.values())
        if self._throttle.period != self.options.throttle:
            self._throttle = Throttle(self.options.throttle)


LEVELS = ("info", "warning", "error", "none")


class Outlet(Protocol):
    """Where a client's text and bytes go; never waits."""

    def put(self, data: str | bytes, lane: str = "", depth: int = 0) -> None:
        """Queue data. Of a lane (a topic) at most `depth` wait, the oldest goes first; without a lane none is lost."""


@dataclass
class _Fragments:
    total: int
    parts: dict[int, str] = field(default_factory=dict)
    size: int = 0  # of all parts [characters]


class Session:
    """One client of the protocol."""

    def __init__(
        self, bus: BusClient, hub: Hub, outlet: Outlet, limits: Limits | None = None, allow: tuple[str, ...] = ()
    ) -> None:
        """`allow` holds patterns of names (such as "/my/*") that clients may add to the session."""
        self._bus, self._hub, self._outlet = bus, hub, outlet
        self._limits, self._allow = limits or Limits(), allow
        self._level = LEVELS.index("error")
        self._advertised: dict[str, tuple[str, bool]] = {}  # topic: type, latched
        self._subscriptions: dict[str, Subscription] = {}
        self._fragments: dict[str, _Fragments] = {}
        self._driving: dict[str, str] = {}  # topic: type, for those whose last message was not zero
        api = RosApi(bus, lambda: {name: offer.type_name for name, offer in hub.services.items()})
        self._calls = Calls(bus, hub, api, outlet.put, self._limits.pending)
        self._operations: dict[str, Callable[[dict[str, Any]], None]] = {
            "advertise": self._advertise,
            "unadvertise": self._unadvertise,
            "publish": self._publish,
            "subscribe": self._subscribe,
            "unsubscribe": self._unsubscribe,
            "call_service": self._calls.call_service,
            "advertise_service": lambda m: self._calls.advertise(m, "service", self._send, self._may_add),
            "unadvertise_service": lambda m: self._calls.unadvertise(m, "service"),
            "service_response": lambda m: self._calls.answered(m, "service"),
            "send_action_goal": self._calls.send_goal,
            "cancel_action_goal": self._calls.cancel_goal,
            "advertise_action": lambda m: self._calls.advertise(m, "action", self._send, self._may_add),
            "unadvertise_action": lambda m: self._calls.unadvertise(m, "action"),
            "action_feedback": self._calls.progressed,
            "action_result": lambda m: self._calls.answered(m, "action"),
            "fragment": self._fragment,
            "set_level": self._set_level,
            "status": lambda _: None,
        }

    def receive(self, data: str | bytes) -> None:
        """Carry out one message of the client; what is wrong with it goes back as `status`."""
        mark: Any = None
        try:
            message = from_cbor(data) if isinstance(data, bytes) else _parsed(data)
            if not isinstance(message, dict):
                raise BadInput("the message must be an object with an op")
            mark = message.get("id")
            self._carry_out(message)
        except AndanteError as error:
            self.status("error", str(error), mark)
        except Exception as error:  # nothing that a client sends may end its connection, let alone the server
            self.status("error", f"this cannot be done ({type(error).__name__}: {error})", mark)

    def close(self) -> None:
        """The client is gone: end its subscriptions, calls and offers, and stop what it drove."""
        for topic, type_name in self._driving.items():
            self._bus.publish(topic, type_name, messages.to_cdr(messages.make(type_name)))
        self._driving.clear()
        for subscription in self._subscriptions.values():
            subscription.close()
        self._subscriptions.clear()
        self._calls.close()

    def status(self, level: str, text: str, mark: Any = None) -> None:
        """Send the client a status message, if its level asks for it."""
        if LEVELS.index(level) >= self._level:
            self._send({"op": "status", "level": level, "msg": text, **({"id": mark} if isinstance(mark, str) else {})})

    @property
    def operations(self) -> list[str]:
        """Names of all operations."""
        return list(self._operations)

    @property
    def subscriptions(self) -> list[str]:
        """Topics that the client subscribes to."""
        return list(self._subscriptions)

    def _carry_out(self, message: dict[str, Any]) -> None:
        name = message.get("op")
        operation = self._operations.get(name) if isinstance(name, str) else None
        if operation is None:
            raise UnknownName.among("op", str(name)[:60], self._operations)
        operation(message)

    def _send(self, message: dict[str, Any]) -> None:
        self._outlet.put(to_json(message))

    def _may_add(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._allow)

    # Topics from the client.

    def _advertise(self, message: dict[str, Any]) -> None:
        topic, type_name = absolute(message.get("topic")), messages.type_name(full_type(message.get("type"), "msg"))
        known = self._bus.graph.topics.get(topic)
        if known is None and not self._may_add(topic):
            raise UnknownName.among("topic", topic, sorted(self._bus.graph.topics))
        if known is not None and known.type_name != type_name:
            raise BadInput(f"topic {topic!r} has the type {known.type_name}, not {type_name}")
        if len(self._advertised) >= self._limits.subscriptions:
            raise BadInput(f"a client may advertise {self._limits.subscriptions} topics")
        self._advertised[topic] = (type_name, bool(message.get("latch", False)))

    def _unadvertise(self, message: dict[str, Any]) -> None:
        topic = absolute(message.get("topic"))
        if self._advertised.pop(topic, None) is None:
            raise BadInput(f"topic {topic!r} was not advertised by this client")

    def _publish(self, message: dict[str, Any]) -> None:
        topic = absolute(message.get("topic"))
        known = self._bus.graph.topics.get(topic)
        own, latched = self._advertised.get(topic, ("", False))
        if known is None and not own:
            raise UnknownName.among("topic", topic, sorted(self._bus.graph.topics))
        if not self._may_add(topic) and not (known is not None and known.heard):
            raise BadInput(f"clients may not publish topic {topic!r}: nothing in the session subscribes to it")
        type_name = known.type_name if known is not None else own
        try:
            made = messages.from_dict(type_name, message.get("msg"))
        except BadInput as error:
            raise BadInput(f"topic {topic!r}: {error}") from None
        cdr = messages.to_cdr(made)
        note_motion(self._driving, topic, type_name, made)
        self._bus.publish(topic, type_name, cdr, create=known is None, latched=latched)

    # Topics to the client.

    def _subscribe(self, message: dict[str, Any]) -> None:
        topic = absolute(message.get("topic"))
        known = self._bus.graph.topics.get(topic)
        if known is None:
            raise UnknownName.among("topic", topic, sorted(self._bus.graph.topics))
        if message.get("type"):
            wanted = full_type(message["type"], "msg")
            if wanted != known.type_name:
                raise BadInput(f"topic {topic!r} has the type {known.type_name}, not {wanted}")
        compression = message.get("compression") or "none"
        if compression not in ENCODINGS:
            raise BadInput(f"compression {str(compression)[:40]!r} is not one of {', '.join(ENCODINGS)}")
        options = SubscribeOptions(
            compression=compression,
            throttle=_number(message, "throttle_rate") / 1000.0,
            queue=int(_number(message, "queue_length")),
            fragment=int(_number(message, "fragment_size")),
        )
        subscription = self._subscriptions.get(topic)
        if subscription is None:
            if len(self._subscriptions) >= self._limits.subscriptions:
                raise BadInput(f"a client may subscribe to {self._limits.subscriptions} topics")
            subscription = self._subscriptions[topic] = Subscription(topic, self._outlet)
        mark = str(message.get("id", ""))
        if subscription.ids >= self._limits.subscriptions and not subscription.has(mark):
            raise BadInput(f"a client may subscribe to a topic under {self._limits.subscriptions} ids")
        subscription.add(mark, options)
        self._listen(subscription)

    def _listen(self, subscription: Subscription) -> None:
        """Subscribe at the rate that the options need; new options bring the latched message again."""
        old, throttle = subscription.listening, subscription.options.throttle
        subscription.listening = self._bus.subscribe(subscription.topic, subscription.take, throttle)
        if old is not None:
            old.close()

    def _unsubscribe(self, message: dict[str, Any]) -> None:
        topic = absolute(message.get("topic"))
        subscription = self._subscriptions.get(topic)
        if subscription is None:
            raise BadInput(f"topic {topic!r} is not subscribed to by this client")
        mark = message.get("id")
        subscription.remove(None if mark is None else str(mark))
        if subscription.empty:
            subscription.close()
            del self._subscriptions[topic]

    # The rest.

    def _fragment(self, message: dict[str, Any]) -> None:
        mark, data, number, total = (message.get(name) for name in ("id", "data", "num", "total"))
        if not (isinstance(mark, str) and isinstance(data, str) and isinstance(number, int) and isinstance(total, int)):
            raise BadInput("a fragment needs id, data, num and total")
        if not 0 <= number < total <= MOST_FRAGMENTS:
            raise BadInput(f"fragment {number} of {total} does not exist")
        held = self._fragments.get(mark)
        if held is None:
            if len(self._fragments) >= self._limits.fragments:
                self._fragments.pop(next(iter(self._fragments)))
            held = self._fragments[mark] = _Fragments(total)
        held.size += len(data) - len(held.parts.get(number, ""))
        held.parts[number] = data
        if held.size > self._limits.message_size:
            del self._fragments[mark]
            raise BadInput(f"the fragments together are larger than {self._limits.message_size} bytes")
        if len(held.parts) == held.total:
            del self._fragments[mark]
            whole = _parsed("".join(held.parts[place] for place in sorted(held.parts)))
            if not isinstance(whole, dict) or whole.get("op") == "fragment":
                raise BadInput("the fragments together are not an operation")
            self._carry_out(whole)

    def _set_level(self, message: dict[str, Any]) -> None:
        level = message.get("level")
        if level not in LEVELS:
            raise BadInput(f"level {str(level)[:40]!r} is not one of {', '.join(LEVELS)}")
        self._level = LEVELS.index(level)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"this is not JSON: {text[:60]!r}") from None


def _number(message: dict[str, Any], name: str) -> float:
    value = message.get(name) or 0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise BadInput(f"{name} should be a number from 0, got {str(value)[:40]!r}")
    return float(value)
