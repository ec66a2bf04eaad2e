"""`serve_bus`: what the loop process does for the server process, once per cycle and never waiting."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from andante.bags import messages
from andante.bridges.base import note_motion
from andante.bridges.client import Graph, ServiceInfo, TopicInfo
from andante.bridges.graph_client import custom_types
from andante.bus import Bus, Goal, Publisher, Sample, Subscription
from andante.errors import AndanteError, BadInput

from .link import Head, Link

NODE = "bridge"  # the server's clients as one node of the bus
REQUESTS = 64  # taken per cycle at most
QUEUE = 50  # samples of one topic between two spins


def graph_of(bus: Bus) -> Graph:
    """The graph of a bus as bridges see it."""
    topics = {}
    for name, type_name in bus.topics().items():
        topic = bus.topic(name)
        topics[name] = TopicInfo(
            type_name,
            max((publisher.latched for publisher in topic.publishers), default=0),
            bool(topic.publishers) and all(publisher.sensor for publisher in topic.publishers),
            _nodes(topic.publishers),
            _nodes(topic.subscriptions),
        )
    provider = {name: f"/{node.name}" for node in bus.graph() for name in (*node.provides, *node.actions)}
    return Graph(
        topics,
        {name: ServiceInfo(kind, provider.get(name, "")) for name, kind in bus.services().items()},
        {name: ServiceInfo(kind, provider.get(name, "")) for name, kind in bus.actions().items()},
    )


def _nodes(ends: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"/{end.node}" for end in ends))


class Serving:
    """The bus served over one link. Call `poll` once per cycle, before or after `Bus.spin`."""

    def __init__(self, bus: Bus, link: Link) -> None:
        self.bus, self.link = bus, link
        self.requests = 0  # carried out so far
        self.on_control: Callable[[Head, bytes], None] = lambda head, body: None  # reports of the server process
        self._subscriptions: dict[str, Subscription] = {}
        self._publishers: dict[str, Publisher] = {}
        self._moving: dict[str, str] = {}  # topic: type of velocity commands whose last one was not zero
        self._goals: dict[int, Goal] = {}
        self._published = False  # something that may not have been delivered yet
        self._dirty = True
        self._sent: Graph | None = None
        self._closed = False
        this = weakref.ref(self)  # the bus keeps whom it tells for ever; a closed server is to be forgotten
        bus.on_change(lambda: _note_change(this()))
        self._operations: dict[str, Callable[[Head, bytes], None]] = {
            "subscribe": self._subscribe,
            "unsubscribe": self._unsubscribe,
            "publish": self._publish,
            "call": self._call,
            "goal": self._goal,
            "cancel": self._cancel,
            "parameters": self._parameters,
            "set": self._set,
        }

    def poll(self, most: int = REQUESTS) -> None:
        """Carry out at most `most` requests, tell what has changed in the graph, and send what waits."""
        if self._closed:
            return
        for head, body in self.link.receive(most):
            self._carry_out(head, body)
        if self._dirty and self.link.open:
            self._dirty = False
            self._send_graph()
        self.link.flush()
        if not self.link.open:
            self.close()

    def close(self) -> None:
        """Leave the bus: end subscriptions, cancel goals, and stop what was driven."""
        if self._closed:
            return
        self._closed = True
        self.link.close()
        for topic, type_name in self._moving.items():
            self._publishers[topic].publish(messages.make(type_name))
        for subscription in self._subscriptions.values():
            subscription.close()
        for goal in list(self._goals.values()):
            goal.cancel("the client has disconnected")
        self._subscriptions.clear()
        self._goals.clear()
        for publisher in self._publishers.values():
            publisher.close()
        self._publishers.clear()

    def _send_graph(self) -> None:
        graph = graph_of(self.bus)
        if graph != self._sent:
            self._sent = graph
            self.link.send({"op": "graph", "now": self.bus.clock.now, "graph": graph.as_dict(), **custom_types(graph)})

    def _carry_out(self, head: Head, body: bytes) -> None:
        operation = self._operations.get(head.get("op", ""))
        if operation is None:
            self.on_control(head, body)
            return
        self.requests += 1
        try:
            operation(head, body)
        except Exception as error:  # whatever a callback of the session does, the loop goes on
            told = str(error) if isinstance(error, AndanteError) else f"{type(error).__name__}: {error}"
            if "number" in head:
                self._answer(head, {"error": told})
            else:
                self.bus.log("warn", told, NODE)

    def _answer(self, request: Head, part: Head, body: bytes = b"") -> None:
        self.link.send({"op": "answer", "number": request["number"], "now": self.bus.clock.now, **part}, body)

    # Topics.

    def _subscribe(self, head: Head, _: bytes) -> None:
        topic = head["topic"]
        if topic not in self.bus.topics():
            raise BadInput(f"topic {topic!r} does not exist any more")
        old = self._subscriptions.pop(topic, None)
        if old is not None:
            old.close()
        # of a state that is latched the last message counts: the client's end throttles it and keeps that one
        throttle = 0.0 if self.bus.topic(topic).latched else float(head.get("throttle", 0.0))
        self._subscriptions[topic] = self.bus.subscribe(
            topic, None, self._forward, queue=QUEUE, throttle=throttle, node=NODE, whole=True
        )

    def _unsubscribe(self, head: Head, _: bytes) -> None:
        subscription = self._subscriptions.pop(head["topic"], None)
        if subscription is not None:
            subscription.close()

    def _forward(self, sample: Sample) -> None:
        depth = max((publisher.latched for publisher in self.bus.topic(sample.topic).publishers), default=0)
        head: Head = {"op": "frame", "topic": sample.topic, "type": sample.type, "stamp": sample.stamp}
        head["now"] = self.bus.clock.now
        if depth:
            head["latched"] = depth
        self.link.send(head, sample.cdr, droppable=not depth)

    def _publish(self, head: Head, body: bytes) -> None:
        topic, type_name = head["topic"], head["type"]
        known = self.bus.topics().get(topic)
        if known is None and not head.get("create"):
            raise BadInput(f"topic {topic!r} does not exist any more")
        publisher = self._publishers.get(topic)
        if publisher is None:
            publisher = self._publishers[topic] = self.bus.advertise(
                topic, type_name, latched=bool(head.get("latched")), node=NODE
            )
        message = messages.from_cdr(type_name, body)
        note_motion(self._moving, topic, type_name, message)
        publisher.publish(message)
        self._published = True

    # Services, actions, parameters.

    def _deliver(self) -> None:
        """What clients have published comes before what they call next."""
        if self._published:
            self._published = False
            self.bus.deliver()

    def _call(self, head: Head, body: bytes) -> None:
        self._deliver()
        name = head["service"]
        kind = self.bus.services().get(name)
        request = messages.from_cdr(f"{kind}_Request", body) if kind else None
        self._answer(head, {}, messages.to_cdr(self.bus.call(name, request)))

    def _goal(self, head: Head, body: bytes) -> None:
        self._deliver()
        name, number = head["action"], int(head["goal"])
        kind = self.bus.actions().get(name)
        wanted = messages.from_cdr(f"{kind}_Goal", body) if kind else None

        def feedback(message: Any) -> None:
            now = self.bus.clock.now
            self.link.send({"op": "feedback", "goal": number, "now": now}, messages.to_cdr(message), droppable=True)

        def done(goal: Goal) -> None:
            self._goals.pop(number, None)
            part: Head = {"op": "done", "goal": number, "status": int(goal.status), "now": self.bus.clock.now}
            self.link.send(part, messages.to_cdr(goal.result))

        self._goals[number] = self.bus.send_goal(name, wanted, feedback, done)
        self._answer(head, {})

    def _cancel(self, head: Head, _: bytes) -> None:
        goal = self._goals.get(int(head["goal"]))
        if goal is not None:
            goal.cancel("canceled by the client")

    def _parameters(self, head: Head, _: bytes) -> None:
        self._answer(head, {"values": {entry.name: entry.value for entry in self.bus.parameters.list()}})

    def _set(self, head: Head, _: bytes) -> None:
        self.bus.parameters.set(head["name"], head["value"])
        self._answer(head, {})


def _note_change(serving: Serving | None) -> None:
    if serving is not None:
        serving._dirty = True


def serve_bus(bus: Bus, link: Link) -> Serving:
    """Serve a bus over a link; call `poll` of what is returned once per cycle."""
    return Serving(bus, link)
