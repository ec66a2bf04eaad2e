"""/footsteps: where the feet of a walking robot have stood, stand, and will come down, in odom."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

from andante.bus import messages
from andante.geometry import Array, se2

from .node import LiveNode, Pose2D

if TYPE_CHECKING:
    from andante.session.session import LiveSession

RATE = 10.0  # [Hz]
KEPT = 24  # steps of the past

Footstep = messages.cls("andante_msgs/msg/Footstep")
Footsteps = messages.cls("andante_msgs/msg/Footsteps")


class FootstepNode(LiveNode):
    """Steps by the robot's own reckoning; robots without feet have none."""

    name = "footsteps"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._topic = self.advertise("/footsteps", "andante_msgs/msg/Footsteps", RATE)
        self.rebuilt()

    def rebuilt(self) -> None:
        """Forget the steps."""
        self._past: deque[tuple[str, Array]] = deque(maxlen=KEPT)
        self._standing: dict[str, Array] = {}

    def update(self) -> None:
        """Follow the feet while somebody listens."""
        if not self._topic.wanted():
            return
        feet, coming = self._feet()
        for foot, place in feet.items():
            before = self._standing.get(foot)
            if before is None or math.hypot(*(place - before)[:2]) > 0.01 or abs(place[2] - before[2]) > 0.05:
                self._past.append((foot, place))
                self._standing[foot] = place
        steps = [Footstep(foot, Pose2D(*place.tolist()), False) for foot, place in self._past]
        steps += [Footstep(foot, Pose2D(*place.tolist()), True) for foot, place in coming.items()]
        self._topic.publish(Footsteps(self.header("odom"), steps))

    def _feet(self) -> tuple[dict[str, Array], dict[str, Array]]:
        """Places x, y, heading in odom of feet that stand, and of those that are on their way."""
        start = self.stage.estimated_from
        standing, coming = self.stage.walker.footsteps
        return (
            {foot: se2.compose(start, place) for foot, place in standing.items()},
            {foot: se2.compose(start, place) for foot, place in coming.items()},
        )
