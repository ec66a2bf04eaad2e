"""Navigation of a live robot: scans and odometry in, velocities out, a few times a second.

A robot on wheels with a lidar localizes itself on the map; any other robot goes by its own odometry, on the map if
there is one. The simulator's pose is never asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from andante.errors import AndanteError, BadInput
from andante.geometry import Array, se2
from andante.locomotion import Command
from andante.mapping import OccupancyGrid
from andante.mapping.grid import OCCUPIED_PERCENT
from andante.mobile.navigate import reading_of
from andante.mobile.publisher import NavigationState
from andante.mobile.sensing import Localizer, Odometry, OdometryOnly, OnMap, Placeable, ScanPipeline, Sensed
from andante.navigation import GoalChecker, Navigator, NavigatorSettings, State, Vehicle
from andante.navigation.vehicle import robot_outline

from .stage import Stage
from .yielding import Yielding

EVERY = 10  # control periods between two decisions
WALK_FRACTION = 0.6  # of the top speed at which a walking robot is led
ARRIVAL = {True: GoalChecker(0.1, 0.15), False: GoalChecker(0.12, 0.25)}  # wheels, legs


class LiveNavigation(NavigationState):
    """Localizes, plans and leads one robot. In every control period either `command` or `watch` is called.

    Args:
        stage: the robot in its scene.
        grid: the map; None: there is none.
        localizer: makes what tells where it is of its odometry and the pose of odom on the map at first; None: a robot
            on wheels that sees is localized on the map, any other goes by its odometry.
        start: pose x, y, yaw of odom's root on the map; None: where the robot was put.
        speed: limit [m/s].
    """

    def __init__(
        self,
        stage: Stage,
        grid: OccupancyGrid | None,
        localizer: Callable[[Odometry, Array], Localizer] | None = None,
        start: Array | None = None,
        speed: float = math.inf,
    ) -> None:
        self.stage, self.wheels = stage, stage.wheels
        self.vehicle = self.wheels.vehicle if self.wheels is not None else _walking_vehicle(stage)
        began = stage.origin if start is None else start
        start = np.asarray(se2.compose(began, np.asarray(self.vehicle.reference, dtype=float)), dtype=float)
        sees = self.wheels is not None and any(spec.kind == "lidar" for spec in stage.robot.sensors)
        odometry: Odometry = self.wheels.odometry if self.wheels is not None else _Walked(stage)
        if localizer is not None:
            made = localizer(odometry, start)
        else:
            made = OnMap(grid, start, seed=stage.choice.seed) if grid is not None and sees else OdometryOnly(start)
        self._scans = ScanPipeline(stage.sim, odometry, made, self.vehicle.reference)
        settings = NavigatorSettings(arrival=ARRIVAL[self.wheels is not None], movers=sees and grid is not None)
        if not sees:
            settings = replace(settings, scan_timeout=math.inf)
        navigator = Navigator(self.vehicle, grid, settings=settings, speed=speed, seed=stage.choice.seed)
        super().__init__(navigator, self.vehicle.reference, start, grid)
        self._count = 0
        self.yielding: Yielding | None = None  # among other robots
        self._aside: Array | None = None  # where it goes to let others pass
        self._words = ""  # of its manners
        self.events: list[str] = []  # since they were last taken

    # ---- what is asked of it -----------------------------------------------------------------------
    @property
    def localizer(self) -> Localizer:
        """What tells where odom lies on the map."""
        return self._scans.localizer

    def set_goal(self, x: float, y: float, yaw: float) -> None:
        """Go to a pose of the root on the map [m, rad]; yaw NaN: any."""
        if not (math.isfinite(x) and math.isfinite(y)):
            raise BadInput(f"a goal is x, y and yaw, got {x}, {y}, {yaw}")
        if self.grid is not None:
            _check_goal(self.grid, x, y)
        goal = np.array([x, y, yaw])
        if math.isfinite(yaw):
            goal = np.asarray(se2.compose(goal, self._reference), dtype=float)
        self.navigator.set_goal(goal)
        self._target, self._aside = goal, None
        self.goal = np.array([x, y, yaw])

    def cancel(self) -> None:
        """Forget the goal and stop."""
        self.navigator.cancel()
        self.goal, self._velocity = None, np.zeros(3)

    def place(self, x: float, y: float, yaw: float, deviation: tuple[float, float, float]) -> None:
        """The robot stands at a pose of its root on the map, as somebody says, within deviations [m, m, rad]."""
        at = np.asarray(se2.compose(np.array([x, y, yaw]), self._reference), dtype=float)
        odom = self._scans.odometry.at(self.stage.sim.time)
        if not isinstance(self.localizer, Placeable):
            raise BadInput("the robot makes its map now, which tells where it is; stop mapping first")
        self.localizer.place(at, odom, deviation)
        self.pose = at

    # ---- one control period ------------------------------------------------------------------------
    def command(self, now: float) -> Command | None:
        """The velocity of this control period; None while there is no goal."""
        if self._count % EVERY == 0:
            self._decide(self._sense())
        self._count += 1
        if not self.leads:
            return None
        vx, vy, wz = self._velocity.tolist()
        return Command(vx, vy, wz)

    def watch(self) -> None:
        """A control period in which somebody else leads the robot: it is followed on the map."""
        if self._count % EVERY == 0:
            self._sense()
        self._count += 1

    @property
    def leads(self) -> bool:
        """Whether `command` leads the robot."""
        return self.goal is not None

    def _sense(self) -> Sensed:
        driven = self._velocity if self.wheels is None else self.wheels.reference
        sensed = self._scans.sense(self.stage.sim.time, driven)
        self.pose = sensed.pose
        return sensed

    def _decide(self, sensed: Sensed) -> None:
        if self.goal is None and not sensed.sweeps:
            return
        known = reading_of(sensed)
        if self.wheels is None:  # steps sway: what is told counts
            known = replace(known, velocity=self._velocity, scans=(), scan_poses=(), scan_velocities=())
        if self.yielding is not None:
            known = replace(known, hold=self._mind(self.yielding, sensed.pose))
        self.output = out = self.navigator.update(known)
        self.events += out.events
        if out.request == "relocalize":
            self._scans.relocalize()
        self._velocity = np.array(out.velocity)
        if self._aside is not None:
            return
        if self.goal is not None and out.state in (State.ARRIVED, State.FAILED):
            if out.reason and out.reason not in out.events:
                self.events.append(out.reason)
            self.goal, self._velocity = None, np.zeros(3)

    def _mind(self, yielding: Yielding, pose: Array) -> str:
        """Yield to others where that is due: go aside, or come back to the goal; why it shall stand, in words."""
        out = self.output
        if self.goal is None:
            yielding.wish(None)
        elif self._aside is None and out is not None and out.path is not None:
            yielding.wish(out.path)
        failed = self._aside is not None and self.navigator.state is State.FAILED
        manners = yielding.update(self.stage.sim.time, pose, self.navigator.layers.costmap, failed)
        if self.goal is None:
            return ""
        if manners.words and manners.words != self._words:
            self.events.append(manners.words)
        self._words = manners.words
        if manners.aside is None:
            if self._aside is not None:
                self._aside = None
                self.navigator.set_goal(self._target)
            return manners.words
        if self._aside is None or failed or not np.array_equal(manners.aside, self._aside):
            self._aside = manners.aside
            self.navigator.set_goal(np.array([*manners.aside, math.nan]))
        return ""


def _check_goal(grid: OccupancyGrid, x: float, y: float) -> None:
    """Refuse a goal beyond the map or in a wall of it."""
    at = np.array([[x, y]])
    if not grid.inside(grid.cell_of(at))[0]:
        corner = grid.point_of(np.array([[0, 0], [grid.shape[0] - 1, grid.shape[1] - 1]]))
        (left, low), (right, high) = corner.min(axis=0), corner.max(axis=0)
        raise BadInput(
            f"the goal x {x:.2f} m, y {y:.2f} m lies outside the map, which has x {left:.1f} to {right:.1f} m, "
            f"y {low:.1f} to {high:.1f} m"
        )
    if int(grid.at(at)[0]) >= OCCUPIED_PERCENT:
        raise BadInput(f"the goal x {x:.2f} m, y {y:.2f} m lies in a wall of the map; choose a free place")


class _Walked:
    """The odometry of a robot on legs, for what asks for one."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self.twist = stage, np.zeros(3)

    def at(self, time: float) -> Array:
        """Where it believes to be now."""
        return np.asarray(self._stage.position, dtype=float)


def _walking_vehicle(stage: Stage) -> Vehicle:
    """Footprint and speeds of a robot on legs: it may go any way at once."""
    walker = stage.walker
    if not walker.max_speed > 0:
        raise BadInput(f"robot {stage.robot.name!r} cannot be driven, so it cannot go to a goal")
    speed = WALK_FRACTION * walker.max_speed
    try:
        outline = robot_outline(stage.robot)
    except AndanteError as error:
        raise BadInput(f"robot {stage.robot.name!r} cannot go to a goal: {error}") from None
    return Vehicle(
        outline,
        "omni",
        max_speed=speed,
        max_turn=max(0.1, WALK_FRACTION * walker.max_turn),
        max_acceleration=max(0.05, speed),
        max_turn_acceleration=1.0,
        name=stage.robot.name,
    )
