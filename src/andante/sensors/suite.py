"""All sensors of one robot in an engine: made from its description, sampled together, read by name."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from andante._moved import renamed
from andante.description.link import SensorSpec
from andante.description.robot import Robot
from andante.description.shapes import Vec3
from andante.errors import BadInput, UnknownName
from andante.physics import Engine

from .camera import CameraModel, CameraSensor, Picture, PictureSensor
from .channel import Bank, Channel, Noise
from .contact import ContactSwitch, FootForce
from .depth import DepthCamera, DepthModel, depth_name
from .lidar import Lidar, lidar_model
from .proprioception import (
    EffortSensors,
    Imu,
    PositionEncoders,
    VelocityFromEncoders,
    WheelEncoders,
    WheelErrors,
    wheel_joints,
)
from .sensor import Erring, Reading, Scene, Sensor, Watcher, Watching, stated
from .sonar import Sonar, SonarModel
from .uwb import UwbErrors, UwbTag, anchors_of

ENCODER_RATE = 100.0  # [Hz]
SWITCHES = ("contact", "bumper", "touch", "button")
CAMERAS = ("camera", "depth_camera", "rgbd_camera")
RANGING = ("lidar", "sonar", "uwb", "wheel_encoders", *CAMERAS)  # kinds that make their own errors
MODELED = (*SWITCHES, *RANGING, "imu", "force")
WIDEST = 3.0  # horizontal angle of view that a pinhole camera can have [rad]
# What a sensor of a kind is like when its file does not say: rate [Hz] and errors of usual parts.
DEFAULT_RATE = {
    **dict.fromkeys(("imu", "force", "wheel_encoders"), 100.0),
    **dict.fromkeys(SWITCHES, 50.0),
    **dict.fromkeys(("sonar", "uwb", *CAMERAS), 10.0),
}
DEFAULT_NOISE = {
    "encoders": Noise(resolution=2 * np.pi / 4096),  # 12 bit per turn
    "force": Noise(stddev=0.05, lower=0.0),
    "imu": Noise(stddev=0.01),
}


@renamed(actor="model", unmodelled="unmodeled")
class SensorSuite:
    """Channels of one model. Same seed, same readings.

    perfect: without errors. anchors: of UWB tags, name to x y z in the world; by default those of `anchors_of(world)`.
    """

    def __init__(
        self,
        engine: Engine,
        model: int,
        seed: int = 0,
        perfect: bool = False,
        anchors: Mapping[str, Vec3] | None = None,
    ) -> None:
        if not 0 <= seed < 2**63:
            raise BadInput(f"a seed is a whole number from 0 to 2^63 - 1, got {seed}")
        self.engine, self.model, self.seed = engine, model, seed
        robot = engine.models[model].tree.robot
        self._channels: dict[str, Channel] = {}
        self._banks: list[Bank] = []
        self._waited: list[Bank] = []  # those whose samples somebody waits for
        self._pictured: list[tuple[Bank, list[PictureSensor[Any]]]] = []  # those of cameras alone, which may be off
        self._scene = Scene(engine, model)
        self.told: dict[str, tuple[float, Any]] = {}  # by channel: time of a reading, and what somebody has made of it
        # kinds without a model here: they are reported, not sampled
        self.unmodeled = tuple(spec for spec in robot.sensors if not _modeled(spec))
        self.anchors = dict(anchors) if anchors is not None else {}
        if anchors is None and any(spec.kind == "uwb" for spec in robot.sensors):
            self.anchors = anchors_of(engine.world)
        encoder_noise = Noise() if perfect else DEFAULT_NOISE["encoders"]
        self.add(PositionEncoders(robot), ENCODER_RATE, encoder_noise)
        self.add(VelocityFromEncoders(robot, encoder_noise.resolution), ENCODER_RATE)
        self.add(EffortSensors(robot), ENCODER_RATE)
        if wheel_joints(robot) and not any(spec.kind == "wheel_encoders" for spec in robot.sensors):
            self.add(WheelEncoders(robot, errors=WheelErrors(ticks=0) if perfect else None), ENCODER_RATE)
        for sensor, spec in _from_description(robot, self.anchors, perfect):
            noise = Noise() if perfect or spec.kind in RANGING else noise_of(spec)
            usual = sensor.model.rate if isinstance(sensor, Lidar) else DEFAULT_RATE.get(spec.kind, ENCODER_RATE)
            self.add(sensor, spec.rate or usual, noise, float(spec.parameters.get("latency", 0.0)))

    def add(self, sensor: Sensor, rate: float, noise: Noise | None = None, latency: float = 0.0) -> Channel:
        """Put another sensor on the robot; its random numbers depend on the seed and its name only."""
        key = zlib.crc32(sensor.name.encode())
        if isinstance(sensor, Watching):  # first: it looks on before it is sampled
            self._join(Watcher(sensor), sensor.watch_rate, Noise(), 0.0, np.random.default_rng(0))
        channel = self._join(sensor, rate, noise or Noise(), latency, np.random.default_rng([self.seed, key]))
        if isinstance(sensor, Erring):
            sensor.draw_from(np.random.default_rng([self.seed, key, 1]))
        self._channels[sensor.name] = channel
        return channel

    def _join(
        self, sensor: Sensor, rate: float, noise: Noise, latency: float, generator: np.random.Generator
    ) -> Channel:
        bank = next((each for each in self._banks if each.rate == rate and each.open), None)
        channel = Channel(sensor, rate, noise, latency, generator, bank)
        if bank is None:
            self._banks.append(channel.bank)
        self._waited, self._pictured = [], []
        for each in self._banks:
            sensors = each.sensors
            cameras = [sensor for sensor in sensors if isinstance(sensor, PictureSensor)]
            if len(cameras) == len(sensors):
                self._pictured.append((each, cameras))
            else:
                self._waited.append(each)
        return channel

    def update(self) -> None:
        """Sample what is due at the engine's present time."""
        scene = self._scene
        scene.renew()
        late = scene.time + scene.engine.dt / 2
        for bank in self._banks:
            bank.update(scene, late)

    @property
    def next_time(self) -> float:
        """When the next sample of any sensor is due [s]; cameras that are off wait for the next of the others."""
        soonest = min([bank.next_time for bank in self._waited])
        for bank, cameras in self._pictured:
            if bank.next_time < soonest and any(camera.on for camera in cameras):
                soonest = bank.next_time
        return soonest

    def __getitem__(self, name: str) -> Channel:
        try:
            return self._channels[name]
        except KeyError:
            raise UnknownName.among("sensor", name, self._channels) from None

    def __iter__(self) -> Iterator[Channel]:
        return iter(self._channels.values())

    def __len__(self) -> int:
        return len(self._channels)

    @property
    def readings(self) -> Mapping[str, Reading | None]:
        """Newest reading of every sensor."""
        return {name: channel.reading for name, channel in self._channels.items()}

    def picture(self, name: str) -> Picture | None:
        """The newest picture of a camera that has arrived; the first call turns it on and takes one now.

        None while the latency of the first one lasts, and when more are on their way than a camera keeps.
        """
        channel = self[name]
        camera = channel.sensor
        if not isinstance(camera, PictureSensor):
            cameras = [each.name for each in self if isinstance(each.sensor, PictureSensor)]
            raise UnknownName.among("camera", name, cameras)
        if not camera.on:
            camera.turn_on()
            self._scene.renew()
            camera.measure(self._scene)
        arrived = self.engine.time - channel.latency + 1e-9
        return next((picture for _, picture in reversed(camera.pictures) if picture.time <= arrived), None)

    def move(self, engine: Engine, model: int) -> None:
        """Go on in another scene that holds the same robot; cameras are off then."""
        self.close()
        self.engine, self.model, self._scene = engine, model, Scene(engine, model)

    def close(self) -> None:
        """Turn cameras off: gives their OpenGL contexts back."""
        for channel in self:
            if isinstance(channel.sensor, PictureSensor):
                channel.sensor.turn_off()

    def save(self) -> Any:
        """Everything that decides the coming readings."""
        return [bank.save() for bank in self._banks]

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        if len(state) != len(self._banks):
            raise BadInput("sensors were added after the state was saved; it cannot be put back")
        self._scene.forget()
        self.told.clear()
        for bank, part in zip(self._banks, state, strict=True):
            bank.load(part)


def _modeled(spec: SensorSpec) -> bool:
    """Whether there is a model of a sensor: of its kind, and cameras only where a pinhole can see as wide."""
    if spec.kind in CAMERAS:
        width = spec.parameters.get("horizontal_fov", 1.0)
        return isinstance(width, str) or width < WIDEST
    return spec.kind in MODELED


def noise_of(spec: SensorSpec) -> Noise:
    """Error model that the description states, otherwise the usual one of the kind."""
    upper = "range_max" if spec.kind == "force" else ""
    resolution = "resolution" if spec.kind in ("imu", "force") else ""
    names = {"stddev": "noise_stddev", "resolution": resolution, "lower": "", "upper": upper}
    return stated(spec, DEFAULT_NOISE.get(spec.kind, Noise()), names)


def _from_description(robot: Robot, anchors: Mapping[str, Vec3], perfect: bool) -> Iterator[tuple[Sensor, SensorSpec]]:
    """Sensor models of the described sensors; the load cells of one link become one `FootForce`."""
    cells: dict[str, list[SensorSpec]] = {}
    for spec in robot.sensors:
        if not _modeled(spec):
            continue
        if spec.kind == "force":
            cells.setdefault(spec.link, []).append(spec)
        elif spec.kind == "imu":
            gyro = str(spec.parameters.get("gyro_axes", "xyz"))
            acc = str(spec.parameters.get("accelerometer_axes", "xyz"))
            yield Imu(robot, spec.link, spec.pose, spec.name, gyro, acc), spec
        elif spec.kind in SWITCHES:
            radius = float(spec.parameters.get("radius", 0.03))
            threshold = float(spec.parameters.get("threshold", 0.0 if spec.kind == "contact" else 0.5))
            place = None if spec.kind == "contact" else spec.pose
            yield ContactSwitch(robot, spec.link, spec.name, place, radius, threshold), spec
        elif spec.kind == "rgbd_camera":
            plain = {name: value for name, value in spec.parameters.items() if not name.startswith("noise")}
            yield _ranging(robot, replace(spec, kind="camera", parameters=plain), anchors, perfect), spec
            yield _ranging(robot, replace(spec, name=depth_name(spec)), anchors, perfect), spec
        elif spec.kind in RANGING:
            yield _ranging(robot, spec, anchors, perfect), spec
    for link, specs in cells.items():
        points = [(spec.name, spec.pose.translation) for spec in specs]
        yield FootForce(robot, link, points, f"{link}/force", specs[0].pose.rotation), specs[0]


def _ranging(robot: Robot, spec: SensorSpec, anchors: Mapping[str, Vec3], perfect: bool) -> Sensor:
    """The model of a lidar, sonar, UWB tag, camera or set of wheel encoders; perfect: without its errors."""
    if spec.kind == "lidar":
        lidar = lidar_model(spec)
        return Lidar(robot, spec.link, spec.pose, lidar.without_errors() if perfect else lidar, spec.name)
    if spec.kind == "sonar":
        sonar = SonarModel.of(spec)
        return Sonar(robot, spec.link, spec.pose, sonar.without_errors() if perfect else sonar, spec.name)
    if spec.kind == "uwb":
        errors = UwbErrors.none() if perfect else UwbErrors.of(spec)
        return UwbTag(robot, spec.link, spec.pose, anchors, errors, spec.name)
    if spec.kind in ("depth_camera", "rgbd_camera"):
        depth = DepthModel.of(spec)
        return DepthCamera(robot, spec.link, spec.pose, depth.without_errors() if perfect else depth, spec.name)
    if spec.kind == "camera":
        camera = CameraModel.of(spec)
        return CameraSensor(
            robot, spec.link, spec.pose, replace(camera, noise_stddev=0.0) if perfect else camera, spec.name
        )
    return WheelEncoders(robot, errors=WheelErrors(ticks=0) if perfect else WheelErrors.of(spec), name=spec.name)
