"""Wheels with rollers that the file leaves out: the base slides freely and is drawn along by what its wheels turn.

Files of mecanum and omni bases mostly show plain cylinders and leave the rest to a plugin, which moves the body. Under
physics such wheels would only scrub. Here they lose their friction, and the base feels the traction that ideal rollers
would give it: a force and a moment toward the twist that the wheels, as they turn now, make,

    F = m (v_wheels - v) / lag,  |F| <= mu m g,      M = I (w_wheels - w) / lag,  |M| <= mu m g * lever
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from andante.description import JointType, Robot
from andante.errors import AndanteError
from andante.geometry import Array, so3
from andante.gravity import GRAVITY
from andante.physics.commands import Push

if TYPE_CHECKING:
    from andante.kinematics import Drive

    from .simulation import Simulation

LAG = 0.02  # in which the base follows its wheels [s]
GRIP = 0.8  # of rubber rollers on a floor: friction coefficient
RATE = 200.0  # how often the traction is set [Hz]
UPRIGHT = 0.7  # a base that leans further stands on something else than its wheels
ROLLING = ("mecanum", "omni")


def roller_drive(robot: Robot) -> Drive | None:
    """The drive of a base whose wheels should have rollers and have none in the file; None: any other robot."""
    if sum(joint.type is JointType.CONTINUOUS for joint in robot.movable) < 3:
        return None
    from andante.kinematics import find_drive  # takes a while

    try:
        drive = find_drive(robot)
    except AndanteError:
        return None
    bare = drive.kind in ROLLING and not any(part.rollers for part in drive.wheels)
    return drive if bare else None


def without_wheel_friction(robot: Robot) -> Robot:
    """The robot with wheels that slide, where they should have rollers and have none; any other robot as it is."""
    drive = roller_drive(robot)
    if drive is None:
        return robot
    sliding = {name for joint in drive.wheel_joints for name in robot.welded(robot.joint(joint).child)}
    links = tuple(
        replace(
            link,
            collisions=tuple(
                replace(each, surface=replace(each.surface, mu=0.0, mu2=None, fdir1=None)) for each in link.collisions
            ),
        )
        if link.name in sliding
        else link
        for link in robot.links
    )
    return replace(robot, links=links)


class Rollers:
    """An observer that gives a base the traction of its wheels."""

    def __init__(self, sim: Simulation, drive: Drive) -> None:
        self.next_time = sim.time
        self._drive = drive
        names = sim.robot.joint_names
        self._wheels = [names.index(joint) for joint in drive.wheel_joints]
        self._free = np.array([not part.driven for part in drive.wheels])
        tree = sim.engine.models[sim.model].tree
        self._mass = float(tree.weights[0].sum())
        self._body = int(tree.link_body[0])
        self._center = np.asarray(tree.bodies[self._body].inertia.com)
        lever = max(part.wheel.distance for part in drive.wheels)
        self._inertia = 0.5 * self._mass * lever**2  # of a disc as large as the stand of the wheels
        self._most = GRIP * self._mass * GRAVITY
        self._turn = self._most * lever
        self._own: Push | None = None  # that was set last
        self._outside: Push | None = None  # somebody else's push on the same body

    def update(self, sim: Simulation) -> None:
        """Set the force and the moment for the coming instants."""
        engine, model = sim.engine, sim.model
        self.next_time = (round(sim.time * RATE) + 1) / RATE
        held = engine.pushes.get((model, self._body))
        if held is not self._own:
            self._outside = held
        pose, velocity = engine.base_pose(model), engine.base_velocity(model)
        turn = so3.from_quaternion(pose[3:])
        force, moment = np.zeros(3), 0.0
        if turn[2, 2] > UPRIGHT:
            force, moment = self._traction(sim, turn, velocity)
        torque = np.array([0.0, 0.0, moment])
        if self._outside is not None:
            arm = turn @ (np.asarray(self._outside.point) - self._center)
            force = force + self._outside.force
            torque = torque + self._outside.torque + np.cross(arm, self._outside.force)
        engine.push(model, sim.robot.root, force, torque)
        self._own = engine.pushes.get((model, self._body))

    def _traction(self, sim: Simulation, turn: Array, velocity: Array) -> tuple[Array, float]:
        speeds = sim.engine.joint_velocities(sim.model)[self._wheels]
        speeds = np.where(self._free, np.nan, speeds)
        wanted = self._drive.at_root(np.nan_to_num(self._drive.twist(speeds).twist))
        yaw = math.atan2(turn[1, 0], turn[0, 0])
        c, s = math.cos(yaw), math.sin(yaw)
        ahead = np.array([c * wanted[0] - s * wanted[1], s * wanted[0] + c * wanted[1]])
        force = self._mass * (ahead - velocity[:2]) / LAG
        size = math.hypot(*force)
        if size > self._most:
            force *= self._most / size
        moment = self._inertia * (float(wanted[2]) - float(velocity[5])) / LAG
        return np.array([*force, 0.0]), max(-self._turn, min(self._turn, moment))
