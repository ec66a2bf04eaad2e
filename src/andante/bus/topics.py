"""Topics: publishers, subscriptions and the samples that travel between them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.errors import BadInput

if TYPE_CHECKING:
    from .bus import Bus

Callback = Callable[[Any], None]
CLOSE = 1e-9  # times nearer than this are the same instant [s]


class Sample:
    """One message on its way: topic, time of publishing [s], and the message as object and as CDR, made on demand."""

    __slots__ = ("_cdr", "_message", "stamp", "topic", "type")

    def __init__(self, topic: str, type_name: str, stamp: float, message: Any = None, cdr: bytes | None = None) -> None:
        self.topic, self.type, self.stamp = topic, type_name, stamp
        self._message, self._cdr = message, cdr

    @property
    def message(self) -> Any:
        """The message object, the same one for all listeners: not to be changed."""
        if self._message is None:
            self._message = messages.from_cdr(self.type, self._cdr or b"")
        return self._message

    @property
    def cdr(self) -> bytes:
        """The message as ROS 2 sends it; packed once, however many ask."""
        if self._cdr is None:
            self._cdr = messages.to_cdr(self._message)
        return self._cdr


class Topic:
    """What publishers and subscriptions of one name share."""

    __slots__ = ("count", "leader", "name", "order", "publishers", "ready", "subscriptions", "type")

    def __init__(self, name: str, type_name: str | None, order: int) -> None:
        self.name, self.type, self.order = name, type_name, order
        self.publishers: list[Publisher] = []
        self.subscriptions: list[Subscription] = []
        self.leader: Publisher | None = None  # while there is one, nobody else is heard
        self.ready = False  # a subscription has something queued
        self.count = 0  # samples sent

    @property
    def latched(self) -> bool:
        """Whether a publisher keeps its messages for those who come later."""
        return any(publisher.latched for publisher in self.publishers)

    @property
    def heard(self) -> list[Publisher]:
        """The publishers whose messages are delivered."""
        return self.publishers if self.leader is None else [self.leader]


class Publisher:
    """The right to publish on a topic."""

    __slots__ = ("_bus", "_clock", "_last", "_next", "_topic", "kept", "latched", "node", "period", "sensor", "type")

    def __init__(
        self, bus: Bus, topic: Topic, type_name: str, rate: float | None, latched: int, node: str, sensor: bool
    ) -> None:
        if rate is not None and not (math.isfinite(rate) and rate > 0):
            raise BadInput(f"{topic.name}: the rate must be > 0 Hz, got {rate}")
        self._bus, self._clock, self._topic = bus, bus.clock, topic
        self.type, self.node, self.sensor, self.latched = type_name, node, sensor, latched
        self.period = 0.0 if rate is None else 1.0 / rate
        self._next = self._last = -math.inf
        self.kept: deque[Sample] = deque(maxlen=latched)

    @property
    def topic(self) -> str:
        """Name of the topic."""
        return self._topic.name

    @property
    def heard(self) -> bool:
        """Whether anybody listens to the topic."""
        return bool(self._topic.subscriptions)

    def wanted(self) -> bool:
        """Whether a message published now would reach anyone: somebody listens (or it is latched) and it is due."""
        if not self.latched and (not self._topic.subscriptions or self._topic.leader not in (None, self)):
            return False
        if not self.period:
            return True
        now = self._clock.now
        return now >= self._next - CLOSE or now < self._last - CLOSE

    def publish(self, message: Any) -> bool:
        """Send a message to all who listen; False when nobody does or the rate of the topic does not allow it yet."""
        if not self._topic.subscriptions and not self.latched:
            return False
        if self.period and not self.wanted():
            return False
        if getattr(message, "__msgtype__", None) != self.type:
            raise BadInput(f"{self.topic}: carries {self.type}, got {messages.type_of(message)}")
        self._send(Sample(self._topic.name, self.type, self._clock.now, message))
        return True

    def publish_cdr(self, data: bytes) -> bool:
        """The same with a message that is packed already; it is unpacked only for those who ask for the object."""
        if not self.wanted():
            return False
        self._send(Sample(self._topic.name, self.type, self._clock.now, cdr=data))
        return True

    def _send(self, sample: Sample) -> None:
        topic, now = self._topic, sample.stamp
        topic.count += 1
        if self.period:
            self._last = now
            self._next = (math.floor((now + CLOSE) / self.period) + 1) * self.period
        if self.latched:
            self.kept.append(sample)
        if topic.leader is None or topic.leader is self:
            for subscription in topic.subscriptions:
                subscription.put(sample)

    def lead(self) -> None:
        """Let only this publisher be heard on its topic until it closes; what others latch meanwhile comes then."""
        leader = self._topic.leader
        if leader is not None and leader is not self:
            raise BadInput(f"{self.topic}: {leader.node} leads it already")
        self._topic.leader = self

    def close(self) -> None:
        """Stop publishing; what was latched is forgotten."""
        self._bus._remove_publisher(self)


class Subscription:
    """A wish to hear a topic; calls come from `Bus.spin` only."""

    __slots__ = ("_bus", "_due", "_topic", "callback", "closed", "delivered", "dropped", "errors", "node", "pending",
                 "queue", "throttle", "throttled", "whole")  # fmt: skip

    def __init__(
        self, bus: Bus, topic: Topic, callback: Callback, queue: int, throttle: float, node: str, whole: bool
    ) -> None:
        if queue < 1:
            raise BadInput(f"{topic.name}: a queue holds at least 1 message, got {queue}")
        if not (math.isfinite(throttle) and throttle >= 0):
            raise BadInput(f"{topic.name}: throttle is a time in s of 0 or more, got {throttle}")
        self._bus, self._topic, self.callback, self.node = bus, topic, callback, node
        self.queue, self.throttle, self.whole = queue, throttle, whole
        self.pending: deque[Sample] = deque()
        self._due, self.closed = -math.inf, False
        self.delivered = self.errors = 0  # calls, and those that raised
        self.dropped = 0  # for a full queue
        self.throttled = 0  # for coming too soon

    @property
    def topic(self) -> str:
        """Name of the topic."""
        return self._topic.name

    def put(self, sample: Sample) -> None:
        """Queue a sample; the oldest gives way when the queue is full."""
        if self.throttle:
            early = self._due - sample.stamp
            if CLOSE < early <= self.throttle + CLOSE:
                self.throttled += 1
                return
            self._due = sample.stamp + self.throttle
        if len(self.pending) >= self.queue:
            self.pending.popleft()
            self.dropped += 1
        self.pending.append(sample)
        topic = self._topic
        if not topic.ready:
            topic.ready = True
            self._bus._ready.append(topic)

    def close(self) -> None:
        """Stop listening; what is queued is not delivered any more."""
        self._bus._remove_subscription(self)
