"""ALNavigation and ALLocalization."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.service import Service, method
from andante.geometry import se2

from .motion import Motion
from .motion.walk import gait_of, speeds_of


class Navigation(Service):
    """Goes to places relative to the robot. Maps of Pepper's explorations are not made here."""

    name = "ALNavigation"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._distance = 0.4

    @method("x:float y:float theta:float? config:any?", blocking=True)
    def navigateTo(self, x: float, y: float, theta: float | None = None, _: Any = None) -> bool:
        """Go to x, y [m] relative to the robot, facing ahead of the way; whether it came there."""
        motion, tops = self.robot.service(Motion), speeds_of(gait_of([]))
        heading = math.atan2(y, x) if math.hypot(x, y) > 0.05 else 0.0
        if abs(heading) > 0.3 and not motion.walk_to(0.0, 0.0, heading, tops):
            return False
        turned = heading if abs(heading) > 0.3 else 0.0
        c, s = math.cos(turned), math.sin(turned)
        end = 0.0 if theta is None else theta - turned
        return motion.walk_to(c * x + s * y, c * y - s * x, end, tops)

    @method("trajectory:list", blocking=True)
    def moveAlong(self, trajectory: list[Any]) -> bool:
        """Go along ["Composed", ["Holonomic", ["Line", [x, y]] or ["Circle", ...], theta, time], ...]."""
        parts = trajectory[1:] if trajectory and trajectory[0] == "Composed" else [trajectory]
        motion, tops = self.robot.service(Motion), speeds_of(gait_of([]))
        for part in parts:
            if not (isinstance(part, list) and len(part) >= 3 and part[0] == "Holonomic" and isinstance(part[1], list)):
                raise CallError('a part is ["Holonomic", ["Line", [x, y]], theta, time]')
            place = part[1][1] if part[1] and part[1][0] == "Line" else [0.0, 0.0]
            if not motion.walk_to(float(place[0]), float(place[1]), float(part[2]), tops):
                return False
        return True

    @method("distance:float")
    def setSecurityDistance(self, distance: float) -> None:
        """Noted."""
        self._distance = distance

    @method()
    def getSecurityDistance(self) -> float:
        """As it was set."""
        return self._distance

    @method()
    def stopNavigateTo(self) -> None:
        """Stop."""
        self.robot.service(Motion).killMove()


class Localization(Service):
    """Home is where learnHome was called, by the robot's own odometry."""

    name = "ALLocalization"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._home: list[float] | None = None

    @method()
    def learnHome(self) -> int:
        """Here is home; 0: well done."""
        self._home = self.robot.service(Motion).getRobotPosition()
        return 0

    @method()
    def getRobotPosition(self) -> list[float]:
        """x, y [m], theta [rad] from home."""
        if self._home is None:
            raise CallError("home is not known; call learnHome first")
        here = np.array(self.robot.service(Motion).getRobotPosition())
        return [float(v) for v in se2.compose(se2.inverse(np.array(self._home)), here)]

    @method("pose:numbers", blocking=True)
    def goToPosition(self, pose: Any) -> int:
        """Go to x, y [m], theta [rad] from home; 0: well done."""
        here = np.array(self.getRobotPosition())
        x, y, theta = (float(v) for v in se2.compose(se2.inverse(here), np.array([float(v) for v in pose[:3]])))
        return 0 if self.robot.service(Motion).walk_to(x, y, theta, speeds_of(gait_of([]))) else 1

    @method(blocking=True)
    def goToHome(self) -> int:
        """Go home; 0: well done."""
        return self.goToPosition([0.0, 0.0, 0.0])

    @method()
    def isInCurrentHome(self) -> bool:
        """Whether home is near."""
        x, y, _ = self.getRobotPosition()
        return math.hypot(x, y) < 0.3
