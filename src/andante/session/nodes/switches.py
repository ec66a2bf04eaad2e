"""Bumpers, touch pads and buttons: what they feel on /switches, and /press_switch, a finger on one of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.errors import BadInput, UnknownName

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

RATE = 50.0  # [Hz]
KINDS = ("bumper", "touch", "button")
LONGEST = 60.0  # that a finger stays [s]

Switches = messages.cls("andante_msgs/msg/Switches")


class SwitchNode(LiveNode):
    """/switches, /press_switch."""

    name = "switches"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._topic = self.advertise("/switches", "andante_msgs/msg/Switches", RATE, sensor=True)
        self.advertise_service("/press_switch", "andante_msgs/srv/PressSwitch", self._press)
        self.rebuilt()

    def rebuilt(self) -> None:
        """Another robot has other switches."""
        self._names = [spec.name for spec in self.stage.robot.sensors if spec.kind in KINDS]
        self._held: dict[str, float] = {}  # switch -> when the finger leaves it [s]

    def _press(self, request: Any) -> str:
        name, seconds = str(request.name), float(request.seconds)
        if name not in self._names:
            raise UnknownName.among("switch", name, self._names, f"robot {self.stage.robot.name!r}")
        if not (math.isfinite(seconds) and 0 <= seconds <= LONGEST):
            raise BadInput(f"a switch is pressed for 0 to {LONGEST:g} s, got {seconds}")
        self._held[name] = self.session.time + seconds
        return f"{name} is pressed for {seconds:g} s" if seconds else f"{name} is let go"

    def update(self) -> None:
        """What all of them feel now."""
        if not self._names or not self._topic.wanted():
            return
        felt, now = self.stage.state.pressed, self.session.time
        pressed = [bool(felt.get(name)) or self._held.get(name, -1.0) > now for name in self._names]
        self._topic.publish(Switches(self.header(), list(self._names), np.array(pressed, dtype=bool)))
