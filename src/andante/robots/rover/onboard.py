"""The rover's electronics: the simulated microcontroller behind its line, and the computer that is fed from a car.

Trials (`scene`), live sessions (`live`) and a real car share what is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from andante.control.body import BodyState, Twist
from andante.description import Robot
from andante.geometry import Array
from andante.hardware import Loopback, SerialBody, State
from andante.hardware.pozyx.reader import TagRanges
from andante.hardware.serial.board import FirmwareOnBoard
from andante.hardware.serial.messages import Fault
from andante.hardware.serial.ports import OpenPort
from andante.localization import LikelihoodField, MclParameters, UwbSetup
from andante.mapping import OccupancyGrid, Scan
from andante.mobile.sensing import uwb_setup, world_from_uwb
from andante.simulation.scans import scans_since
from andante.simulation.simulation import Simulation

from .computer import RoverComputer

TAGS = ("tag0", "tag1")
RESTARTED = (Fault.NONE, Fault.LINK, Fault.POSE, Fault.COMMAND)  # that a lost line may leave behind
RESTART = 0.5  # a firmware that stands for so long although it may move is told again [s]
# The room is known to a few centimeters and the lidar errs by one: echoes are weighed sharply, and often. Tyres slide
# in bends and under pushes, which the omni model of the odometry allows for and the differential one does not.
PARAMETERS = MclParameters(
    odometry_model="omni-corrected", sigma_hit=0.05, beams=120, effective_beams=40.0, update_min_d=0.02,
    update_min_a=0.03, range_max=12.0,
)  # fmt: skip
# The firmware stops as near as the estimate allows, and no later than when the waypoint lies abeam; it holds when the
# poses, which come at 50 Hz, end.
FIRMWARE = {"arrival_radius": 0.03, "passing_radius": 0.10, "pose_timeout": 0.2}
BY_TAGS = {**FIRMWARE, "arrival_radius": 0.25, "passing_radius": 0.5}  # positions by tags scatter: as in the source


class Cable(Protocol):
    """A line with two ends; `Loopback` is one in memory."""

    @property
    def computer(self) -> OpenPort:
        """Opens the computer's end."""

    @property
    def microcontroller(self) -> OpenPort:
        """Opens the microcontroller's end."""


class OnLine(SerialBody):
    """A simulated rover behind its line: the firmware moves it, and lidar and tags hang on the computer.

    Its time is that of the simulation, so everything is in lock-step.
    """

    simulated = True

    def __init__(
        self,
        sim: Simulation,
        cable: Cable | None = None,
        *,
        firmware: Mapping[str, float] | None = None,
        say: Callable[[str], None] | None = None,
        session: int = 0,
    ) -> None:
        line = cable or Loopback()
        self.sim = sim
        self.micro = FirmwareOnBoard(sim, line.microcontroller)
        sim.observers.append(self.micro)
        super().__init__(
            line.computer, sim.robot, parameters=firmware, say=say, clock=lambda: sim.time, threaded=False,
            session=session,
        )  # fmt: skip

    @property
    def time(self) -> float:
        """Of the simulation [s]."""
        return self.sim.time

    def advance(self, seconds: float) -> None:
        """Let physics and firmware go on."""
        self.sim.advance(seconds)

    @property
    def has_scans(self) -> bool:
        """Its lidar is simulated."""
        return True

    def scans(self, since: float) -> tuple[Scan, ...]:
        """What the lidar has seen since a time [s]."""
        assert self.sim.sensors is not None
        return tuple(scans_since(self.sim.robot, self.sim.sensors, since))

    def ranges(self, since: float) -> tuple[TagRanges, ...]:
        """What the tags have measured since a time [s]."""
        assert self.sim.sensors is not None
        return tuple(
            TagRanges(reading.time, number, reading.values)
            for number, name in enumerate(TAGS)
            for reading in self.sim.sensors[name].since(since)
        )

    def close(self) -> None:
        """Stop the motors and let both ends of the line go."""
        super().close()
        self.micro.close()
        if self.micro in self.sim.observers:
            self.sim.observers.remove(self.micro)


class SessionCar(OnLine):
    """The rover of a live session: it is started as soon as it answers, and again after the line was lost.

    Twists come in every control period. While `waypoint` is set the firmware drives by itself: twists of zero are kept
    back then, and any other one takes the wheel.
    """

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim, firmware=FIRMWARE, session=sim.seed & 0xFFFF)
        self.running = True  # whether the motors may turn
        self.waypoint = False  # whether the firmware drives by itself
        self._started = -math.inf

    def read(self) -> BodyState:
        """One pass over the line, and the newest that came."""
        self.poll()
        told = self.telemetry
        waits = told is not None and told.state in (State.WAITING, State.STOPPED) and told.fault in RESTARTED
        if self.running and waits and self.time - self._started > RESTART:
            self._started = self.time
            self.start()
        state = super().read()
        if told is None:  # nothing has come yet: it stands as it was put
            nothing = np.zeros(len(state.position))
            state = replace(state, position=nothing, velocity=nothing)
        return state

    def drive(self, twist: Twist) -> None:
        """Pass a twist on, unless the firmware drives by itself."""
        if self.waypoint and not any(twist):
            return
        self.waypoint = False
        super().drive((twist[0], 0.0, twist[2]))


def session_car(sim: Simulation) -> SessionCar | None:
    """The car of a session; None where its file has lost what the computer needs."""
    return SessionCar(sim) if sim.sensors is not None and set(TAGS) <= {each.name for each in sim.sensors} else None


def simulated_setup(sim: Simulation) -> tuple[UwbSetup, float]:
    """Anchors and tags of a simulated rover, and the height of its first tag in the UWB frame [m]."""
    assert sim.sensors is not None
    poses = sim.robot.link_poses()
    ground = float(poses["base_footprint"].translation[2])
    anchor = world_from_uwb(sim.sensors).translation
    return uwb_setup(sim.robot, sim.sensors), float(poses[TAGS[0]].translation[2]) - ground - float(anchor[2])


def computer_of(
    body: SerialBody,
    robot: Robot,
    grid: OccupancyGrid | None,
    setup: UwbSetup,
    tag_height: float | None = None,
    *,
    odometry: str = "wheels",
    driven_by: str = "amcl",
    parameters: MclParameters | None = None,
    seed: int = 0,
    say: Callable[[str], None] = lambda words: None,
) -> RoverComputer:
    """The computer of a car, which knows the map and where tags and laser sit.

    Args:
        body: behind the line.
        robot: with frames tag0, tag1 and laser.
        grid: the map; None: there is none yet.
        setup: anchors and tags.
        tag_height: of the first tag in the UWB frame [m]; None: not known.
        odometry: what leads the localizer, `wheels` or `uwb`.
        driven_by: the estimate that goes down the line, `amcl` or `uwb`.
        parameters: of the localizer; None: for a room that is known to centimeters.
        seed: of the particles.
        say: told words for the person beside the car.
    """
    poses, chosen = robot.link_poses(), parameters or PARAMETERS
    return RoverComputer(
        body, None if grid is None else LikelihoodField(grid, chosen), setup,
        tag=poses[TAGS[0]].translation[:2], laser=poses["laser"].translation[:2], tag_height=tag_height,
        odometry=odometry, driven_by=driven_by, parameters=chosen, seed=seed, say=say,
    )  # fmt: skip


def laser_pose(robot: Robot) -> Array:
    """Pose (3,) of the laser on the rover."""
    x, y, _ = robot.link_poses()["laser"].translation
    return np.array([x, y, 0.0])


def feed(computer: RoverComputer, body: SerialBody, since: float, now: float) -> tuple[Scan, ...]:
    """One round of the computer with all that came since a time [s]; the scans among it."""
    for told in body.ranges(since):
        computer.ranges(told.time, told.tag, told.ranges, now)
    scans = body.scans(since)
    for scan in scans:
        computer.scan(scan, now)
    computer.update(now)
    return scans
