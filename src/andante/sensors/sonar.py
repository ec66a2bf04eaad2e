"""Sonar: the nearest surface in a cone that throws the sound back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from andante.description.link import SensorSpec
from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.settings import check_fields, is_fraction, is_size

from .kernels import measured_ranges, moving_rays, strongest
from .sensor import Mount, Scene, stated

SLANT = 1e-3  # angle between the rays of a triple [rad]


@dataclass(frozen=True)
class SonarModel:
    """Cone, range and errors of a sonar."""

    cone: float = math.radians(60.0)  # full angle [rad]
    range_min: float = 0.02  # [m]
    range_max: float = 4.0  # [m]
    resolution: float = 0.01  # [m]
    noise_stddev: float = 0.01  # [m]
    noise_proportional: float = 0.0
    dropout: float = 0.0
    incidence: float = math.radians(40.0)  # a surface slanted more than this reflects the sound away [rad]
    rings: int = 6  # of rays around the axis

    def __post_init__(self) -> None:
        check_fields(self, "sonar", "an angle between 0 and pi rad", lambda cone: 0 < cone <= math.pi, "cone")
        if not 0 <= self.range_min < self.range_max < math.inf:
            raise BadInput(f"sonar needs 0 <= range_min < range_max, got {self.range_min} and {self.range_max} m")
        check_fields(self, "sonar", "an angle between 0 and pi/2 rad", lambda a: 0 < a <= math.pi / 2, "incidence")
        names = ("resolution", "noise_stddev", "noise_proportional")
        check_fields(self, "sonar", "at least 0 and finite", is_size, *names)
        check_fields(self, "sonar", "a fraction between 0 and 1", is_fraction, "dropout")
        if not 1 <= self.rings <= 50:
            raise BadInput(f"sonar rings must lie between 1 and 50, got {self.rings}")

    def without_errors(self) -> SonarModel:
        """The same sonar with true ranges; its cone and limits stay."""
        return replace(self, resolution=0.0, noise_stddev=0.0, noise_proportional=0.0, dropout=0.0)

    @staticmethod
    def of(spec: SensorSpec) -> SonarModel:
        """The sonar that a description states; SDF gives the radius of the cone at its greatest range."""
        usual = SonarModel()

        def derived(number: Callable[[str, float], float]) -> Mapping[str, float]:
            if "cone" in spec.parameters or "radius" not in spec.parameters:
                return {}
            return {"cone": 2 * math.atan2(number("radius", 0.0), number("range_max", usual.range_max))}

        return stated(spec, usual, derived=derived)


class Sonar:
    """Range [m] along the sensor's x axis: the nearest point in the cone whose surface faces the sensor.

    A cone of rays, each with two neighbors that tell the slant of the surface. REP 117: +inf no echo, -inf an object
    nearer than range_min, NaN no reading. The body that carries the sonar is not seen.
    """

    labels = ("range",)

    def __init__(
        self, robot: Robot, link: str, pose: SE3, model: SonarModel | None = None, name: str = "sonar"
    ) -> None:
        self.name, self.link, self.pose, self.model = name, link, pose, model or SonarModel()
        self._mount = Mount(robot, link, pose)
        triples = cone_of_rays(self.model.cone / 2, self.model.rings).reshape(-1, 3, 3)
        self._rays = np.ascontiguousarray(triples.transpose(1, 0, 2)).reshape(-1, 3)  # the rays, then their neighbors
        self._generator = np.random.default_rng(0)

    def draw_from(self, generator: np.random.Generator) -> None:
        """Take random numbers from this generator."""
        self._generator = generator

    def measure(self, scene: Scene) -> Array:
        """Range with its errors, (1,)."""
        m, place = self.model, self._mount.on(scene)
        pose = np.array(scene.body_poses[place.body])
        origins, directions = moving_rays(pose, pose, np.zeros(len(self._rays)), place.body_from_sensor, self._rays)
        count, distances = len(self._rays) // 3, np.full(len(self._rays), math.inf)
        distances[:count] = scene.rays.nearest(origins[:count], directions[:count], m.range_max, place.hidden)
        met = np.flatnonzero(distances[:count] < math.inf)  # only of these the slant counts
        if len(met):
            beside = np.concatenate([count + met, 2 * count + met])
            distances[beside] = scene.rays.nearest(origins[beside], directions[beside], m.range_max, place.hidden)
        echo = np.array([strongest(distances, directions, math.cos(m.incidence))])
        normal, chance = self._generator.standard_normal(1), self._generator.random(1)
        return measured_ranges(
            echo, normal, chance, m.noise_stddev, m.noise_proportional, 0.0, m.resolution, m.range_min, m.range_max,
            m.dropout,
        )  # fmt: skip

    def save(self) -> Any:
        """The state of the random numbers."""
        return self._generator.bit_generator.state

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self._generator.bit_generator.state = state


def cone_of_rays(half: float, rings: int) -> Array:
    """Unit vectors (3 n, 3) about the x axis: rings of rays out to an angle [rad], each with two close neighbors."""
    angles, turns = [0.0], [0.0]
    for ring in range(1, rings + 1):
        count = 6 * ring
        angles += [half * ring / rings] * count
        turns += [2 * math.pi * k / count for k in range(count)]
    a, t = np.array(angles), np.array(turns)
    x, radial = np.stack([np.cos(t), np.sin(t)], axis=-1), np.sin(a)[:, None]
    middle = np.concatenate([np.cos(a)[:, None], radial * x], axis=1)
    outward = np.concatenate([-np.sin(a)[:, None], np.cos(a)[:, None] * x], axis=1)
    sideways = np.cross(middle, outward)
    triples = np.stack([middle, middle + SLANT * outward, middle + SLANT * sideways], axis=1)
    return np.ascontiguousarray((triples / np.linalg.norm(triples, axis=-1, keepdims=True)).reshape(-1, 3))
