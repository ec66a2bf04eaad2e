"""Perturbations and identified parameters at work: on robots and worlds, on servos, and between walker and body."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from andante.description import Robot, World
from andante.description.inertia import Inertia
from andante.description.link import Link
from andante.errors import UnknownName
from andante.geometry import Array
from andante.locomotion import Command, Readings, Walker, WalkerWrapper
from andante.physics.identified import FLAT, RobotParameters
from andante.simulation.simulation import Simulation

from .setup import GAIT
from .variation import Draw

ENCODER, GYRO, ACCELEROMETER = 0.001, 0.01, 0.1  # noise of strength 1 [rad, rad/s, m/s²]
USUAL_FRICTION = 1.0
BODY = {"friction": 1.0, "servo_gain": 1.0, "asymmetry": 0.0, "latency": 0.0}  # parameters with their usual values
STEPS = {"stride": 1.0, "curl": 0.0, "aim": 0.0, "turn_left": 1.0, "turn_right": 1.0}


def check_model(model: Mapping[str, Any]) -> None:
    """UnknownName where a parameter of a walk model does not exist."""
    known = (*BODY, *STEPS)
    for name in model:
        if name not in known and not name.startswith((GAIT, FLAT)):
            raise UnknownName.among("model parameter", name, (*known, f"{GAIT}NAME"))


def perturbed_robot(robot: Robot, draw: Draw, model: Mapping[str, float]) -> Robot:
    """The robot with what was identified of it, its masses and its friction drawn."""
    robot = RobotParameters.from_flat(model).on(robot)
    rng = np.random.default_rng((0x3A55, draw.seed))
    if draw.mass:
        factors = 1.0 + draw.mass * rng.uniform(-1.0, 1.0, len(robot.links))
        robot = replace(robot, links=tuple(map(heavier, robot.links, factors.tolist())))
    mu = friction_of(draw, model)
    return robot if mu is None else with_friction(robot, mu)


def perturbed_world(world: World, draw: Draw, model: Mapping[str, float]) -> World:
    """The world with its friction drawn."""
    mu = friction_of(draw, model)
    return world if mu is None else world_with_friction(world, mu)


def perturbed_pose(pose: Mapping[str, float], draw: Draw) -> dict[str, float]:
    """The first pose with every joint a little off."""
    if not draw.pose:
        return dict(pose)
    off = draw.pose * np.random.default_rng((0x905E, draw.seed)).uniform(-1.0, 1.0, len(pose))
    return {name: value + delta for (name, value), delta in zip(pose.items(), off.tolist(), strict=True)}


def set_friction(draw: Draw, mu: float | None) -> Draw:
    """What was drawn with a coefficient of friction that an experiment sets; None leaves what was drawn."""
    return draw if mu is None else replace(draw, friction=mu)


def friction_of(draw: Draw, model: Mapping[str, float]) -> float | None:
    """The friction coefficient of a trial: what was drawn times the identified factor; None: what the files say."""
    factor = model.get("friction", 1.0)
    if draw.friction is None and factor == 1.0:
        return None
    return factor * (USUAL_FRICTION if draw.friction is None else draw.friction)


def set_servos(sim: Simulation, model: Mapping[str, float]) -> None:
    """Scale the stiffness of all servos by `servo_gain`; left ones by 1 + `asymmetry` more, right ones less."""
    gain, skew = model.get("servo_gain", 1.0), model.get("asymmetry", 0.0)
    if gain == 1.0 and skew == 0.0:
        return
    factor = np.full(len(sim.robot.movable), gain)
    for i, joint in enumerate(sim.robot.movable):
        factor[i] *= 1.0 + skew * _side(joint.name)
    usual = sim.engine.commands[sim.model].gains
    sim.engine.set_gains(sim.model, usual.changed(kp=factor * usual.kp, kd=np.sqrt(factor) * usual.kd))


def _side(name: str) -> int:
    """1: a joint of the left side, -1: of the right, 0: neither, by its name."""
    if name.lower().startswith(("l_", "left")) or (name[:1] == "L" and name[1:2].isupper()):
        return 1
    return -1 if name.lower().startswith(("r_", "right")) or (name[:1] == "R" and name[1:2].isupper()) else 0


class PerturbedWalker(WalkerWrapper):
    """A walker whose readings are noisier, whose targets come late, and who errs in what it counts of its steps.

    stride, turn_left, turn_right: how far it goes or turns for 1 that it counts; curl: how far it turns to the left on
    every meter without counting it [rad/m]. These are systematic errors of dead reckoning as in Borenstein and Feng
    (1996), measured by where the robot stands at the end.
    """

    def __init__(self, walker: Walker, draw: Draw, model: Mapping[str, float], late: float = 0.0) -> None:
        super().__init__(walker)
        self._late = draw.latency + late
        self._noise = draw.noise
        self._rng = np.random.default_rng((0x401, draw.seed))
        self._stride, self._curl = model.get("stride", 1.0), model.get("curl", 0.0)
        self._turns = {1: model.get("turn_left", 1.0), -1: model.get("turn_right", 1.0), 0: 1.0}
        self._waiting: deque[Array] = deque()
        self._inner = np.array(walker.position, dtype=float)
        self._believed = self._inner.copy()

    @property
    def position(self) -> Array:
        """x, y [m] and heading [rad] that the robot counts."""
        return self._believed.copy()

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step."""
        turning = (command.wz > 0) - (command.wz < 0)
        if self._curl and command.vx:
            command = replace(command, wz=command.wz + self._curl * command.vx)
        targets = super().update(self._noisy(readings), command, dt)
        self._count(turning)
        return self._delayed(targets, dt)

    def _noisy(self, readings: Readings) -> Readings:
        if not self._noise:
            return readings
        rng, n = self._rng, self._noise
        return replace(
            readings,
            position=readings.position + n * ENCODER * rng.standard_normal(len(readings.position)),
            gyro=readings.gyro + n * GYRO * rng.standard_normal(3),
            acceleration=readings.acceleration + n * ACCELEROMETER * rng.standard_normal(3),
        )

    def _count(self, turning: int) -> None:
        """Take over what the walker has moved since the last step, as the robot counts it."""
        here = np.array(self.walker.position, dtype=float)
        move, heading = here - self._inner, float(self._inner[2])
        self._inner = here
        c, s = math.cos(heading), math.sin(heading)
        ahead, aside = c * move[0] + s * move[1], c * move[1] - s * move[0]
        ahead, turn = ahead / self._stride, (move[2] - self._curl * ahead) / self._turns[turning]
        c, s = math.cos(self._believed[2]), math.sin(self._believed[2])
        self._believed = self._believed + np.array([c * ahead - s * aside, s * ahead + c * aside, turn])

    def _delayed(self, targets: Array, dt: float) -> Array:
        """The targets of `latency` ago, between two control steps in proportion."""
        if self._late <= 0:
            return targets
        whole, part = divmod(self._late / dt, 1.0)
        self._waiting.append(targets)
        while len(self._waiting) > int(whole) + 2:
            self._waiting.popleft()
        last = len(self._waiting) - 1
        new = self._waiting[max(0, last - int(whole))]
        old = self._waiting[max(0, last - int(whole) - 1)]
        return (1.0 - part) * new + part * old


def with_friction(robot: Robot, mu: float) -> Robot:
    """The robot with that friction coefficient on every collision shape."""
    return replace(robot, links=tuple(_rubbing(link, mu) for link in robot.links))


def world_with_friction(world: World, mu: float) -> World:
    """The world with that friction coefficient on every collision shape."""
    return replace(world, models=tuple(replace(each, robot=with_friction(each.robot, mu)) for each in world.models))


def _rubbing(link: Link, mu: float) -> Link:
    shapes = tuple(replace(each, surface=replace(each.surface, mu=mu, mu2=None)) for each in link.collisions)
    return replace(link, collisions=shapes)


def heavier(link: Link, factor: float) -> Link:
    """A link whose mass and moments are multiplied."""
    if link.inertia is None:
        return link
    inertia = link.inertia
    return replace(link, inertia=Inertia.from_matrix(factor * inertia.mass, inertia.com, factor * inertia.matrix))
