"""`LiveRobot`: one robot that lives on a bus, with its own activities, teleoperation and nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from andante.bus import Bus
from andante.control.activities import Driving, Hold
from andante.control.teleop_mux import TeleopMux
from andante.errors import AndanteError, BadInput, Diverged, LostBody
from andante.geometry import Array
from andante.locomotion import Command
from andante.locomotion.keys import KEYS

from .choice import CONTROL_TIME
from .command_api import CommandApi
from .stage import Stage

if TYPE_CHECKING:
    from .session import LiveNode


def in_words(error: Exception) -> str:
    """An error as a line of the log: those that are meant for people as they are, others with their kind."""
    return str(error) if isinstance(error, AndanteError) else f"{type(error).__name__}: {error}"


class LiveRobot:
    """What a robot of a session is and can be asked for; `LiveSession` is its first one, `Companion` any other."""

    bus: Bus
    stage: Stage
    command_api: CommandApi
    teleop: TeleopMux
    nodes: list[LiveNode]
    _refused = ""  # why it was not driven last, as it was told

    @property
    def name(self) -> str:
        """Of its model in the scene."""
        return self.stage.sim.name

    @property
    def time(self) -> float:
        """Simulated time of the session [s]: it goes on over resets."""
        raise NotImplementedError

    def log(self, line: str, level: str = "info") -> None:
        """A line in the log of the session."""
        raise NotImplementedError

    def survives(self, error: Exception) -> bool:
        """Whether the session goes on although a part of it failed."""
        raise NotImplementedError

    @property
    def behaviour(self) -> str:
        """What the robot is doing in a word."""
        supervisor = self.stage.supervisor
        return supervisor.state if supervisor is not None and supervisor.busy else self.stage.activities.present.name

    @property
    def position(self) -> Array:
        """x, y, heading in odom, as the robot believes."""
        return self.stage.position

    # ---- one control period ------------------------------------------------------------------------
    def asked(self) -> Command:
        """What the robot shall do in this period, ready to drive if it shall move."""
        stage, command = self.stage, self._led()
        supervisor = stage.supervisor
        free = not (supervisor is not None and supervisor.busy) and not stage.activities.waiting.startswith("drive")
        if command.moving and free and not isinstance(stage.activities.present, Driving):
            if words := stage.unheard:
                if words != self._refused:
                    self.log(f"it is not driven: {words}", "error")
                self._refused = words
                return Command()
            stage.drive()
        return command

    def attempt(self, work: Callable[[], None]) -> None:
        """Carry out a part of a control period; where its behaviour fails, the joints are held."""
        stage = self.stage
        try:
            work()
        except (LostBody, Diverged):
            raise
        except Exception as error:
            if not self.survives(error):
                raise
            self.log(f"{stage.activities.present.name} failed: {in_words(error)}; the joints are held", "error")
            stage.activities.replace(Hold(np.where(stage.speeds, 0.0, stage.activities.sent)))
            self.teleop.release()

    def _led(self) -> Command:
        """What the robot shall do in this period; where the one who leads it fails, it stops."""
        walker = self.stage.walker
        try:
            return self.teleop.command(self.time, walker.max_speed, walker.max_turn, CONTROL_TIME)
        except Exception as error:
            if not self.survives(error):
                raise
            self.log(f"who leads the robot failed: {in_words(error)}; it stops", "error")
            self.teleop.release()
            return Command()

    def close_nodes(self) -> None:
        """Leave the bus."""
        for node in reversed(self.nodes):
            node.close()
        self.nodes = []

    # ---- what a user asks for ----------------------------------------------------------------------
    def drive(self, vx: float = 0.0, vy: float = 0.0, wz: float = 0.0) -> None:
        """A velocity in the robot's axes, as a /cmd_vel message: it lasts for 0.3 s."""
        self.teleop.velocity(self.time, vx, vy, wz)

    def keys(self, held: Sequence[str]) -> list[str]:
        """Keys that are held down now, as a /key message: they last for half a second; newly pressed ones.

        Words are buttons of the robot.
        """
        buttons = {word.casefold() for word in held if word.isalpha() and len(word) > 1} - set(KEYS)
        fresh = self.teleop.keys(self.time, held, buttons)
        for name in fresh:
            if name in buttons:
                self.command_api.button(name)
        return fresh

    def set_speed(self, percent: float) -> None:
        """How fast keys drive, in percent of the top speed."""
        if not 0 < percent <= 100:
            raise BadInput(f"speed is a percentage above 0 and up to 100, got {percent:g}")
        self.teleop.speed = float(percent)

    def push(
        self, link: str, force: Sequence[float], seconds: float = 0.1, point: Sequence[float] | None = None
    ) -> None:
        """Push a link (empty: the root) with a force [N] in world axes for a time [s]."""
        where = None if point is None else np.asarray(point, dtype=float)
        self.stage.push(link, np.asarray(force, dtype=float), seconds or 0.1, where)
