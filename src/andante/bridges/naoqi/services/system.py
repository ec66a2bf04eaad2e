"""ALSystem, ALRobotModel, ALPreferenceManager, DCM and what programs need of the session itself."""

from __future__ import annotations

import threading
import time
from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.service import VERSION, Service, method

from .memory import DEVICES

POSITION, HARDNESS = "/Position/Actuator/Value", "/Hardness/Actuator/Value"


class System(Service):
    """What the robot is called."""

    name = "ALSystem"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._name = "nao"

    @method()
    def robotName(self) -> str:
        """Its name."""
        return self._name

    @method("name:text")
    def setRobotName(self, name: str) -> None:
        """Noted."""
        self._name = name

    @method()
    def systemVersion(self) -> str:
        """Of NAOqi whose ways are followed."""
        return VERSION

    @method()
    def timezone(self) -> str:
        """UTC."""
        return "UTC"


class Model(Service):
    """What the robot has."""

    name = "ALRobotModel"

    @method()
    def getRobotType(self) -> str:
        """Nao."""
        return "Nao"

    @method()
    def hasArms(self) -> bool:
        """Whether it has arms."""
        return bool(self.model.groups["Arms"])

    @method()
    def hasHands(self) -> bool:
        """Whether its hands move."""
        return bool(self.model.groups["Hands"])

    @method()
    def hasLegs(self) -> bool:
        """Whether it has legs."""
        return bool(self.model.groups["Legs"])

    @method()
    def getConfig(self) -> str:
        """Its description."""
        return str(self.link.latest("/robot_description").data)


class Preferences(Service):
    """Settings that are kept while the bridge runs."""

    name = "ALPreferenceManager"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._values: dict[str, dict[str, Any]] = {}

    @method("domain:text name:text value:any")
    def setValue(self, domain: str, name: str, value: Any) -> None:
        """Write one."""
        self._values.setdefault(domain, {})[name] = value

    @method("domain:text name:text")
    def getValue(self, domain: str, name: str) -> Any:
        """Read one."""
        return self._values.get(domain, {}).get(name)

    @method("domain:text")
    def getValueList(self, domain: str) -> list[Any]:
        """All of a domain."""
        return [[name, value] for name, value in self._values.get(domain, {}).items()]

    @method("domain:text name:text")
    def removeValue(self, domain: str, name: str) -> None:
        """Forget one."""
        self._values.get(domain, {}).pop(name, None)

    @method("domain:text")
    def removeDomainValues(self, domain: str) -> None:
        """Forget a domain."""
        self._values.pop(domain, None)


class Dcm(Service):
    """Timed commands of actuators, as of old."""

    name = "DCM"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._aliases: dict[str, list[str]] = {}

    @method("offset:int?")
    def getTime(self, offset: int = 0) -> int:
        """Of the session [ms], and an offset."""
        return int(1e3 * self.link.now) + offset

    @method("alias:list")
    def createAlias(self, alias: list[Any]) -> list[Any]:
        """[name, [keys]]."""
        if not (len(alias) == 2 and isinstance(alias[1], list)):
            raise CallError("an alias is [name, [keys]]")
        self._aliases[str(alias[0])] = [str(key) for key in alias[1]]
        return alias

    @method("command:list", blocking=True)
    def set(self, command: list[Any]) -> None:
        """[key or alias, update, [[value, time ms], ...]]."""
        if not (len(command) == 3 and isinstance(command[2], list)):
            raise CallError("a command is [key, update, [[value, time], ...]]")
        keys = self._aliases.get(str(command[0]), [str(command[0])])
        for key in keys:
            self._send(key, command[2])

    @method("command:list", blocking=True)
    def setAlias(self, command: list[Any]) -> None:
        """[alias, update, "time-separate", importance, [times], [[values of the first], ...]] or "time-mixed"."""
        keys = self._aliases.get(str(command[0]))
        if keys is None:
            raise CallError(f"no alias {command[0]}")
        if command[2] == "time-mixed":
            for key, timed in zip(keys, command[3], strict=False):
                self._send(key, timed)
            return
        times, values = command[-2], command[-1]
        for key, row in zip(keys, values, strict=False):
            self._send(key, [[value, when] for value, when in zip(row, times, strict=False)])

    def _send(self, key: str, timed: Any) -> None:
        plain = key.removeprefix(DEVICES)
        joint = plain.split("/")[0]
        if joint not in self.model.joints:
            return
        points = [(float(entry[0]), 1e-3 * (float(entry[1]) - self.getTime())) for entry in timed]
        if plain.endswith(HARDNESS):
            self.robot.set_stiffness({joint: max(0.0, min(1.0, points[-1][0]))})
        elif plain.endswith(POSITION):
            times: list[float] = []
            places: list[float] = []
            for place, when in points:
                if not times or when > times[-1]:
                    times.append(max(0.02, when))
                    places.append(self.model.clip(joint, place))
            threading.Thread(target=self._move, args=(joint, times, places), daemon=True).start()

    def _move(self, joint: str, times: list[float], places: list[float]) -> None:
        try:
            self.robot.interpolate({joint: (times, places)})
        except CallError as error:
            self.robot.say(f"DCM: {joint}: {error}")


class SessionTools(Service):
    """What `andante naoqi run` needs of the session; no robot has it."""

    name = "AndanteSession"

    @method("seconds:float", blocking=True)
    def sleep(self, seconds: float) -> bool:
        """Let time of the session pass."""
        return self.link.sleep(max(0.0, seconds))

    @method()
    def now(self) -> float:
        """Time of the session [s]."""
        return self.link.now

    @method("name:text seconds:float", blocking=True)
    def press(self, name: str, seconds: float) -> None:
        """Press a bumper, touch pad or button."""
        self.link.call("/press_switch", "andante_msgs/srv/PressSwitch", name=name, seconds=seconds)

    @method()
    def calls(self) -> list[Any]:
        """Calls so far by their names, and those that were answered by an empty value."""
        return [dict(self.robot.calls), dict(self.robot.stubbed)]

    @method()
    def state(self) -> dict[str, Any]:
        """Where the robot believes to be, and whether it lies."""
        from .motion import Motion

        return {"position": self.robot.service(Motion).getRobotPosition(), "fallen": self.robot.fallen,
                "behaviour": str(self.robot.status.behaviour), "wall": time.time()}  # fmt: skip
