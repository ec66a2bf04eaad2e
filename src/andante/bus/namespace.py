"""`Namespace`: the bus as one of several robots sees it. What it names lies below its own name, as in ROS.

A robot `waffle_2` that publishes `/scan` in the frame `base_scan` is heard on `/waffle_2/scan` in `waffle_2/base_scan`.
Time, transforms and the log are those of the session: `/tf` and `/tf_static` carry the frames of all robots, which hang
below one `map`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .actions import Action, Goal, OnDone, OnFeedback, Work
from .bus import NODE, ROSOUT, Bus, Node, Service, clean_name
from .clock import Timer
from .parameters import Parameter, Parameters, Value
from .topics import Publisher, Subscription, Topic

SHARED = ("/tf", "/tf_static", "/clock", "/fleet/intent", ROSOUT)  # topics that all robots have in common
SHARED_FRAMES = ("", "map", "world")


class ScopedParameters(Parameters):
    """The parameters below a name; names are given and told without it."""

    def __init__(self, whole: Parameters, prefix: str) -> None:
        self._whole, self._prefix = whole, prefix

    def _full(self, name: str) -> str:
        return f"{self._prefix}/{name.strip('/')}"

    def declare(self, name: str, value: Value, *more: Any, **options: Any) -> None:
        """Make a parameter known, see `Parameters.declare`."""
        self._whole.declare(self._full(name), value, *more, **options)

    def remove(self, name: str) -> None:
        """Forget a parameter, or all below a name that ends in /*."""
        self._whole.remove(self._full(name))

    def get(self, name: str) -> Value:
        """The value of a parameter."""
        return self._whole.get(self._full(name))

    def set(self, name: str, value: Any) -> Value:
        """Change a parameter."""
        return self._whole.set(self._full(name), value)

    def list(self, pattern: str = "*") -> list[Parameter]:
        """All parameters below the name that fit a pattern, by their full names."""
        return self._whole.list(f"{self._prefix}/{pattern.lstrip('/')}")

    def watch(self, told: Callable[[str, Value], None]) -> Callable[[], None]:
        """Have told(name, value) called after every change of any parameter, with its full name."""
        return self._whole.watch(told)

    def __contains__(self, name: str) -> bool:
        return self._full(name) in self._whole


class Namespace(Bus):
    """A bus whose names lie below that of a robot; everything is kept by the bus of the session.

    Services that the robot does not provide itself are those of the session: `/pause` pauses all.
    """

    def __init__(self, bus: Bus, name: str) -> None:
        self.whole, self.prefix = bus, clean_name(name, "robot")
        self.clock, self.tf = bus.clock, bus.tf
        self.parameters = ScopedParameters(bus.parameters, self.prefix)

    def full(self, name: str) -> str:
        """A name as the whole bus knows it."""
        name = clean_name(name, "name")
        return name if name in SHARED else self.prefix + name

    def frame(self, name: str) -> str:
        """A frame of the robot as the tree of all robots knows it."""
        return name if name in SHARED_FRAMES else f"{self.prefix[1:]}/{name}"

    def _who(self, node: str) -> str:
        return f"{self.prefix[1:]}/{node}"

    def advertise(
        self, topic: str, type: str, rate: float | None = None, latched: int = 0, node: str = NODE, sensor: bool = False
    ) -> Publisher:
        """The right to publish a type on a topic of the robot."""
        return self.whole.advertise(self.full(topic), type, rate, latched, self._who(node), sensor)

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
        """Hear a topic of the robot."""
        return self.whole.subscribe(self.full(topic), type, callback, queue, throttle, self._who(node), whole)

    def provide(self, name: str, type: str, handler: Callable[[Any], Any], node: str = NODE) -> Service:
        """Offer a service of the robot."""
        return self.whole.provide(self.full(name), type, handler, self._who(node))

    def call(self, name: str, request: Any = None) -> Any:
        """The response of a service of the robot, else of the session."""
        own = self.full(name)
        return self.whole.call(own if own in self.whole.services() else name, request)

    def provide_action(
        self, name: str, type: str, factory: Callable[[Any], Work], node: str = NODE, policy: str = "preempt"
    ) -> Action:
        """Offer an action of the robot."""
        return self.whole.provide_action(self.full(name), type, factory, self._who(node), policy)

    def send_goal(self, name: str, goal: Any = None, feedback: OnFeedback = None, done: OnDone = None) -> Goal:
        """Send a goal to an action of the robot."""
        return self.whole.send_goal(self.full(name), goal, feedback, done)

    def every(self, period: float, callback: Callable[[], None], node: str = NODE) -> Timer:
        """Call a function every so many seconds of simulated time."""
        return self.whole.every(period, callback, self._who(node))

    def spin(self) -> int:
        """Run what is due on the whole bus."""
        return self.whole.spin()

    def log(self, level: str, text: str, node: str = NODE) -> None:
        """Say something on /rosout."""
        self.whole.log(level, text, self._who(node))

    def topics(self) -> dict[str, str]:
        """Type of every topic of the session, by full names."""
        return self.whole.topics()

    def topic(self, name: str) -> Topic:
        """A topic of the robot."""
        return self.whole.topic(self.full(name))

    def services(self) -> dict[str, str]:
        """Type of every service of the session, by full names."""
        return self.whole.services()

    def actions(self) -> dict[str, str]:
        """Type of every action of the session, by full names."""
        return self.whole.actions()

    def graph(self) -> tuple[Node, ...]:
        """All nodes of the session."""
        return self.whole.graph()

    def on_change(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have a function called whenever topics, services or actions come or go."""
        return self.whole.on_change(told)

    def clear_frames(self) -> None:
        """Forget the frames of the robot."""
        self.tf.forget(f"{self.prefix[1:]}/")
