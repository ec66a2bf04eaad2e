"""One trial of a wave gait under physics: open loop, from a standing robot, ended early by a fall.

The scene is built once; every trial begins at the same snapshot. The targets of the whole trial are computed ahead in
one compiled pass; the robot feels nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from andante.control.loop import ControlLoop
from andante.description import Robot, World
from andante.errors import BadInput, Diverged
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings
from andante.locomotion.wave.fitness import Track
from andante.locomotion.wave.model import WaveModel, WaveParameters
from andante.locomotion.wave.playback import Playback, playback
from andante.physics import Engine, Settings
from andante.simulation.simulation import Simulation, simulate

SETTLE = 0.5  # standing before the first trial [s]
LOOK = 0.04  # between two measurements [s]
LEAN = math.radians(50.0)  # from upright, beyond which nothing comes back [rad]
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
        self._targets, self._next = targets, 0

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """The next ones; the last ones stay."""
        targets: Array = self._targets[min(self._next, len(self._targets) - 1)]
        self._next += 1
        return targets


class _Watch:
    """Looks at the robot every `LOOK` seconds from now on until it lies: its root leans or has sunk below `low` [m]."""

    def __init__(self, sim: Simulation, low: float) -> None:
        self._begin, self._low = sim.time, low
        self.times, self.poses, self.power = [0.0], [sim.base_pose], [0.0]
        self.fallen = False

    @property
    def next_time(self) -> float:
        """When it looks again [s]."""
        return math.inf if self.fallen else self._begin + LOOK * len(self.times)

    def update(self, sim: Simulation) -> None:
        """Look."""
        pose, joints = sim.base_pose, sim.joints
        self.times.append(sim.time - self._begin)
        self.poses.append(pose)
        self.power.append(float(np.abs(joints.effort * joints.velocity).sum()))
        upright = 1.0 - 2.0 * float(pose[3] ** 2 + pose[4] ** 2)
        self.fallen = not (upright > math.cos(LEAN) and pose[2] > self._low)


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
        dt: float = 0.002,
        pose: str | Mapping[str, float] | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._sim = simulate(robot, world, engine, dt=dt, pose=pose, settings=settings)
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
        return self._play(played, seconds, shove)

    def rewind(self) -> None:
        """Back to where every trial begins."""
        self._sim.observers.clear()
        self._sim.restore(self._begin)

    def _play(self, played: Playback, seconds: float, shove: Shove | None) -> Track:
        sim, begin = self._sim, self._sim.time
        watch = _Watch(sim, LOW * self._height)
        sim.observers.append(watch)
        if shove is not None:
            sim.observers.append(_Shoving(begin + shove.time, shove.impulse))
        loop = ControlLoop(sim, _Targets(played.targets), played.rate)
        while not watch.fallen and (left := seconds - (sim.time - begin)) > 0.5 * self.engine.dt:
            try:
                loop.step(min(loop.period, left))
            except Diverged:
                watch.fallen = True
        if not watch.fallen and sim.time - begin > watch.times[-1]:
            watch.update(sim)
        times, poses, power = (np.array(rows) for rows in (watch.times, watch.poses, watch.power))
        return Track(times, poses, power, played.cycles, seconds, watch.fallen, self.robot.mass)

    def close(self) -> None:
        """Free the engine."""
        self._sim.close()
