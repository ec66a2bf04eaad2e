"""`Mppi`: model predictive path integral control: many noisy futures, averaged by how good they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from andante._moved import renamed
from andante.errors import BadInput
from andante.geometry import Array
from andante.navigation.costmap import Costmap
from andante.navigation.path import Path
from andante.navigation.vehicle import Vehicle

from . import Decision, Margins, MotionState, VehicleController, score_rollouts, spread_noise, stopped

_KNOT = 5  # steps between independent noise values
CLOSELY = 0.3  # a path through a narrow place is pursued closely at this speed at most [m/s]


@renamed()
@dataclass(frozen=True)
class MppiSettings:
    """Size and weights of the search; costs are roughly meters of path times seconds."""

    samples: int = 1000
    steps: int = 50
    dt: float = 0.05  # of a step [s]
    max_speed: float = field(default=math.inf, metadata={"was": "speed"})  # beside the vehicle's own limit [m/s]
    temperature: float = 0.1  # at 1 m/s; lower: nearer to the single best future
    noise: tuple[float, float, float] = (0.35, 0.35, 0.5)  # of vx, vy, w as fractions of their limits
    follow: float = 1.0
    align: float = 1.0
    align_car: float = 8.0  # a car's path is to be kept closely, headings too
    head_car: float = 1.0
    clear: float = 1.5
    reverse: float = 2.0
    turn: float = 0.01
    yaw: float = 0.5
    crash: float = 100.0
    margins: Margins = field(default_factory=Margins)

    def __post_init__(self) -> None:
        if not (self.samples >= 16 and self.steps >= 4 and self.dt > 0 and self.temperature > 0 and self.max_speed > 0):
            raise BadInput("MPPI needs 16 samples, 4 steps and dt, temperature, max_speed > 0 at least")

    def weights(self, vehicle: Vehicle, top: float) -> Array:
        """As the kernel reads them; what does not grow with the speed by itself is scaled by the top speed [m/s]."""
        car = vehicle.drive == "ackermann"
        align, head = (self.align_car, self.head_car) if car else (self.align, 0.0)
        scaled = [align * top, head * top, self.clear, self.reverse, self.turn * top, self.yaw * top, self.crash]
        return np.array([self.follow, *scaled], dtype=float)


class Mppi(VehicleController):
    """MPPI (Williams, Aldrich, Theodorou 2017) on the costmap, with the whole footprint and moving things.

    Of the samples one keeps the last solution, one brakes, some pursue the path with several speeds, a few of them
    closely, and some do as much as the base can, ahead, back and to both sides; so a poor average never keeps the robot
    from a plain way. The result is driven ahead once more before it is used: if it touches something, the best sample
    takes its place; if all touch, the robot brakes.
    """

    Settings = MppiSettings
    settings: MppiSettings

    def reset(self) -> None:
        """Forget the last solution and restart the noise."""
        self._rng = np.random.default_rng(self._seed)
        self._nominal = np.zeros((self.settings.steps, 3), dtype=np.float32)
        self._time: float | None = None

    def plan(self, state: MotionState, path: Path, costmap: Costmap) -> Decision:
        """The velocity to drive with now."""
        s, around = self.settings, self._around
        way = int(path.directions[-1])
        limits = around.limits(s.max_speed, way)
        top = float(limits[1] if way > 0 else -limits[0])
        if top == 0:
            return stopped("the path goes backwards and this robot does not reverse")
        reach = max(1.0, top * s.steps * s.dt + 0.5)
        ahead = around.path_ahead(state, path, costmap, reach, max(0.05, reach / 80))
        limits = around.paced(limits, ahead, costmap)
        top = float(limits[1] if way > 0 else -limits[0])
        controls, pursuit = self._sample(state, limits, top)
        costs, crashes = np.empty(len(controls)), np.empty(len(controls), dtype=np.int64)
        arguments = (
            costmap.to_frame(state.pose), state.velocity, s.dt, limits, ahead, around.movers(state, costmap),
            state.stood, costmap.distance, costmap.resolution, around.discs(costmap.resolution), around.enough,
            s.margins.soft, s.weights(self.vehicle, top),
        )  # fmt: skip
        score_rollouts(controls, pursuit, *arguments, costs, crashes)
        best = int(np.argmin(costs))
        weights = np.exp(-(costs - costs[best]) / (s.temperature * top)).astype(np.float32)
        weights /= weights.sum()
        mean = (weights @ controls.reshape(len(controls), -1)).reshape(1, s.steps, 3)
        score_rollouts(mean, np.zeros(1), *arguments, costs[:1], crashes[:1])
        chosen = mean[0]
        if crashes[0] < s.steps:
            score_rollouts(controls[best : best + 1], np.zeros(1), *arguments, costs[:1], crashes[:1])
            chosen = controls[best]
        self._nominal = chosen.copy()
        if crashes[0] < min(s.steps, self._braking_steps(state)):
            self._nominal[:] = 0.0
            return stopped(f"everything ahead is touched within {(crashes[0] + 1) * s.dt:.1f} s")
        return Decision(chosen[0].astype(float))

    def _braking_steps(self, state: MotionState) -> int:
        """Steps that the robot needs to stop, and a few more."""
        speed = float(np.hypot(*state.velocity[:2]))
        return math.ceil(speed / self.vehicle.max_acceleration / self.settings.dt) + 6

    def _sample(self, state: MotionState, limits: Array, top: float) -> tuple[NDArray[np.float32], Array]:
        """Command sequences (k, t, 3) around the last solution, moved on by the time that has passed."""
        s = self.settings
        if self._time is not None and state.time > self._time:
            passed = min(s.steps, round((state.time - self._time) / s.dt))
            self._nominal = np.concatenate([self._nominal[passed:], np.repeat(self._nominal[-1:], passed, axis=0)])
        self._time = state.time
        spread = np.array(s.noise) * np.array([top, limits[2], limits[3]])
        knots = self._rng.standard_normal((s.samples, math.ceil(s.steps / _KNOT) + 1, 3), dtype=np.float32)
        controls = np.empty((s.samples, s.steps, 3), dtype=np.float32)
        spread_noise(knots, spread, _KNOT, self._nominal, controls)
        controls[0] = self._nominal
        controls[1] = 0.0
        pursuit = np.zeros(s.samples)
        pursuit[2:10] = top * np.linspace(0.15, 1.0, 8)
        pursuit[10:14] = -min(top, CLOSELY) * np.linspace(0.25, 1.0, 4)
        hardest = [(vx, w) for vx in (limits[0], 0.0, limits[1]) for w in (-limits[3], 0.0, limits[3]) if vx or w]
        for k, (vx, w) in enumerate(hardest, 14):  # who is in the way at once is not escaped by chance
            if k < s.samples:
                controls[k] = vx, 0.0, w
        return controls, pursuit
