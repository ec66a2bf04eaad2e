"""`LidarModel`: the figures of a lidar, from a data sheet or from the description of a robot."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from andante.description.sensor import SensorSpec
from andante.errors import BadInput
from andante.geometry import Array

MOST_BEAMS = 200_000  # of one sweep, all rows
FARTHEST = 1000.0  # of a description that sets no end to the range [m]
TURN = 2 * math.pi


@dataclass(frozen=True)
class LidarModel:
    """Beams, range and errors of a turning lidar.

    Column i of `beams` points to angle_min + i · angle_increment about the sensor's z axis and is taken
    i · time_increment after the sweep began. Errors of a range r: sqrt(noise_stddev² + (noise_proportional r)²).
    """

    rate: float = 10.0  # sweeps per second [Hz]
    beams: int = 360  # of one row
    angle_min: float = -math.pi  # [rad]
    angle_increment: float = TURN / 360  # [rad]; negative: turns clockwise
    range_min: float = 0.1  # [m]
    range_max: float = 10.0  # [m]
    noise_stddev: float = 0.01  # constant part [m]
    noise_proportional: float = 0.0  # part that grows with the range
    noise_mean: float = 0.0  # constant error [m]
    resolution: float = 0.0  # ranges come in multiples of this [m]
    dropout: float = 0.0  # share of beams that give nothing (NaN)
    rows: int = 1  # beams one above the other
    elevation_min: float = 0.0  # of the lowest row [rad]
    elevation_max: float = 0.0  # of the highest row [rad]

    def __post_init__(self) -> None:
        for name in ("rate", "range_max"):
            _demand(0 < getattr(self, name) < math.inf, name, "above 0 and finite", getattr(self, name))
        for name in ("range_min", "noise_stddev", "noise_proportional", "resolution"):
            _demand(0 <= getattr(self, name) < math.inf, name, "at least 0 and finite", getattr(self, name))
        for name in ("angle_min", "angle_increment", "noise_mean", "elevation_min", "elevation_max"):
            _demand(math.isfinite(getattr(self, name)), name, "a finite number", getattr(self, name))
        _demand(self.range_min < self.range_max, "range_min", f"below range_max {self.range_max}", self.range_min)
        _demand(0 <= self.dropout <= 1, "dropout", "a share between 0 and 1", self.dropout)
        sound = self.beams >= 1 and self.rows >= 1 and self.beams * self.rows <= MOST_BEAMS
        _demand(sound, "beams", f"between 1 and {MOST_BEAMS}", f"{self.beams} x {self.rows}")
        widest = abs(self.angle_increment) * (self.beams - 1)
        _demand(widest <= TURN * 1.001, "angle_increment", "such that a sweep turns at most once", self.angle_increment)

    @property
    def angles(self) -> Array:
        """Direction of each column (beams,) [rad]."""
        return self.angle_min + self.angle_increment * np.arange(self.beams, dtype=float)

    @property
    def elevations(self) -> Array:
        """Direction of each row above the sensor's xy plane (rows,) [rad]."""
        return np.linspace(self.elevation_min, self.elevation_max, self.rows)

    @property
    def time_increment(self) -> float:
        """Time between two columns [s]: the lidar turns once per sweep."""
        return min(abs(self.angle_increment) / TURN, 1.0 / self.beams) / self.rate

    @property
    def level_row(self) -> int:
        """The row nearest to the sensor's xy plane: the one a planar map is made of."""
        return int(np.abs(self.elevations).argmin())

    def directions(self) -> Array:
        """Unit vectors (beams, rows, 3) in the sensor's axes, in the order of time."""
        azimuth, elevation = np.meshgrid(self.angles, self.elevations, indexing="ij")
        level = np.cos(elevation)
        return np.stack([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)], axis=-1)

    def without_errors(self) -> LidarModel:
        """The same lidar with true ranges; its limits stay."""
        return replace(self, noise_stddev=0.0, noise_proportional=0.0, noise_mean=0.0, resolution=0.0, dropout=0.0)

    @staticmethod
    def of(spec: SensorSpec, usual: LidarModel | None = None) -> LidarModel:
        """The lidar that a description states; what it does not say is as in `usual`."""
        base, given = usual or LidarModel(), spec.parameters

        def value(name: str, default: float) -> float:
            try:
                return float(given.get(name, default))
            except ValueError:
                raise BadInput(f"sensor {spec.name!r}: {name} should be a number, got {given[name]!r}") from None

        try:
            columns = _count(value("samples", base.beams), value("sample_resolution", 1.0))
            rows = _count(value("vertical_samples", base.rows), value("vertical_sample_resolution", 1.0))
            low = value("min_angle", base.angle_min)
            full = base.angle_increment * (base.beams - 1)
            if "samples" in given and "max_angle" not in given and abs(full) > 0.9 * TURN:
                full = math.copysign(TURN * (columns - 1) / columns, full)
            high = value("max_angle", low + full)
            return replace(
                base,
                rate=spec.rate or base.rate,
                beams=columns,
                angle_min=low,
                angle_increment=(high - low) / max(columns - 1, 1),
                range_min=value("range_min", base.range_min),
                range_max=min(value("range_max", base.range_max), FARTHEST),
                noise_stddev=value("noise_stddev", base.noise_stddev),
                noise_proportional=value("noise_proportional", base.noise_proportional),
                noise_mean=value("noise_mean", base.noise_mean),
                resolution=value("resolution", base.resolution),
                dropout=value("dropout", base.dropout),
                rows=rows,
                elevation_min=value("vertical_min_angle", base.elevation_min),
                elevation_max=value("vertical_max_angle", base.elevation_max),
            )
        except BadInput as error:
            where = f"{spec.source}: " if spec.source.file else ""
            told = str(error)
            raise BadInput(where + (told if told.startswith("sensor") else f"sensor {spec.name!r}: {told}")) from None


def _count(samples: float, resolution: float) -> int:
    """Beams that Gazebo's samples and resolution stand for."""
    count = samples * resolution if resolution > 0 else samples
    _demand(1 <= count <= MOST_BEAMS, "samples", f"between 1 and {MOST_BEAMS}", f"{count:g}")
    return round(count)


def _demand(sound: bool, name: str, wanted: str, got: object) -> None:
    if not sound:
        raise BadInput(f"lidar {name} must be {wanted}, got {got}")
