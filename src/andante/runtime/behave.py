"""A behaviour on a simulated body: every control step it gets sensor readings and its joint targets are commanded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from andante.errors import BadInput
from andante.locomotion import Behaviour, Command, Readings
from andante.physics import Mode
from andante.sensors import ContactSwitch, FootForce, Imu, SensorSuite

from .simulation import Simulation
from .stiffness import Softener


def readings_of(suite: SensorSuite, time: float, since: float | None = None) -> Readings:
    """The newest readings of all sensors in the form that behaviours take; of the IMU the mean since a time [s]."""
    position, velocity = suite["encoders"].reading, suite["encoder_velocities"].reading
    if position is None or velocity is None:
        raise BadInput("no encoder reading has arrived yet; run the simulation for one sample first")
    values = {}
    for channel in suite:
        if isinstance(channel.sensor, Imu):
            felt = channel.mean_since(time if since is None else since)
            if felt is not None:
                values["gyro"], values["acceleration"] = felt[:3], felt[3:]
    forces = {
        c.name.removesuffix("/force"): c.reading.values for c in suite if isinstance(c.sensor, FootForce) and c.reading
    }
    pressed = {c.name: bool(c.reading.values[0]) for c in suite if isinstance(c.sensor, ContactSwitch) and c.reading}
    return Readings(time, position.values, velocity.values, forces=forces, pressed=pressed, **values)


class Behave:
    """An observer that runs a behaviour at a fixed rate; `command` may be changed at any time or computed from time.

    A behaviour with an attribute `stiffness` (joints,) has its servos at that share of their strength.
    """

    def __init__(
        self, behaviour: Behaviour, command: Command | Callable[[float], Command], rate: float = 100.0
    ) -> None:
        self.behaviour, self.command, self.rate = behaviour, command, rate
        self._count = 0
        self._softener: Softener | None = None

    @property
    def next_time(self) -> float:
        """When the next control step is due [s]."""
        return self._count / self.rate

    def update(self, sim: Simulation) -> None:
        """One control step."""
        if sim.sensors is None:
            raise BadInput("a behaviour needs sensors: simulate(..., sensors=True)")
        command = self.command(sim.time) if callable(self.command) else self.command
        period = 1.0 / self.rate
        targets = self.behaviour.update(readings_of(sim.sensors, sim.time, sim.time - period), command, period)
        if not np.isfinite(targets).all():
            raise BadInput(f"behaviour {type(self.behaviour).__name__} gave targets that are not finite")
        stiffness = getattr(self.behaviour, "stiffness", None)
        if stiffness is not None:
            if self._softener is None:
                self._softener = Softener(sim.engine, sim.actor)
            self._softener.ask(stiffness)
        sim.engine.command(sim.actor, targets, Mode.POSITION)
        self._count = round(sim.time * self.rate) + 1
