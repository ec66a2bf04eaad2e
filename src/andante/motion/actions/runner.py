"""`ActionRunner`: a state machine that turns time and joint positions into joint targets; it touches nothing else.

Whatever is requested, targets have no jump in position, velocity or acceleration: a new motion starts at the present
targets, and the velocity that the old one had dies out beside it (`Fading`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.description.source import Problem
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.motion.joint_motion import Fading, MotionLimits, fading_time, positions_of

from .model import ActionSet, BoundAction, Step, Value, bind
from .plan import Planned, check_names, plan_step

PATIENCE = 1.0  # longest wait for joints that lag behind at the end of a step [s]
MOST_EVENTS = 1000


@dataclass(frozen=True)
class Event:
    """Something that happened: started, waits, preempted, resumed, ended, stopped."""

    time: float
    what: str
    action: str


@dataclass
class _Run:
    """One action on its way."""

    bound: BoundAction
    number: int  # of the request, for first come first served
    step: int = 0
    round: int = 0
    stopping: bool = False
    places: Step | None = None  # the present step with its places resolved, once planned
    planned: Planned | None = None
    began: float = 0.0


class ActionRunner:
    """Runs actions of a set on a robot: one at a time, the highest priority first.

    settle: when given, a step ends only once all its joints are measured within this of their targets, or after
    `PATIENCE` [rad or m].
    """

    def __init__(self, robot: Robot, actions: ActionSet, settle: float | None = None) -> None:
        if actions.robot and actions.robot != robot.name:
            raise BadInput(
                f"{actions.source or 'the actions'} are written for robot {actions.robot!r}, this is {robot.name!r}"
            )
        self.robot, self.actions, self.settle = robot, actions, settle
        self.events: list[Event] = []
        self.problems: list[Problem] = []
        self._names = tuple(joint.name for joint in robot.independent)
        self._limits = MotionLimits.of(robot, self._names)
        self._current: _Run | None = None
        self._waiting: list[_Run] = []
        self._paused: list[_Run] = []
        self._base: Array | None = None  # where joints stand that no step moves
        self._fading: Fading | None = None
        self._fading_began = 0.0
        self._count = 0
        self._moved: set[str] = set()
        self._time = -inf

    # ---- requests ---------------------------------------------------------------------------------
    def start(self, name: str, parameters: Mapping[str, Value] | None = None, priority: int | None = None) -> None:
        """Ask for an action. It takes over at the next `targets` if its priority is higher than the running one's,
        else it waits for its turn."""
        bound = bind(self.actions, name, parameters)
        check_names(self.robot, self.actions, bound)
        if priority is not None:
            bound = replace(bound, priority=priority)
        self._count += 1
        self._waiting.append(_Run(bound, self._count))
        self._waiting.sort(key=lambda run: (-run.bound.priority, run.number))

    def stop(self, now: bool = False) -> None:
        """End the running action after its present round, or at once with a smooth halt; waiting ones are dropped too
        when it is at once."""
        if self._current is not None:
            self._current.stopping = True
        if now:
            self._waiting.clear()
            self._paused.clear()
            if self._current is not None:
                self._halt(self._time)
                self._log(self._time, "stopped", self._current)
                self._current = None

    @property
    def running(self) -> str | None:
        """Name of the action that runs."""
        return self._current.bound.name if self._current is not None else None

    @property
    def waiting(self) -> tuple[str, ...]:
        """Names of actions that wait, next first; paused ones included."""
        return tuple(run.bound.name for run in self._next_in_line())

    @property
    def step_name(self) -> str | None:
        """Name of the step that runs."""
        return self._current.bound.steps[self._current.step].name if self._current is not None else None

    @property
    def endless(self) -> bool:
        """Whether an action runs or waits that only ends when it is stopped."""
        runs = [*self._waiting, *self._paused, *([self._current] if self._current is not None else [])]
        return any(run.bound.loop == inf and not run.stopping for run in runs)

    @property
    def idle(self) -> bool:
        """Whether nothing runs, waits or dies out."""
        fading = self._fading is not None and self._time < self._fading_began + self._fading.duration
        return self._current is None and not self._waiting and not self._paused and not fading

    # ---- the machine ---------------------------------------------------------------------------------
    def targets(self, time: float, positions: Mapping[str, float] | ArrayLike) -> dict[str, float]:
        """Targets at a time, which must not run backward, of all joints that an action has moved so far [s; rad or m].

        Joints that no action names are left to others: a gait, or wheels.
        """
        if not np.isfinite(time) or time < self._time:
            raise BadInput(f"time must not run backward: {time} s after {self._time} s")
        measured = positions_of(self.robot, positions)
        if self._base is None:
            missing = next((name for name in self._names if name not in measured), None)
            if missing is not None:
                raise UnknownName(f"the first joint state lacks joint {missing!r}")
            first = np.array([measured[name] for name in self._names])
            self._base = np.clip(first, self._limits.lower, self._limits.upper)
        self._follow_others(measured)
        self._advance(time, measured)
        self._take_turns(time)
        self._time = time
        out = np.clip(self._state(time)[0], self._limits.lower, self._limits.upper)
        return {name: float(value) for name, value in zip(self._names, out, strict=True) if name in self._moved}

    def _advance(self, time: float, measured: Mapping[str, float]) -> None:
        """Leave steps whose time is over."""
        for _ in range(100_000):
            run = self._current
            if run is None or run.planned is None:
                return
            end = run.began + run.planned.motion.duration
            if time < end or (time < end + PATIENCE and not self._settled(run, measured)):
                return
            late = max(end, time - PATIENCE) if self.settle is None else time
            self._base = self._planned_state(run, end)[0]
            run.places = run.planned = None
            run.step += 1
            if run.step == len(run.bound.steps):
                run.step, run.round = 0, run.round + 1
                if run.round >= run.bound.loop or run.stopping:
                    self._log(end, "stopped" if run.stopping and run.round < run.bound.loop else "ended", run)
                    self._current = None
                    return
            if self._next_in_line() and self._next_in_line()[0].bound.priority > run.bound.priority:
                return  # another action takes over before the next step is planned
            self._begin(run, late)

    def _take_turns(self, time: float) -> None:
        """The highest priority gets the robot."""
        line = self._next_in_line()
        if not line:
            if self._current is not None and self._current.planned is None:
                self._begin(self._current, time)
            return
        first = line[0]
        run = self._current
        if run is not None:
            if first.bound.priority <= run.bound.priority:
                if run.planned is None:
                    self._begin(run, time)
                return
            self._halt(time)
            if run.bound.preempted == "resume":
                self._paused.append(run)
                run.planned = None
            self._log(time, "preempted", run)
        resumed = first in self._paused
        (self._paused if resumed else self._waiting).remove(first)
        self._current = first
        self._log(time, "resumed" if resumed else "started", first)
        self._begin(first, time)

    def _next_in_line(self) -> list[_Run]:
        return sorted([*self._waiting, *self._paused], key=lambda run: (-run.bound.priority, run.number))

    def _begin(self, run: _Run, time: float) -> None:
        """Plan the present step of an action from the present place."""
        assert self._base is not None
        here = dict(zip(self._names, self._base.tolist(), strict=True))
        step = run.places or run.bound.steps[run.step]
        run.planned = plan_step(self.robot, self.actions, step, here)
        run.places = run.planned.places
        self._moved.update(run.planned.motion.names)
        run.began = time
        self.problems += [problem for problem in run.planned.problems if problem not in self.problems]

    def _follow_others(self, measured: Mapping[str, float]) -> None:
        """Joints not moved here yet stand where they are measured, not where they once were."""
        assert self._base is not None
        for k, name in enumerate(self._names):
            if name not in self._moved and name in measured:
                self._base[k] = min(max(measured[name], self._limits.lower[k]), self._limits.upper[k])

    def _halt(self, time: float) -> None:
        """Stand at the present targets; the present velocity dies out."""
        position, velocity, acceleration = self._state(time)
        self._base = np.clip(position, self._limits.lower, self._limits.upper)
        offset = position - self._base
        duration = fading_time(offset, velocity, self._limits.velocity, self._limits.acceleration)
        self._fading, self._fading_began = Fading(offset, velocity, acceleration, duration), time

    def _state(self, time: float) -> tuple[Array, Array, Array]:
        """Targets with velocity and acceleration, all independent joints."""
        assert self._base is not None
        if self._current is not None and self._current.planned is not None:
            state = self._planned_state(self._current, time)
        else:
            state = (self._base, np.zeros(len(self._names)), np.zeros(len(self._names)))
        if self._fading is None:
            return state
        since = time - self._fading_began
        if since >= self._fading.duration:
            self._fading = None
            return state
        position, velocity, acceleration = (
            value + self._fading.evaluate(since, order) for order, value in enumerate(state)
        )
        return position, velocity, acceleration

    def _planned_state(self, run: _Run, time: float) -> tuple[Array, Array, Array]:
        assert self._base is not None
        assert run.planned is not None
        motion = run.planned.motion
        out = (self._base.copy(), np.zeros(len(self._names)), np.zeros(len(self._names)))
        index = [self._names.index(name) for name in motion.names]
        for order, values in enumerate(out):
            values[index] = motion.evaluate(time - run.began, order)
        return out

    def _settled(self, run: _Run, measured: Mapping[str, float]) -> bool:
        if self.settle is None:
            return True
        assert run.planned is not None
        motion = run.planned.motion
        goal = dict(zip(motion.names, motion.evaluate(motion.duration).tolist(), strict=True))
        return all(abs(measured[name] - goal[name]) <= self.settle for name in motion.names if name in measured)

    def _log(self, time: float, what: str, run: _Run) -> None:
        self.events.append(Event(time, what, run.bound.name))
        del self.events[:-MOST_EVENTS]
