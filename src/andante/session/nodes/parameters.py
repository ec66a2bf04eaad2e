"""Parameters of the robot that can be changed while it moves: servo gains of all joints and of each, fall manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from andante.sensors.topics import distinct, plain
from andante.simulation.body import MOST_GAIN

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

TOLD = 10  # names that are told to be others on the bus
UNITS = {"pgain": "N m/rad", "dgain": "N m s/rad"}


class ParameterNode(LiveNode):
    """/NAME/pgain, /NAME/dgain (setting one sets all joints), /NAME/pgain/JOINT, /fall_manager, /speed ...."""

    name = "parameters"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._robot, self._names = "", dict[str, str]()  # as parts of names of parameters
        self._watching = True  # whether changes come from outside
        declare = self.bus.parameters.declare
        speed = "speed of driving by keys in percent of the top speed"
        falls = "detect falls, protect the robot and get up"
        declare("/speed", session.teleop.speed, None, session.set_speed, speed, 1.0, 100.0, self.name)
        declare("/fall_manager", True, None, self._guard, falls, node=self.name)
        collisions = "slow down and stop before what lidar, sonars and bumpers tell of is touched"
        declare("/collision_monitor", True, None, self._monitor, collisions, node=self.name)
        self.rebuilt()

    def rebuilt(self) -> None:
        """Gains of another robot."""
        parameters, servos = self.bus.parameters, self.stage.sim.servos
        if self._robot:
            parameters.remove(f"/{self._robot}/*")
        self._robot = plain(self.stage.name)
        self._names = distinct(self.stage.robot.joint_names)
        odd = {old: new for old, new in {self.stage.name: self._robot, **self._names}.items() if old != new}
        if odd:
            told = ", ".join(f"{old!r} is {new}" for old, new in list(odd.items())[:TOLD])
            more = f" and {len(odd) - TOLD} more" if len(odd) > TOLD else ""
            self.bus.log("info", f"in names of topics and parameters {told}{more}", self.name)
        for which, unit in UNITS.items():
            for joint in ("", *self.stage.robot.joint_names):
                name = f"/{self._robot}/{which}/{self._names.get(joint, '')}".rstrip("/")
                text = f"[{unit}]" if joint else f"of all joints; the largest is reported [{unit}]"
                value, changed = servos.gain(which, joint), self._setter(which, joint)
                parameters.declare(name, value, None, changed, text, 0.0, MOST_GAIN, self.name)
        self._guard(bool(parameters.get("/fall_manager")))
        self._monitor(bool(parameters.get("/collision_monitor")))

    def _setter(self, which: str, joint: str = "") -> Callable[[float], None]:
        def set_gain(value: float) -> None:
            if not self._watching:
                return
            self.stage.sim.servos.set_gain(which, value, joint)
            if not joint:
                self._follow(which, value)
            parameter = "/".join(filter(None, (self._robot, which, self._names.get(joint, ""))))
            self.bus.log("info", f"/{parameter}: {value:g}", self.name)

        return set_gain

    def _follow(self, which: str, value: float) -> None:
        """Show the value of all joints at each of them."""
        self._watching = False
        try:
            for joint in self.stage.robot.joint_names:
                self.bus.parameters.set(f"/{self._robot}/{which}/{self._names[joint]}", value)
        finally:
            self._watching = True

    def _guard(self, on: bool) -> None:
        if self.stage.supervisor is not None:
            self.stage.supervisor.on = on

    def _monitor(self, on: bool) -> None:
        guard = self.stage.guard
        if guard is not None and guard.on != on:
            guard.on = on
            self.bus.log("info" if on else "warn", f"collision monitor {'on' if on else 'off'}", self.name)

    def close(self) -> None:
        """Withdraw the parameters."""
        for name in ("/speed", "/fall_manager", "/collision_monitor", f"/{self._robot}/*"):
            self.bus.parameters.remove(name)
        super().close()
