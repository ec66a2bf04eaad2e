"""Settings of localization in six dimensions; the defaults suit a small humanoid among furniture."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from andante.errors import BadInput


@dataclass(frozen=True)
class SpaceSettings:
    """How many particles, how they move, how points weigh them, and when the filter looks elsewhere."""

    particles: int = 500
    particles_global: int = 40_000  # at a start without a pose
    beams: int = 200  # points of a cloud that are used
    effective_beams: float = 40.0  # points that count as independent (tempering)
    level_part: float = 0.3  # of the points that may lie on the ground, which tells little about x, y and yaw
    sigma_hit: float = 0.06  # of a point about its surface [m]
    z_hit: float = 0.9
    z_rand: float = 0.1
    field_distance: float = 0.5  # the field is flat beyond [m]
    drive_noise: float = 0.15  # of odometry, per meter of the way
    turn_noise: float = 0.15  # per radian turned
    turn_from_drive: float = 0.15  # [rad/m]: feet that slip turn
    rest_noise: float = 0.002  # of each update [m]
    rest_turn: float = 0.004  # [rad]
    height_deviation: float = 0.01  # of the height above the ground that kinematics tell [m]
    tilt_deviation: float = 0.015  # of roll and pitch about those of the IMU [rad]
    tilt_memory: float = 0.8  # part of a particle's errors of tilt and height that lasts from update to update
    update_min_d: float = 0.02  # least way between two updates [m]
    update_min_a: float = 0.03  # ... or turn [rad]
    resample_below: float = 0.5  # resample when n_eff falls below this fraction of the particles
    recovery_slow: float = 0.05  # gain of the slow mean of the fit
    recovery_fast: float = 0.3  # gain of the fast mean
    recovery_most: float = 0.5  # of the particles that are put elsewhere at once
    recovery_below: float = 0.6  # of the slow mean: a fast mean below is poor
    recovery_after: int = 5  # poor updates in a row after which it looks elsewhere: people pass by
    health_least: float = 0.3  # below, it does not know where it is
    clearance: float = 0.5  # free height above ground that a robot can stand on [m]

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (math.isfinite(value) and value >= 0):
                raise BadInput(f"{each.name} of localization must be a finite number of at least 0, got {value}")
        for name in ("particles", "particles_global", "beams", "effective_beams", "sigma_hit", "z_rand", "clearance"):
            if not getattr(self, name) > 0:
                raise BadInput(f"{name} of localization must be above 0, got {getattr(self, name)}")
        if self.particles > 1_000_000 or self.particles_global > 5_000_000:
            raise BadInput(f"too many particles: {self.particles} and {self.particles_global}")
