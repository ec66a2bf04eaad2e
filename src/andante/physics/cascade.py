"""Position control by a PID whose output is a velocity for the engine's velocity servo, with anti-windup.

Both NAO sources drive their joints like this: v = kp e + ki ∫e dt + kd de/dt, cut at the joint's velocity limit; while
it is cut, the integral stands still unless it would come back (conditional integration; Åström and Hägglund, PID
Controllers, 1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .commands import JointState, ServoOrder
from .state import Mode


@dataclass(frozen=True)
class CascadeGains:
    """Gains of the outer loop, scalars or one per joint."""

    kp: ArrayLike = 20.0  # [1/s]
    ki: ArrayLike = 0.0  # [1/s^2]
    kd: ArrayLike = 0.0  # [-]
    integral_limit: ArrayLike = np.inf  # largest part of the velocity that the integral may ask for [rad/s or m/s]

    def __post_init__(self) -> None:
        for name in ("kp", "ki", "kd", "integral_limit"):
            values = np.asarray(getattr(self, name), dtype=float)
            if np.isnan(values).any() or (values < 0).any():
                raise BadInput(f"cascade gain {name} must be >= 0, got {values}")


class CascadeDrive:
    """Turns position orders into velocity orders; other modes pass through."""

    def __init__(self, gains: CascadeGains | None = None) -> None:
        self.gains = gains or CascadeGains()
        self._integral: Array | None = None
        self._error: Array | None = None

    def update(self, order: ServoOrder, state: JointState, dt: float) -> ServoOrder:
        """Velocity orders for the joints under position control."""
        position = order.modes == Mode.POSITION
        error = np.where(position, order.references - state.position, 0.0)
        kp, ki, kd, most = (
            np.asarray(v, dtype=float) for v in (self.gains.kp, self.gains.ki, self.gains.kd, self.gains.integral_limit)
        )
        integral = np.zeros_like(error) if self._integral is None else self._integral
        rate = np.zeros_like(error) if self._error is None else (error - self._error) / dt
        candidate = np.clip(integral + ki * error * dt, -most, most)
        wanted = kp * error + candidate + kd * rate
        limit = order.gains.velocity
        saturated = np.abs(wanted) > limit
        grows = np.abs(candidate) > np.abs(integral)
        integral = np.where(saturated & grows, integral, candidate)
        velocity = np.clip(kp * error + integral + kd * rate, -limit, limit)
        self._integral, self._error = np.where(position, integral, 0.0), error
        return ServoOrder(
            np.where(position, np.int8(Mode.VELOCITY), order.modes).astype(np.int8),
            np.where(position, velocity, order.references),
            order.gains,
        )

    def save(self) -> Any:
        """Integral and last error."""
        return (self._integral, self._error)

    def load(self, state: Any) -> None:
        """Put back what `save` gave."""
        self._integral, self._error = state
