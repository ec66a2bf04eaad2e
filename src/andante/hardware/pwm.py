"""Pulse widths of a hobby servo or speed controller: neutral, span and the dead band around neutral."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from andante.errors import BadInput


@dataclass(frozen=True)
class PwmChannel:
    """Maps a share of the full way, -1 to 1, to pulse widths [µs] and back.

    pulse = neutral + sign(f) (dead_band + |f| (span - dead_band)); a pulse within the dead band means 0.
    """

    neutral: float = 1500.0
    span: float = 500.0
    dead_band: float = 25.0

    def __post_init__(self) -> None:
        if not (0 <= self.dead_band < self.span < self.neutral < math.inf):
            raise BadInput(
                "pulse widths need 0 <= dead band < span < neutral, "
                f"got {self.dead_band}, {self.span}, {self.neutral} µs"
            )

    def pulse(self, share: float) -> int:
        """Pulse width for a share of the full way; beyond -1 and 1 it is cut."""
        share = min(max(share, -1.0), 1.0)
        if share == 0:
            return round(self.neutral)
        return round(self.neutral + math.copysign(self.dead_band + abs(share) * (self.span - self.dead_band), share))

    def share(self, pulse: float) -> float:
        """What a motor behind this channel makes of a pulse width; no pulse (0) is neutral."""
        away = pulse - self.neutral
        if pulse <= 0 or abs(away) <= self.dead_band:
            return 0.0
        return math.copysign(min((abs(away) - self.dead_band) / (self.span - self.dead_band), 1.0), away)

    @staticmethod
    def of(name: str, parameters: Mapping[str, float]) -> PwmChannel:
        """The channel `throttle` or `steering` by the firmware's parameters."""
        return PwmChannel(parameters[f"{name}_neutral"], parameters[f"{name}_span"], parameters[f"{name}_dead_band"])
