"""/footsteps: where the feet of a walking robot have stood, stand, and will come down, in odom."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from andante.bags import messages
from andante.geometry import Array, se2
from andante.locomotion.biped import BipedWalk
from andante.locomotion.legged import LeggedGait

from .node import LiveNode, Pose2D

if TYPE_CHECKING:
    from andante.runtime.live.session import LiveSession

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
        walker = self.stage.walker
        if isinstance(walker, BipedWalk):
            return self._two(walker)
        legs = getattr(getattr(walker, "controller", None), "walker", walker)
        if isinstance(legs, LeggedGait):
            here = self.stage.position
            places = {
                leg.name: np.array([*se2.transform(here, foot[:2]), here[2]])
                for leg, foot in zip(legs.rig.legs, legs.feet, strict=True)
            }
            air = dict(zip(places, legs.swinging.tolist(), strict=True))
            return {n: p for n, p in places.items() if not air[n]}, {n: p for n, p in places.items() if air[n]}
        return {}, {}

    def _two(self, walker: BipedWalk) -> tuple[dict[str, Array], dict[str, Array]]:
        """The standing sole is the origin of the walk's own lengths; it believes to be in the middle of its feet."""
        x, y, yaw = walker.sense.other
        middle = np.array([0.5 * x, 0.5 * y, 0.5 * yaw])
        stance = np.asarray(se2.compose(self.stage.position, se2.inverse(middle)), dtype=float)
        feet = [leg.foot for leg in walker.body.rig.legs]
        own, other = feet[walker.stance], feet[1 - walker.stance]
        if walker.phase != "walk":
            return {own: stance, other: np.asarray(se2.compose(stance, (x, y, yaw)), dtype=float)}, {}
        return {own: stance}, {other: np.asarray(se2.compose(stance, walker.step), dtype=float)}
