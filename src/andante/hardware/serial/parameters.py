"""The parameters of the rover's firmware: one table that the firmware, the computer and the page read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from andante.errors import BadInput, UnknownName


@dataclass(frozen=True)
class PwmChannel:
    """Maps a fraction of the full way, -1 to 1, to pulse widths [µs] and back.

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

    def pulse(self, fraction: float) -> int:
        """Pulse width for a fraction of the full way; beyond -1 and 1 it is cut."""
        fraction = min(max(fraction, -1.0), 1.0)
        if fraction == 0:
            return round(self.neutral)
        return round(
            self.neutral + math.copysign(self.dead_band + abs(fraction) * (self.span - self.dead_band), fraction)
        )

    def fraction(self, pulse: float) -> float:
        """What a motor behind this channel makes of a pulse width; no pulse (0) is neutral."""
        away = pulse - self.neutral
        if pulse <= 0 or abs(away) <= self.dead_band:
            return 0.0
        return math.copysign(min((abs(away) - self.dead_band) / (self.span - self.dead_band), 1.0), away)

    @staticmethod
    def of(name: str, parameters: Mapping[str, float]) -> PwmChannel:
        """The channel `throttle` or `steering` by the firmware's parameters."""
        return PwmChannel(parameters[f"{name}_neutral"], parameters[f"{name}_span"], parameters[f"{name}_dead_band"])


@dataclass(frozen=True)
class Parameter:
    """A number that can be changed over the line."""

    name: str
    default: float
    low: float
    high: float
    unit: str
    meaning: str

    def accepts(self, value: float) -> bool:
        """Whether a value lies in the range."""
        return math.isfinite(value) and self.low <= value <= self.high


# The position in this table is the number that goes over the line: new ones are added at the end.
PARAMETERS: tuple[Parameter, ...] = (
    Parameter("arrival_radius", 0.10, 0.01, 10.0, "m", "nearer than this to the waypoint is there"),
    Parameter("throttle_gain", 0.40, 0.0, 10.0, "1/m", "throttle per distance to the waypoint"),
    Parameter("throttle_least", 0.08, 0.0, 1.0, "", "least throttle while driving"),
    Parameter("throttle_most", 0.35, 0.0, 1.0, "", "most throttle while driving to a waypoint"),
    Parameter("steering_gain", 2.0, 0.0, 20.0, "1/rad", "steering (of its full way) per error of the bearing"),
    Parameter(
        "turning_radius", 0.85, 0.0, 100.0, "m", "a waypoint inside this circle is driven away from first; 0: never"
    ),
    Parameter("pose_timeout", 0.5, 0.05, 10.0, "s", "a pose older than this holds the motors"),
    Parameter("least_voltage", 6.4, 0.0, 60.0, "V", "a battery below this stops the motors"),
    Parameter("throttle_neutral", 1500.0, 1000.0, 2000.0, "µs", "pulse of a standing motor"),
    Parameter("throttle_span", 500.0, 250.0, 900.0, "µs", "from neutral to full throttle"),
    Parameter("throttle_dead_band", 25.0, 0.0, 200.0, "µs", "pulses this near to neutral do not move the motor"),
    Parameter("steering_neutral", 1500.0, 1000.0, 2000.0, "µs", "pulse of wheels straight ahead"),
    Parameter("steering_span", 500.0, 250.0, 900.0, "µs", "from straight ahead to full lock; left is longer"),
    Parameter("steering_dead_band", 3.0, 0.0, 200.0, "µs", "of the steering servo"),
    Parameter("top_speed", 2.0, 0.01, 100.0, "m/s", "at full throttle"),
    Parameter("full_lock", 0.388, 0.01, 1.5, "rad", "steering angle (of a bicycle) at full lock"),
    Parameter("wheelbase", 0.33, 0.01, 10.0, "m", "between the axles"),
    Parameter("yaw_gain", 0.1, 0.0, 1.0, "", "fraction of the tags' heading that corrects the gyro's, per pair"),
    Parameter("passing_radius", 0.0, 0.0, 10.0, "m", "a waypoint passed within this distance is reached too; 0: none"),
)
NUMBERS = {parameter.name: number for number, parameter in enumerate(PARAMETERS)}


def defaults(changed: Mapping[str, float] | None = None) -> dict[str, float]:
    """All parameters, some of them changed."""
    values = {parameter.name: parameter.default for parameter in PARAMETERS}
    for name, value in (changed or {}).items():
        values[name] = checked(name, value)
    return values


def checked(name: str, value: float) -> float:
    """The value as a number, if there is such a parameter and it lies in its range."""
    if name not in NUMBERS:
        raise UnknownName.among("parameter", name, NUMBERS, "the firmware")
    parameter = PARAMETERS[NUMBERS[name]]
    if not parameter.accepts(value):
        raise BadInput(
            f"parameter {name} must lie from {parameter.low:g} to {parameter.high:g} {parameter.unit}, got {value}"
        )
    return float(value)


def table() -> str:
    """The parameters as a Markdown table."""
    rows = ["| number | parameter | default | range | unit | meaning |", "|---|---|---|---|---|---|"]
    rows += [
        f"| {number} | `{p.name}` | {p.default:g} | {p.low:g} to {p.high:g} | {p.unit or '-'} | {p.meaning} |"
        for number, p in enumerate(PARAMETERS)
    ]
    return "\n".join(rows) + "\n"
