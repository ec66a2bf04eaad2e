"""Both ends of a simulated body: what its sensors tell it, and the gains and stiffness of its servos."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from andante._moved import renamed, renamed_attributes
from andante.control.body import NO_POWER, WELL, BodyState, Health, Power
from andante.description import JointType, Robot
from andante.description.check.recognize import scrubs
from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.physics import Engine
from andante.physics.commands import ServoGains
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

if TYPE_CHECKING:
    from andante.kinematics.wheels.drive import DriveWheel

AT_REST = np.array([0.0, 0.0, 0.0, 0.0, 0.0, GRAVITY])  # gyro [rad/s] and specific force [m/s^2]
AT_REST.setflags(write=False)


class Wiring:
    """The channels of a suite by what a body tells."""

    def __init__(self, suite: SensorSuite, robot: Robot) -> None:
        self.suite, self.count = suite, len(suite)
        self._joints = [suite[name] for name in ("encoders", "encoder_velocities", "efforts")]
        self._inertial = [channel for channel in suite if isinstance(channel.sensor, Imu)]
        self._feet = [(c.name.removesuffix("/force"), c) for c in suite if isinstance(c.sensor, FootForce)]
        self._ranging = [channel for channel in suite if isinstance(channel.sensor, Lidar | Sonar | UwbTag)]
        self._wheels: list[tuple[Channel, np.ndarray, np.ndarray]] = []  # counters, their wheels, and whose joints
        declared = {spec.name for spec in robot.sensors}
        for channel in suite:
            if isinstance(channel.sensor, WheelEncoders):
                # legs may turn without end too: what nobody declared counts for wheels alone
                rolling = None if channel.name in declared else {part.joint for part in wheels_of(robot)}
                counted = [i for i, name in enumerate(channel.sensor.joints) if rolling is None or name in rolling]
                places = [robot.joint_names.index(channel.sensor.joints[i]) for i in counted]
                self._wheels.append((channel, np.array(counted, dtype=int), np.array(places, dtype=int)))
        switches = [channel for channel in suite if isinstance(channel.sensor, ContactSwitch)]
        self._late = [channel for channel in switches if channel.latency]
        # switches of a bank without latency: their places
        self._prompt: list[tuple[Bank, tuple[str, ...], np.ndarray | slice]] = []
        for bank in {id(channel.bank): channel.bank for channel in switches}.values():
            mine = [channel for channel in switches if channel.bank is bank and not channel.latency]
            self._prompt.append((bank, tuple(c.name for c in mine), _evenly([c.place.start for c in mine])))
        self._unknown = np.full(len(robot.joint_names), np.nan)
        self._unknown.setflags(write=False)

    def fits(self, suite: SensorSuite) -> bool:
        """Whether it still tells all channels of a suite."""
        return self.suite is suite and self.count == len(suite)

    def state(self, time: float, since: float, power: Power = NO_POWER, health: Health = WELL) -> BodyState:
        """The newest readings of all sensors; of an IMU the mean since a time [s]."""
        felt = [channel.values for channel in self._joints]
        position, velocity, effort = [self._unknown if each is None else each.copy() for each in felt]  # to write to
        measured = math.nan
        for counter, wheels, joints in self._wheels:
            counted = counter.reading
            if counted is not None and len(joints):
                position = np.array(position) if position is self._unknown else position
                position[joints] = counted.values[wheels]
                measured = counted.time
        inertial, gyros = AT_REST, {}
        for channel in self._inertial:
            felt = channel.mean_since(since)
            if felt is not None:
                if inertial is AT_REST:
                    inertial = felt  # of several the first, whose mount behaviours know
                if len(self._inertial) > 1:
                    gyros[channel.name] = felt[:3]
        forces = {name: cells for name, channel in self._feet if (cells := channel.values) is not None}
        pressed: dict[str, bool] = {}
        for bank, names, places in self._prompt:
            if bank.taken:
                pressed |= zip(names, (bank.taken[-1][1][places] > 0.0).tolist())  # noqa: B905, a place per name
        for channel in self._late:
            touch = channel.values
            if touch is not None:
                pressed[channel.name] = bool(touch[0])
        ranges = {channel.name: seen for channel in self._ranging if (seen := channel.values) is not None}
        return BodyState.quickly(
            time=time,
            position=position,
            velocity=velocity,
            gyro=inertial[:3],
            acceleration=inertial[3:],
            forces=forces,
            pressed=pressed,
            measured_at=measured,
            gyros=gyros,
            effort=effort,
            ranges=ranges,
            power=power,
            health=health,
        )


def _evenly(places: list[int]) -> np.ndarray | slice:
    """Places in a vector, as a slice where they are evenly spaced: that is the quicker to read."""
    step = places[1] - places[0] if len(places) > 1 else 1
    if places and step > 0 and places == list(range(places[0], places[-1] + 1, step)):
        return slice(places[0], places[-1] + 1, step)
    return np.array(places, dtype=int)


MOST_GAIN = 1e6
LEAST = 0.01  # servos are never wholly off: the gears of a real one have friction
WHEEL_LAG = 0.02  # wheels without stated gains follow their speed within about this time [s]
SCRUB_LAG = 0.002  # ... where the base turns by sliding them, against the whole friction of the ground [s]


def softened(gains: ServoGains, stiffness: Array) -> ServoGains:
    """Gains with kp, kd and the effort limit scaled by a fraction (joints,) from 0 to 1.

    1 is the servo as it is; an unlimited effort stays unlimited.
    """
    fraction = np.asarray(stiffness, dtype=float)
    if fraction.shape != gains.kp.shape or not ((fraction >= 0) & (fraction <= 1)).all():
        raise BadInput(f"stiffness must be a fraction from 0 to 1 for each of {len(gains.kp)} joints, got {fraction}")
    fraction = np.maximum(fraction, LEAST)
    return gains.changed(kp=gains.kp * fraction, kd=gains.kd * fraction, effort=gains.effort * fraction)


def wheels_of(robot: Robot) -> Sequence[DriveWheel]:
    """The wheels of a base that drives; none of any other robot, whatever turns without end there."""
    if not any(joint.type is JointType.CONTINUOUS for joint in robot.movable):
        return ()
    from andante.kinematics import find_drive  # takes a while

    try:
        return find_drive(robot).wheels
    except AndanteError:
        return ()


def stiffen_wheels(engine: Engine, model: int) -> None:
    """Stiffer speed servos for driven wheels whose file states none: m r² / (wheels * lag) each."""
    robot: Robot = engine.models[model].tree.robot
    driven = [part for part in wheels_of(robot) if part.driven]
    if not driven:
        return
    gains = engine.gains[model]
    lag = SCRUB_LAG if scrubs(robot) else WHEEL_LAG
    kv = np.array(gains.kv)
    for part in driven:
        if not any(fnmatchcase(part.joint, pattern) for pattern in robot.servos):
            i = robot.joint_names.index(part.joint)
            kv[i] = max(kv[i], robot.mass * part.wheel.radius**2 / (len(driven) * lag))
    if not np.array_equal(kv, gains.kv):
        engine.set_gains(model, gains.changed(kv=kv))


@renamed_attributes(share="fraction")
class Servos:
    """Gains of one robot times the stiffness that user and behaviour ask for; sent when something changes."""

    def __init__(self, engine: Engine, model: int, names: tuple[str, ...]) -> None:
        self._engine, self._model, self.names = engine, model, names
        self._gains = self._sent = engine.commands[model].gains  # at full stiffness, and as the engine has them
        self.fraction = np.ones(len(names))  # of the user
        self._full = np.ones(len(names))
        self._behaviour = self._full
        self.asked: Array | None = None  # of the behaviour, last

    @property
    def gains(self) -> ServoGains:
        """Gains at full stiffness; those that somebody else gave the engine meanwhile count as such."""
        found = self._engine.commands[self._model].gains
        if found is not self._sent:
            self._gains = self._sent = found
        return self._gains

    def gain(self, which: str, joint: str = "") -> float:
        """pgain (kp) or dgain (kd) of a joint; without one the largest of all."""
        values = self.gains.kp if which == "pgain" else self.gains.kd
        return float(values[self._index(joint)] if joint else values.max(initial=0.0))

    def set_gain(self, which: str, value: float, joint: str = "") -> None:
        """Set pgain [N m/rad] or dgain [N m s/rad] of a joint, or of all joints."""
        if not (np.isfinite(value) and 0 <= value <= MOST_GAIN):
            raise BadInput(f"{which} must lie between 0 and {MOST_GAIN:g}, got {value}")
        values = np.array(self.gains.kp if which == "pgain" else self.gains.kd)
        values[self._index(joint) if joint else slice(None)] = value
        self._send(self.gains.changed(**{"kp" if which == "pgain" else "kd": values}))

    @renamed(share="fraction")
    def set_stiffness(self, fraction: float, joints: Sequence[str] = ()) -> list[str]:
        """Set the user's fraction, 0 to 1, of the joints that fit any of the patterns; their names."""
        if not 0 <= fraction <= 1:
            raise BadInput(f"stiffness is a fraction between 0 and 1, got {fraction}")
        patterns = tuple(joints) or ("*",)
        chosen = [i for i, name in enumerate(self.names) if any(fnmatchcase(name, p) for p in patterns)]
        if not chosen:
            raise UnknownName.among("joint", ", ".join(patterns), self.names)
        self.fraction = self.fraction.copy()
        self.fraction[chosen] = fraction
        self._send(self.gains)
        return [self.names[i] for i in chosen]

    def follow(self, behaviour: Array | None) -> None:
        """Take the fraction (joints,) that a behaviour asks for now; None: full strength. The same again is free."""
        if behaviour is self.asked:
            return
        self.asked = behaviour
        wanted = self._full if behaviour is None else behaviour
        changed = not np.array_equal(wanted, self._behaviour)
        self._behaviour = wanted
        if changed:
            self._send(self.gains)

    def move(self, engine: Engine, model: int) -> None:
        """Go on in another scene, which has the same gains."""
        self._engine, self._model = engine, model

    def save(self) -> tuple[Any, ...]:
        """Everything that decides the gains."""
        return self._gains, self._sent, self.fraction, self._behaviour, self.asked

    def load(self, state: tuple[Any, ...]) -> None:
        """Put back what `save` gave; the engine's gains are restored by itself."""
        self._gains, self._sent, self.fraction, self._behaviour, self.asked = state

    def _send(self, gains: ServoGains) -> None:
        self._gains, self._sent = gains, softened(gains, self.fraction * self._behaviour)
        self._engine.set_gains(self._model, self._sent)

    def _index(self, joint: str) -> int:
        if joint not in self.names:
            raise UnknownName.among("joint", joint, self.names)
        return self.names.index(joint)
