"""A spinning lidar on a robot that moves while it spins, and lidars by name with the figures of their makers.

RPLIDAR: rates, ranges and angles of the A2 at 8000 and the A3 at 16000 samples per second. Accuracy: 1 % of the range
(A2), 1 % to 3 m and 2.5 % beyond 5 m (A3). LDS-01 (TurtleBot3): ±15 mm below 0.5 m, ±3.5 % precision beyond. What a
maker gives as a bound is taken as three standard deviations; dropouts of a few per mille are assumed. VLP-16: 16 rings
over 30 deg, ±3 cm, 100 m, 0.4 deg between columns at 10 Hz.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from andante.description.link import SensorSpec
from andante.description.robot import Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3, Array
from andante.settings import check_fields, is_fraction, is_size

from .kernels import measured_ranges, moving_rays
from .sensor import Mount, Reading, Scene, stated

MOST_BEAMS = 200_000  # of one sweep, all rows
FARTHEST = 1000.0  # of a description that sets no end to the range [m]
TURN = 2 * math.pi


@dataclass(frozen=True)
class LidarModel:
    """Beams, range and errors of a spinning lidar.

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
    dropout: float = 0.0  # fraction of beams that give nothing (NaN)
    rows: int = 1  # beams one above the other
    elevation_min: float = 0.0  # of the lowest row [rad]
    elevation_max: float = 0.0  # of the highest row [rad]

    def __post_init__(self) -> None:
        check_fields(self, "lidar", "above 0 and finite", lambda v: 0 < v < math.inf, "rate", "range_max")
        names = ("range_min", "noise_stddev", "noise_proportional", "resolution")
        check_fields(self, "lidar", "at least 0 and finite", is_size, *names)
        names = ("angle_min", "angle_increment", "noise_mean", "elevation_min", "elevation_max")
        check_fields(self, "lidar", "a finite number", math.isfinite, *names)
        _demand(self.range_min < self.range_max, "range_min", f"below range_max {self.range_max}", self.range_min)
        check_fields(self, "lidar", "a fraction between 0 and 1", is_fraction, "dropout")
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

    def points(self, ranges: Array, every: int = 1) -> Array:
        """Ends (n, 3) [m] in the sensor's axes of the finite ranges (rows, beams) or (beams,), of every nth column."""
        ends = self.directions().transpose(1, 0, 2)[:, ::every]
        chosen = np.asarray(ranges, dtype=float).reshape(self.rows, self.beams)[:, ::every]
        seen = np.isfinite(chosen)
        return np.ascontiguousarray(ends[seen] * chosen[seen][:, None])

    def without_errors(self) -> LidarModel:
        """The same lidar with true ranges; its limits stay."""
        return replace(self, noise_stddev=0.0, noise_proportional=0.0, noise_mean=0.0, resolution=0.0, dropout=0.0)

    @staticmethod
    def of(spec: SensorSpec, usual: LidarModel | None = None) -> LidarModel:
        """The lidar that a description states; what it does not say is as in `usual`."""
        base = usual or LidarModel()

        def derived(number: Callable[[str, float], float]) -> Mapping[str, Any]:
            columns = _count(number("samples", base.beams), number("sample_resolution", 1.0))
            low, full = number("min_angle", base.angle_min), base.angle_increment * (base.beams - 1)
            if "samples" in spec.parameters and "max_angle" not in spec.parameters and abs(full) > 0.9 * TURN:
                full = math.copysign(TURN * (columns - 1) / columns, full)
            return {
                "rate": spec.rate or base.rate,
                "beams": columns,
                "angle_min": low,
                "angle_increment": (number("max_angle", low + full) - low) / max(columns - 1, 1),
                "range_max": min(number("range_max", base.range_max), FARTHEST),
                "rows": _count(number("vertical_samples", base.rows), number("vertical_sample_resolution", 1.0)),
            }

        names = {"elevation_min": "vertical_min_angle", "elevation_max": "vertical_max_angle"}
        return stated(spec, base, names, derived)


def _count(samples: float, resolution: float) -> int:
    """Beams that Gazebo's samples and resolution stand for."""
    count = samples * resolution if resolution > 0 else samples
    _demand(1 <= count <= MOST_BEAMS, "samples", f"between 1 and {MOST_BEAMS}", f"{count:g}")
    return round(count)


def _demand(sound: bool, name: str, wanted: str, got: object) -> None:
    if not sound:
        raise BadInput(f"lidar {name} must be {wanted}, got {got}")


EARLY = 1e-9  # [s]
KEPT = 64  # sweeps whose beginning is remembered


@dataclass(frozen=True)
class Sweep:
    """One turn of a lidar; ranges after REP 117: +inf nothing within range, -inf too near, NaN no reading."""

    time: float  # of the first beam [s]
    ranges: Array  # (beams,) or (rows, beams) [m]
    angles: Array  # (beams,) about the sensor's z axis [rad]
    stamps: Array  # (beams,) when each was taken [s]


class Lidar:
    """Ranges of one sweep that ends at the sample.

    The lidar looks on `watch_rate` times per second: each time it casts the beams that came due since, from where the
    sensor was at their time (between the two looks straight in place, with the turn at constant rate). So a scan of a
    moving robot is distorted as a real one is, moving things are seen where they were, and a leaning robot's beams meet
    the floor. The body that carries the lidar is not seen; other links of the robot are. The first sweep, which has no
    past, sees the robot at rest.
    """

    watch_rate = 50.0  # [Hz]

    def __init__(self, robot: Robot, link: str, pose: SE3, model: LidarModel, name: str = "scan") -> None:
        self.name, self.model, self.link, self.pose = name, model, link, pose
        self._mount = Mount(robot, link, pose)
        self._directions = np.ascontiguousarray(model.directions().reshape(-1, 3))
        self._offsets = np.repeat(np.arange(model.beams) * model.time_increment, model.rows)
        self._generator = np.random.default_rng(0)
        self._begun: float | None = None  # when the present sweep began [s]
        self._before: tuple[float, Array] | None = None  # time and body pose at the last look
        self._begins: deque[tuple[float, float]] = deque(maxlen=KEPT)  # end and beginning of past sweeps [s]
        self._done = 0  # beams of the present sweep that were cast
        self._true = np.full(len(self._offsets), np.inf)

    @property
    def labels(self) -> tuple[str, ...]:
        """One range per beam, row by row."""
        rows, beams = self.model.rows, self.model.beams
        if rows == 1:
            return tuple(f"range_{i}" for i in range(beams))
        return tuple(f"range_{k}_{i}" for k in range(rows) for i in range(beams))

    def draw_from(self, generator: np.random.Generator) -> None:
        """Take random numbers from this generator."""
        self._generator = generator

    def watch(self, scene: Scene) -> None:
        """Cast the beams whose time has come since the last look."""
        self._cast(scene, int(np.searchsorted(self._offsets, scene.time - (self._begun or 0.0) + EARLY, side="right")))

    def measure(self, scene: Scene) -> Array:
        """Ranges of the sweep that ends now, with errors; the next one begins."""
        self._cast(scene, len(self._offsets))
        m, count = self.model, len(self._true)
        normal = self._generator.standard_normal(count) if m.noise_stddev or m.noise_proportional else np.zeros(count)
        chance = self._generator.random(count) if m.dropout else np.ones(count)
        measured = measured_ranges(
            self._true, normal, chance, m.noise_stddev, m.noise_proportional, m.noise_mean, m.resolution,
            m.range_min, m.range_max, m.dropout,
        )  # fmt: skip
        self._begins.append((scene.time, scene.time if self._begun is None else self._begun))
        self._begun, self._done = scene.time, 0
        return measured if m.rows == 1 else measured.reshape(m.beams, m.rows).T.ravel()

    def _cast(self, scene: Scene, end: int) -> None:
        place = self._mount.on(scene)
        pose, now = np.array(scene.body_poses[place.body]), scene.time
        if self._begun is None:  # no past: the robot has always stood here
            self._begun, self._before = now - 1.0 / self.model.rate, None
        then, was = self._before or (now, pose)
        first, self._done = self._done, max(self._done, end)
        self._before = (now, pose)
        if end <= first:
            return
        rows = slice(first, end)
        fractions = np.ones(end - first)
        if now > then:
            fractions = np.clip((self._begun + self._offsets[rows] - then) / (now - then), 0.0, 1.0)
        origins, directions = moving_rays(was, pose, fractions, place.body_from_sensor, self._directions[rows])
        self._true[rows] = scene.rays.nearest(origins, directions, self.model.range_max, place.hidden)

    @property
    def newest(self) -> float:
        """When the newest whole sweep began [s]; -inf before the first."""
        return self._begins[-1][1] if self._begins else -math.inf

    def sweep(self, reading: Reading) -> Sweep:
        """A reading as arrays; the sweep began about one turn before the reading, where the one before ended."""
        m = self.model
        begun = next((begin for end, begin in self._begins if end == reading.time), reading.time - 1.0 / m.rate)
        ranges = reading.values if m.rows == 1 else reading.values.reshape(m.rows, m.beams)
        return Sweep(begun, ranges, m.angles, begun + m.time_increment * np.arange(m.beams, dtype=np.float64))

    def save(self) -> Any:
        """The sweep so far and the state of the random numbers."""
        drawn = self._generator.bit_generator.state
        return (self._begun, self._before, self._done, self._true.copy(), tuple(self._begins), drawn)

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self._begun, self._before, self._done, true, begins, drawn = state
        self._true, self._begins = true.copy(), deque(begins, maxlen=KEPT)
        self._generator.bit_generator.state = drawn


RPLIDAR_A2 = LidarModel(
    beams=800, angle_increment=TURN / 800, range_min=0.15, range_max=12.0, noise_stddev=0.003,
    noise_proportional=0.01 / 3, resolution=0.00025, dropout=0.003,
)  # fmt: skip
RPLIDAR_A3 = replace(
    RPLIDAR_A2, rate=15.0, beams=1067, angle_increment=TURN / 1067, range_min=0.2, range_max=25.0,
    noise_proportional=0.025 / 3,
)  # fmt: skip
LDS_01 = LidarModel(
    rate=5.0, beams=360, angle_min=0.0, angle_increment=TURN / 360, range_min=0.12, range_max=3.5, noise_stddev=0.005,
    noise_proportional=0.035 / 3, resolution=0.001, dropout=0.005,
)  # fmt: skip
VLP_16 = LidarModel(
    beams=900, angle_increment=TURN / 900, range_min=0.4, range_max=100.0, noise_stddev=0.01, resolution=0.002,
    dropout=0.002, rows=16, elevation_min=math.radians(-15.0), elevation_max=math.radians(15.0),
)  # fmt: skip
LIDARS: Mapping[str, LidarModel] = {
    "rplidar_a2": RPLIDAR_A2, "rplidar_a3": RPLIDAR_A3, "lds_01": LDS_01, "vlp_16": VLP_16,
}  # fmt: skip


def lidar_model(spec: SensorSpec) -> LidarModel:
    """The lidar of a description; its parameter `model` names one of `LIDARS`, whose figures fill what is not said."""
    name = spec.parameters.get("model")
    if name is None:
        return LidarModel.of(spec)
    known = str(name).strip().lower().replace("-", "_").replace(" ", "_")
    if known not in LIDARS:
        raise UnknownName.among("lidar model", str(name), LIDARS, f"sensor {spec.name!r}")
    return LidarModel.of(spec, LIDARS[known])
