"""/clock: simulated time, for whoever follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.bags import messages

from .node import LiveNode, stamp

if TYPE_CHECKING:
    from andante.runtime.live.session import LiveSession

RATE = 100.0  # [Hz]


class ClockNode(LiveNode):
    """Tells the time."""

    name = "clock"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._clock = self.advertise("/clock", "rosgraph_msgs/msg/Clock", RATE)
        self._kind = messages.cls("rosgraph_msgs/msg/Clock")

    def update(self) -> None:
        """The time now."""
        if self._clock.wanted():
            self._clock.publish(self._kind(stamp(self.bus.clock.now)))
