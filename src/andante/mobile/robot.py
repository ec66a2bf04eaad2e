"""`MobileRobot`: a wheeled robot in a simulated world, driven by twists and known by its sensors alone.

robot = mobile_robot("waffle", world="lab", start=(0, 0, 0))
while ...:
    sensed = robot.step((0.2, 0.0, 0.1))   # drive for one control period, then look
    sensed.pose, sensed.sweeps             # what the robot knows
robot.truth.pose, robot.truth.collision    # for measuring only
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot, World, load_robot
from andante.errors import BadInput, Unsupported
from andante.geometry import Array, se2
from andante.kinematics import find_drive
from andante.localization import OdometryNoise
from andante.mapping import Scan
from andante.navigation import Vehicle, vehicle_of
from andante.sensors import Lidar
from andante.simulation.simulation import Simulation, simulate

from .drive import TwistDrive
from .localizer import Localiser, OdometryOnly
from .odometry import FusedOdometry
from .scans import lidar_channel, scan_of
from .start import set_on_floor
from .truth import DrivenTruth

RATE = 20.0  # of control [Hz]
RAMP = 0.02  # commands are ramped in parts about this long [s]
SETTLE = 0.5  # standing before the first command: wheels come to rest, the gyro shows its bias [s]
STILL = np.zeros(3)


@dataclass(frozen=True)
class TakenScan:
    """A scan and where the robot believed to be when its first beam was taken.

    `scan.sensor` tells the mount from the drive's reference point; `scan.points(twist)` undoes the motion distortion.
    """

    scan: Scan
    odom: Array  # (3,) pose of the reference point in the odom frame [m, m, rad]
    pose: Array  # (3,) the same on the map, as believed when the scan arrived
    twist: Array  # (3,) mean over the sweep, vx, vy, w [m/s, m/s, rad/s]


@dataclass(frozen=True)
class Sensed:
    """What the robot knows at a moment; poses are those of the drive's reference point."""

    time: float  # [s]
    odom: Array  # (3,) x, y, yaw in the odom frame, smooth but drifting [m, m, rad]
    pose: Array  # (3,) on the map
    twist: Array  # (3,) measured vx, vy, w in the robot's axes [m/s, m/s, rad/s]
    reference: Array  # (3,) twist that the wheels are driven with
    sweeps: tuple[TakenScan, ...]  # that arrived since the moment before, oldest first
    trusted: bool  # False: the localiser does not know where the robot is


class MobileRobot:
    """A simulated robot on wheels, in lock-step. `start` is the believed pose of the root where no localiser is given.

    Commands are twists of the drive's reference point, ramped and held by `TwistDrive`. The reference point is the
    middle of the fixed axle: `from_root` and `to_root` tell poses of one as poses of the other.
    """

    def __init__(
        self,
        sim: Simulation,
        localiser: Localiser | None = None,
        *,
        vehicle: Vehicle | None = None,
        start: ArrayLike = (0.0, 0.0, 0.0),
        rate: float = RATE,
        lidar: str = "",
        noise: OdometryNoise | None = None,
    ) -> None:
        if sim.sensors is None:
            raise BadInput("a mobile robot needs its sensors: simulate(..., sensors=True)")
        if not 1.0 <= rate <= 0.5 / sim.engine.dt:
            raise BadInput(f"the control rate must lie from 1 Hz to half of the physics' {1 / sim.engine.dt:g} Hz")
        self.sim, self.rate = sim, float(rate)
        self.drive = find_drive(sim.robot)
        if not self.drive.wheels:
            raise Unsupported(f"robot {sim.robot.name!r} has no wheels that carry it; only wheeled robots drive here")
        self.vehicle = vehicle or vehicle_of(sim.robot)
        self.localiser: Localiser = localiser or OdometryOnly(self.from_root(start))
        self.wheels = TwistDrive(sim.engine, sim.actor, self.drive, self.vehicle)
        self.odometry = FusedOdometry(sim, self.drive, noise)
        self.truth = DrivenTruth(sim)  # for measuring only
        self._lidar = lidar_channel(sim.sensors, lidar)
        self._mount = np.asarray(se2.inverse(self.drive.reference), dtype=float)
        self._joints = {name: i for i, name in enumerate(sim.robot.joint_names)}
        self._encoders = sim.sensors["encoders"]
        self._taken = sim.time  # when the newest scan that was seen was completed [s]
        self._last: TakenScan | None = None
        sim.observers += [self.odometry, self.truth]
        self._origin, self._periods = sim.time, 0

    # ---- frames ----------------------------------------------------------------------------------
    def from_root(self, pose: ArrayLike) -> Array:
        """Pose of the reference point where the root link has a pose x, y, yaw."""
        return self.drive.pose_from_root(pose)

    def to_root(self, pose: ArrayLike) -> Array:
        """Pose of the root link where the reference point has a pose x, y, yaw."""
        return se2.compose(pose, se2.inverse(self.drive.reference))

    # ---- driving ---------------------------------------------------------------------------------
    def step(self, twist: ArrayLike = STILL) -> Sensed:
        """Drive for one control period towards a twist vx, vy, w (or vx, w); what is known then."""
        wanted = _twist(twist)
        self._periods += 1
        end = self._origin + self._periods / self.rate
        begin = self.sim.time
        parts = max(1, round((end - begin) / RAMP))
        for k in range(parts):
            until = begin + (end - begin) * (k + 1) / parts
            self.wheels.send(wanted, self.odometry.twist, self._steering, until - self.sim.time)
            self.sim.run(max(0.0, until - self.sim.time))
        return self._look()

    def settle(self, seconds: float = SETTLE) -> Sensed:
        """Stand for a while before the first command; scans that come are in the result."""
        sweeps: list[TakenScan] = []
        for _ in range(max(1, round(seconds * self.rate))):
            sensed = self.step()
            sweeps += sensed.sweeps
        return replace(sensed, sweeps=tuple(sweeps))

    def relocalise(self) -> None:
        """Let the localiser look for the pose anew with the newest scan."""
        if self._last is not None:
            self.localiser.relocalise(self._last.scan)

    def close(self) -> None:
        """Free the engine."""
        self.sim.close()

    @property
    def _steering(self) -> dict[str, float] | None:
        """Measured steering angles [rad]; None: nothing is steered."""
        angles = self._encoders.values
        if angles is None or not self.drive.steering_joints:
            return None
        return {name: float(angles[self._joints[name]]) for name in self.drive.steering_joints}

    # ---- sensing ---------------------------------------------------------------------------------
    def _look(self) -> Sensed:
        odometry, sweeps = self.odometry, []
        assert isinstance(self._lidar.sensor, Lidar)
        for reading in self._lidar.since(self._taken):
            self._taken = reading.time
            told = scan_of(self.sim.robot, self._lidar.sensor, reading)
            x, y, yaw = (float(value) for value in se2.compose(self._mount, told.sensor))
            scan = replace(told, sensor=(x, y, yaw))
            begin, end = odometry.at(scan.time), odometry.at(reading.time)
            twist = se2.log(se2.between(begin, end)) / max(reading.time - scan.time, 1e-6)
            self.localiser.update(scan, begin)
            self._last = TakenScan(scan, begin, se2.compose(self.localiser.map_from_odom, begin), twist)
            sweeps.append(self._last)
        odom = odometry.at(self.sim.time)
        pose = se2.compose(self.localiser.map_from_odom, odom)
        return Sensed(
            self.sim.time, odom, pose, odometry.twist, self.wheels.reference, tuple(sweeps), self.localiser.trusted
        )


def mobile_robot(
    robot: Robot | str | Path,
    world: World | str | Path = "empty",
    start: ArrayLike = (0.0, 0.0, 0.0),
    engine: str = "mujoco",
    *,
    localiser: Localiser | None = None,
    vehicle: Vehicle | None = None,
    dt: float | None = None,
    seed: int = 0,
    rate: float = RATE,
    lidar: str = "",
    arguments: Mapping[str, str] | None = None,
) -> MobileRobot:
    """A wheeled robot whose root stands at x, y, yaw in a world, ready to drive; it has not settled yet."""
    made = load_robot(robot, arguments or {}) if isinstance(robot, str | Path) else robot
    place = np.asarray(start, dtype=float)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise BadInput(f"a start is x, y, yaw as finite numbers, got {start!r}")
    find_drive(made)  # refuses robots without wheels before a world is built
    bare = simulate(made, world, engine, dt=dt, place=(place[0], place[1], place[2]), seed=seed)
    floor = set_on_floor(bare.engine, bare.actor, place, bare.ground)
    sim = Simulation(bare.engine, bare.actor, seed, sensors=True, ground=floor)
    try:
        return MobileRobot(sim, localiser, vehicle=vehicle, start=place, rate=rate, lidar=lidar)
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
