"""The trials of the source on a simulated rover: `rover_trial`, a pure function of its arguments, also as a trial of
experiments (`course_trial`).

The whole chain runs in lock-step: models of lidar, UWB and IMU, estimators, serial frames, firmware, pulse widths,
steering and wheels under physics. Nothing but `truth` ever comes from the simulator's own pose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Placement, World, load_robot
from andante.errors import BadInput, UnknownName
from andante.experiments.setup import Setup, Terms
from andante.geometry import Array, se2
from andante.hardware import State
from andante.localization import MclParameters
from andante.mapping import OccupancyGrid
from andante.simulation.push import parse_push

from .computer import SOURCES
from .guides import GUIDES, NavigatorGuide
from .onboard import BY_TAGS, FIRMWARE, Cable, laser_pose
from .scene import PERIOD, RoverScene

SAMPLES = 50  # of the first tag while the rover stands at the map's origin
CARRIED = 0.5  # after it was put down [s]
LONGEST_STAND = 30.0  # to find the UWB frame, and to find the pose [s]
REST = 0.5  # watched after it arrived [s]

TERMS = Terms(
    "the rover's trials",
    settings=("course", "world", "guide", "odometry", "driven_by", "timeout", "noise"),
    measures=(
        "final_error",
        "estimate_rms",
        "uwb_rms",
        "odometry_rms",
        "off_line",
        "path_length",
        "seconds",
        "arrived",
        "collided",
    ),
)


@dataclass(frozen=True)
class Course:
    """Where a trial starts and where its waypoint is, on the map."""

    start: tuple[float, float, float]  # x, y, yaw of the rear axle [m, m, rad]
    waypoint: tuple[float, float]  # [m]
    words: str


COURSES: Mapping[str, Course] = {
    "along_y": Course((-1.0, 0.0, 0.0), (1.2, 0.0), "along y = 0"),
    "along_x": Course((0.0, -0.9, math.pi / 2), (0.0, 0.9), "along x = 0"),
    "diagonal": Course((-0.7, 0.7, math.atan2(-1.4, 1.7)), (1.0, -0.7), "along the diagonal (-0.7, 0.7) to (1, -0.7)"),
    "ahead": Course((0.0, 0.0, 0.0), (1.5, 0.0), "to a waypoint ahead"),
    "left": Course((-1.0, -0.6, 0.0), (0.2, 0.6), "to a waypoint on the left"),
}


@dataclass(frozen=True)
class RoverEvent:
    """Something that was said or done during a trial."""

    time: float  # since the rover was told to drive [s]; negative: before
    who: str  # computer, line, firmware, navigator, world
    words: str


@dataclass(frozen=True)
class RoverTelemetry:
    """What the microcontroller told during the drive, one row per tick; NaN while nothing came."""

    throttle: Array  # (n,) pulse width [µs]
    steering: Array  # (n,)
    voltage: Array  # (n,) [V]
    yaw: Array  # (n,) heading in the UWB frame that the firmware has found [rad]
    state: tuple[str, ...]  # of the firmware; empty: nothing came


@dataclass(frozen=True)
class RoverTrial:
    """What came of a trial. Poses are those of the rear axle on the map, one row per tick of the drive (n, 3)."""

    name: str
    engine: str
    seed: int
    guide: str
    odometry: str
    start: Array  # (3,)
    waypoint: Array  # (2,)
    times: Array  # (n,) since the rover was told to drive [s]
    truth: Array  # by the simulator
    estimates: Mapping[str, Array]  # by source: uwb, odometry, amcl
    telemetry: RoverTelemetry
    events: tuple[RoverEvent, ...]
    arrived: bool  # as the rover believes
    collided: str  # the first thing that was touched; empty: none
    seconds: float  # from the command until it believed to be there
    map_from_uwb: Array  # (3,) found while standing
    grid: OccupancyGrid = field(repr=False, compare=False)

    @property
    def final_error(self) -> float:
        """True distance between the rear axle at rest and the waypoint [m]."""
        return float(np.hypot(*(self.truth[-1, :2] - self.waypoint)))

    @property
    def rms(self) -> Mapping[str, float]:
        """Root mean square of the position error of each estimate over the drive [m]."""
        return {name: float(np.sqrt(np.mean(self.error(name) ** 2))) for name in self.estimates}

    @property
    def estimate_rms(self) -> float:
        """The same of the estimate that the rover drives by [m]."""
        return self.rms["amcl"]

    def error(self, source: str) -> Array:
        """Position error (n,) of an estimate over the drive [m]."""
        UnknownName.check("estimate", source, self.estimates)
        gap = self.estimates[source][:, :2] - self.truth[:, :2]
        return np.asarray(np.hypot(gap[:, 0], gap[:, 1]))

    @property
    def path_length(self) -> float:
        """True length of the way [m]."""
        return float(np.linalg.norm(np.diff(self.truth[:, :2], axis=0), axis=1).sum())

    @property
    def off_line(self) -> float:
        """Largest distance of the true way from the straight line between start and waypoint [m]."""
        way = self.waypoint - self.start[:2]
        gap = self.truth[:, :2] - self.start[:2]
        return float(np.abs(way[0] * gap[:, 1] - way[1] * gap[:, 0]).max() / np.hypot(*way))

    def as_dict(self) -> dict[str, Any]:
        """The figures, for reports."""
        names = ("name", "engine", "seed", "guide", "odometry", "arrived", "collided", "seconds", "final_error")
        return {
            **{name: getattr(self, name) for name in names},
            "estimate_rms": self.estimate_rms,
            "rms": dict(self.rms),
            "path_length": self.path_length,
            "off_line": self.off_line,
        }


def rover_trial(
    name: str,
    *,
    seed: int = 0,
    engine: str = "mujoco",
    world: World | str = "lab",
    start: ArrayLike | None = None,
    waypoint: ArrayLike | None = None,
    guide: str = "waypoint",
    odometry: str = "wheels",
    driven_by: str = "amcl",
    push: str | None = None,
    noise: float = 1.0,
    friction: float = 1.0,
    others: Sequence[Placement] = (),
    grid: OccupancyGrid | None = None,
    map_pose: ArrayLike = (0.0, 0.0, 0.0),
    parameters: MclParameters | None = None,
    firmware: Mapping[str, float] | None = None,
    cable: Cable | None = None,
    timeout: float = 40.0,
    dt: float | None = None,
) -> RoverTrial:
    """One trial of `COURSES`; start and waypoint replace those of the course.

    The rover stands with its laser at the map's origin until 50 positions of the front tag have told where the UWB
    frame lies, is put at the start, finds its pose by tags and scans, and drives: by the firmware's waypoint law, or
    by the navigator. driven_by: the estimate that goes down the line, `amcl`, or `uwb` for the tags alone, which the
    source drove by before it had a map. push: "N·s direction time" as in `andante walk`, in the rover's axes, from the
    command to drive on; noise, friction: factors on sensor errors and coefficients of friction; others: things that no
    map shows.
    """
    course = _course(name, start, waypoint)
    UnknownName.check("guide", guide, GUIDES)
    if not (math.isfinite(timeout) and timeout > 0):
        raise BadInput(f"the timeout of a trial must be a time > 0 s, got {timeout}")
    shove = parse_push(push) if push is not None else None
    said: list[tuple[float, str, str]] = []

    def say(time: float, who: str, words: str) -> None:
        said.append((time, who, words))

    laser = se2.inverse(laser_pose(load_robot("rover")))
    scene = RoverScene(
        world, engine, start=laser, grid=grid, map_pose=map_pose, others=others, odometry=odometry,
        driven_by=driven_by, parameters=parameters,
        firmware={**(BY_TAGS if driven_by == "uwb" else FIRMWARE), **(firmware or {})}, cable=cable, noise=noise,
        friction=friction, dt=dt, seed=seed, say=say,
    )  # fmt: skip
    try:
        _find_pose(scene, course)
        begin, scene.measured.collision = scene.time, None  # what was touched before the drive does not count
        rows = _Rows(scene)
        leader = GUIDES[guide](scene, np.array(course.waypoint), seed)
        leader.start()
        while not leader.done and scene.time - begin < timeout:
            if shove is not None and scene.time - begin >= shove[1] - PERIOD / 2:
                scene.push(shove[0])
                say(scene.time, "world", f"pushed with {push}")
                shove = None
            scene.tick()
            leader.update()
            rows.take(begin)
        seconds, arrived = scene.time - begin, leader.arrived
        if isinstance(leader, NavigatorGuide):
            said += [(time, "navigator", words) for time, words in leader.events]
        if not leader.done:
            say(scene.time, "computer", f"timed out after {timeout:g} s")
        scene.body.stop()
        for _ in range(round(REST / PERIOD)):
            scene.tick()
            rows.take(begin)
        assert scene.computer.map_from_uwb is not None
        return RoverTrial(
            name, engine, seed, guide, odometry, np.array(course.start), np.array(course.waypoint),
            np.array(rows.times), np.array(rows.truth),
            {source: np.array(rows.estimates[source]) for source in SOURCES}, rows.telemetry(),
            tuple(RoverEvent(time - begin, who, words) for time, who, words in sorted(said, key=lambda each: each[0])),
            arrived, str(scene.measured.collision or ""), seconds, scene.computer.map_from_uwb, scene.grid,
        )  # fmt: skip
    finally:
        scene.close()


def _course(name: str, start: ArrayLike | None, waypoint: ArrayLike | None) -> Course:
    UnknownName.check("trial", name, COURSES)
    course = COURSES[name]
    x, y, yaw = _finite(course.start if start is None else start, 3, "the start of a trial is x, y, yaw")
    to = _finite(course.waypoint if waypoint is None else waypoint, 2, "the waypoint of a trial is x, y")
    return Course((x, y, yaw), (to[0], to[1]), course.words)


def _finite(values: ArrayLike, size: int, words: str) -> tuple[float, ...]:
    array = np.asarray(values, dtype=float)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise BadInput(f"{words} as finite numbers, got {values!r}")
    return tuple(array.tolist())


def _find_pose(scene: RoverScene, course: Course) -> None:
    """Stand at the map's origin until the UWB frame is known; be put at the start; stand until the pose is known."""
    scene.connect()
    computer = scene.computer
    computer.align((0.0, 0.0, 0.0), SAMPLES)
    if not scene.until(lambda: computer.aligned, LONGEST_STAND):
        raise BadInput(f"the UWB frame was not found within {LONGEST_STAND:g} s; are the anchors in reach?")
    scene.carry(course.start)
    scene.wait(CARRIED)
    computer.put()
    if not scene.until(lambda: computer.located, LONGEST_STAND):
        raise BadInput(f"the rover did not find its pose within {LONGEST_STAND:g} s; do tags and lidar give readings?")


class _Rows:
    """What is kept of each tick."""

    def __init__(self, scene: RoverScene) -> None:
        self._scene = scene
        self.times: list[float] = []
        self.truth: list[Array] = []
        self.estimates: dict[str, list[Array]] = {source: [] for source in SOURCES}
        self._told: list[tuple[float, float, float, float]] = []
        self._states: list[str] = []

    def take(self, begin: float) -> None:
        """Keep this tick."""
        scene = self._scene
        self.times.append(scene.time - begin)
        self.truth.append(scene.truth)
        for source, pose in scene.computer.estimates(scene.time).items():
            self.estimates[source].append(pose)
        told = scene.body.telemetry
        self._states.append("" if told is None else State(told.state).name.lower())
        if told is None:
            self._told.append((math.nan,) * 4)
        else:
            self._told.append((told.throttle, told.steering, told.voltage / 1000.0, scene.body.yaw))

    def telemetry(self) -> RoverTelemetry:
        """The rows as arrays."""
        throttle, steering, voltage, yaw = np.array(self._told, dtype=float).reshape(-1, 4).T
        return RoverTelemetry(throttle, steering, voltage, yaw, tuple(self._states))


def course_trial(setup: Setup) -> dict[str, Any]:
    """A trial of an experiment: one `course`; noise and friction as drawn, the start moved by what was drawn.

    Measures: final_error, estimate_rms (AMCL), uwb_rms, odometry_rms, off_line, path_length [m], seconds, arrived,
    collided, and the true path.
    """
    values = TERMS.values(setup)
    draw, name = setup.draw, str(values.pop("course", "ahead"))
    UnknownName.check("course", name, COURSES)
    start = np.add(COURSES[name].start, (draw.x, draw.y, draw.yaw))
    factor = float(values.pop("noise", 1.0)) * (1.0 + draw.noise)
    friction = 1.0 if draw.friction is None else draw.friction
    made = rover_trial(
        name, seed=setup.seed, engine=setup.engine, start=start, noise=factor, friction=friction, **values
    )
    rows = np.column_stack([made.times, made.truth])[:: max(1, len(made.times) // 100)]
    figures = {**made.as_dict(), **{f"{name}_rms": made.rms[name] for name in ("uwb", "odometry")}}
    return {
        "success": made.arrived and not made.collided,
        **{measure: figures[measure] for measure in TERMS.measures},
        "collided": bool(made.collided),
        "path": np.round(rows, 4).tolist(),
    }
