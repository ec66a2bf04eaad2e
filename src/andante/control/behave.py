"""A behaviour on a simulated body: every control step it gets sensor readings and its joint targets are commanded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from andante.errors import BadInput
from andante.locomotion import Behaviour, Command, Readings
from andante.physics import Mode
from andante.sensors import Bank, ContactSwitch, FootForce, Imu, SensorSuite
from andante.simulation.simulation import Simulation
from andante.simulation.stiffness import Softener

POSITION = Mode.POSITION


class Wiring:
    """The channels of a suite by what behaviours ask for, looked up once."""

    def __init__(self, suite: SensorSuite) -> None:
        self.suite, self.count = suite, len(suite)
        self._position, self._velocity = suite["encoders"], suite["encoder_velocities"]
        self._inertial = [channel for channel in suite if isinstance(channel.sensor, Imu)]
        self._feet = [(c.name.removesuffix("/force"), c) for c in suite if isinstance(c.sensor, FootForce)]
        switches = [channel for channel in suite if isinstance(channel.sensor, ContactSwitch)]
        self._late = [channel for channel in switches if channel.latency]
        self._prompt: list[tuple[Bank, tuple[str, ...], np.ndarray]] = []  # switches of a bank without latency: places
        for bank in {id(channel.bank): channel.bank for channel in switches}.values():
            mine = [channel for channel in switches if channel.bank is bank and not channel.latency]
            self._prompt.append((bank, tuple(c.name for c in mine), np.array([c.place.start for c in mine], dtype=int)))

    def fits(self, suite: SensorSuite) -> bool:
        """Whether it still tells all channels of a suite."""
        return self.suite is suite and self.count == len(suite)

    def readings(self, time: float, since: float) -> Readings:
        """The newest readings of all sensors; of an IMU the mean since a time [s]."""
        position, velocity = self._position.values, self._velocity.values
        if position is None or velocity is None:
            raise BadInput("no encoder reading has arrived yet; run the simulation for one sample first")
        values = {}
        for channel in self._inertial:
            felt = channel.mean_since(since)
            if felt is not None:
                values["gyro"], values["acceleration"] = felt[:3], felt[3:]
        forces = {name: cells for name, channel in self._feet if (cells := channel.values) is not None}
        pressed: dict[str, bool] = {}
        for bank, names, places in self._prompt:
            if bank.taken:
                pressed.update(zip(names, (bank.taken[-1][1][places] > 0.0).tolist(), strict=True))
        for channel in self._late:
            touch = channel.values
            if touch is not None:
                pressed[channel.name] = bool(touch[0])
        return Readings(time, position, velocity, forces=forces, pressed=pressed, **values)


def readings_of(suite: SensorSuite, time: float, since: float | None = None) -> Readings:
    """The newest readings of all sensors in the form that behaviours take; of the IMU the mean since a time [s]."""
    return Wiring(suite).readings(time, time if since is None else since)


class Behave:
    """An observer that runs a behaviour at a fixed rate; `command` may be changed at any time or computed from time.

    A behaviour with an attribute `stiffness` (joints,) has its servos at that share of their strength.
    """

    def __init__(
        self, behaviour: Behaviour, command: Command | Callable[[float], Command], rate: float = 100.0
    ) -> None:
        self.behaviour, self.command, self.rate = behaviour, command, rate
        self.next_time = 0.0  # when the next control step is due [s]
        self._wiring: Wiring | None = None
        self._softener: Softener | None = None

    def update(self, sim: Simulation) -> None:
        """One control step."""
        if sim.sensors is None:
            raise BadInput("a behaviour needs sensors: simulate(..., sensors=True)")
        wiring = self._wiring
        if wiring is None or not wiring.fits(sim.sensors):
            wiring = self._wiring = Wiring(sim.sensors)
        now, period = sim.time, 1.0 / self.rate
        command = self.command(now) if callable(self.command) else self.command
        targets = self.behaviour.update(wiring.readings(now, now - period), command, period)
        if not np.isfinite(targets).all():
            raise BadInput(f"behaviour {type(self.behaviour).__name__} gave targets that are not finite")
        stiffness = getattr(self.behaviour, "stiffness", None)
        if stiffness is not None:
            if self._softener is None:
                self._softener = Softener(sim.engine, sim.actor)
            self._softener.ask(stiffness)
        sim.engine.command(sim.actor, targets, POSITION)
        self.next_time = (round(now * self.rate) + 1) / self.rate
