"""`an.tune`: learn what a wheeled base does of what it is told, by a short drive in free space.

The result is kept as a table [vehicle] beside the robot's file, where `navigate` and `explore` read it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from andante import viz
from andante.control.start import require_rate
from andante.description import Robot
from andante.description.solver import SolverLike
from andante.errors import BadInput
from andante.files import PICTURES, check_outputs, write_all
from andante.geometry import Array
from andante.hardware.address import SIMULATED
from andante.mobile.base_fit import BaseFit, fit_base
from andante.mobile.navigate_settings import checked_tables, vehicle_with
from andante.mobile.robot import MobileRobot, mobile_robot
from andante.mobile.sensing import ByScans, Localizer, OdometryOnly
from andante.mobile.tuned import tuned_file, tuned_words
from andante.navigation import Vehicle, vehicle_of

from .bodies import BodyLike, is_simulated, opened, read_params, report_log, with_sensors
from .inputs import RobotLike, WorldLike, as_robot, as_world, pose_of
from .result import HIDDEN, Result

SURE = 0.9  # of a measured acceleration that is counted on
PAUSE = 0.6  # standing between two parts [s]
LONGEST_PART = 4.0  # [s]


@dataclass(frozen=True)
class TuneResult(Result):
    """What was learned, and the file that keeps it."""

    robot: str
    engine: str  # or the address of a real robot
    latency: float  # from a command to the base that has it [s]
    gain: float  # felt over told speed
    scrub: float  # felt over told turn rate
    max_acceleration: float  # [m/s²]
    max_deceleration: float  # when it stops [m/s²]
    max_turn_acceleration: float  # [rad/s²]
    stray: float  # aside of the way it was told, per speed [m per m/s]
    seconds: float  # of the drive [s]
    held_up: int  # control periods in which the collision monitor stepped in; they tell less
    file: str
    fit: BaseFit = field(metadata=HIDDEN, repr=False)

    def __str__(self) -> str:
        return (
            f"{self.robot} on {self.engine}: latency {self.latency:.2f} s, speed {self.gain:.0%} and turn "
            f"{self.scrub:.0%} of what it is told, {self.max_acceleration:.2f} m/s², brakes with "
            f"{self.max_deceleration:.2f} m/s², turns with {self.max_turn_acceleration:.2f} rad/s², strays "
            f"{100 * self.stray:.0f} cm per m/s; {self.file}"
        )

    def plot(self) -> viz.Figure:
        """Told and felt speeds over time."""
        return viz.plot_tuning(self.fit, f"{self.robot} on {self.engine}")


def tune(
    robot: RobotLike,
    *,
    out: Path | str | None = None,
    world: WorldLike = "arena",
    start: Sequence[float] = (0.0, 0.0, 0.0),
    room: float = 1.2,
    max_speed: float | None = None,
    params: Path | str | None = None,
    engine: str = "mujoco",
    arguments: Mapping[str, str] | None = None,
    dt: float | None = None,
    solver: SolverLike | None = None,
    seed: int = 0,
    plot: Path | str | None = None,
    body: BodyLike = SIMULATED,
    lidar: str = "",
    progress: bool = False,
) -> TuneResult:
    """Learn acceleration, braking, latency, scrub and straying of a wheeled base by a short drive in free space.

    Args:
        robot: a `Robot`, a name or a path.
        out: file to keep the result in; None: NAME.tune.toml beside the robot's file, where it is read from by itself,
            or here for a robot that ships with the package.
        world: a `World`, a name or a path, to simulate.
        start: x, y [m] and yaw [rad] of the root link in the world.
        room: free way ahead of the start and around it [m].
        max_speed: speed limit [m/s].
        params: a TOML or JSON file with the table [vehicle], and [body] and [start] for a real robot.
        engine: mujoco, bullet, dart, ode, or `file.py:Name`.
        arguments: `name:=value` arguments of the robot's file.
        dt: physics step [s]; None: that of the world up to 0.002, else 0.002.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        seed: random seed of all noise.
        plot: picture to write.
        body: sim, or a real robot: a `Body`, ws://HOST:9090, http://HOST:11311, serial:PORT, or `file.py:Name`. It
            moves at once.
        lidar: of a car at a serial port: rplidar:PORT.
        progress: print progress on stderr.

    Returns:
        What was learned, by the robot's own sensors. The file is complete or absent.
    """
    if not 0.3 <= room <= 100:
        raise BadInput(f"room must lie from 0.3 to 100 m, got {room}")
    given, place = read_params(params), pose_of("start", start)
    made = as_robot(robot, arguments)
    tables = checked_tables(given.rest, given.path)
    if others := [name for name in tables if name != "vehicle"]:
        raise BadInput(f"{params}: tune takes the tables [body], [robot], [start] and [vehicle] only, got {others[0]}")
    vehicle = vehicle_with(vehicle_of(made, max_speed=max_speed, max_turn=3.0), tables)
    file = Path(out) if out is not None else tuned_file(made)
    picture = None if plot is None else Path(plot)
    check_outputs({"what was learned": (file, (".toml",)), "plots": (picture, PICTURES)})
    sees = any(spec.kind == "lidar" for spec in made.sensors)
    localizer: Localizer = ByScans(place) if sees else OdometryOnly(place)
    if is_simulated(body):
        driven: MobileRobot = mobile_robot(
            given.robot.on(made), as_world(world), place, engine, localizer=localizer, vehicle=vehicle, dt=dt,
            seed=seed, solver=solver, blind=not sees,
        )  # fmt: skip
        try:
            fit, seconds, held = _drive(driven, room)
        finally:
            driven.close()
    else:
        with opened(body, made, with_sensors(given.body, lidar), report_log(progress)) as real:
            driven = MobileRobot(real, localizer, vehicle=vehicle, start=place)
            require_rate(real, driven.driver.least_rate, "driving", given.start)
            fit, seconds, held = _drive(driven, room)
    result = _learned(made, driven.body.address, vehicle, fit, seconds, held, str(file))
    write_all([(tuned_words(made, vars(result)).encode(), file)])
    if picture is not None:
        viz.save_figure(result.plot(), picture)
    return result


def _drive(robot: MobileRobot, room: float) -> tuple[BaseFit, float, int]:
    """Drive the parts one after the other; the fit, the time [s] and the moments in which the monitor stepped in."""
    robot.settle(1.0)
    begun = robot.body.time
    rows: list[tuple[float, Array, Array]] = []
    held = 0
    for twist, seconds in parts(robot.vehicle, room):
        for k in range(round((seconds + PAUSE) * robot.rate)):
            sensed = robot.step(twist if k < round(seconds * robot.rate) else (0.0, 0.0, 0.0))
            rows.append((sensed.time, sensed.reference.copy(), sensed.pose))
            held += robot.guard.action != "clear"
            if robot.measure.collided or robot.measure.fallen:
                raise BadInput("the robot touched something while it was tuned; give it more room, or a smaller `room`")
    time, told, poses = (np.array(each) for each in zip(*rows, strict=True))
    return fit_base(time, told, poses), robot.body.time - begun, held


def parts(vehicle: Vehicle, room: float) -> list[tuple[tuple[float, float, float], float]]:
    """Twists and how long each is told [s]: ahead and back, bends to both sides, turns on the spot; all within a room.

    A base that speeds up with a, then stops, gets v² / a far; so v = sqrt(a room / 2) leaves half of the way to go on.
    """
    v = vehicle
    speed = min(v.max_speed, math.sqrt(0.5 * v.max_acceleration * room))
    back = min(v.max_reverse, speed)
    hold = min(LONGEST_PART, 0.5 * room / speed + 0.5 * speed / v.max_acceleration)
    out: list[tuple[tuple[float, float, float], float]] = [((speed, 0.0, 0.0), hold)]
    if back > 0:
        out.append(((-back, 0.0, 0.0), min(LONGEST_PART, hold * speed / back)))
    slow = 0.7 * speed
    bend = min(slow / v.turning_radius / 1.2 if v.turning_radius else v.max_turn, v.max_turn)
    bend = min(bend, 0.8 * v.max_lateral_acceleration / slow, 2.0)
    for side in (1.0, -1.0):
        out.append(((slow, 0.0, side * bend), hold))
        if back > 0:
            out.append(((-min(slow, back), 0.0, -side * bend * min(slow, back) / slow), hold))
    if v.turning_radius == 0:
        spin = min(v.max_turn, 1.5)
        out += [((0.0, 0.0, side * spin), 1.0) for side in (1.0, -1.0)]
    if v.drive == "omni":
        out += [((0.0, side * slow, 0.0), hold) for side in (1.0, -1.0)]
    return out


def _learned(
    robot: Robot, address: str, vehicle: Vehicle, fit: BaseFit, seconds: float, held: int, file: str
) -> TuneResult:
    """Limits of the vehicle, lowered to what the base was seen to do."""

    def lower(of_vehicle: float, measured: float) -> float:
        return of_vehicle if math.isnan(measured) else max(min(of_vehicle, SURE * measured), 0.05)

    gain = fit.along.gain
    return TuneResult(
        robot=robot.name,
        engine=address,
        latency=fit.latency if math.isfinite(fit.latency) else vehicle.latency,
        gain=gain,
        scrub=fit.turn.gain,
        max_acceleration=lower(vehicle.max_acceleration, fit.acceleration),
        max_deceleration=lower(vehicle.max_deceleration, fit.deceleration),
        max_turn_acceleration=lower(vehicle.max_turn_acceleration, fit.turn_acceleration),
        stray=vehicle.stray if math.isnan(fit.stray) else fit.stray,
        seconds=seconds,
        held_up=held,
        file=file,
        fit=fit,
    )
