"""`Player`: an observer that sends a motion to a robot at a fixed rate and measures how well the joints follow."""

from __future__ import annotations

import math

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.motion import ActionRunner, JointMotion
from andante.simulation.simulation import Simulation

RATE = 100.0  # [Hz]


class Player:
    """Plays a joint motion, or whatever an action runner runs, from now on.

    speed: 1 as written, 2 twice as fast. Joint positions come from the encoders where the simulation has sensors.
    """

    def __init__(self, sim: Simulation, motion: JointMotion | ActionRunner, speed: float = 1.0) -> None:
        if not (math.isfinite(speed) and speed > 0):
            raise BadInput(f"the speed of playing must be > 0, got {speed}")
        self.motion, self.speed = motion, speed
        self.finished = False
        self.ended_at = math.nan  # time since the start at which the motion was over [s]
        self._start, self._count = sim.time, 0
        self._names = sim.robot.joint_names
        self._sent: dict[str, float] = {}
        self._worst = np.zeros(len(self._names))
        self._squares, self._samples = np.zeros(len(self._names)), np.zeros(len(self._names))
        self.update(sim)

    @property
    def next_time(self) -> float:
        """When the next targets are due [s]."""
        return self._start + self._count / RATE

    def update(self, sim: Simulation) -> None:
        """Measure, then send the targets of this instant."""
        self._measure(sim)
        since = (sim.time - self._start) * self.speed
        if isinstance(self.motion, ActionRunner):
            targets = self.motion.targets(since, self._feel(sim))
            over = self.motion.idle
        else:
            values = self.motion.evaluate(since)
            targets = dict(zip(self.motion.names, values.tolist(), strict=True))
            over = since >= self.motion.duration
        if targets:
            sim.target(targets)
        self._sent = targets
        self._count += 1
        if over and not self.finished:
            self.finished, self.ended_at = True, sim.time - self._start

    def _feel(self, sim: Simulation) -> Array:
        if sim.sensors is not None and "encoders" in [channel.name for channel in sim.sensors]:
            reading = sim.sensors["encoders"].reading
            if reading is not None and len(reading.values) >= len(self._names):
                return np.asarray(reading.values[: len(self._names)], dtype=float)
        return sim.joints.position

    def _measure(self, sim: Simulation) -> None:
        if not self._sent:
            return
        index = [self._names.index(name) for name in self._sent]
        gap = np.abs(sim.joints.position[index] - np.array(list(self._sent.values())))
        self._worst[index] = np.maximum(self._worst[index], gap)
        self._squares[index] += gap**2
        self._samples[index] += 1

    def tracking(self) -> dict[str, float | str | None]:
        """Largest gap between target and joint, where, and the root of the mean square over all joints [rad or m]."""
        played = self._samples > 0
        if not played.any():
            return {"max": 0.0, "joint": None, "rms": 0.0}
        worst = int(np.argmax(np.where(played, self._worst, -1.0)))
        rms = math.sqrt(float(self._squares.sum() / self._samples.sum()))
        return {"max": float(self._worst[worst]), "joint": self._names[worst], "rms": rms}

    def errors(self) -> dict[str, float]:
        """Largest gap of each joint that was played [rad or m]."""
        return {name: float(w) for name, w, n in zip(self._names, self._worst, self._samples, strict=True) if n}
