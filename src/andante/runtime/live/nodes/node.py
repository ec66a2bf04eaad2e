"""What all nodes of a live session share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.bus import Bus, Publisher
from andante.errors import AndanteError

if TYPE_CHECKING:
    from andante.runtime.live.operator import Operator
    from andante.runtime.live.session import LiveSession
    from andante.runtime.live.stage import Stage

Header = messages.cls("std_msgs/msg/Header")
Time = messages.cls("builtin_interfaces/msg/Time")
Point = messages.cls("geometry_msgs/msg/Point")
Vector3 = messages.cls("geometry_msgs/msg/Vector3")
Quaternion = messages.cls("geometry_msgs/msg/Quaternion")
Pose = messages.cls("geometry_msgs/msg/Pose")
Pose2D = messages.cls("geometry_msgs/msg/Pose2D")

Answer = Mapping[str, Any]
QUIET = 1.0  # the same warning again comes no sooner than this [s]


class LiveNode:
    """One participant. It publishes by `advertise`, hears by `hear`, offers by `offer`; all ends with `close`."""

    name = "node"

    def __init__(self, session: LiveSession) -> None:
        self.session = session
        self._handles: list[Any] = []

    @property
    def bus(self) -> Bus:
        """The bus of the session."""
        return self.session.bus

    @property
    def stage(self) -> Stage:
        """The present scene."""
        return self.session.stage

    @property
    def operator(self) -> Operator:
        """Requests to the present robot."""
        return self.session.operator

    def update(self) -> None:
        """Publish what is wanted."""

    def rebuilt(self) -> None:
        """The scene is another one."""

    def close(self) -> None:
        """Leave the bus."""
        for handle in self._handles:
            handle.close()
        self._handles = []

    def drop(self, handle: Any) -> None:
        """Give one publisher, subscription or service back."""
        handle.close()
        self._handles.remove(handle)

    # ---- on the bus --------------------------------------------------------------------------------
    def advertise(
        self, topic: str, kind: str, rate: float | None = None, latched: bool = False, sensor: bool = False
    ) -> Publisher:
        """A topic of this node."""
        made = self.bus.advertise(topic, kind, rate, latched, self.name, sensor)
        self._handles.append(made)
        return made

    def hear(self, topic: str, kind: str, callback: Callable[[Any], str | None], queue: int = 20) -> Any:
        """Messages in; an error becomes a warning in the log (the same one once a second), a text a line."""
        told = ("", -QUIET)

        def heard(message: Any) -> None:
            nonlocal told
            try:
                line = callback(message)
            except AndanteError as error:
                now = self.bus.clock.now
                if str(error) != told[0] or now - told[1] >= QUIET:
                    told = (str(error), now)
                    self.bus.log("warn", f"{topic}: {error}", self.name)
            else:
                if line:
                    self.bus.log("info", f"{topic}: {line}", self.name)

        made = self.bus.subscribe(topic, kind, heard, queue, node=self.name)
        self._handles.append(made)
        return made

    def offer(self, name: str, kind: str, handler: Callable[[Any], Answer | str | None]) -> Any:
        """A service whose response has `success` and `message`; it answers with the error, and logs a line per call.

        The handler returns the fields of the response, or the message alone.
        """

        def answered(request: Any) -> Answer:
            try:
                made = handler(request)
            except AndanteError as error:
                self.bus.log("warn", f"{name}: {error}", self.name)
                return {"success": False, "message": str(error)}
            answer = {"message": made} if isinstance(made, str) else dict(made or {})
            self.bus.log("info", f"{name}: {answer.get('message') or 'done'}", self.name)
            return {"success": True, **answer}

        made = self.bus.provide(name, kind, answered, self.name)
        self._handles.append(made)
        return made

    def header(self, frame: str = "", time: float | None = None) -> Any:
        """A header of now, or of a time of the scene [s]."""
        now = self.bus.clock.now if time is None else self.session.time - self.stage.sim.time + time
        return Header(stamp(now), frame)


def stamp(seconds: float) -> Any:
    """A time message of a time [s]."""
    whole = round(seconds * 1e9)
    return Time(whole // 1_000_000_000, whole % 1_000_000_000)


def pose_message(values: Any) -> Any:
    """geometry_msgs/Pose of x y z qx qy qz qw."""
    x, y, z, qx, qy, qz, qw = (float(v) for v in values)
    return Pose(Point(x, y, z), Quaternion(qx, qy, qz, qw))
