"""Which errors of a walk on two legs are answered, and how freely."""

from __future__ import annotations

import math

from andante.geometry import Array

from .biped_settings import BipedSettings
from .biped_turns import beyond, leaning

LONG, QUIET, QUIETER = (
    1.0,
    1.5,
    3.0,
)  # errors that last so long [s] are left alone for a time [s], up to so many times more
RECOVERED = 2.5  # steps keep their time for so long after they have been free, so that rocking dies away [s]


class Alarm:
    """Errors beyond what is usual. Large ones free the time of the steps for a while; lasting small ones are let be."""

    def __init__(self, settings: BipedSettings) -> None:
        self._settings = settings
        self.error = (0.0, 0.0)  # of the divergent component, beyond what is left alone [m]
        self.tilt: Array | None = None  # of the standing foot, (3, 3); None: flat enough
        self._upset = 0.0  # how long errors have lasted; below 0: the time left in which only large ones count [s]
        self._hurry = -RECOVERED  # steps may come sooner or later than usual for so long, then not for a while [s]

    @property
    def on(self) -> bool:
        """Whether anything has to be answered."""
        return self.tilt is not None or self.error != (0.0, 0.0)

    @property
    def hurry(self) -> bool:
        """Whether steps may come sooner or later than usual."""
        return self._hurry > 0.0

    def update(self, off: tuple[float, float], lean: tuple[float, float], dt: float) -> None:
        """Take the error of the divergent component [m] and roll and pitch of the standing foot [rad]."""
        s = self._settings
        usual = QUIETER if self._upset < 0.0 else 1.0
        self.error = beyond(*off, usual * s.calm)
        roll, pitch = beyond(*lean, usual * s.calm_tilt)
        self.tilt = leaning(roll, pitch) if roll or pitch else None
        if self._upset >= 0.0 and not self.on:
            self._upset = max(0.0, self._upset - dt)
        else:
            self._upset = self._upset + dt if self._upset < LONG else -QUIET
        self._hurry = max(-RECOVERED, self._hurry - dt)
        size = math.hypot(*self.error)
        if size > 2.0 * s.hurry or (size > s.hurry and self._hurry <= -RECOVERED):
            self._hurry = s.hurry_time
