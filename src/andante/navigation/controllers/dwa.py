"""`Dwa`: the dynamic window approach: constant commands within reach of the accelerations, the best one wins."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from andante._moved import renamed
from andante.errors import BadInput
from andante.geometry import Array
from andante.navigation.costmap import Costmap
from andante.navigation.path import Path

from . import Decision, Margins, MotionState, VehicleController, score_rollouts, stopped, turn_to_path

_PURSUITS = 8  # commands that bend along the path


@renamed()
@dataclass(frozen=True)
class DwaSettings:
    """Window, horizon and weights."""

    speeds: int = 12  # forward speeds tried
    turns: int = 25  # turn rates tried
    sides: int = 5  # sideways speeds tried by an omni drive
    horizon: float = 1.6  # [s]
    dt: float = 0.05  # of a step [s]
    window: float = 0.25  # commands that can be reached within this time are tried [s]
    max_speed: float = field(default=math.inf, metadata={"was": "speed"})  # beside the vehicle's own limit [m/s]
    follow: float = 1.0
    align: float = 3.0
    clear: float = 2.0
    reverse: float = 2.0
    turn: float = 0.02
    head_car: float = 1.0  # a car keeps the headings of its path too
    margins: Margins = field(default_factory=Margins)

    def __post_init__(self) -> None:
        if min(self.speeds, self.turns, self.sides) < 2 or not (0 < self.dt < self.horizon and self.window > 0):
            raise BadInput("DWA needs two or more speeds and turns, 0 < dt < horizon and a window > 0")


class Dwa(VehicleController):
    """Dynamic window approach (Fox, Burgard, Thrun 1997) scored on the path ahead, with the whole footprint.

    Besides constant commands a few that bend along the path are tried, which cars need at changes of direction.
    A robot that can turns on the spot toward a path that leads elsewhere, and to its last heading at its end.
    """

    Settings = DwaSettings
    settings: DwaSettings

    def plan(self, state: MotionState, path: Path, costmap: Costmap) -> Decision:
        """The velocity to drive with now."""
        s, around = self.settings, self._around
        way = int(path.directions[-1])
        limits = around.limits(s.max_speed, way)
        spin = turn_to_path(state, path, self.vehicle)
        if spin and around.time_to_touch(np.array([0.0, 0.0, spin]), state, costmap, 0.4) is None:
            return Decision(np.array([0.0, 0.0, spin]), "turns toward the path")
        steps = math.ceil(s.horizon / s.dt)
        reach = max(1.0, float(limits[1]) * s.horizon + 0.5)
        ahead = around.path_ahead(state, path, costmap, reach, 0.05)
        limits = around.paced(limits, ahead, costmap)
        tried = self._window(state, limits)
        pursuit = np.zeros(len(tried) + _PURSUITS)
        pursuit[len(tried) :] = float(limits[1] if way > 0 else -limits[0]) * np.linspace(0.1, 1.0, _PURSUITS)
        tried = np.concatenate([tried, np.zeros((_PURSUITS, 3))])
        controls = np.repeat(tried[:, None, :], steps, axis=1).astype(np.float32)
        costs, crashes = np.empty(len(tried)), np.empty(len(tried), dtype=np.int64)
        car = self.vehicle.drive == "ackermann"
        weights = np.array([s.follow, s.align, s.head_car * car, s.clear, s.reverse, s.turn, 0.0, 100.0])
        score_rollouts(
            controls, pursuit, costmap.to_frame(state.pose), state.velocity, s.dt, limits, ahead,
            around.movers(state, costmap), state.stood, costmap.distance, costmap.resolution,
            around.discs(costmap.resolution), around.enough, s.margins.soft, weights, costs, crashes,
        )  # fmt: skip
        soon = min(steps - 1, round(s.window / s.dt))
        tried = np.where(pursuit[:, None] > 0, controls[:, soon], tried)
        speed = np.linalg.norm(tried[:, :2], axis=1)
        braking = np.ceil(speed / self.vehicle.max_acceleration / s.dt) + 4
        safe = crashes >= np.minimum(braking, steps)
        if not safe.any():
            return stopped(f"every command tried touches something within {(int(crashes.max()) + 1) * s.dt:.1f} s")
        best = int(np.argmin(np.where(safe, costs, np.inf)))
        return Decision(tried[best].copy())

    def _window(self, state: MotionState, limits: Array) -> Array:
        """Commands (k, 3) that can be reached soon, zero among them."""
        s, now = self.settings, state.velocity
        dv, dw = limits[4] * s.window, limits[5] * s.window
        vx = np.linspace(max(limits[0], now[0] - dv), min(limits[1], now[0] + dv), s.speeds)
        w = np.linspace(max(-limits[3], now[2] - dw), min(limits[3], now[2] + dw), s.turns)
        vy = np.zeros(1)
        if limits[2] > 0:
            vy = np.linspace(max(-limits[2], now[1] - dv), min(limits[2], now[1] + dv), s.sides)
        table = np.stack(np.meshgrid(vx, vy, w, indexing="ij"), axis=-1).reshape(-1, 3)
        pace = np.abs(table[:, 0])
        most = limits[8] / np.maximum(pace, 1e-3)
        if limits[6] > 0:
            most = np.minimum(most, pace / limits[6])
        table[:, 2] = np.clip(table[:, 2], -most, most)
        return np.concatenate([table, np.zeros((1, 3))])
