"""A simulated rover with its microcontroller, its serial line and its computer, all in lock-step.

Sensor models and the line are all that the computer sees; `truth` is for measuring.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from andante.control.body import Twist
from andante.control.loop import ControlLoop
from andante.control.start import first_positions
from andante.description import Placement, World, load_robot, load_world
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.hardware import Loopback, SerialBody
from andante.hardware.serial.messages import Log
from andante.hardware.serial.ports import OpenPort
from andante.localization import LikelihoodField, MclParameters
from andante.locomotion import Behaviour, Command, Readings
from andante.mapping import OccupancyGrid, Scan
from andante.mapping.worlds import map_of_world
from andante.mobile.truth import DrivenTruth
from andante.mobile.uwb import uwb_setup, world_from_uwb
from andante.simulation.scans import scans_since
from andante.simulation.simulation import Simulation, simulate
from andante.simulation.spawn import put_on_ground

from .computer import RoverComputer
from .conditions import noisier, smoother, smoother_world
from .firmware import FirmwareOnBoard

PERIOD = 0.02  # of the computer's loop and of the firmware's [s]
RESOLUTION = 0.025  # of the map that is made of the world [m]
PATIENCE = 20.0  # to connect [s, wall clock]
TAGS = ("tag0", "tag1")
# The room is known to a few centimeters and the lidar errs by one: echoes are weighed sharply, and often. Tyres slide
# in bends and under pushes, which the omni model of the odometry allows for and the differential one does not.
PARAMETERS = MclParameters(
    odometry_model="omni-corrected", sigma_hit=0.05, beams=120, effective_beams=40.0, update_min_d=0.02,
    update_min_a=0.03, range_max=12.0,
)  # fmt: skip


class Cable(Protocol):
    """A line with two ends; `Loopback` is one in memory."""

    @property
    def computer(self) -> OpenPort:
        """Opens the computer's end."""

    @property
    def microcontroller(self) -> OpenPort:
        """Opens the microcontroller's end."""


class _OnLine(SerialBody):
    """The rover behind its line: its time is that of the simulation, and its lidar hangs on the computer."""

    sim: Simulation
    simulated = True

    @property
    def time(self) -> float:
        """Of the simulation [s]."""
        return self.sim.time

    def advance(self, seconds: float) -> None:
        """Let physics and firmware go on."""
        self.sim.advance(seconds)

    def scans(self, since: float) -> tuple[Scan, ...]:
        """What the lidar has seen."""
        return self.sim.scans(since)


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
        chosen = parameters or PARAMETERS
        field = LikelihoodField(grid, chosen)
        at = tuple(float(v) for v in se2.compose(self._map_pose, start))
        scene = smoother_world(world, friction)
        self.sim = simulate(robot, scene, engine, dt=dt, start=at, seed=seed, sensors=True, others=others)
        assert self.sim.sensors is not None
        self.sensors, self.grid = self.sim.sensors, grid
        cable = cable or Loopback()
        self.micro = FirmwareOnBoard(self.sim, cable.microcontroller)
        self.measured = DrivenTruth(self.sim)
        self.sim.observers += [self.micro, self.measured]
        self.body = _OnLine(
            cable.computer,
            robot,
            parameters=firmware,
            say=lambda words: say(self.sim.time, "line", words),
            clock=lambda: self.sim.time,
            threaded=False,
            session=seed & 0xFFFF,
        )
        self.body.sim = self.sim
        anchor = world_from_uwb(self.sensors).translation
        self.computer = RoverComputer(
            self.body,
            field,
            uwb_setup(robot, self.sensors),
            tag=poses[TAGS[0]].translation[:2],
            laser=poses["laser"].translation[:2],
            tag_height=float(poses[TAGS[0]].translation[2]) - ground - float(anchor[2]),
            odometry=odometry,
            parameters=chosen,
            seed=seed,
            say=lambda words: say(self.sim.time, "computer", words),
        )
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
        for number, name in enumerate(TAGS):
            for reading in self.sensors[name].since(self._seen):
                self.computer.ranges(reading.time, number, reading.values, self.time)
        self.scans = tuple(scans_since(self.sim.robot, self.sensors, self._seen))
        for scan in self.scans:
            self.computer.scan(scan, self.time)
        self._seen = self.time
        self.computer.update(self.time)
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
        self.micro.close()
        self.sim.close()
