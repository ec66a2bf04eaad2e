"""One trial of a wave gait under physics: open loop, from a standing robot, ended early by a fall.

The scene is built once; every trial begins at the same snapshot. The targets of the whole trial are computed ahead in
one compiled pass; between two of them the engine steps by itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from andante.description import Robot, World
from andante.errors import BadInput, Diverged
from andante.geometry import Array
from andante.locomotion.wave import WaveModel, WaveParameters
from andante.locomotion.wave_playback import Playback, playback
from andante.locomotion.wave_statistics import Track
from andante.physics import Engine, Mode, Settings

from .simulation import simulate

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
        self._begin = self.engine.snapshot()
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
        steps = round(seconds / self.engine.dt)
        if steps < 1:
            raise BadInput(f"a trial takes at least one step of {self.engine.dt:g} s, got {seconds} s")
        played = playback(WaveModel(self.robot, parameters, variant), self.start, seconds, stride)
        self.rewind()
        return self._play(played, steps, seconds, shove)

    def rewind(self) -> None:
        """Back to where every trial begins."""
        self.engine.restore(self._begin)

    def _play(self, played: Playback, steps: int, seconds: float, shove: Shove | None) -> Track:
        engine, actor, dt = self.engine, self.actor, self.engine.dt
        look = max(1, round(LOOK / dt))
        looks = {*range(look, steps, look), steps}
        commands = command_steps(played, dt, steps)
        pushes = self._pushes(shove, steps)
        poses, power = [self._origin], [0.0]
        times, fallen, done = [0.0], False, 0
        for end in sorted(looks.union(commands, pushes) - {0}):
            if done in commands:
                engine.command(actor, commands[done], Mode.POSITION)
            if done in pushes:
                engine.push(actor, self.robot.root, pushes[done])
            try:
                engine.step(end - done)
            except Diverged:
                fallen = True
                break
            done = end
            if done in looks:
                pose = engine.base_pose(actor)
                poses.append(pose)
                times.append(done * dt)
                power.append(float(np.abs(engine.joint_efforts(actor) * engine.joint_velocities(actor)).sum()))
                if self._down(pose):
                    fallen = True
                    break
        return Track(np.array(times), np.array(poses), np.array(power), played.cycles, seconds, fallen, self.robot.mass)

    def _pushes(self, shove: Shove | None, steps: int) -> dict[int, Array]:
        """Force on the root [N] from a step on."""
        if shove is None:
            return {}
        dt = self.engine.dt
        first, last = round(shove.time / dt), round((shove.time + PUSH_TIME) / dt)
        force = np.asarray(shove.impulse) / ((last - first) * dt)
        return {step: value for step, value in ((first, force), (last, np.zeros(3))) if 0 <= step < steps}

    def _down(self, pose: Array) -> bool:
        """Whether it lies: the root leans or has sunk too far."""
        x, y = float(pose[3]), float(pose[4])
        upright = 1.0 - 2.0 * (x * x + y * y)
        return not (upright > math.cos(LEAN) and pose[2] > LOW * self._height)

    def close(self) -> None:
        """Free the engine."""
        self._sim.close()


def command_steps(played: Playback, dt: float, steps: int) -> dict[int, Array]:
    """Before which step each target is commanded; of several for one step the last counts."""
    at = np.round(played.times / dt).astype(int).tolist()
    return {step: target for step, target in zip(at, played.targets, strict=True) if step < steps}
