"""Settings of Monte Carlo localization, each with its unit; the defaults suit indoor robots with a planar lidar."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from andante._moved import renamed
from andante.errors import BadInput, UnknownName

_ABOVE_ZERO = (
    "particles_min", "particles_global", "kld_error", "bin_xy", "bin_yaw", "beams", "effective_beams", "range_max",
    "sigma_hit", "z_hit", "z_rand", "lambda_short", "field_distance", "search_beams", "search_candidates",
    "converged_xy", "converged_yaw",
)  # fmt: skip
_FRACTIONS = (
    "z_hit", "z_short", "z_max", "z_rand", "resample_below", "recovery_slow", "recovery_fast", "recovery_most",
    "search_fraction", "health_least", "converged_fraction",
)  # fmt: skip
ODOMETRY_MODELS = ("diff", "diff-corrected", "omni", "omni-corrected")
SENSOR_MODELS = ("beam", "likelihood_field", "likelihood_field_prob")


@renamed()
@dataclass(frozen=True)
class MclParameters:
    """How many particles, how they move, how scans weigh them, and when the filter looks elsewhere."""

    particles_min: int = 500
    particles_max: int = 5000
    particles_global: int = 20_000  # at a start without a pose
    kld_error: float = 0.05  # bound of the distance between sample and posterior (epsilon)
    kld_z: float = 2.33  # upper standard normal quantile that the bound holds with (0.99)
    bin_xy: float = 0.5  # bins of the KLD histogram [m]
    bin_yaw: float = 0.1745  # [rad]
    odometry_model: str = "diff-corrected"
    turn_from_turn: float = 0.05  # alpha1
    turn_from_drive: float = 0.03  # alpha2 [rad^2/m^2]
    drive_from_drive: float = 0.04  # alpha3
    drive_from_turn: float = 0.01  # alpha4 [m^2/rad^2]
    aside_from_drive: float = 0.04  # alpha5, omni only
    blind_speed: float = 0.3  # spread per root second where no odometry is given [m]
    blind_turn: float = 0.3  # [rad]
    sensor_model: str = "likelihood_field_prob"
    beams: int = 60  # of a scan that are used, evenly spread
    effective_beams: float = 15.0  # beams that count as independent (tempering)
    range_max: float = 25.0  # longer beams are left out [m]
    sigma_hit: float = 0.15  # of an echo about its wall [m]
    z_hit: float = 0.9
    z_short: float = 0.05
    z_max: float = 0.03
    z_rand: float = 0.1
    lambda_short: float = 0.5  # [1/m]
    field_distance: float = 2.0  # the likelihood field is flat beyond [m]
    update_min_d: float = 0.05  # least way between two updates [m]
    update_min_a: float = 0.1  # ... or turn [rad]
    resample_below: float = 0.5  # resample when n_eff falls below this fraction of the particles
    recovery: bool = True  # augmented MCL: new particles when scans stop fitting
    recovery_slow: float = 0.02  # gain of the slow mean of the fit (alpha_slow)
    recovery_fast: float = 0.3  # gain of the fast mean (alpha_fast)
    recovery_most: float = 0.5  # greatest fraction of new particles in one update
    search_fraction: float = field(default=0.7, metadata={"was": "search_share"})  # of new particles by the scan search
    search_beams: int = 40
    search_candidates: int = 12
    health_least: float = 0.4  # below it the robot counts as lost
    converged_updates: int = 3  # converged: so many updates in a row agree, which means that
    converged_xy: float = 0.3  # ... the cluster's deviation is smaller than this [m]
    converged_yaw: float = 0.2  # ... and than this [rad]
    converged_fraction: float = field(default=0.8, metadata={"was": "converged_share"})  # ... of the weight in it

    def __post_init__(self) -> None:
        if self.odometry_model not in ODOMETRY_MODELS:
            raise UnknownName.among("odometry model", self.odometry_model, ODOMETRY_MODELS)
        if self.sensor_model not in SENSOR_MODELS:
            raise UnknownName.among("sensor model", self.sensor_model, SENSOR_MODELS)
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, int | float) and not (math.isfinite(value) and value >= 0):
                raise BadInput(f"localization parameter {each.name} must be a finite number >= 0, got {value}")
        for name in _ABOVE_ZERO:
            if not getattr(self, name) > 0:
                raise BadInput(f"localization parameter {name} must be above 0")
        for name in _FRACTIONS:
            if getattr(self, name) > 1:
                raise BadInput(f"localization parameter {name} is a fraction and lies within 0 to 1")
        if not self.particles_min <= self.particles_max <= 1_000_000:
            raise BadInput(
                f"particles_min must not exceed particles_max (at most 1000000), "
                f"got {self.particles_min} and {self.particles_max}"
            )
        if self.particles_global > 1_000_000 or self.beams > 10_000 or self.search_beams > 10_000:
            raise BadInput("at most 1000000 particles and 10000 beams")

    @property
    def alphas(self) -> tuple[float, float, float, float, float]:
        """alpha1 to alpha5 of the odometry model."""
        return (
            self.turn_from_turn,
            self.turn_from_drive,
            self.drive_from_drive,
            self.drive_from_turn,
            self.aside_from_drive,
        )
