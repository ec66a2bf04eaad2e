"""All sensors of one robot in an engine: made from its description, sampled together, read by name."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from andante.description.robot import Robot
from andante.description.sensor import SensorSpec
from andante.errors import BadInput, UnknownName
from andante.physics import Engine

from .channel import Bank, Channel
from .contact import ContactSwitch
from .encoders import EffortSensors, PositionEncoders, VelocityFromEncoders
from .force import FootForce
from .imu import Imu
from .noise import Noise
from .sensor import Reading, Scene, Sensor

ENCODER_RATE = 100.0  # [Hz]
SWITCHES = ("contact", "bumper", "touch", "button")
# What a sensor of a kind is like when its file does not say: rate [Hz] and errors of usual parts.
DEFAULT_RATE = {"imu": 100.0, "force": 100.0, "contact": 50.0, "bumper": 50.0, "touch": 50.0, "button": 50.0}
DEFAULT_NOISE = {
    "encoders": Noise(resolution=2 * np.pi / 4096),  # 12 bit per turn
    "force": Noise(stddev=0.05, lower=0.0),
    "imu": Noise(stddev=0.01),
}


class SensorSuite:
    """Channels of one actor. Same seed, same readings."""

    def __init__(self, engine: Engine, actor: int, seed: int = 0, perfect: bool = False) -> None:
        self.engine, self.actor, self.seed = engine, actor, seed
        robot = engine.actors[actor].tree.robot
        self._channels: dict[str, Channel] = {}
        self._banks: list[Bank] = []
        self._scene = Scene(engine, actor)
        self.unmodelled = tuple(
            spec for spec in robot.sensors if spec.kind not in (*SWITCHES, "imu", "force")
        )  # kinds without a model here: they are told, not sampled
        encoder_noise = Noise() if perfect else DEFAULT_NOISE["encoders"]
        self.add(PositionEncoders(robot), ENCODER_RATE, encoder_noise)
        self.add(VelocityFromEncoders(robot, encoder_noise.resolution), ENCODER_RATE)
        self.add(EffortSensors(robot), ENCODER_RATE)
        for sensor, spec in _from_description(robot):
            noise = Noise() if perfect else noise_of(spec)
            latency = float(spec.parameters.get("latency", 0.0))
            self.add(sensor, spec.rate or DEFAULT_RATE.get(spec.kind, ENCODER_RATE), noise, latency)

    def add(self, sensor: Sensor, rate: float, noise: Noise | None = None, latency: float = 0.0) -> Channel:
        """Put another sensor on the robot; its random numbers depend on the seed and its name only."""
        generator = np.random.default_rng([self.seed, zlib.crc32(sensor.name.encode())])
        bank = next((each for each in self._banks if each.rate == rate and each.open), None)
        channel = Channel(sensor, rate, noise or Noise(), latency, generator, bank)
        if bank is None:
            self._banks.append(channel.bank)
        self._channels[sensor.name] = channel
        return channel

    def update(self) -> None:
        """Sample what is due at the engine's present time."""
        scene = self._scene
        scene.renew()
        for bank in self._banks:
            bank.update(scene)

    @property
    def next_time(self) -> float:
        """When the next sample of any sensor is due [s]."""
        return min([bank.next_time for bank in self._banks])

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

    def save(self) -> Any:
        """Everything that decides the coming readings."""
        return [bank.save() for bank in self._banks]

    def load(self, state: Any) -> None:
        """Put back what `save` gave."""
        if len(state) != len(self._banks):
            raise BadInput("sensors were added after the state was saved; it cannot be put back")
        for bank, part in zip(self._banks, state, strict=True):
            bank.load(part)


def noise_of(spec: SensorSpec) -> Noise:
    """Error model that the description states, otherwise the usual one of the kind."""
    usual = DEFAULT_NOISE.get(spec.kind, Noise())
    given = spec.parameters

    def value(name: str, default: float) -> float:
        return float(given.get(name, default))

    lower, upper = (
        (usual.lower, value("range_max", usual.upper)) if spec.kind == "force" else (usual.lower, usual.upper)
    )
    return Noise(
        stddev=value("noise_stddev", usual.stddev),
        bias_stddev=value("bias_stddev", usual.bias_stddev),
        bias_walk=value("bias_walk", usual.bias_walk),
        resolution=value("resolution", usual.resolution) if spec.kind in ("imu", "force") else usual.resolution,
        lower=lower,
        upper=upper,
    )


def _from_description(robot: Robot) -> Iterator[tuple[Sensor, SensorSpec]]:
    """Sensor models of the described sensors; the load cells of one link become one `FootForce`."""
    cells: dict[str, list[SensorSpec]] = {}
    for spec in robot.sensors:
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
    for link, specs in cells.items():
        points = [(spec.name, spec.pose.translation) for spec in specs]
        yield FootForce(robot, link, points, f"{link}/force", specs[0].pose.rotation), specs[0]
