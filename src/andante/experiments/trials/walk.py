"""A walk as a trial: so far ahead or so far around, measured by the simulator's truth, led by the robot's own steps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from andante.control.view import RobotView
from andante.control.walking import WalkGoal
from andante.description import load_robot, load_world
from andante.errors import BadInput, Diverged
from andante.experiments import perturbed
from andante.experiments.setup import Setup, Terms, default_robot, friction_value, gait_values, solver_value
from andante.geometry import so3
from andante.locomotion.gaits import Prepared, Request, prepare
from andante.simulation.simulation import Simulation, simulate
from andante.tasks.outputs import RunFiles, kept
from andante.tasks.walk import lead

SOLVER = ("dt", "iterations")
GOALS = ("distance", "turn", "speed")
TERMS = Terms(
    "a walk",
    settings=("robot", "world", "gait", *GOALS, "velocity", "friction", "solver", *SOLVER),
    measures=(
        "x", "y", "planar", "z", "turned", "time", "fallen", "arrived", "believed_x", "believed_y", "believed_turned"
    ),
    gaits=True,
)  # fmt: skip
LOOKS = 10.0  # looks at the path per second
MOST_LOOKS = 200


class Path:
    """An observer that keeps where the root has been: rows of t, x, y, yaw, at most `MOST_LOOKS` of them."""

    def __init__(self, origin: tuple[float, float]) -> None:
        self.rows: list[list[float]] = []
        self._origin, self._rate, self._count = origin, LOOKS, 0

    @property
    def next_time(self) -> float:
        """When the next look is due [s]."""
        return self._count / self._rate

    def update(self, sim: Simulation) -> None:
        """Look; when there are too many rows every second one goes, and looks come half as often."""
        pose = sim.base_pose
        turn = so3.from_quaternion(pose[3:])
        x, y = float(pose[0]) - self._origin[0], float(pose[1]) - self._origin[1]
        self.rows.append([round(v, 4) for v in (sim.time, x, y, math.atan2(turn[1, 0], turn[0, 0]))])
        if len(self.rows) >= MOST_LOOKS:
            self.rows, self._rate = self.rows[::2], 0.5 * self._rate
        self._count = math.floor(sim.time * self._rate + 1e-6) + 1


def walk_trial(setup: Setup) -> dict[str, Any]:
    """Walk `distance` [m] or turn by `turn` [deg] at `speed` [%]; factors come before arguments.

    With `velocity` ([m/s] ahead, [rad/s] of a turn; a number, or a table of them by `speed`) that velocity is commanded
    as it is until the robot has counted so much, and nothing steers back.
    `friction` is the coefficient of feet and ground, `gait_NAME` any parameter of the gait (`gait_step_height`).

    Measures: x, y, planar = hypot(x, y) [m], z, the height of the root at the end [m], turned [deg], time [s], fallen,
    arrived, believed_x, believed_y [m], believed_turned [deg], and the path.
    """
    values = TERMS.values(setup)
    if ("distance" in values) == ("turn" in values):
        raise BadInput("a walk needs `distance` or `turn`, one of the two")
    perturbed.check_model(setup.model)
    solver = solver_value(values, *SOLVER)
    ready = _ready(values, setup.model)
    goal = goal_of(values)
    draw, model = perturbed.set_friction(setup.draw, friction_value(values)), setup.model
    walker = perturbed.PerturbedWalker(ready.walker, draw, model, model.get("latency", 0.0))
    sim = simulate(
        perturbed.perturbed_robot(ready.robot, draw, model),
        perturbed.perturbed_world(load_world(str(values.get("world", "empty"))), draw, model),
        setup.engine,
        pose=perturbed.perturbed_pose(ready.pose, draw),
        start=(draw.x, draw.y, draw.yaw + model.get("aim", 0.0) - ready.forward),
        seed=setup.seed,
        sensors=True,
        solver=solver,
    )
    try:
        perturbed.set_servos(sim, model)
        path = Path((draw.x, draw.y))
        sim.observers.append(path)
        if setup.record is None:
            return _measured(sim, replace(ready, walker=walker), goal, path)
        view = RobotView(sim, walker, pose=ready.pose, forward=ready.forward)
        with kept(sim, RunFiles(setup.record), view):
            return _measured(sim, replace(ready, walker=walker), goal, path, view)
    finally:
        sim.close()


def goal_of(values: Mapping[str, Any]) -> WalkGoal:
    """Where to walk by the settings of a trial."""
    distance, turn, speed = values.get("distance"), values.get("turn"), float(values.get("speed", 60.0))
    if values.get("velocity") is None:
        return WalkGoal(distance, turn, speed=speed)
    rate = math.copysign(velocity_at(values["velocity"], speed), turn or distance or 1.0)
    return WalkGoal(distance, turn, (rate, 0.0, 0.0) if turn is None else (0.0, 0.0, rate), speed=speed)


def velocity_at(velocity: Any, speed: float) -> float:
    """The velocity at a speed [%]: a number, or a table {speed: velocity} with straight lines between, from 0 at 0."""
    try:
        table = {float(key): float(value) for key, value in velocity.items()} if isinstance(velocity, Mapping) else {}
        known = sorted({0.0: 0.0, **(table or {speed: float(velocity)})}.items())
    except (TypeError, ValueError):
        known = []
    if not known or not all(math.isfinite(key) and math.isfinite(value) for key, value in known):
        raise BadInput(f"velocity: a number, or a table of numbers by speed in percent, got {velocity!r}")
    if not 0 < speed <= known[-1][0]:
        raise BadInput(f"velocity: the table ends at {known[-1][0]:g} %, asked for {speed:g} %")
    return float(np.interp(speed, [key for key, _ in known], [value for _, value in known]))


def _ready(values: Mapping[str, Any], model: Mapping[str, float]) -> Prepared:
    settings = gait_values(values) | gait_values(model)
    robot = load_robot(str(values.get("robot") or default_robot("walk")))
    return prepare(robot, Request(str(values.get("gait", "")), None, settings))


def _measured(
    sim: Simulation, ready: Prepared, goal: WalkGoal, path: Path, view: RobotView | None = None
) -> dict[str, Any]:
    try:
        told = lead(sim, ready, goal, view=view)
    except Diverged as error:
        raise BadInput(f"the simulation flew apart: {error}") from None
    path.update(sim)
    x, y, heading = np.asarray(told.estimated).tolist()
    return {
        "success": told.stood,
        "x": told.distance,
        "y": told.drift,
        "z": float(sim.base_pose[2]),
        "planar": math.hypot(told.distance, told.drift),
        "turned": told.turned,
        "time": told.time,
        "fallen": told.fallen,
        "arrived": told.arrived,
        "believed_x": x,
        "believed_y": y,
        "believed_turned": heading,
        "path": path.rows,
    }
