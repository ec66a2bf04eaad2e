"""`Bus`: topics, services, actions, parameters, transforms and the log of one session, in one thread, on its clock."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar

from andante.bags import messages
from andante.errors import AndanteError, BadInput, UnknownName

from .actions import Action, Goal, OnDone, OnFeedback, Work, shaped
from .clock import Clock, Timer
from .errors import BusError
from .parameters import Parameters
from .tf import TfBuffer
from .topics import Publisher, Subscription, Topic

LEVELS = {"debug": 10, "info": 20, "warn": 30, "error": 40, "fatal": 50}
ROSOUT, LOG = "/rosout", "rcl_interfaces/msg/Log"
LOG_LINES = 100  # that somebody who comes late still gets
NODE = "andante"  # who takes part without a name
MOST_ROUNDS = 100  # of messages that answer messages within one spin
logger = logging.getLogger("andante.bus")
T = TypeVar("T")


@dataclass(frozen=True)
class Node:
    """One participant: what it publishes, hears and provides, by name."""

    name: str
    publishes: tuple[str, ...]
    subscribes: tuple[str, ...]
    provides: tuple[str, ...]  # services
    actions: tuple[str, ...]


class Service:
    """A service that somebody provides."""

    def __init__(self, bus: Bus, name: str, type_name: str, handler: Callable[[Any], Any], node: str) -> None:
        self._bus, self.name, self.handler, self.node = bus, name, handler, node
        self.type = messages.service(type_name)

    def close(self) -> None:
        """Withdraw it."""
        if self._bus._services.get(self.name) is self:
            del self._bus._services[self.name]


class Bus:
    """Everything that is said in a session. Nothing is delivered but by `spin`, in an order that never varies.

    A spin runs the timers that are due (by time, then by age), then one step of every action (in the order in which
    they were provided), then delivers what is queued: topic by topic in the order in which topics were first named,
    subscription by subscription, message by message; and again while callbacks publish more.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.parameters = Parameters()
        self.tf = TfBuffer()
        self._topics: dict[str, Topic] = {}
        self._services: dict[str, Service] = {}
        self._actions: dict[str, Action] = {}
        self._timers: list[Timer] = []
        self._ready: list[Topic] = []  # that have something queued
        self._named = 0  # topics so far
        self._spinning = False
        self._listeners: list[Callable[[], None]] = []
        self._logs: dict[str, Publisher] = {}
        self.clock.on_reset(self._jumped)

    # ---- topics -------------------------------------------------------------------------------
    def advertise(
        self, topic: str, type: str, rate: float | None = None, latched: int = 0, node: str = NODE, sensor: bool = False
    ) -> Publisher:
        """The right to publish a type on a topic.

        rate [Hz] is the most that is sent, on a grid of simulated time; latched keeps the last message (or the last
        N) for those who come later; sensor says that losing one does not matter (best effort for bridges).
        """
        full = messages.type_name(type)
        shared = self._topic(topic, full)
        publisher = Publisher(self, shared, full, rate, int(latched), node, sensor)
        shared.publishers.append(publisher)
        self._changed()
        return publisher

    def subscribe(
        self,
        topic: str,
        type: str | None,
        callback: Callable[[Any], None],
        queue: int = 10,
        throttle: float = 0.0,
        node: str = NODE,
        whole: bool = False,
    ) -> Subscription:
        """Hear a topic: callback(message) in `spin`; what is latched comes at once with the next spin.

        type None takes what the topic carries. queue is the most that waits, the oldest is dropped and counted;
        throttle [s] is the least time between messages; whole passes the `Sample` (stamp, CDR) instead of the message.
        """
        shared = self._topic(topic, None if type is None else messages.type_name(type))
        subscription = Subscription(self, shared, callback, queue, throttle, node, whole)
        shared.subscriptions.append(subscription)
        _put_kept(shared, subscription)
        self._changed()
        return subscription

    def _topic(self, name: str, type_name: str | None) -> Topic:
        name = clean_name(name, "topic")
        found = self._topics.get(name)
        if found is None:
            self._named += 1
            found = self._topics[name] = Topic(name, type_name, self._named)
        elif found.type is None:
            found.type = type_name
        elif type_name is not None and found.type != type_name:
            raise BadInput(f"topic {name}: carries {found.type}, not {type_name}")
        return found

    def _remove_publisher(self, publisher: Publisher) -> None:
        shared = publisher._topic
        if publisher in shared.publishers:
            shared.publishers.remove(publisher)
            publisher.kept.clear()
            if shared.leader is publisher:
                shared.leader = None
                for subscription in shared.subscriptions:
                    _put_kept(shared, subscription)
            self._tidy(shared)

    def _remove_subscription(self, subscription: Subscription) -> None:
        shared = subscription._topic
        if subscription in shared.subscriptions:
            subscription.closed = True
            subscription.pending.clear()
            shared.subscriptions.remove(subscription)
            self._tidy(shared)

    def _tidy(self, shared: Topic) -> None:
        """Forget a topic that nobody names any more."""
        if not shared.publishers and not shared.subscriptions:
            self._topics.pop(shared.name, None)
        self._changed()

    # ---- services -----------------------------------------------------------------------------
    def provide(self, name: str, type: str, handler: Callable[[Any], Any], node: str = NODE) -> Service:
        """Offer a service: handler(request) returns the response as message, dictionary or None for the defaults."""
        name = clean_name(name, "service")
        if name in self._services:
            raise BadInput(f"service {name} is provided already by {self._services[name].node}")
        service = self._services[name] = Service(self, name, type, handler, node)
        self._changed()
        return service

    def call(self, name: str, request: Any = None) -> Any:
        """The response of a service to a request (message, dictionary or None); raises UnknownName or BusError."""
        name = clean_name(name, "service")
        service = _found(self._services, name, "service")
        try:
            asked = shaped(request, service.type.request, f"service {name}")
            return shaped(service.handler(asked), service.type.response, f"service {name}: its response")
        except AndanteError as error:
            raise BusError(f"service {name}: {error}") from error
        except Exception as error:
            told = f"service {name} failed: {_told(error)}"
            self.log("error", told, service.node)
            logger.debug(told, exc_info=True)
            raise BusError(told) from error

    # ---- actions ------------------------------------------------------------------------------
    def provide_action(
        self, name: str, type: str, factory: Callable[[Any], Work], node: str = NODE, policy: str = "preempt"
    ) -> Action:
        """Offer an action: factory(goal) returns a generator, see `andante.bus.actions`.

        policy says what a second goal does: preempt the first, queue behind it, be refused, or run in parallel.
        """
        name = clean_name(name, "action")
        if name in self._actions:
            raise BadInput(f"action {name} is provided already by {self._actions[name].node}")
        action = self._actions[name] = Action(self, name, type, factory, node, policy)
        self._changed()
        return action

    def send_goal(self, name: str, goal: Any = None, feedback: OnFeedback = None, done: OnDone = None) -> Goal:
        """Send a goal (message or dictionary); feedback(message) and done(goal) are called in `spin`."""
        name = clean_name(name, "action")
        return _found(self._actions, name, "action").send(goal, feedback, done)

    # ---- timers -------------------------------------------------------------------------------
    def every(self, period: float, callback: Callable[[], None], node: str = NODE) -> Timer:
        """Call a function every so many seconds of simulated time, first when one period is over."""
        timer = Timer(self, period, callback, node)
        self._timers.append(timer)
        return timer

    # ---- the executor -------------------------------------------------------------------------
    def spin(self) -> int:
        """Run what is due and deliver all that is queued; the number of messages delivered."""
        if self._spinning:
            raise BusError("spin was called by a callback; callbacks are to return, messages come in the next round")
        self._spinning = True
        try:
            if self._timers:
                self._run_timers()
            for action in list(self._actions.values()):
                action.advance()
            return self._deliver() if self._ready else 0
        finally:
            self._spinning = False

    def deliver(self) -> int:
        """Deliver what is queued at once, so that what is called next comes after it; the number of messages delivered.

        Inside of `spin` it does nothing: what waits is delivered there.
        """
        if self._spinning or not self._ready:
            return 0
        self._spinning = True
        try:
            return self._deliver()
        finally:
            self._spinning = False

    def _run_timers(self) -> None:
        now = self.clock.now
        due = sorted((timer for timer in self._timers if timer.due <= now + 1e-9), key=lambda timer: timer.due)
        for timer in due:
            if not timer.closed:
                timer.run(now)

    def _deliver(self) -> int:
        count = 0
        for _ in range(MOST_ROUNDS):
            ready, self._ready = self._ready, []
            if len(ready) > 1:
                ready.sort(key=attrgetter("order"))
            for topic in ready:
                topic.ready = False
            for topic in ready:
                for subscription in tuple(topic.subscriptions):
                    if subscription.pending:
                        count += self._drain(subscription)
            if not self._ready:
                return count
        logger.warning("callbacks answer each other without end; the rest waits for the next spin")
        return count

    def _drain(self, subscription: Subscription) -> int:
        """Deliver what waits now; what comes meanwhile waits for the next round."""
        waiting = len(subscription.pending)
        for k in range(waiting):
            if subscription.closed:
                return k
            sample = subscription.pending.popleft()
            try:
                subscription.callback(sample if subscription.whole else sample.message)
                subscription.delivered += 1
            except Exception as error:
                subscription.errors += 1
                self._complain(f"callback for {sample.topic}", error, subscription.node, quiet=sample.topic == ROSOUT)
        return waiting

    def _guard(self, callback: Callable[[Any], None], argument: Any, what: str, node: str) -> None:
        """Call somebody's function; its errors go to the log."""
        try:
            callback(argument)
        except Exception as error:
            self._complain(what, error, node)

    def _complain(self, what: str, error: Exception, node: str, quiet: bool = False) -> None:
        told = f"{what} of {node} raised {_told(error)}"
        logger.debug(told, exc_info=error)
        if not quiet:
            self.log("error", told, node)

    def _jumped(self) -> None:
        """After a jump of time: what moved is unknown, timers start anew."""
        self.tf.clear()
        for timer in self._timers:
            timer.restart()

    # ---- log ----------------------------------------------------------------------------------
    def log(self, level: str, text: str, node: str = NODE) -> None:
        """Say something on /rosout: debug, info, warn, error or fatal."""
        if level not in LEVELS:
            raise UnknownName.among("log level", level, LEVELS)
        publisher = self._logs.get(node)
        if publisher is None:
            publisher = self._logs[node] = self.advertise(ROSOUT, LOG, latched=LOG_LINES, node=node)
        stamp = messages.time(self.clock.now)
        publisher.publish(messages.make(LOG, stamp=stamp, level=LEVELS[level], name=node, msg=text))

    # ---- who is there -------------------------------------------------------------------------
    def topics(self) -> dict[str, str]:
        """Type of every topic that has one, in the order in which they were named."""
        return {name: topic.type for name, topic in self._topics.items() if topic.type is not None}

    def topic(self, name: str) -> Topic:
        """A topic with its publishers and subscriptions."""
        return _found(self._topics, clean_name(name, "topic"), "topic")

    def services(self) -> dict[str, str]:
        """Type of every service."""
        return {name: service.type.name for name, service in self._services.items()}

    def actions(self) -> dict[str, str]:
        """Type of every action."""
        return {name: action.type.name for name, action in self._actions.items()}

    def graph(self) -> tuple[Node, ...]:
        """All nodes by name, with what they publish, hear and provide."""
        nodes: dict[str, tuple[dict[str, None], ...]] = {}

        def note(node: str, kind: int, name: str) -> None:
            nodes.setdefault(node, ({}, {}, {}, {}))[kind][name] = None

        for topic in self._topics.values():
            for publisher in topic.publishers:
                note(publisher.node, 0, topic.name)
            for subscription in topic.subscriptions:
                note(subscription.node, 1, topic.name)
        for service in self._services.values():
            note(service.node, 2, service.name)
        for action in self._actions.values():
            note(action.node, 3, action.name)
        return tuple(Node(name, *(tuple(part) for part in parts)) for name, parts in sorted(nodes.items()))

    def on_change(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have a function called whenever topics, services or actions come or go; the returned function ends that."""
        self._listeners.append(told)
        return lambda: self._listeners.remove(told) if told in self._listeners else None

    def _changed(self) -> None:
        for told in list(self._listeners):
            told()

    def listen_tf(self, node: str = "tf") -> tuple[Subscription, Subscription]:
        """Fill `tf` from /tf and /tf_static, as somebody needs who does not call `tf.set` itself."""
        moving = self.subscribe("/tf", "tf2_msgs/msg/TFMessage", self.tf.set, queue=1000, node=node)
        static = self.subscribe(
            "/tf_static", "tf2_msgs/msg/TFMessage", lambda m: self.tf.set(m, static=True), queue=1000, node=node
        )
        return moving, static

    def frame(self, name: str) -> str:
        """A frame of a robot as the tree of frames knows it; see `Namespace`."""
        return name

    def clear_frames(self) -> None:
        """Forget all frames, static ones too."""
        self.tf.clear(static=True)


@lru_cache(maxsize=4096)
def clean_name(name: str, what: str) -> str:
    """A name with one slash in front; raises BadInput for one that ROS does not allow. Parts after the first may begin
    with a digit, as in ROS 1."""
    cleaned = "/" + name.strip("/")
    parts = cleaned[1:].split("/")
    words = [part.replace("_", "a") for part in parts]
    if not (words[0][:1].isalpha() and all(word.isascii() and word.isalnum() for word in words)):
        raise BadInput(f"a {what} is named like /camera/image_raw (letters, digits, _ and /), got {name!r}")
    return cleaned


def _found(table: Mapping[str, T], name: str, what: str) -> T:
    if name not in table:
        raise UnknownName.among(what, name, sorted(table))
    return table[name]


def _put_kept(topic: Topic, subscription: Subscription) -> None:
    """What is latched, for one who listens."""
    for publisher in topic.heard:
        for sample in publisher.kept:
            subscription.put(sample)


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
