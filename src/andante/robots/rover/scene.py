"""A simulated rover with its microcontroller, its serial line and its computer, all in lock-step.

Sensor models and the line are all that the computer sees; `truth` is for measuring.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.control.body import Twist
from andante.control.loop import ControlLoop
from andante.control.start import first_positions
from andante.description import Placement, Robot, World, load_robot, load_world
from andante.description.link import Link, SensorSpec
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.hardware.serial.messages import Log
from andante.localization import MclParameters
from andante.locomotion import Behaviour, Command, Readings
from andante.mapping import OccupancyGrid, Scan
from andante.mapping.worlds import map_of_world
from andante.mobile.truth import DrivenTruth
from andante.sensors.lidar import lidar_model
from andante.sensors.suite import noise_of
from andante.sensors.uwb import UwbErrors
from andante.simulation.simulation import simulate
from andante.simulation.spawn import put_on_ground

from .onboard import Cable, OnLine, computer_of, feed, simulated_setup


def noisier(robot: Robot, factor: float) -> Robot:
    """The robot whose lidar, UWB tags and IMU err `factor` times as much; 0: not at all, 1: as its file says."""
    if not (math.isfinite(factor) and factor >= 0):
        raise BadInput(f"the factor of sensor noise must be a number >= 0, got {factor}")
    return robot if factor == 1 else replace(robot, sensors=tuple(_noisier(spec, factor) for spec in robot.sensors))


def _noisier(spec: SensorSpec, factor: float) -> SensorSpec:
    if spec.kind not in ERRORS:
        return spec
    read, names = ERRORS[spec.kind]
    model = read(spec)
    errors = {name: getattr(model, field) * factor for name, field in names.items()}
    errors |= {name: min(errors[name], 1.0) for name in FRACTIONS if name in errors}
    return replace(spec, parameters={**spec.parameters, **errors})


def smoother(robot: Robot, factor: float) -> Robot:
    """The robot (or a model of a world) with all coefficients of friction times `factor`."""
    return robot if factor == 1 else replace(robot, links=tuple(_smoother(link, factor) for link in robot.links))


def _smoother(link: Link, factor: float) -> Link:
    shapes = []
    for shape in link.collisions:
        mu = 1.0 if shape.surface.mu is None else shape.surface.mu
        mu2 = None if shape.surface.mu2 is None else shape.surface.mu2 * factor
        shapes.append(replace(shape, surface=replace(shape.surface, mu=mu * factor, mu2=mu2)))
    return replace(link, collisions=tuple(shapes))


def smoother_world(world: World, factor: float) -> World:
    """The world with all coefficients of friction times `factor`."""
    if not (math.isfinite(factor) and factor > 0):
        raise BadInput(f"the factor of friction must be a number > 0, got {factor}")
    if factor == 1:
        return world
    models = tuple(replace(model, robot=smoother(model.robot, factor)) for model in world.models)
    return replace(world, models=models)


PERIOD = 0.02  # of the computer's loop and of the firmware's [s]
RESOLUTION = 0.025  # of the map that is made of the world [m]
PATIENCE = 20.0  # to connect [s, wall clock]
ERRORS: dict[str, tuple[Callable[[SensorSpec], Any], dict[str, str]]] = {  # of sensors: parameter to field
    "uwb": (UwbErrors.of, {"noise_stddev": "stddev", **{name: name for name in ("wall_bias", "outliers", "dropout")}}),
    "lidar": (lidar_model, {name: name for name in ("noise_stddev", "noise_proportional", "dropout")}),
    "imu": (noise_of, {"noise_stddev": "stddev", "bias_stddev": "bias_stddev", "bias_walk": "bias_walk"}),
}
FRACTIONS = ("outliers", "dropout")  # errors that are at most 1


class _OnBoard(Behaviour):
    """The rover's computer in the control loop: it takes the readings that came and passes the guide's twist on."""

    def __init__(self, scene: RoverScene) -> None:
        self._scene = scene

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """One round of the computer; single joints are left to the firmware."""
        self._scene.compute()
        self.base_twist = self._scene.twist
        return np.zeros(len(readings.position))


class RoverScene:
    """The rover in a world. `tick` is one period of its control loop."""

    def __init__(
        self,
        world: World | str = "lab",
        engine: str = "mujoco",
        *,
        start: ArrayLike = (0.0, 0.0, 0.0),
        grid: OccupancyGrid | None = None,
        map_pose: ArrayLike = (0.0, 0.0, 0.0),
        others: Sequence[Placement] = (),
        odometry: str = "wheels",
        driven_by: str = "amcl",
        parameters: MclParameters | None = None,
        firmware: dict[str, float] | None = None,
        cable: Cable | None = None,
        noise: float = 1.0,
        friction: float = 1.0,
        dt: float | None = None,
        seed: int = 0,
        say: Callable[[float, str, str], None] = lambda time, who, words: None,
    ) -> None:
        """start, map_pose: of the rear axle at first and of the map's frame in the world, x, y, yaw; grid: the map, by
        default the true plan of the world at the laser's height; firmware: parameters that go down the line; say: told
        the time, who speaks and words."""
        world = load_world(world) if isinstance(world, str) else world
        self._map_pose = np.asarray(map_pose, dtype=float)
        self._say = say
        self._log: Log | None = None  # the last words of the firmware that were passed on
        robot = smoother(noisier(load_robot("rover"), noise), friction)
        poses = robot.link_poses()
        ground = float(poses["base_footprint"].translation[2])
        if grid is None:
            if self._map_pose.any():
                raise BadInput("a map pose belongs to a map: give the grid too")
            grid = map_of_world(world, height=float(poses["laser"].translation[2]) - ground, resolution=RESOLUTION)
        at = tuple(float(v) for v in se2.compose(self._map_pose, start))
        scene = smoother_world(world, friction)
        self.sim = simulate(robot, scene, engine, dt=dt, start=at, seed=seed, sensors=True, others=others)
        assert self.sim.sensors is not None
        self.sensors, self.grid = self.sim.sensors, grid
        self.body = OnLine(
            self.sim, cable, firmware=firmware, say=lambda words: say(self.sim.time, "line", words),
            session=seed & 0xFFFF,
        )  # fmt: skip
        self.measured = DrivenTruth(self.sim)
        self.sim.observers.append(self.measured)
        self.computer = computer_of(
            self.body, robot, grid, *simulated_setup(self.sim), odometry=odometry, driven_by=driven_by,
            parameters=parameters, seed=seed,
            say=lambda words: say(self.sim.time, "computer", words),
        )  # fmt: skip
        self.scans: tuple[Scan, ...] = ()  # that came in the last tick
        self.twist: Twist | None = None  # that the rover is driven with; None: the firmware drives by itself
        self._seen = self.sim.time
        self.loop = ControlLoop(self.body, _OnBoard(self), 1.0 / PERIOD)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.sim.time

    @property
    def truth(self) -> Array:
        """True pose (3,) of the rear axle on the map, for measuring only."""
        return se2.between(self._map_pose, self.measured.pose)

    def connect(self) -> None:
        """Go on until the microcontroller answers."""
        self.body.connect(PATIENCE, self.tick)

    def tick(self) -> None:
        """One period: the computer with the readings that came, then physics and firmware."""
        self.loop.step()

    def compute(self) -> None:
        """One round of the computer."""
        self.scans = feed(self.computer, self.body, self._seen, self.time)
        self._seen = self.time
        logs = self.body.logs
        known = max((i + 1 for i, log in enumerate(logs) if log is self._log), default=0)
        for log in logs[known:]:
            self._say(self.time, "firmware", log.text)
            self._log = log

    def wait(self, seconds: float) -> None:
        """Tick for a time [s]."""
        for _ in range(max(1, round(seconds / PERIOD))):
            self.tick()

    def until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Tick until something holds; False when it does not within a time [s]."""
        end = self.time + seconds
        while not done():
            if self.time >= end:
                return False
            self.tick()
        return True

    def carry(self, pose: ArrayLike) -> None:
        """Lift the rover and put it down at x, y, yaw on the map, as a person would."""
        at = se2.compose(self._map_pose, pose)
        put_on_ground(self.sim.engine, self.sim.model, first_positions(self.sim.robot, None), at)

    def push(self, impulse: ArrayLike) -> None:
        """Push the rover with an impulse [N s] in its own axes."""
        yaw = float(self.measured.pose[2])
        c, s = math.cos(yaw), math.sin(yaw)
        x, y, z = (float(v) for v in np.asarray(impulse, dtype=float))
        self.sim.push("base_link", (c * x - s * y, s * x + c * y, z))

    def close(self) -> None:
        """Stop the motors and free everything."""
        self.body.close()
        self.sim.close()
