"""`FallSupervisor`: a fall manager over whatever a robot is doing. A fall is softened and followed by getting up."""

from __future__ import annotations

from collections.abc import Callable

from andante.description import Robot
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings, Walker
from andante.locomotion.falls.detector import FallRules
from andante.locomotion.falls.manager import FallEvent, FallManager, FallState
from andante.locomotion.io.fall_library import fall_motions

from .activities import Hold
from .activity_manager import ActivityManager


class FallSupervisor(FallManager):
    """Runs activities under a fall manager. It begins to watch once the robot has stood, and pauses in activities whose
    end is no accident, such as lying down."""

    def __init__(
        self,
        robot: Robot,
        activities: ActivityManager,
        restart: Callable[[], None],
        listener: Callable[[FallEvent], None],
        rules: FallRules | None = None,
    ) -> None:
        def renewed() -> Walker:
            restart()
            return activities

        super().__init__(activities, robot, fall_motions(robot), rules, restart=renewed, listener=listener)
        self.activities, self.on, self.modes = activities, True, activities.modes
        self._armed = False
        self.limp = False  # the joints that carry it have no strength: it does not act, and stands up armed anew

    @property
    def upright(self) -> bool:
        """Whether the body is upright, by its IMU."""
        return self.balance is None or self.balance.tilt < self.detector.rules.upright

    @property
    def busy(self) -> bool:
        """Whether the fall manager has the joints."""
        return self.state is not FallState.UPRIGHT

    def ahead(self) -> Behaviour | None:
        """A copy of what moves the robot now that feels what it plans; None while the fall manager has the joints."""
        return None if self.busy else self.activities.ahead()

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        if self.limp:
            self._armed = False
            if self.busy:
                self._enter(FallState.UPRIGHT)
                self._blend = 1.0
                self.activities.replace(Hold(readings.position.copy(), guarded=False), readings.position)
        if self.busy or (self.on and self._armed and self.activities.present.guarded):
            targets = super().update(readings, command, dt)
        else:
            self.balance = self.detector.update(readings, dt)
            settled = bool(self.detector.attitude.state[-1])
            self._armed = self._armed or (settled and self.activities.present.guarded and self.upright)
            targets = self.activities.update(readings, command, dt)
        if not self.busy:
            self.stiffness = self.activities.stiffness
        self.base_twist = self.activities.base_twist
        return targets
