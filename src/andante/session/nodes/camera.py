"""The robot's cameras: JPEG pictures while somebody looks, and single pictures of any size on request."""

from __future__ import annotations

import io
import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.bus import Publisher
from andante.errors import AndanteError, UnknownName
from andante.sensors import CameraSensor
from andante.sensors.camera import CameraModel
from andante.sensors.sensor import Scene
from andante.sensors.topics import plain, sensor_frame

from .node import Answer, LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

TOPIC, KIND = "/camera/image_raw/compressed", "sensor_msgs/msg/CompressedImage"
RATE = 5.0  # [Hz]
WIDTH, HEIGHT = 320, 240  # [px]
LARGE = (640, 480)  # of the topics that every camera has [px]
USUAL_RATE, SPAN = 30.0, 3.0  # of a camera that states none [Hz]; over which the true rate is told [s]
QUALITY = 80
FRACTION = 0.25  # of the wall time of a paced session that pictures may take; a slow renderer gives fewer


@dataclass
class _View:
    """The large pictures of one camera."""

    topic: Publisher
    rate: float  # asked for [Hz]
    size: tuple[int, int]  # that the camera states [px]
    since: float | None = None  # of the count [s]
    count: int = 0  # pictures since then
    cost: float = 0.0  # of the last one [s of wall time]
    told: bool = False


class CameraNode(LiveNode):
    """/camera/image_raw/compressed of the first camera, or of the one that the parameter /camera/name chooses.

    /camera/NAME/image_raw/compressed of every camera is as large as VGA and as often as the camera's rate; where the
    machine cannot, it comes more rarely, which is told once.

    /take_picture gives a picture of any camera and size, without a line in the log.
    """

    name = "camera"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._topic: Publisher | None = None
        self._broken = False
        self._views: dict[str, _View] = {}
        self._rest_until = 0.0  # wall time before which no picture is taken [s]
        self._kind = messages.cls("sensor_msgs/msg/CompressedImage")
        self._handles.append(self.bus.provide("/take_picture", "andante_msgs/srv/TakePicture", self._take, self.name))
        self.rebuilt()

    def rebuilt(self) -> None:
        """Another robot has other cameras."""
        for view in self._views.values():
            self.drop(view.topic)
        self._views = {}
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
        for name in self._cameras:
            spec = next(s for s in self.stage.robot.sensors if s.name == name)
            rate = spec.rate or USUAL_RATE
            topic = self.advertise(f"/camera/{plain(name)}/image_raw/compressed", KIND, rate, sensor=True)
            model = CameraModel.of(spec)
            self._views[name] = _View(topic, rate, (model.width, model.height))
        self._topic = self.advertise(TOPIC, KIND, RATE, sensor=True)
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
        for name, view in self._views.items():
            self._show(name, view)
        began = time.perf_counter()
        if not self._topic.wanted() or (self.session.paced and began < self._rest_until):
            return
        name = str(self.bus.parameters.get("/camera/name"))
        self._publish(name, self._topic, (WIDTH, HEIGHT), began)

    def _show(self, name: str, view: _View) -> None:
        """A large picture of a camera where somebody wants it, and a word where there are fewer than asked for."""
        began, now = time.perf_counter(), self.session.time
        if not view.topic.heard:
            view.since = None
            return
        if view.since is None or now - view.since > SPAN:
            if view.since is not None and view.count < 0.9 * view.rate * (now - view.since) and not view.told:
                rate, view.told = view.count / (now - view.since), True
                words = f"{rate:.1f} pictures a second where {view.rate:g} are asked for"
                self.bus.log("warn", f"{view.topic.topic}: {words}; one takes {1e3 * view.cost:.0f} ms", self.name)
            view.since, view.count = now, 0
        if view.topic.wanted() and not (self.session.paced and began < self._rest_until):
            self._publish(name, view.topic, LARGE, began)
            view.count, view.cost = view.count + 1, time.perf_counter() - began

    def _publish(self, name: str, topic: Publisher, most: tuple[int, int], began: float) -> None:
        try:
            image = self._shoot(self._cameras[name], self._views[name].size, most)
        except AndanteError as error:
            self._broken = True
            self.bus.log("warn", f"{topic.topic}: {error}", self.name)
            return
        spec = next(s for s in self.stage.robot.sensors if s.name == name)
        topic.publish(self._kind(self.header(sensor_frame(spec)), "jpeg", image))
        self._rest_until = began + (time.perf_counter() - began) / FRACTION

    def _shoot(self, camera: CameraSensor, size: tuple[int, int], most: tuple[int, int]) -> np.ndarray:
        """One picture of now as JPEG bytes (n,) uint8: of the camera's size, or as large as allowed."""
        from PIL import Image

        width, height = size
        smaller = min(1.0, most[0] / width, most[1] / height)
        out = io.BytesIO()
        Image.fromarray(self._pixels(camera, round(smaller * width), round(smaller * height))).save(
            out, "JPEG", quality=QUALITY
        )
        return np.frombuffer(out.getvalue(), dtype=np.uint8)

    def _pixels(self, camera: CameraSensor, width: int, height: int) -> np.ndarray:
        """A picture (height, width, 3) of now; the camera itself stays off between pictures."""
        camera.turn_on(width, height)
        self._scene.renew()
        with nullcontext() if camera.ready else self.session.hub.progress.stage(f"starting the camera {camera.name}"):
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
