"""Cameras: pictures taken only when somebody wants them, those in color by the one renderer."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from andante.description.link import SensorSpec
from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.settings import check_fields, is_size

from .sensor import Mount, Scene, stated

if TYPE_CHECKING:
    from andante.physics.rendering.renderer import Renderer


KEPT = 8  # pictures
FOCUS = 4.0  # how far ahead of the camera shadows are sharpest [m]
MOST_PIXELS = 4096  # largest edge


@dataclass(frozen=True)
class CameraModel:
    """Size, angle of view and errors of a camera."""

    width: int = 640  # [px]
    height: int = 480  # [px]
    horizontal_fov: float = math.radians(60.0)  # [rad]
    noise_stddev: float = 0.0  # of every channel, as a fraction of full brightness

    def __post_init__(self) -> None:
        if not (1 <= self.width <= MOST_PIXELS and 1 <= self.height <= MOST_PIXELS):
            raise BadInput(f"camera pictures have 1 to {MOST_PIXELS} pixels an edge, got {self.width} x {self.height}")
        if not 0.01 < self.vertical_fov < 3.1:
            raise BadInput(
                f"camera horizontal_fov must be an angle between 0.01 and 3.1 rad, got {self.horizontal_fov}"
            )
        check_fields(self, "camera", "at least 0 and finite", is_size, "noise_stddev")

    @property
    def vertical_fov(self) -> float:
        """Vertical angle of view for square pixels [rad]."""
        return 2 * math.atan(math.tan(self.horizontal_fov / 2) * self.height / self.width)

    @property
    def focal_length(self) -> float:
        """fx = fy = width / (2 tan(fov / 2)) [px]."""
        return self.width / (2 * math.tan(self.horizontal_fov / 2))

    @staticmethod
    def of(spec: SensorSpec) -> CameraModel:
        """The camera that a description states."""
        return stated(spec, CameraModel())


@dataclass(frozen=True)
class Picture:
    """What a camera saw."""

    time: float  # [s]
    image: np.ndarray  # (height, width, 3) uint8, or depths (height, width) float32 [m]; read-only


Model = TypeVar("Model", bound=CameraModel)


class PictureSensor(ABC, Generic[Model]):
    """A sensor that takes pictures along its x axis with z up; its one value is the number of the picture.

    A picture costs milliseconds, so it is off until `turn_on` or the first `SensorSuite.picture`; its value is NaN
    until then. The last `KEPT` pictures are kept.
    """

    labels = ("picture",)

    def __init__(self, robot: Robot, link: str, pose: SE3, model: Model, name: str) -> None:
        self.name, self.link, self.pose, self.model = name, link, pose, model
        self.on = False
        self.pictures: deque[tuple[int, Picture]] = deque(maxlen=KEPT)
        self._mount = Mount(robot, link, pose)
        self._generator = np.random.default_rng(0)
        self._count = 0

    @abstractmethod
    def _shoot(self, scene: Scene) -> np.ndarray:
        """The picture of an instant, with its errors."""

    def draw_from(self, generator: np.random.Generator) -> None:
        """Take random numbers from this generator."""
        self._generator = generator

    def turn_on(self, width: int | None = None, height: int | None = None) -> None:
        """Take pictures from the next sample on; a smaller size keeps the angle of view and is quicker."""
        changed = replace(self.model, width=width or self.model.width, height=height or self.model.height)
        if changed != self.model:
            self.turn_off()
            self.model = changed
        self.on = True

    def turn_off(self) -> None:
        """Take no more pictures."""
        self.on = False

    def measure(self, scene: Scene) -> Array:
        """Take a picture when on; its number."""
        if not self.on:
            return np.array([np.nan])
        self._count += 1
        image = self._shoot(scene)
        image.setflags(write=False)
        self.pictures.append((self._count, Picture(scene.time, image)))
        return np.array([float(self._count)])

    def picture(self, number: float) -> Picture | None:
        """The picture of a number, None when it was never taken or is no longer kept."""
        return next((picture for n, picture in reversed(self.pictures) if n == number), None)

    def save(self) -> Any:
        """The pictures so far and the state of the random numbers."""
        return (self.on, self._count, tuple(self.pictures), self._generator.bit_generator.state)

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self.on, self._count, pictures, self._generator.bit_generator.state = state
        self.pictures = deque(pictures, maxlen=KEPT)


class CameraSensor(PictureSensor[CameraModel]):
    """A camera with the one renderer. The OpenGL context is made with the first picture, given back by `turn_off`."""

    def __init__(
        self, robot: Robot, link: str, pose: SE3, model: CameraModel | None = None, name: str = "camera"
    ) -> None:
        super().__init__(robot, link, pose, model or CameraModel(), name)
        self._renderer: Renderer | None = None

    @property
    def ready(self) -> bool:
        """Whether the renderer is there, so that a picture takes no longer than the next one."""
        return self._renderer is not None

    def turn_off(self) -> None:
        """Take no more pictures and give the renderer back."""
        super().turn_off()
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _shoot(self, scene: Scene) -> np.ndarray:
        from andante.physics.rendering import Camera
        from andante.physics.rendering.renderer import Renderer

        m = self.model
        if self._renderer is None:
            self._renderer = Renderer.quick(scene.engine, m.width, m.height)
        eye = Camera.from_pose(self._mount.pose(scene), m.vertical_fov)
        ahead = np.asarray(eye.position) + FOCUS * eye.axes[2]
        image = self._renderer.shoot(scene.engine, replace(eye, lookat=(ahead[0], ahead[1], ahead[2])))
        if m.noise_stddev:
            noisy = image + self._generator.normal(0.0, 255 * m.noise_stddev, image.shape)
            image = np.clip(np.rint(noisy), 0, 255).astype(np.uint8)
        return image
