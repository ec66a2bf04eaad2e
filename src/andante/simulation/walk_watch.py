"""Statistics of a walk as it goes on: an observer of the simulator's truth, for measuring and never for control."""

from __future__ import annotations

import numpy as np

from andante.errors import BadInput
from andante.locomotion.wave.fitness import Track, WaveStatistics, statistics
from andante.simulation.simulation import Simulation


class WalkWatch:
    """Looks at a robot 25 times a second from the moment it is made; `statistics` tells the way since then."""

    def __init__(self, sim: Simulation, period: float, rate: float = 25.0) -> None:
        if not period > 0:
            raise BadInput(f"the period of a gait must be > 0 s, got {period}")
        self._begin, self._rate, self._period = sim.time, rate, period
        self._times, self._poses = [0.0], [np.array(sim.base_pose)]
        self._power = [np.zeros(sim.engine.joint_efforts(sim.model).shape)]  # of every joint [W]
        self._mass, self.fallen = sim.robot.mass, False
        self.next_time = self._begin + 1 / rate  # when the next look is due [s]

    def update(self, sim: Simulation) -> None:
        """Look."""
        engine, model, now = sim.engine, sim.model, sim.time - self._begin
        self._times.append(now)
        self._poses.append(sim.base_pose)
        self._power.append(engine.joint_efforts(model) * engine.joint_velocities(model))
        self.fallen = self.fallen or self.lies(sim)
        self.next_time = self._begin + (round(now * self._rate) + 1) / self._rate

    def lies(self, sim: Simulation) -> bool:
        """Whether the robot has fallen."""
        return sim.fallen

    @property
    def track(self) -> Track:
        """All that was seen."""
        times = np.array(self._times)
        cycles = np.arange(0.0, times[-1] + 1e-9, self._period)
        poses, power = np.array(self._poses), np.abs(np.array(self._power)).sum(axis=1)
        return Track(times, poses, power, cycles, float(times[-1]), self.fallen, self._mass)

    @property
    def statistics(self) -> WaveStatistics:
        """The figures since it was made."""
        return statistics(self.track)
