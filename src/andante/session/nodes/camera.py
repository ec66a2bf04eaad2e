"""The robot's cameras: JPEG pictures while somebody looks, and single pictures of any size on request."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.bus import Publisher
from andante.errors import AndanteError, UnknownName
from andante.sensors import CameraSensor
from andante.sensors.sensor import Scene
from andante.sensors.topics import sensor_frame

from .node import Answer, LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

TOPIC = "/camera/image_raw/compressed"
RATE = 5.0  # [Hz]
WIDTH, HEIGHT = 320, 240  # [px]
QUALITY = 80
FRACTION = 0.25  # of the wall time of a paced session that pictures may take; a slow renderer gives fewer


class CameraNode(LiveNode):
    """/camera/image_raw/compressed of the first camera, or of the one that the parameter /camera/name chooses.

    /take_picture gives a picture of any camera and size, without a line in the log.
    """

    name = "camera"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._topic: Publisher | None = None
        self._broken = False
        self._rest_until = 0.0  # wall time before which no picture is taken [s]
        self._kind = messages.cls("sensor_msgs/msg/CompressedImage")
        self._handles.append(self.bus.provide("/take_picture", "andante_msgs/srv/TakePicture", self._take, self.name))
        self.rebuilt()

    def rebuilt(self) -> None:
        """Another robot has other cameras."""
        if self._topic is not None:
            self.drop(self._topic)
            self._topic = None
            self.bus.parameters.remove("/camera/name")
        suite = self.stage.sim.sensors
        assert suite is not None
        self._cameras = {c.name: c.sensor for c in suite if isinstance(c.sensor, CameraSensor)}
        self._broken = False
        self._scene = Scene(self.stage.sim.engine, self.stage.sim.model)
        if not self._cameras:
            return
        self._topic = self.advertise(TOPIC, "sensor_msgs/msg/CompressedImage", RATE, sensor=True)
        self.bus.parameters.declare(
            "/camera/name",
            next(iter(self._cameras)),
            check=self._check,
            changed=lambda name: self._rest(),
            help="which camera is shown",
            node=self.name,
        )

    def repopulated(self) -> None:
        """The cameras look at another scene."""
        self._scene = Scene(self.stage.sim.engine, self.stage.sim.model)

    def _check(self, name: str) -> None:
        if name not in self._cameras:
            raise UnknownName.among("camera", name, self._cameras)

    def _rest(self) -> None:
        for camera in self._cameras.values():
            camera.turn_off()

    def update(self) -> None:
        """A picture if one is wanted; cameras that nobody looks at are off."""
        if self._topic is None or self._broken or self.session.paused:
            return
        began = time.perf_counter()
        if not self._topic.wanted() or (self.session.paced and began < self._rest_until):
            return
        name = str(self.bus.parameters.get("/camera/name"))
        camera = self._cameras[name]
        try:
            image = self._shoot(camera)
        except AndanteError as error:
            self._broken = True
            self.bus.log("warn", f"{TOPIC}: {error}", self.name)
            return
        spec = next(s for s in self.stage.robot.sensors if s.name == name)
        self._topic.publish(self._kind(self.header(sensor_frame(spec)), "jpeg", image))
        self._rest_until = began + (time.perf_counter() - began) / FRACTION

    def _shoot(self, camera: CameraSensor) -> np.ndarray:
        """One picture of now as JPEG bytes (n,) uint8."""
        from PIL import Image

        width, height = camera.model.width, camera.model.height
        smaller = min(1.0, WIDTH / width, HEIGHT / height)
        out = io.BytesIO()
        Image.fromarray(self._pixels(camera, round(smaller * width), round(smaller * height))).save(
            out, "JPEG", quality=QUALITY
        )
        return np.frombuffer(out.getvalue(), dtype=np.uint8)

    def _pixels(self, camera: CameraSensor, width: int, height: int) -> np.ndarray:
        """A picture (height, width, 3) of now; the camera itself stays off between pictures."""
        camera.turn_on(width, height)
        self._scene.renew()
        camera.measure(self._scene)
        camera.on = False  # it takes no pictures of its own accord: the loop would pay for them
        return camera.pictures[-1][1].image

    def _take(self, request: Any) -> Answer:
        name = str(request.camera) or next(iter(self._cameras), "")
        try:
            self._check(name)
            camera = self._cameras[name]
            width, height = int(request.width) or camera.model.width, int(request.height) or camera.model.height
            pixels = self._pixels(camera, width, height)
        except AndanteError as error:
            return {"success": False, "message": str(error)}
        spec = next(s for s in self.stage.robot.sensors if s.name == name)
        image = messages.make(
            "sensor_msgs/msg/Image", header=self.header(sensor_frame(spec)), height=height, width=width,
            encoding="rgb8", step=3 * width, data=pixels.ravel(),
        )  # fmt: skip
        return {"success": True, "horizontal_fov": camera.model.horizontal_fov, "image": image}

    def close(self) -> None:
        """Give the renderer back."""
        self._rest()
        super().close()
