"""Depth cameras: how far away what each pixel shows is, by the one ray caster of all engines.

The picture holds z, the distance along the viewing direction [m], as Image messages of the encoding 32FC1 do. Noise of
structured light grows with the square of the distance: Khoshelham and Oude Elberink, "Accuracy and resolution of Kinect
depth data for indoor mapping applications", Sensors 12 (2012), 1.4 mm at 1 m, 2.3 cm at 4 m.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from andante.description.link import SensorSpec
from andante.description.robot import Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3, Array
from andante.settings import check_fields, is_fraction, is_size

from .camera import CameraModel, PictureSensor
from .kernels import measured_depths
from .sensor import Scene, stated

FARTHEST = 100.0  # of a description that sees further [m]


@dataclass(frozen=True)
class DepthModel(CameraModel):
    """Size, angle of view, range and errors of a depth camera; `noise_stddev` is in meters here.

    Errors of a depth z: a deviate of noise_stddev + noise_quadratic z², then steps of `resolution`.
    """

    range_min: float = 0.1  # [m]
    range_max: float = 10.0  # [m]
    noise_quadratic: float = 0.0  # part of the noise that grows with the square of the depth [1/m]
    resolution: float = 0.0  # depths come in multiples of this [m]
    dropout: float = 0.0  # fraction of pixels that give nothing (NaN)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(
            self, "depth camera", "at least 0 and finite", is_size, "range_min", "noise_quadratic", "resolution"
        )
        check_fields(self, "depth camera", "a fraction between 0 and 1", is_fraction, "dropout")
        if not self.range_min < self.range_max < math.inf:
            raise BadInput(
                f"depth camera range_max must be finite and above range_min {self.range_min}, got {self.range_max}"
            )

    def without_errors(self) -> DepthModel:
        """The same camera with true depths; its limits stay."""
        return replace(self, noise_stddev=0.0, noise_quadratic=0.0, resolution=0.0, dropout=0.0)

    def points(self, depths: NDArray[np.float32], every: int = 1) -> Array:
        """Points (n, 3) [m] in the sensor's axes (x ahead, z up) of the finite depths of every so manyth pixel."""
        rows, columns = depths.shape
        focal = columns / (2 * math.tan(self.horizontal_fov / 2))
        chosen = depths[every // 2 :: every, every // 2 :: every].astype(np.float64)
        v, u = np.nonzero(np.isfinite(chosen))
        z = chosen[v, u]
        left = (0.5 * columns - every * u - every // 2 - 0.5) / focal
        up = (0.5 * rows - every * v - every // 2 - 0.5) / focal
        return np.stack([z, z * left, z * up], axis=-1)

    @staticmethod
    def of(spec: SensorSpec) -> DepthModel:
        """The depth camera that a description states; its parameter `model` names one of `DEPTH_CAMERAS`."""
        name, base = spec.parameters.get("model"), DepthModel()
        if name is not None:
            known = str(name).strip().lower().replace("-", "_").replace(" ", "_")
            if known not in DEPTH_CAMERAS:
                raise UnknownName.among("depth camera model", str(name), DEPTH_CAMERAS, f"sensor {spec.name!r}")
            base = DEPTH_CAMERAS[known]

        def derived(number: Callable[[str, float], float]) -> Mapping[str, float]:
            near = number("range_min", number("depth_near", number("near", base.range_min)))
            far = number("range_max", number("depth_far", number("far", base.range_max)))
            return {"range_min": near, "range_max": min(far, FARTHEST)}

        return stated(spec, base, derived=derived)


class DepthCamera(PictureSensor[DepthModel]):
    """Depths (height, width) float32 [m] along the x axis; REP 117: +inf beyond range, -inf too near, NaN no reading.

    Collision shapes are seen; the body that carries the camera is not.
    """

    def __init__(
        self, robot: Robot, link: str, pose: SE3, model: DepthModel | None = None, name: str = "depth"
    ) -> None:
        super().__init__(robot, link, pose, model or DepthModel(), name)

    def _shoot(self, scene: Scene) -> np.ndarray:
        m, hidden = self.model, self._mount.on(scene).hidden
        size = (m.width, m.height)
        depths = scene.rays.depths(self._mount.pose(scene), m.focal_length, size, m.range_max, hidden)
        noisy, count = m.noise_stddev > 0.0 or m.noise_quadratic > 0.0, depths.size
        none = np.zeros(0, dtype=np.float32)
        measured_depths(
            depths.ravel(),
            self._generator.standard_normal(count, dtype=np.float32) if noisy else none,
            self._generator.random(count, dtype=np.float32) if m.dropout else none,
            m.noise_stddev, m.noise_quadratic, m.resolution, m.range_min, m.range_max, m.dropout,
        )  # fmt: skip
        return depths


XTION = DepthModel(
    horizontal_fov=math.radians(58.0), range_min=0.35, range_max=4.0, noise_quadratic=0.0014, resolution=0.001,
    dropout=0.01,
)  # fmt: skip
DEPTH_CAMERAS: Mapping[str, DepthModel] = {"xtion": XTION}


def depth_name(spec: SensorSpec) -> str:
    """Name of the depths of an RGB-D camera, whose colors have its own."""
    return f"{spec.name}/depth"
