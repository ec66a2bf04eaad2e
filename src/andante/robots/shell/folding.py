"""Folding between the hexapod and the ball: via-points from wherever the joints are, and motions along them.

The chain of poses stand, tall, pass, tuck, ball is joined by straight lines on which nothing touches. Before `tuck` the
folding joint is at 0 and the lower legs stand out; between `tuck` and `ball` the fan turns all legs under the body.
Half way between tall and tuck the tile of every femur passes the petal above it; there, in `pass`, all legs are yawed a
little, which gives their tiles 7 mm of room instead of 1. `RouteFollower` waits for the joints to arrive; `fold_motion`
is the same route as a joint motion without sensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from andante._moved import renamed
from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.motion import Chained, smoothstep, transition

POSES = ("stand", "tall", "tuck", "ball")  # of the robot's file
CHAIN = ("stand", "tall", "pass", "tuck", "ball")
LEGS_STAND_OUT = CHAIN[:4]
SLACK = {"stand": 0.35, "tall": 0.35}  # where legs stand under load, away from each other [rad]
LOOSE = {"pass": 0.3}  # there the body is carried high, and legs may lag [rad]
PASS = 0.43  # how far from tall to tuck the tiles pass,
PASS_YAW = 0.2  # and by how much the legs are yawed there [rad]
LEGS_OUT = 0.15  # fraction of the folding angle below which the legs count as standing out
PETALS_UP = (0.7, -1.2)  # thigh and petal well above the lower legs [rad]
LEGS_UP = (0.0, 0.9, 0.0)  # yaw, femur and tibia of a leg that reaches up and out [rad]
NEAR = 0.06  # a via-point this near is reached [rad]


@dataclass(frozen=True)
class Via:
    """A place to pass: its name for messages, and all joint positions (joints,)."""

    name: str
    position: Array
    optional: bool = False  # may be left half way when joints stall
    loose: float = 0.0  # error with which it counts as reached, for places that are only passed through [rad]
    slack: float = 0.0  # error with which it will do when joints stall, as when feet stick to the floor [rad]


class FoldMap:
    """The chain of poses of one robot as arrays, and the routes along it."""

    def __init__(self, robot: Robot) -> None:
        known = {name.casefold() for name in robot.poses}
        missing = [name for name in POSES if name not in known]
        if missing:
            raise BadInput(f"robot {robot.name!r} cannot fold: it lacks the poses {', '.join(missing)}")
        names = robot.joint_names
        self.names = names
        self.poses: dict[str, Array] = {}
        for name in POSES:
            pose = robot.pose(name)
            self.poses[name] = np.array([pose[joint] for joint in names])
        self.speed = np.array([joint.limits.velocity for joint in robot.movable])
        self.fan = np.array([name[:2] == "q1" and name[3] == "1" for name in names])
        self.upper = np.array([name[:2] == "q2" for name in names])
        kinds = [name[:2] + name[3] for name in names]
        self._yaws, self._femurs, self._tibias, self._thighs, self._petals = (
            np.array([kind == wanted for kind in kinds]) for wanted in ("q12", "q13", "q14", "q21", "q22")
        )
        passing = (1 - PASS) * self.poses["tall"] + PASS * self.poses["tuck"]
        self.poses["pass"] = np.where(self._yaws, passing + PASS_YAW, passing)

    def fraction_folded(self, position: Array) -> float:
        """How far the fan has turned, 0 (legs out) to 1 (ball)."""
        first = int(np.flatnonzero(self.fan)[0])
        whole = self.poses["ball"][first] - self.poses["tuck"][first]
        return float((position[first] - self.poses["tuck"][first]) / whole)

    def travel_time(self, start: Array, end: Array) -> float:
        """Least time between two positions at full joint speed [s]."""
        return float(np.max(np.abs(end - start) / self.speed))

    def entry(self, position: Array) -> list[Via]:
        """Where to go first from anywhere, so that the chain can be followed from there on."""
        fraction = self.fraction_folded(position)
        if fraction < LEGS_OUT:
            return [self.nearest(position, LEGS_STAND_OUT)]
        line = (1 - fraction) * self.poses["tuck"] + fraction * self.poses["ball"]
        lower = np.where(self.upper, position, line)  # legs first: an open petal blocks nothing
        out = [Via("the folding line", lower), Via("the folding line", line)]
        return [via for via in out if np.max(np.abs(via.position - position)) > NEAR]

    def untangled(self, position: Array) -> list[Via]:
        """A longer way to the chain for legs that bar each other: petals up, lower legs up and out, then the stance.

        With the hips high and the yaw at 0 every lower leg is alone in its own sixth of the circle, whatever the fan.
        """
        lift = position.copy()
        lift[self._thighs], lift[self._petals] = PETALS_UP
        out = lift.copy()
        out[self._yaws], out[self._femurs], out[self._tibias] = LEGS_UP
        spread = out.copy()
        spread[self.fan] = self.poses["stand"][self.fan]
        closed = np.where(self.upper, self.poses["stand"], spread)
        vias = (("petals up", lift), ("legs up", out), ("legs out", spread), ("dome closed", closed))
        return [*(Via(name, place, True) for name, place in vias), Via("stand", self.poses["stand"], True)]

    def via(self, name: str) -> Via:
        """A pose of the chain as a place to pass."""
        return Via(name, self.poses[name], loose=LOOSE.get(name, 0.0), slack=SLACK.get(name, 0.0))

    def nearest(self, position: Array, names: tuple[str, ...] = CHAIN) -> Via:
        """The pose of the chain that is reached soonest."""
        best = min(names, key=lambda name: self.travel_time(position, self.poses[name]))
        return self.via(best)

    def long_route(self, position: Array, goal: str) -> list[Via]:
        """Like `route`, untangling the legs first."""
        first = self.untangled(position)
        return [*first, *self.route(first[-1].position, goal)]

    def route(self, position: Array, goal: str) -> list[Via]:
        """Via-points from a position to a pose of the chain, the goal last."""
        if goal not in CHAIN:
            raise BadInput(f"no pose {goal!r} on the way between hexapod and ball; poses: {', '.join(CHAIN)}")
        first = self.entry(position)
        fraction, end = self.fraction_folded(position), CHAIN.index(goal)
        if first and first[-1].name in CHAIN:
            at = CHAIN.index(first[-1].name)
            between = CHAIN[at + 1 : end + 1] if end > at else CHAIN[end:at][::-1]
        elif fraction < LEGS_OUT:
            between = (goal,)
        else:  # on the line between tuck and ball
            between = ("ball",) if goal == "ball" else LEGS_STAND_OUT[end:][::-1]
        vias = [*first, *(self.via(name) for name in between)]
        near = int(bool(len(vias) > 1 and np.max(np.abs(vias[0].position - position)) < NEAR))
        return vias[near:] or [self.via(goal)]


class Progress(Enum):
    """How a motion stands."""

    MOVING = "moving"
    DONE = "done"
    FAILED = "failed"


@renamed()
@dataclass(frozen=True)
class FoldSettings:
    """Speed and patience of folding."""

    speed_fraction: float = field(default=0.6, metadata={"was": "speed_share"})  # of the joints' velocity limits
    shortest: float = 0.25  # time of a stretch [s]
    arrived: float = 0.08  # error of every joint at which a via-point is reached [rad]
    lag: float = 0.35  # error at which the reference waits [rad]
    patience: float = 1.0  # time without arriving before a stretch counts as stalled [s]
    retries: int = 1  # a stalled stretch starts again from where the joints are, at half the speed


class RouteFollower:
    """Moves all joints together along via-points; `progress` and `reason` report its state."""

    def __init__(self, robot_map: FoldMap, settings: FoldSettings | None = None) -> None:
        self.map, self.settings = robot_map, settings or FoldSettings()
        self.progress, self.reason = Progress.DONE, ""
        self._route: list[Via] = []
        self._start: Array = robot_map.poses["stand"]
        self._clock = self._waited = 0.0
        self._duration, self._slow, self._tries = 1.0, 1.0, 0

    def begin(self, position: Array, route: Sequence[Via]) -> None:
        """Start from a position along via-points."""
        if not route:
            raise BadInput("a route needs at least one via-point")
        self._route = list(route)
        self.progress, self.reason = Progress.MOVING, ""
        self._slow, self._tries = 1.0, 0
        self._stretch(position)

    @property
    def heading_for(self) -> str:
        """Name of the next via-point; empty: none."""
        return self._route[0].name if self._route else ""

    def update(self, position: Array, dt: float) -> Array:
        """Joint targets for the next control step, from the measured joint positions."""
        if not self._route:
            return self._start
        goal = self._route[0].position
        settings, enough = self.settings, max(self.settings.arrived, self._route[0].loose)
        target = self._start + smoothstep(self._clock / self._duration) * (goal - self._start)
        if self.progress is Progress.FAILED:
            return target
        if self._clock < self._duration and np.abs(position - target).max() < settings.lag:
            self._clock = min(self._duration, self._clock + dt)
            self._waited = 0.0
        elif self._clock >= self._duration and np.abs(position - goal).max() < enough:
            self._arrive(goal)
        else:
            self._waited += dt
            if self._waited > settings.patience:
                self._stall(position)
        return target

    def _arrive(self, goal: Array) -> None:
        """Go on to the next via-point from here."""
        del self._route[0]
        self._tries, self._slow = 0, 1.0
        if self._route:
            self._stretch(goal)
        else:
            self._start, self.progress = goal, Progress.DONE

    def _stall(self, position: Array) -> None:
        """Try the stretch again from here, more slowly; give up with the reason after the last try.

        A via-point that is missed by no more than its slack, or that is optional, is passed instead.
        """
        error = np.abs(self._route[0].position - position)
        worst = np.argsort(-error)[:3]
        joints = ", ".join(
            f"{self.map.names[i]} by {error[i]:.2f} rad" for i in worst if error[i] > self.settings.arrived
        )
        self.reason = (
            f"stalled on the way to {self.heading_for}: short of it are {joints or 'no joints, all lag behind'}"
        )
        if np.max(error) < self._route[0].slack or (self._route[0].optional and len(self._route) > 1):
            self._arrive(position)
            return
        if self._tries >= self.settings.retries:
            self.progress = Progress.FAILED
            return
        self._tries += 1
        self._slow *= 0.5
        self._stretch(position)

    def _stretch(self, position: Array) -> None:
        self._start, self._clock, self._waited = position.copy(), 0.0, 0.0
        least = 1.875 * self.map.travel_time(position, self._route[0].position)
        self._duration = max(self.settings.shortest, least / (self.settings.speed_fraction * self._slow))


def is_shell(robot: Robot) -> bool:
    """Whether a robot, whatever it is called, has the poses and joints of the Shell."""
    return set(POSES) <= set(robot.poses) and {"q111", "q114", "q212"} <= set(robot.joint_names)


def folds(robot: Robot, pose: str) -> bool:
    """Whether a robot has the poses between hexapod and ball, and a pose is one of them."""
    known = {name.casefold() for name in robot.poses}
    return pose.casefold() in CHAIN and all(name in known for name in POSES)


def fold_motion(robot: Robot, start: Array, pose: str, speed: float) -> Chained:
    """The way from joint positions (joints,) to a pose between hexapod and ball, at a fraction of the joints' speed.

    Nothing runs into anything on it when the start is one of these poses; see `FoldMap`.
    """
    names, here = robot.joint_names, np.asarray(start, dtype=float)
    parts = []
    for via in FoldMap(robot).route(here, pose.casefold()):
        parts.append(transition(robot, here, dict(zip(names, via.position.tolist(), strict=True)), speed))
        here = via.position
    return Chained(tuple(parts))
