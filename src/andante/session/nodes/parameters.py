"""Parameters of the robot that can be changed while it moves: servo gains of all joints and of each, fall manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from andante.simulation.body import MOST_GAIN

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

UNITS = {"pgain": "N m/rad", "dgain": "N m s/rad"}


class ParameterNode(LiveNode):
    """/NAME/pgain, /NAME/dgain (setting one sets all joints), /NAME/pgain/JOINT, /fall_manager, /speed."""

    name = "parameters"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._robot = ""
        self._watching = True  # whether changes come from outside
        self.bus.parameters.declare(
            "/speed",
            session.teleop.speed,
            changed=session.set_speed,
            help="speed of driving by keys in percent of the top speed",
            low=1.0,
            high=100.0,
            node=self.name,
        )
        self.bus.parameters.declare(
            "/fall_manager",
            True,
            changed=self._guard,
            help="detect falls, protect the robot and get up",
            node=self.name,
        )
        self.rebuilt()

    def rebuilt(self) -> None:
        """Gains of another robot."""
        parameters = self.bus.parameters
        if self._robot:
            parameters.remove(f"/{self._robot}/*")
        self._robot = self.stage.name
        for which, unit in UNITS.items():
            parameters.declare(
                f"/{self._robot}/{which}",
                self.stage.sim.servos.gain(which),
                changed=self._setter(which),
                help=f"of all joints; the largest is reported [{unit}]",
                low=0.0,
                high=MOST_GAIN,
                node=self.name,
            )
            for joint in self.stage.robot.joint_names:
                parameters.declare(
                    f"/{self._robot}/{which}/{joint}",
                    self.stage.sim.servos.gain(which, joint),
                    changed=self._setter(which, joint),
                    help=f"[{unit}]",
                    low=0.0,
                    high=MOST_GAIN,
                    node=self.name,
                )
        self._guard(bool(parameters.get("/fall_manager")))

    def _setter(self, which: str, joint: str = "") -> Callable[[float], None]:
        def set_gain(value: float) -> None:
            if not self._watching:
                return
            self.stage.sim.servos.set_gain(which, value, joint)
            if not joint:
                self._follow(which, value)
            self.bus.log("info", f"/{self._robot}/{which}{f'/{joint}' if joint else ''}: {value:g}", self.name)

        return set_gain

    def _follow(self, which: str, value: float) -> None:
        """Show the value of all joints at each of them."""
        self._watching = False
        try:
            for joint in self.stage.robot.joint_names:
                self.bus.parameters.set(f"/{self._robot}/{which}/{joint}", value)
        finally:
            self._watching = True

    def _guard(self, on: bool) -> None:
        if self.stage.supervisor is not None:
            self.stage.supervisor.on = on

    def close(self) -> None:
        """Withdraw the parameters."""
        for name in ("/speed", "/fall_manager", f"/{self._robot}/*"):
            self.bus.parameters.remove(name)
        super().close()
