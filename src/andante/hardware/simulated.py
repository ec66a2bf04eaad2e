"""A robot in a physics engine as a body: readings come from its sensor models, commands go to its servos."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from andante.description.joint import JointType
from andante.errors import AndanteError, BadInput, Unsupported
from andante.kinematics.wheels.drive import Drive
from andante.kinematics.wheels.finder import find_drive
from andante.physics import Engine, Mode
from andante.sensors import Channel, ContactSwitch, FootForce, Imu, Lidar, SensorSuite, Sonar, UwbTag

from .body import BodyCommand, BodyState, Health, JointTarget, Power

JOINT_CHANNELS = ("encoders", "encoder_velocities", "efforts")


class SimulatedBody:
    """One actor of an engine. Time goes on by `advance`, or by whoever else steps engine and sensors."""

    def __init__(self, engine: Engine, actor: int = 0, sensors: SensorSuite | None = None, seed: int = 0) -> None:
        self.engine, self.actor = engine, actor
        self.robot = engine.actors[actor].tree.robot
        self.sensors = sensors or SensorSuite(engine, actor, seed)
        self.power = Power()
        self._closed = False
        if self.sensors["encoders"].reading is None:
            self.sensors.update()

    @property
    def name(self) -> str:
        """Name of the actor."""
        return self.engine.actors[self.actor].name

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Movable joints of the robot."""
        return self.robot.joint_names

    @cached_property
    def drive(self) -> Drive:
        """The drive of its wheels; a robot without one refuses twists by name."""
        try:
            return find_drive(self.robot)
        except AndanteError as error:
            raise Unsupported(f"robot {self.robot.name!r} takes no twist: {error}") from error

    def advance(self, seconds: float) -> None:
        """Let simulated time pass, rounded to whole steps, sensors sampled when they are due."""
        if not (math.isfinite(seconds) and seconds >= 0):
            raise BadInput(f"a body advances by a time >= 0 s, got {seconds}")
        engine, sensors = self.engine, self.sensors
        end = engine.steps + round(seconds / engine.dt)
        while engine.steps < end:
            until = math.ceil(sensors.next_time / engine.dt - 0.5)
            engine.step(max(1, min(end, until) - engine.steps))
            if sensors.next_time <= engine.time + engine.dt / 2:
                sensors.update()

    def read(self) -> BodyState:
        """The newest reading of every sensor that has arrived."""
        unknown = np.full(len(self.joint_names), np.nan)
        joints = [unknown if (v := self.sensors[name].values) is None else v for name in JOINT_CHANNELS]
        gyro, acceleration = np.full(3, np.nan), np.full(3, np.nan)
        ranges, forces, pressed = {}, {}, {}
        for channel in self._others:
            values = channel.values
            if values is None:
                continue
            if isinstance(channel.sensor, Imu):
                gyro, acceleration = values[:3], values[3:]
            elif isinstance(channel.sensor, FootForce):
                forces[channel.name.removesuffix("/force")] = values
            elif isinstance(channel.sensor, ContactSwitch):
                pressed[channel.name] = bool(values[0])
            elif isinstance(channel.sensor, Lidar | Sonar | UwbTag):
                ranges[channel.name] = values
        health = Health(False, "the body is closed") if self._closed else Health()
        return BodyState(
            self.engine.time, joints[0], joints[1], joints[2], gyro, acceleration,
            ranges=ranges, forces=forces, pressed=pressed, power=self.power, health=health,
        )  # fmt: skip

    @property
    def _others(self) -> list[Channel]:
        return [channel for channel in self.sensors if channel.name not in JOINT_CHANNELS]

    def write(self, command: BodyCommand) -> None:
        """Set the targets of the named joints, and those of the drive under a twist."""
        if self._closed:
            raise BadInput(f"body {self.name!r} is closed; make a new one")
        command.known_to(self)
        targets = dict(command.joints)
        if command.twist is not None:
            for joint, (mode, value) in self.drive.joint_commands(command.twist).items():
                targets.setdefault(joint, JointTarget(float(value), Mode[mode.upper()]))
        for mode in Mode:
            chosen = {self.joint_names.index(name): t.value for name, t in targets.items() if t.mode is mode}
            if chosen:
                self.engine.command(self.actor, list(chosen.values()), mode, list(chosen))

    def stop(self) -> None:
        """Wheels stand, every other joint holds the place that it has now."""
        here = self.engine.joint_positions(self.actor)
        for i, joint in enumerate(self.robot.movable):
            if joint.type is JointType.CONTINUOUS and not math.isfinite(joint.limits.upper):
                self.engine.command(self.actor, [0.0], Mode.VELOCITY, [i])
            else:
                self.engine.command(self.actor, [here[i]], Mode.POSITION, [i])

    def close(self) -> None:
        """Stop; the engine belongs to whoever made it."""
        if not self._closed:
            self.stop()
            self._closed = True
