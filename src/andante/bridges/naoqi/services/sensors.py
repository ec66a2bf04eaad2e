"""ALTouch, ALSensors, ALSonar, ALFsr, ALBattery and their kin: what the robot feels, as events."""

from __future__ import annotations

import time
from typing import Any

from andante.bridges.naoqi.names import BUMPERS, TOUCHES
from andante.bridges.naoqi.service import Extractor, Service, method

from .devices import FEET, cells, distance, pressed
from .memory import Memory

NEAR = 0.5  # within which a sonar tells of something [m]
CONTACT = 0.2  # load of a foot that stands [kg]
PERIOD = 0.1  # of a sonar [s]


class Sensors(Extractor):
    """Events of touch pads, bumpers and buttons; they come without a subscriber too."""

    name = "ALSensors"
    outputs = (*TOUCHES.values(), *BUMPERS.values(), "TouchChanged")

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._before: dict[str, bool] = {}
        self._fall = "upright"

    def start(self) -> None:
        """All of them are up at the start."""
        memory = self.robot.service(Memory)
        for event in self.outputs[:-1]:
            memory.insertData(event, 0.0)
            memory.declareEvent(event)
        memory.insertData("TouchChanged", [])

    def watch(self) -> None:
        """Tell what has changed."""
        self._watch_falls()
        now = pressed(self.robot)
        changed = [name for name, on in now.items() if on != self._before.get(name, False)]
        before, self._before = self._before, now
        if not changed:
            return
        memory = self.robot.service(Memory)
        memory.raise_event("TouchChanged", [[name, now[name], []] for name in changed])
        for name in changed:
            if name in TOUCHES:
                memory.raise_event(TOUCHES[name], float(now[name]))
                if name == "ChestBoard/Button" and now[name]:
                    memory.raise_event("ALChestButton/SimpleClickOccurred", None)
        for foot, event in BUMPERS.items():
            was, now_on = (any(on for name, on in state.items() if name.startswith(f"{foot}/Bumper"))
                           for state in (before, now))  # fmt: skip
            if was != now_on:
                memory.raise_event(event, float(now_on))

    def _watch_falls(self) -> None:
        """robotHasFallen and its kin, as the fall manager of the session tells."""
        state = str(self.robot.status.fall_state) or "upright"
        if state == self._fall:
            return
        memory, self._fall = self.robot.service(Memory), state
        if state == "falling":
            memory.raise_event("ALMotion/RobotIsFalling", True)
        elif state == "fallen":
            memory.raise_event("robotHasFallen", True)
        elif state == "upright":
            memory.insertData("robotHasFallen", False)
            memory.raise_event("ALMotion/RobotIsStand", True)


class Touch(Service):
    """What is touched now."""

    name = "ALTouch"

    @method()
    def getSensorList(self) -> list[str]:
        """Names of all switches."""
        return list(pressed(self.robot))

    @method()
    def getStatus(self) -> list[Any]:
        """[name, touched, parts] of each."""
        return [[name, on, []] for name, on in pressed(self.robot).items()]


class Sonar(Extractor):
    """The two sonars, while somebody has subscribed."""

    name = "ALSonar"
    outputs = ("SonarLeftDetected", "SonarRightDetected", "SonarLeftNothingDetected", "SonarRightNothingDetected")

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._next, self._near = 0.0, {"Left": False, "Right": False}

    def watch(self) -> None:
        """One event per side and period."""
        if not self.active or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PERIOD
        memory = self.robot.service(Memory)
        for side in ("Left", "Right"):
            seen = distance(self.robot, side)
            if seen < NEAR:
                memory.raise_event(f"Sonar{side}Detected", seen)
            elif self._near[side]:
                memory.raise_event(f"Sonar{side}NothingDetected", seen)
            self._near[side] = seen < NEAR


class Fsr(Extractor):
    """Whether the feet are on the ground."""

    name = "ALFsr"
    outputs = ("footContactChanged",)

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._contact = True

    def watch(self) -> None:
        """Tell when the robot is lifted or put down."""
        if not self.active:
            return
        contact = any(sum(cells(self.robot, foot)) > CONTACT for foot in FEET)
        if contact != self._contact:
            self._contact = contact
            self.robot.service(Memory).raise_event("footContactChanged", contact)


class Battery(Extractor):
    """A battery that is always full."""

    name = "ALBattery"
    outputs = ("BatteryChargeChanged", "BatteryPowerPluggedChanged")

    @method()
    def getBatteryCharge(self) -> int:
        """[percent]."""
        return 100


class BodyTemperature(Extractor):
    """Motors that stay cool."""

    name = "ALBodyTemperature"
    outputs = ("TemperatureStatusChanged", "TemperatureDiagnosisErrorChanged")

    @method()
    def getTemperatureDiagnosis(self) -> list[Any]:
        """No joint is hot."""
        return [0, []]

    @method("on:bool")
    def setEnableNotifications(self, on: bool) -> None:
        """Noted."""

    @method()
    def areNotificationsEnabled(self) -> bool:
        """Never needed."""
        return False
