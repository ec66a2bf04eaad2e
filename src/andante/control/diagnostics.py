"""/diagnostics: how the parts of a robot's control are, in the message that ROS tools show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from andante.bags import messages
from andante.bus import Bus

from .publishers import RobotPublisher
from .view import RobotView

PERIOD = 1.0  # between two messages, unless something changes [s]
OK, WARN, ERROR = 0, 1, 2
LEVELS = {"clear": OK, "slow": WARN, "approach": WARN, "stop": ERROR, "blind": ERROR}
WORDS = {"clear": "nothing near", "slow": "slow", "approach": "approach", "stop": "stopped", "blind": "stopped"}


class DiagnosticsPublisher(RobotPublisher):
    """/diagnostics every second and when the collision monitor acts; stops of it are told in the log too."""

    name = "diagnostics"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        super().__init__(bus, view)
        self._topic = self.advertise("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray")
        self._next, self._told = 0.0, ""

    def update(self) -> None:
        """Tell what is due."""
        loop = self.view.loop
        guard = None if loop is None else loop.guard
        action = "" if guard is None or not guard.on else guard.action
        changed = LEVELS.get(action, OK) != LEVELS.get(self._told, OK)
        if guard is not None and changed and LEVELS.get(action, OK) == ERROR:
            self.bus.log("warn", f"collision monitor: {guard.words}", self.name)
        self._told = action
        now = self.bus.clock.now
        if self._topic.wanted() and (changed or now >= self._next or now < self._next - PERIOD):
            self._next = now + PERIOD
            self._topic.publish(self._array())

    def _array(self) -> Any:
        loop = self.view.loop
        guard = None if loop is None else loop.guard
        status = messages.cls("diagnostic_msgs/msg/DiagnosticStatus")
        value = messages.cls("diagnostic_msgs/msg/KeyValue")
        if guard is None:
            told = (OK, "no sensor to guard by", "none")
        elif not guard.on:
            told = (WARN, "switched off", "off")
        else:
            told = (LEVELS[guard.action], guard.words or WORDS[guard.action], guard.action)
        level, words, action = told
        part = status(level, "collision_monitor", words, self.view.name, [value("action", action)])
        return messages.cls("diagnostic_msgs/msg/DiagnosticArray")(self.header(), [part])
