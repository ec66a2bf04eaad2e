"""One trial of a wave gait under physics: open loop, from a standing robot, ended early by a fall.

The scene is built once; every trial begins at the same snapshot. The targets of the whole trial are computed ahead in
one compiled pass; the robot feels nothing. `wave_trial` is the trial of experiments, on a perturbed robot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from andante.control.loop import ControlLoop
from andante.control.start import first_positions
from andante.description import Robot, World, load_robot, load_world
from andante.description.solver import SolverLike
from andante.errors import BadInput, Diverged
from andante.experiments.perturbed import perturbed_pose, perturbed_robot, perturbed_world, set_friction
from andante.experiments.setup import Setup, Terms, friction_value, gait_values
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings
from andante.locomotion.wave.fitness import Track, statistics
from andante.locomotion.wave.gait import Playback, playback
from andante.locomotion.wave.model import WaveModel, WaveParameters, default_gait
from andante.physics import Engine
from andante.simulation.simulation import Simulation, simulate
from andante.simulation.walk_watch import WalkWatch

TERMS = Terms(
    "a wave gait",
    settings=("robot", "world", "variant", "seconds", "stride", "friction", "solver"),
    measures=("x", "y", "turned", "speed", "wobble", "time", "fallen"),
    gaits=True,
)
SETTLE = 0.5  # standing before the first trial [s]
COS_LEAN = math.cos(math.radians(50.0))  # of the lean from upright beyond which nothing comes back
LOW = 0.15 / 0.33  # of the height of the root at the start; the source takes 0.15 m
PUSH_TIME = 0.1  # [s]


@dataclass(frozen=True)
class Shove:
    """A push at the root: impulse [N s] in world axes, over 0.1 s, from a time on [s]."""

    impulse: tuple[float, float, float]
    time: float


class _Targets(Behaviour):
    """Targets (n, joints), one per control step."""

    def __init__(self, targets: Array) -> None:
        self._rows, self._last = iter(targets), targets[-1]

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """The next ones; the last ones stay."""
        return next(self._rows, self._last)


class _Watch(WalkWatch):
    """Looks at the robot until it lies: its root leans or has sunk below `low` [m]."""

    def __init__(self, sim: Simulation, period: float, low: float) -> None:
        super().__init__(sim, period)
        self._low = low

    def update(self, sim: Simulation) -> None:
        """Look; a robot that lies is not looked at again."""
        super().update(sim)
        if self.fallen:
            self.next_time = math.inf

    def lies(self, sim: Simulation) -> bool:
        """Whether nothing comes back from where the root is."""
        height, x, y = self._poses[-1][2:5].tolist()
        return not (1.0 - 2.0 * (x * x + y * y) > COS_LEAN and height > self._low)


@dataclass
class _Shoving:
    """Gives the root its push in time."""

    next_time: float
    impulse: tuple[float, float, float]

    def update(self, sim: Simulation) -> None:
        """The time has come."""
        sim.push(sim.robot.root, self.impulse, PUSH_TIME)
        self.next_time = math.inf


class WaveTrial:
    """A robot on a ground, ready to try one wave gait after another."""

    def __init__(
        self,
        robot: Robot | str = "nao",
        engine: str | type[Engine] = "mujoco",
        world: World | str = "empty",
        *,
        dt: float | None = None,
        pose: str | Mapping[str, float] | None = None,
        solver: SolverLike | None = None,
    ) -> None:
        self._sim = simulate(robot, world, engine, dt=dt, pose=pose, solver=solver)
        self.engine, self.model, self.robot = self._sim.engine, self._sim.model, self._sim.robot
        self._sim.run(SETTLE)
        self.start = np.array(self.engine.commands[self.model].references)
        self._begin = self._sim.snapshot()
        self._height = float(self._sim.base_pose[2])

    def run(
        self,
        parameters: WaveParameters,
        variant: str = "smooth",
        seconds: float = 6.0,
        shove: Shove | None = None,
        stride: float = 1.0,
    ) -> Track:
        """Try a gait; what the simulator saw of it. The robot stands again before the next trial."""
        if round(seconds / self.engine.dt) < 1:
            raise BadInput(f"a trial takes at least one step of {self.engine.dt:g} s, got {seconds} s")
        played = playback(WaveModel(self.robot, parameters, variant), self.start, seconds, stride)
        self.rewind()
        return self._play(played, parameters.period, seconds, shove)

    def rewind(self) -> None:
        """Back to where every trial begins."""
        self._sim.observers.clear()
        self._sim.restore(self._begin)

    def _play(self, played: Playback, period: float, seconds: float, shove: Shove | None) -> Track:
        sim, begin = self._sim, self._sim.time
        watch = _Watch(sim, period, LOW * self._height)
        sim.observers.append(watch)
        if shove is not None:
            sim.observers.append(_Shoving(begin + shove.time, shove.impulse))
        loop = ControlLoop(sim, _Targets(played.targets), played.rate)
        whole = int(seconds / loop.period + 1e-9)  # periods
        try:
            while not watch.fallen and loop.periods < whole:
                loop.step()
            if not watch.fallen and (left := seconds - (sim.time - begin)) > 0.5 * self.engine.dt:
                loop.step(left)
        except Diverged:
            watch.fallen = True
        if not watch.fallen and sim.time - begin > watch.track.times[-1]:
            watch.update(sim)
        return replace(watch.track, cycles=played.cycles, seconds=seconds)

    def close(self) -> None:
        """Free the engine."""
        self._sim.close()


def wave_trial(setup: Setup) -> dict[str, Any]:
    """The shipped gait of a `variant` (exact, smooth) for `seconds`, its strides scaled by `stride` (smooth alone).

    `gait_T`, `gait_A_h` ... replace parameters of the gait, `friction` is the coefficient of feet and ground.
    """
    values = TERMS.values(setup)
    variant, seconds = str(values.get("variant", "smooth")), float(values.get("seconds", 6.0))
    robot, world = load_robot(str(values.get("robot") or "nao")), load_world(str(values.get("world", "empty")))
    draw, model = set_friction(setup.draw, friction_value(values)), setup.model
    gait = WaveParameters.of(gait_values(values), default_gait(variant).parameters)
    pose = perturbed_pose(first_positions(robot, None), draw)
    trial = WaveTrial(
        perturbed_robot(robot, draw, model), setup.engine, perturbed_world(world, draw, model), pose=pose,
        solver=values.get("solver"),
    )  # fmt: skip
    try:
        track = trial.run(gait, variant, seconds, None, float(values.get("stride", 1.0)))
    finally:
        trial.close()
    found = statistics(track)
    rows = [[t, p[0], p[1]] for t, p in zip(track.times.tolist(), track.poses.tolist(), strict=True)]
    return {
        "success": not found.fallen,
        "x": found.along,
        "y": found.aside,
        "turned": math.degrees(found.turned),
        "speed": found.along / found.time if found.time else 0.0,
        "wobble": found.wobble,
        "time": found.time,
        "fallen": found.fallen,
        "path": [[round(v, 4) for v in row] for row in rows[:: max(1, len(rows) // 100)]],
    }
