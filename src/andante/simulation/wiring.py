"""The sensors of a simulated robot as the state of a body: channels looked up once, read every control step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from andante.control.body import NO_POWER, WELL, BodyState, Health, Power
from andante.description import Robot
from andante.sensors import (
    Bank,
    Channel,
    ContactSwitch,
    FootForce,
    Imu,
    Lidar,
    SensorSuite,
    Sonar,
    UwbTag,
    WheelEncoders,
)


class Wiring:
    """The channels of a suite by what a body tells."""

    def __init__(self, suite: SensorSuite, robot: Robot) -> None:
        self.suite, self.count = suite, len(suite)
        self._position, self._velocity, self._effort = (
            suite[name] for name in ("encoders", "encoder_velocities", "efforts")
        )
        self._inertial = [channel for channel in suite if isinstance(channel.sensor, Imu)]
        self._feet = [(c.name.removesuffix("/force"), c) for c in suite if isinstance(c.sensor, FootForce)]
        self._ranging = [channel for channel in suite if isinstance(channel.sensor, Lidar | Sonar | UwbTag)]
        self._wheels: list[tuple[Channel, np.ndarray]] = []  # counters, and the joints that they count
        for channel in suite:
            if isinstance(channel.sensor, WheelEncoders):
                places = [robot.joint_names.index(name) for name in channel.sensor.joints]
                self._wheels.append((channel, np.array(places, dtype=int)))
        switches = [channel for channel in suite if isinstance(channel.sensor, ContactSwitch)]
        self._late = [channel for channel in switches if channel.latency]
        self._prompt: list[tuple[Bank, tuple[str, ...], np.ndarray]] = []  # switches of a bank without latency: places
        for bank in {id(channel.bank): channel.bank for channel in switches}.values():
            mine = [channel for channel in switches if channel.bank is bank and not channel.latency]
            self._prompt.append((bank, tuple(c.name for c in mine), np.array([c.place.start for c in mine], dtype=int)))
        self._unknown = np.full(len(robot.joint_names), np.nan)
        self._unknown.setflags(write=False)

    def fits(self, suite: SensorSuite) -> bool:
        """Whether it still tells all channels of a suite."""
        return self.suite is suite and self.count == len(suite)

    def state(self, time: float, since: float, power: Power = NO_POWER, health: Health = WELL) -> BodyState:
        """The newest readings of all sensors; of an IMU the mean since a time [s]."""
        channels = (self._position, self._velocity, self._effort)
        position, velocity, effort = (  # copies: whoever writes into a state spoils no sensor
            self._unknown if (values := channel.values) is None else np.array(values) for channel in channels
        )
        measured = math.nan
        for counter, joints in self._wheels:
            counted = counter.reading
            if counted is not None:
                position = np.array(position) if position is self._unknown else position
                position[joints] = counted.values
                measured = counted.time
        inertial: dict[str, Any] = {"gyros": {}}
        for channel in self._inertial:
            felt = channel.mean_since(since)
            if felt is not None:
                inertial["gyro"], inertial["acceleration"] = felt[:3], felt[3:]
                if len(self._inertial) > 1:
                    inertial["gyros"][channel.name] = felt[:3]
        forces = {name: cells for name, channel in self._feet if (cells := channel.values) is not None}
        pressed: dict[str, bool] = {}
        for bank, names, places in self._prompt:
            if bank.taken:
                pressed.update(zip(names, (bank.taken[-1][1][places] > 0.0).tolist(), strict=True))
        for channel in self._late:
            touch = channel.values
            if touch is not None:
                pressed[channel.name] = bool(touch[0])
        ranges = {channel.name: seen for channel in self._ranging if (seen := channel.values) is not None}
        return BodyState(
            time,
            position,
            velocity,
            forces=forces,
            pressed=pressed,
            measured_at=measured,
            effort=effort,
            ranges=ranges,
            power=power,
            health=health,
            **inertial,
        )
