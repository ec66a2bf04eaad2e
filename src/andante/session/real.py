"""The real robot of a session: by its address, and as the scene shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from andante import hardware
from andante.control.body import Body, BodyCommand, BodyState, LinkState, StopPlan, Twist
from andante.description import Robot
from andante.geometry import Array
from andante.hardware.address import SIMULATED, check_address
from andante.mapping import Scan
from andante.simulation.simulation import Simulation

if TYPE_CHECKING:
    from andante.bus import Bus


def real_body(body: Body | str, table: Mapping[str, Any], bus: Bus) -> Callable[[Robot], Body] | None:
    """What makes the real robot of its description; None: it is simulated. `table`: [body] of a parameter file."""
    if isinstance(body, str):
        check_address(body)
        if body == SIMULATED:
            return None
        return lambda robot: hardware.open_body(body, robot, table, lambda line: bus.log("info", line, "body"))
    return lambda robot: body


class Mirror(Simulation):
    """A scene without physics: the robot in it has the joints that the real one measures. Commands go to the real one.

    Args:
        scene: of the same robot.
        real: the body that is moved.
    """

    simulated = False

    def __init__(self, scene: Simulation, real: Body) -> None:
        super().__init__(scene.engine, scene.model, scene.seed, sensors=False, ground=scene.ground)
        self.real = real
        self.wants_twist, self.takes_twist = real.wants_twist, real.takes_twist
        self.takes_stop_plan = real.takes_stop_plan
        self._show(real.read())

    @property
    def address(self) -> str:
        """Of the real robot."""
        return self.real.address

    @property
    def link(self) -> LinkState:
        """To the real robot."""
        return self.real.link

    @property
    def time(self) -> float:
        """Of the real robot's clock [s]."""
        return self.real.time

    @property
    def fallen(self) -> bool:
        """Nobody tells."""
        return False

    @property
    def has_scans(self) -> bool:
        """Of the real robot."""
        return self.real.has_scans

    def read(self) -> BodyState:
        """What the real robot feels."""
        return self.real.read()

    def write(self, command: BodyCommand) -> None:
        """To the real robot."""
        self.real.write(command)

    def follow(self, targets: Array, modes: Array | None = None, stiffness: Array | None = None) -> None:
        """To the real robot."""
        self.real.follow(targets, modes, stiffness)

    def drive(self, twist: Twist) -> None:
        """To the real robot."""
        self.real.drive(twist)

    def stop_plan(self, plan: StopPlan) -> None:
        """To the real robot."""
        self.real.stop_plan(plan)

    def scans(self, since: float) -> tuple[Scan, ...]:
        """Of the real robot."""
        return self.real.scans(since)

    def advance(self, seconds: float) -> None:
        """Let the real robot's time pass, and show it as it is then."""
        self.real.advance(seconds)
        self._show(self.real.read())

    def _show(self, state: BodyState) -> None:
        here = self.engine.joint_positions(self.model)
        self.engine.set_joints(self.model, np.where(np.isfinite(state.position), state.position, here))

    def stop(self) -> None:
        """Stop the real robot."""
        self.real.stop()

    def close(self) -> None:
        """Stop the real robot and let it go, and free the scene."""
        self.real.close()
        super().close()
