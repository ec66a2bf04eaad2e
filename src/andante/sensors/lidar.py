"""A turning lidar on a robot that moves while it turns."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.description.robot import Robot
from andante.geometry import SE3, Array

from ._range_kernels import moving_rays, told_ranges
from .lidar_model import LidarModel
from .mount import Mount
from .sensor import Reading, Scene

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
        told = told_ranges(
            self._true, normal, chance, m.noise_stddev, m.noise_proportional, m.noise_mean, m.resolution,
            m.range_min, m.range_max, m.dropout,
        )  # fmt: skip
        self._begins.append((scene.time, scene.time if self._begun is None else self._begun))
        self._begun, self._done = scene.time, 0
        return told if m.rows == 1 else told.reshape(m.beams, m.rows).T.ravel()

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
        shares = np.ones(end - first)
        if now > then:
            shares = np.clip((self._begun + self._offsets[rows] - then) / (now - then), 0.0, 1.0)
        origins, directions = moving_rays(was, pose, shares, place.body_from_sensor, self._directions[rows])
        self._true[rows] = scene.rays.nearest(origins, directions, self.model.range_max, place.hidden)

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
        """Put back what `save` gave."""
        self._begun, self._before, self._done, true, begins, drawn = state
        self._true, self._begins = true.copy(), deque(begins, maxlen=KEPT)
        self._generator.bit_generator.state = drawn
