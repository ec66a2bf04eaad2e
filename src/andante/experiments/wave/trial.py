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
from andante.simulation.simulation import simulate

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
        targets = self._targets[min(self._next, len(self._targets) - 1)]
        self._next += 1
        return targets


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
        self.engine, self.actor, self.robot = self._sim.engine, self._sim.actor, self._sim.robot
        self._sim.run(SETTLE)
        self.start = np.array(self.engine.commands[self.actor].references)
        self._begin = self._sim.snapshot()
        pose_now = self.engine.base_pose(self.actor)
        self._height, self._origin = float(pose_now[2]), pose_now

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
        sim, engine, actor = self._sim, self.engine, self.actor
        begin = engine.time
        loop = ControlLoop(sim, _Targets(played.targets), played.rate)
        poses, power, times, fallen = [self._origin], [0.0], [0.0], False
        due, push = LOOK, math.inf if shove is None else shove.time
        while engine.time - begin < seconds - 0.5 * engine.dt:
            if shove is not None and engine.time - begin >= push - 1e-9:
                sim.push(self.robot.root, shove.impulse, PUSH_TIME)
                push = math.inf
            try:
                loop.step()
            except Diverged:
                fallen = True
                break
            now = engine.time - begin
            if now >= due - 1e-9 or now >= seconds - 0.5 * engine.dt:
                due += LOOK
                pose = engine.base_pose(actor)
                poses.append(pose)
                times.append(now)
                power.append(float(np.abs(engine.joint_efforts(actor) * engine.joint_velocities(actor)).sum()))
                if self._down(pose):
                    fallen = True
                    break
        return Track(np.array(times), np.array(poses), np.array(power), played.cycles, seconds, fallen, self.robot.mass)

    def _down(self, pose: Array) -> bool:
        """Whether it lies: the root leans or has sunk too far."""
        x, y = float(pose[3]), float(pose[4])
        upright = 1.0 - 2.0 * (x * x + y * y)
        return not (upright > math.cos(LEAN) and pose[2] > LOW * self._height)

    def close(self) -> None:
        """Free the engine."""
        self._sim.close()
