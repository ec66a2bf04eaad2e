"""`ControlLoop`: the one loop that moves robots, simulated and real.

    loop = ControlLoop(body, walker, command=Command(vx=0.1))
    loop.run(5.0)

Every period the body is read, the behaviour asked, its targets are sent, and time passes until the next period.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from andante.errors import BadInput, LostBody
from andante.geometry import Array
from andante.locomotion import Behaviour, Command

from .body import Body, BodyState
from .stop_plan import StopPlanner

RATE = 100.0  # of control [Hz]

Commander = Callable[[BodyState], Command]


class Observer(Protocol):
    """Something that wants to be called at certain instants, such as a recording."""

    @property
    def next_time(self) -> float:
        """The next instant it waits for, of the body's clock [s]; inf: none."""

    def update(self, body: Any) -> None:
        """The instant has come."""


class Guard(Protocol):
    """Something that has the last word on every command, such as a collision monitor."""

    on: bool  # whether it is heeded

    @property
    def action(self) -> str:
        """What it does: clear, slow, approach, stop or blind."""

    @property
    def words(self) -> str:
        """Why."""

    def limit(self, state: BodyState, command: Command) -> Command:
        """The command as it may be followed."""


class ControlLoop:
    """Runs a behaviour on a body at a fixed rate.

    Args:
        body: the robot, a `Simulation` or a real one.
        behaviour: what turns readings and commands into joint targets.
        rate: of control [Hz].
        command: the command, or a function that gives it from the state of every period.
    """

    def __init__(
        self, body: Body, behaviour: Behaviour, rate: float = RATE, command: Command | Commander | None = None
    ) -> None:
        if not (math.isfinite(rate) and rate > 0):
            raise BadInput(f"rate must be > 0 Hz, got {rate}")
        if not isinstance(behaviour, Behaviour):
            raise BadInput(
                f"{type(behaviour).__name__} is not a behaviour: subclass andante.locomotion.Behaviour or Walker"
            )
        self.body, self.behaviour, self.rate = body, behaviour, rate
        self.period = 1.0 / rate  # [s]
        self.command: Command | Commander = Command() if command is None else command
        self.periods = 0  # so far
        self._left = 0.0  # part of a period that `run` has not run yet
        self.state: BodyState = body.read()  # that the present targets follow from
        self.asked = Command()  # that they follow
        self.targets: Array = np.zeros(0)  # sent last
        self.guard: Guard | None = None  # limits every command, whoever gave it
        self.observers: list[Observer] = []  # called at the end of periods
        self._planner = StopPlanner(behaviour) if body.takes_stop_plan else None

    def step(self, seconds: float | None = None) -> BodyState:
        """One period: read, decide, send, and let the period pass.

        A real body that has fallen silent is stopped, and `LostBody` says so.

        Args:
            seconds: how much of the period passes, before an end [s]; None: all of it.

        Returns:
            The state that it was decided from.
        """
        state = self.decide()
        self.body.advance(self.period if seconds is None else seconds)
        self.finish()
        return state

    def decide(self) -> BodyState:
        """The first half of a period: read, decide, send. Who steps several loops in one world lets time pass then.

        Returns:
            The state that it was decided from.
        """
        body, behaviour = self.body, self.behaviour
        self.state = state = body.read()
        if state.health.lost and not body.simulated:
            body.stop()
            raise LostBody(f"{body.name} is stopped: {state.health.words}")
        asked = self.command(state) if callable(self.command) else self.command
        if self.guard is not None:
            asked = self.guard.limit(state, asked)
        self.asked = asked
        targets = behaviour.update(state, asked, self.period)
        if not math.isfinite(sum(targets.tolist())) and not np.isfinite(targets).all():  # the first is the quicker
            raise BadInput(f"behaviour {type(behaviour).__name__} returned targets that are not finite")
        self.targets = targets
        twist = behaviour.base_twist
        if twist is not None and (body.wants_twist or body.takes_twist):
            body.drive(twist)
        elif not body.wants_twist:
            body.follow(targets, behaviour.modes, behaviour.stiffness)
        if self._planner is not None:
            plan = self._planner.step(state, asked, targets)
            if plan is not None:
                body.stop_plan(plan)
        return state

    def finish(self) -> None:
        """The end of a period, when its time has passed: observers are told."""
        body = self.body
        self.periods += 1
        for observer in self.observers:
            if observer.next_time <= body.time:
                observer.update(body)

    def run(self, seconds: float = math.inf, until: Callable[[], bool] | None = None) -> bool:
        """Go on for a time, or until something holds.

        Args:
            seconds: how long, in whole periods; what is left counts the next time [s].
            until: asked before every period; it ends the run. Needed where no time is given.

        Returns:
            Whether it holds at the end; True without `until`.
        """
        if not seconds >= 0:
            raise BadInput(f"seconds must be >= 0, got {seconds}")
        if until is None and seconds == math.inf:
            raise BadInput("a loop without a time limit needs `until`")
        end = math.inf
        if seconds < math.inf:
            wanted = seconds * self.rate + self._left
            end = self.periods + round(wanted)
            self._left = wanted - round(wanted)
        while self.periods < end:
            if until is not None and until():
                return True
            self.step()
        return until is None or until()
