"""Navigation of a live robot: scans and odometry in, velocities out, a few times a second.

A robot on wheels with a lidar localises itself on the map; any other robot goes by its own odometry, on the map if
there is one. The simulator's pose is never asked.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.errors import AndanteError, BadInput
from andante.geometry import Array, se2
from andante.locomotion import Command
from andante.mapping import OccupancyGrid, Scan
from andante.mobile.localizer import Localiser, OdometryOnly, OnMap
from andante.mobile.scans import scan_of
from andante.navigation import GoalChecker, Navigator, NavigatorOutput, NavigatorSettings, State, Vehicle
from andante.navigation import NavigatorInput as Known
from andante.navigation.vehicle import robot_outline
from andante.sensors import Channel, Lidar

from .stage import Stage

EVERY = 10  # control periods between two decisions
PREVIEW, PARTS = 1.5, 15  # of the local plan [s], poses
WALK_SHARE = 0.6  # of the top speed at which a walking robot is led
ARRIVAL = {True: GoalChecker(0.1, 0.15), False: GoalChecker(0.12, 0.25)}  # wheels, legs


class LiveNavigation:
    """Localises, plans and leads one robot. `command` is asked once per control period."""

    def __init__(self, stage: Stage, grid: OccupancyGrid | None, speed: float = math.inf) -> None:
        self.stage, self.grid = stage, grid
        self.wheels = stage.wheels
        self.vehicle = self.wheels.vehicle if self.wheels is not None else _walking_vehicle(stage)
        self._reference = np.asarray(self.vehicle.reference, dtype=float)
        suite = stage.sim.sensors
        assert suite is not None
        self._lidar: Channel | None = next((c for c in suite if isinstance(c.sensor, Lidar)), None)
        start = se2.compose(stage.origin, self._reference)
        self.localiser: Localiser = OdometryOnly(start)
        if grid is not None and self._lidar is not None and self.wheels is not None:
            self.localiser = OnMap(grid, start, seed=stage.choice.seed)
        settings = NavigatorSettings(arrival=ARRIVAL[self.wheels is not None])
        if self._lidar is None or self.wheels is None:
            settings = replace(settings, scan_timeout=math.inf)
        self.navigator = Navigator(self.vehicle, grid, settings=settings, speed=speed, seed=stage.choice.seed)
        self._taken = stage.sim.time
        self._count = 0
        self._mount = np.asarray(se2.inverse(self._reference), dtype=float)
        self._last_scan: Scan | None = None
        self._velocity = np.zeros(3)
        self.goal: Array | None = None
        self.output: NavigatorOutput | None = None  # the newest decision
        self.pose = np.asarray(start, dtype=float)  # believed, of the reference point on the map
        self.events: list[str] = []  # since they were last taken

    # ---- what is asked of it -----------------------------------------------------------------------
    @property
    def active(self) -> bool:
        """Whether it leads the robot to a goal."""
        return self.goal is not None

    @property
    def localised(self) -> bool:
        """Whether particles tell where the robot is."""
        return isinstance(self.localiser, OnMap)

    @property
    def map_from_odom(self) -> Array:
        """Pose (3,) of the odom frame (of the root) on the map."""
        return np.asarray(se2.compose(self.localiser.map_from_odom, se2.inverse(self._reference)), dtype=float)

    def set_goal(self, x: float, y: float, yaw: float) -> None:
        """Go to a pose of the root on the map [m, rad]; yaw NaN: any."""
        if not (math.isfinite(x) and math.isfinite(y)):
            raise BadInput(f"a goal is x, y and yaw, got {x}, {y}, {yaw}")
        goal = np.array([x, y, yaw])
        if math.isfinite(yaw):
            goal = np.asarray(se2.compose(goal, self._reference), dtype=float)
        self.navigator.set_goal(goal)
        self.goal = np.array([x, y, yaw])

    def cancel(self) -> None:
        """Forget the goal and stop."""
        self.navigator.cancel()
        self.goal, self._velocity = None, np.zeros(3)

    def place(self, x: float, y: float, yaw: float, deviation: tuple[float, float, float]) -> None:
        """The robot stands at a pose of its root on the map, as somebody says, within deviations [m, m, rad]."""
        at = np.asarray(se2.compose(np.array([x, y, yaw]), self._reference), dtype=float)
        odom = self._odom(self.stage.sim.time)
        if isinstance(self.localiser, OnMap):
            assert self.grid is not None
            fresh = OnMap(self.localiser.mcl.field, at, seed=self.stage.choice.seed, deviation=deviation)
            fresh.map_from_odom = np.asarray(se2.compose(at, se2.inverse(odom)), dtype=float)
            self.localiser = fresh
        else:
            self.localiser = OdometryOnly(se2.compose(at, se2.inverse(odom)))

    # ---- one control period ------------------------------------------------------------------------
    def _odom(self, time: float) -> Array:
        """Pose of the reference point in its odometry frame at a time [s]."""
        if self.wheels is not None:
            return self.wheels.odometry.at(time)
        return np.asarray(self.stage.position, dtype=float)

    def command(self, now: float) -> Command | None:
        """The velocity of this control period; None while there is no goal."""
        if self._count % EVERY == 0:
            self._decide()
        self._count += 1
        if self.goal is None:
            return None
        vx, vy, wz = self._velocity.tolist()
        return Command(vx, vy, wz)

    def _decide(self) -> None:
        scans = self._scans()
        time = self.stage.sim.time
        odom = self._odom(time)
        self.pose = np.asarray(se2.compose(self.localiser.map_from_odom, odom), dtype=float)
        if self.goal is None and not scans:
            return
        twist = self.wheels.twist if self.wheels is not None else self._velocity  # steps sway: what is told counts
        known = Known(time, self.pose, np.asarray(twist, dtype=float), tuple(scans), self.localiser.trusted)
        self.output = out = self.navigator.update(known)
        self.events += out.events
        if out.request == "relocalize" and self._last_scan is not None:
            self.localiser.relocalise(self._last_scan)
        self._velocity = np.array(out.velocity)
        if self.goal is not None and out.state in (State.ARRIVED, State.FAILED):
            if out.reason and out.reason not in out.events:
                self.events.append(out.reason)
            self.goal, self._velocity = None, np.zeros(3)

    def _scans(self) -> list[Scan]:
        """New scans told from the reference point; the localiser has seen them."""
        if self._lidar is None or self.wheels is None:
            return []
        out = []
        lidar = self._lidar.sensor
        assert isinstance(lidar, Lidar)
        for reading in self._lidar.since(self._taken):
            self._taken = reading.time
            told = scan_of(self.stage.robot, lidar, reading)
            x, y, yaw = (float(v) for v in se2.compose(self._mount, told.sensor))
            scan = replace(told, sensor=(x, y, yaw))
            self.localiser.update(scan, self._odom(scan.time))
            self._last_scan = scan
            out.append(scan)
        return out

    # ---- what can be shown -------------------------------------------------------------------------
    @property
    def particles(self) -> Array:
        """Particles (n, 3) of the localiser, none without one."""
        return self.localiser.mcl.particles if isinstance(self.localiser, OnMap) else np.zeros((0, 3))

    @property
    def covariance(self) -> Array:
        """(3, 3) of the believed pose."""
        if isinstance(self.localiser, OnMap) and len(self.localiser.mcl.particles):
            return np.asarray(self.localiser.mcl.estimate.covariance, dtype=float)
        return np.diag([0.01, 0.01, 0.01])

    def preview(self) -> Array:
        """Poses (n, 3) that the present velocity leads to: the local plan."""
        times = np.linspace(0.0, PREVIEW, PARTS)
        return np.array([se2.compose(self.pose, se2.exp(self._velocity * t)) for t in times])


def _walking_vehicle(stage: Stage) -> Vehicle:
    """Footprint and speeds of a robot on legs: it may go any way at once."""
    walker = stage.walker
    if not walker.top_speed > 0:
        raise BadInput(f"robot {stage.robot.name!r} cannot be driven, so it cannot go to a goal")
    speed = WALK_SHARE * walker.top_speed
    try:
        outline = robot_outline(stage.robot)
    except AndanteError as error:
        raise BadInput(f"robot {stage.robot.name!r} cannot go to a goal: {error}") from None
    return Vehicle(
        outline,
        "omni",
        max_speed=speed,
        max_turn=max(0.1, WALK_SHARE * walker.top_turn),
        max_acceleration=max(0.05, speed),
        max_turn_acceleration=1.0,
        name=stage.robot.name,
    )
