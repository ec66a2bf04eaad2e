"""`MobileRobot`: a wheeled robot that is driven by twists and known by its sensors alone.

robot = mobile_robot("waffle", world="lab", start=(0, 0, 0))
while ...:
    sensed = robot.step((0.2, 0.0, 0.1))   # drive for one decision period, then look
    sensed.pose, sensed.sweeps             # what the robot knows
robot.truth.pose, robot.truth.collision    # for measuring only
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed
from andante.control.body import Body, BodyState
from andante.control.loop import ControlLoop
from andante.control.walking import LyingSense
from andante.description import Robot, World, load_robot
from andante.description.shapes import Plane
from andante.description.solver import SolverLike
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.kinematics import find_drive
from andante.localization import OdometryNoise
from andante.locomotion import Command, FallRules
from andante.navigation import Vehicle
from andante.physics import Engine
from andante.simulation.scans import lidar_channel
from andante.simulation.simulation import Simulation, simulate

from .driver import base_driver
from .guarding import ScanGuard
from .sensing import Localizer, OdometryOnly, ScanPipeline, Sensed, TakenScan
from .stow import ready_to_drive
from .truth import DriveMeasure, DrivenEstimate, DrivenTruth

LEVEL = 0.05  # heights that differ less are one floor [m]
AROUND = 1.5  # the floor is looked at so far around the start [m]
ABOVE = 1.0  # ... from so high over the robot [m]


def plane_height(world: World, x: float, y: float) -> float | None:
    """Height [m] of the highest ground plane of a world below a place; None: it has none."""
    heights = []
    for placement in world.models:
        for name, pose in placement.robot.link_poses().items():
            for collision in placement.robot.link(name).collisions:
                if not isinstance(collision.geometry, Plane):
                    continue
                at = placement.pose @ pose @ collision.pose
                normal, origin = at.rotation @ np.asarray(collision.geometry.normal), at.translation
                if normal[2] > 0.7:
                    slant = normal[0] * (x - origin[0]) + normal[1] * (y - origin[1])
                    heights.append(float(origin[2] - slant / normal[2]))
    return max(heights, default=None)


def set_on_floor(engine: Engine, model: int, place: Array, ground: float) -> float:
    """Move a robot that was put on the highest ground below it down to the plane where that is the floor around.

    ground: the height it was put on [m]. Returns the height it stands on now.
    """
    x, y = float(place[0]), float(place[1])
    plane = plane_height(engine.world, x, y)
    if plane is None or abs(ground - plane) < LEVEL:
        return ground
    base = np.array(engine.base_pose(model))
    steps = np.linspace(-AROUND, AROUND, 13)
    grid = np.stack(np.meshgrid(x + steps, y + steps), axis=-1).reshape(-1, 2)
    top = float(base[2]) + ABOVE
    down = np.tile([0.0, 0.0, -1.0], (len(grid), 1))
    hits = engine.cast_rays(np.column_stack([grid, np.full(len(grid), top)]), down, 100.0, ignore=model)
    heights = top - hits.distance[np.isfinite(hits.distance)]
    if np.sum(np.abs(heights - plane) < LEVEL) <= np.sum(np.abs(heights - ground) < LEVEL):
        return ground
    base[2] += plane - ground
    engine.set_base(model, base)
    return plane


RATE = 20.0  # of decisions [Hz]
CONTROL_RATE = 100.0  # of the wheels [Hz]
SETTLE = 0.5  # standing before the first command: wheels come to rest, the gyro shows its bias [s]
STILL = np.zeros(3)


@renamed(localiser="localizer")
class MobileRobot:
    """A robot on wheels that is driven by twists and known by its sensors alone, simulated or real.

    Commands are twists of the drive's reference point, ramped and held by its `BaseDriver`. The reference point is the
    middle of the fixed axle: `from_root` and `to_root` tell poses of one as poses of the other.

    Args:
        body: the robot, a `Simulation` with sensors or a real one.
        localizer: that tells where it is on a map; None: odometry from `start`.
        vehicle: its speeds and accelerations; None: from the robot.
        start: believed pose x, y, yaw of the root where no localizer is given.
        map_pose: of the map's frame in the world, x, y, yaw.
        rate: of decisions [Hz]; the wheels are controlled at 100 Hz.
        noise: of its odometry.
        lying: tilt from which a real robot counts as fallen [rad].
    """

    ground = 0.0  # height of the floor that it stands on [m]

    def __init__(
        self,
        body: Body,
        localizer: Localizer | None = None,
        *,
        vehicle: Vehicle | None = None,
        start: ArrayLike = (0.0, 0.0, 0.0),
        map_pose: ArrayLike = (0.0, 0.0, 0.0),
        rate: float = RATE,
        noise: OdometryNoise | None = None,
        lying: float = FallRules.lying,
    ) -> None:
        if isinstance(body, Simulation) and body.sensors is None:
            raise BadInput("a mobile robot needs its sensors: simulate(..., sensors=True)")
        if not 1.0 <= rate <= CONTROL_RATE:
            raise BadInput(f"rate must lie from 1 to {CONTROL_RATE:g} Hz, got {rate}")
        self.body, self.rate = body, float(rate)
        hold = np.nan_to_num(body.read().position)
        self.driver = base_driver(body.robot, hold, vehicle, noise)
        self.drive, self.vehicle, self.odometry = self.driver.drive, self.driver.vehicle, self.driver.odometry
        self._lies = LyingSense(body.robot, lying)
        self.loop = ControlLoop(body, self.driver, CONTROL_RATE, self._command)
        self.guard = ScanGuard(body, self.driver)
        if self.guard.sees:
            self.loop.guard = self.guard
        self.scans = ScanPipeline(
            body, self.odometry, localizer or OdometryOnly(self.from_root(start)), self.drive.reference
        )
        self._map_pose = np.asarray(map_pose, dtype=float)
        self._twist: Array = STILL
        self._steps = 0
        self.measure: DriveMeasure = DrivenEstimate(start, self._lies)  # what came of its drives

    @property
    def localizer(self) -> Localizer:
        """What tells where odom lies on the map."""
        return self.scans.localizer

    # ---- frames ----------------------------------------------------------------------------------
    def from_root(self, pose: ArrayLike) -> Array:
        """Pose of the reference point where the root link has a pose x, y, yaw."""
        return self.drive.pose_from_root(pose)

    def to_root(self, pose: ArrayLike) -> Array:
        """Pose of the root link where the reference point has a pose x, y, yaw."""
        return se2.compose(pose, se2.inverse(self.drive.reference))

    # ---- driving ---------------------------------------------------------------------------------
    def step(self, twist: ArrayLike = STILL) -> Sensed:
        """Drive for one decision period towards a twist vx, vy, w (or vx, w); what is known then."""
        self._twist = _twist(twist)
        self._steps += 1
        for _ in range(round(self._steps * CONTROL_RATE / self.rate) - self.loop.periods):
            self.loop.step()
        sensed = self.scans.sense(self.body.time, self.driver.reference)
        if isinstance(self.measure, DrivenEstimate):
            self.measure.report(sensed.time, se2.compose(self._map_pose, self.to_root(sensed.pose)))
        return sensed

    def _command(self, state: BodyState) -> Command:
        if isinstance(self.measure, DrivenEstimate):
            self._lies.feel(state)
        return Command(*self._twist)

    def settle(self, seconds: float = SETTLE) -> Sensed:
        """Stand for a while before the first command; scans that come are in the result."""
        sweeps: list[TakenScan] = []
        for _ in range(max(1, round(seconds * self.rate))):
            sensed = self.step()
            sweeps += sensed.sweeps
        return replace(sensed, sweeps=tuple(sweeps))

    def relocalize(self) -> None:
        """Let the localizer look for the pose anew with the newest scan."""
        self.scans.relocalize()

    def close(self) -> None:
        """Let the body go."""
        self.body.close()


class SimulatedMobileRobot(MobileRobot):
    """A mobile robot in a simulation, with the truth about it for measuring only.

    lidar: name of the one that it sees by, of several; empty: the first. blind: it may have none.
    """

    def __init__(self, sim: Simulation, *arguments: Any, lidar: str = "", blind: bool = False, **options: Any) -> None:
        super().__init__(sim, *arguments, **options)
        assert sim.sensors is not None
        if lidar or not blind:
            sim.lidar = lidar_channel(sim.sensors, lidar).name  # refuses a robot that sees nothing before it drives
        self.sim, self.truth, self.ground = sim, DrivenTruth(sim), sim.ground
        self.measure = self.truth
        sim.observers.append(self.truth)


@renamed(localiser="localizer")
def mobile_robot(
    robot: Robot | str | Path,
    world: World | str | Path = "empty",
    start: ArrayLike = (0.0, 0.0, 0.0),
    engine: str = "mujoco",
    *,
    localizer: Localizer | None = None,
    vehicle: Vehicle | None = None,
    dt: float | None = None,
    seed: int = 0,
    rate: float = RATE,
    lidar: str = "",
    blind: bool = False,
    arguments: Mapping[str, str] | None = None,
    solver: SolverLike | None = None,
) -> SimulatedMobileRobot:
    """A wheeled robot whose root stands at x, y, yaw in a world, ready to drive; it has not settled yet.

    Args:
        robot: with wheels and a lidar; a name, a path or a `Robot`.
        world: a name, a path or a `World`.
        start: x, y [m], yaw [rad] of the root.
        engine: of the physics.
        localizer: that tells where it is on a map; None: odometry from the start.
        vehicle: its speeds and accelerations; None: from the robot.
        dt: step of the physics [s]; None: that of the world up to 0.002, else 0.002.
        seed: of physics and sensors.
        rate: of decisions [Hz].
        lidar: name of the one that it sees by, of several; empty: the first.
        blind: it may have no lidar; else such a robot is refused.
        arguments: of a xacro file.
        solver: settings of the solver, before those of the world.
    """
    made = load_robot(robot, arguments or {}) if isinstance(robot, str | Path) else robot
    place = np.asarray(start, dtype=float)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise BadInput(f"a start is x, y, yaw as finite numbers, got {start!r}")
    made = ready_to_drive(made)
    find_drive(made)  # refuses robots without wheels before a world is built
    bare = simulate(made, world, engine, dt=dt, start=(place[0], place[1], place[2]), seed=seed, solver=solver)
    floor = set_on_floor(bare.engine, bare.model, place, bare.ground)
    sim = Simulation(bare.engine, bare.model, seed, sensors=True, ground=floor)
    try:
        return SimulatedMobileRobot(sim, localizer, vehicle=vehicle, start=place, rate=rate, lidar=lidar, blind=blind)
    except Exception:
        sim.close()
        raise


def _twist(values: ArrayLike) -> Array:
    twist = np.asarray(values, dtype=float)
    if twist.shape == (2,):
        twist = np.array([twist[0], 0.0, twist[1]])
    if twist.shape != (3,) or not all(map(math.isfinite, twist)):
        raise BadInput(f"a command is a twist vx, vy, w (or vx, w) of finite numbers, got {values!r}")
    return twist
