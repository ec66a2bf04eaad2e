"""A microcontroller in a simulated car: firmware between a line and the wheels, step by step.

The pulse widths of the firmware set steering angle and wheel speed; encoders, IMU and battery feed it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from andante.control.body import BodyCommand, Power
from andante.gravity import GRAVITY
from andante.simulation.simulation import Simulation

from .car import Car
from .firmware import BoardOutput, BoardSensors, Firmware
from .parameters import PwmChannel
from .ports import Port

TICKS_PER_TURN = 1200  # of a wheel's encoder


@dataclass
class Battery:
    """Two lithium cells: the voltage sags with the throttle and falls slowly with use."""

    voltage: float = 7.6  # at rest [V]
    sag: float = 0.4  # at full throttle [V]
    use: float = 1e-4  # per second of full throttle [V]

    def draw(self, throttle: float, dt: float) -> float:
        """Voltage under a fraction of the full throttle."""
        self.voltage -= self.use * abs(throttle) * dt
        return self.voltage - self.sag * abs(throttle)


class Board:
    """Firmware on board of a simulated car. `step` is called once per control period (20 ms)."""

    def __init__(
        self,
        body: Simulation,
        firmware: Firmware | None = None,
        ticks_per_turn: int = TICKS_PER_TURN,
        battery: Battery | None = None,
    ) -> None:
        self.body, self.car = body, Car.of(body.robot)
        self.firmware = firmware or Firmware(self.car.parameters)
        self.ticks_per_turn = ticks_per_turn
        self.battery = battery or Battery()
        self.output = BoardOutput(b"", 0, 0)
        self._fraction = 0.0  # of the full throttle
        self._fractions = (math.nan, math.nan)  # throttle and steering that the command below stands for
        self._command = BodyCommand()
        self._before = body.time
        self._wheels = [body.joint_names.index(name) for name in (self.car.left, self.car.right)]

    def step(self, received: bytes) -> bytes:
        """Give the firmware the bytes that came and the sensors, move wheels by its pulses; bytes to send."""
        now = self.body.time
        self.output = self.firmware.step(now, received, self._sensors(now))
        throttle = PwmChannel.of("throttle", self.firmware.parameters).fraction(self.output.throttle)
        steering = PwmChannel.of("steering", self.firmware.parameters).fraction(self.output.steering)
        self._fraction, self._before = throttle, now
        if (throttle, steering) != self._fractions:
            self._fractions = (throttle, steering)
            targets = self.car.targets(throttle * self.car.max_speed, steering * self.car.full_lock)
            self._command = BodyCommand(targets)
        self.body.write(self._command)
        return self.output.data

    def _sensors(self, now: float) -> BoardSensors:
        state = self.body.read()
        volts = self.battery.draw(self._fraction, now - self._before)
        self.body.power = Power(volts)
        left, right = (
            math.floor(state.position[i] / (2 * math.pi) * self.ticks_per_turn) if np.isfinite(state.position[i]) else 0
            for i in self._wheels
        )
        return BoardSensors(_three(state.gyro, 0.0), _three(state.acceleration, GRAVITY), (left, right), volts)


def _three(values: np.ndarray, z: float) -> tuple[float, float, float]:
    """Three numbers; what a car without an IMU reads at rest where there are none."""
    x, y, last = (float(v) for v in np.where(np.isnan(values), (0.0, 0.0, z), values))
    return x, y, last


class BoardLine:
    """A board at the end of a port: a line that breaks is opened again, the firmware goes on meanwhile."""

    def __init__(self, board: Board, open_port: Callable[[], Port]) -> None:
        self.board, self._open_port = board, open_port
        self._port: Port | None = None
        self.breaks = 0  # how often the line broke

    def step(self) -> None:
        """One control period: read, step the firmware, send."""
        received = b""
        try:
            self._port = self._port or self._open_port()
            received = self._port.read()
        except OSError:
            self._broken()
        data = self.board.step(received)
        if self._port is not None and data:
            try:
                self._port.write(data)
            except OSError:
                self._broken()

    def _broken(self) -> None:
        if self._port is not None:
            self.breaks += 1
            self._port.close()
        self._port = None

    def close(self) -> None:
        """Let the port go."""
        if self._port is not None:
            self._port.close()
            self._port = None
