"""Motors of driven wheels, of which files say little: what their rotors add, and what they overcome.

A speed servo that moves a whole base by wheels which weigh next to nothing is as stiff as no solver likes: in one step
it would spin the wheel many times as fast as it is told, and the ground answers that thought, not the wheel. Rotor and
gear of a real motor are felt at the wheel as an inertia of some percent of what it moves; wheels whose file states none
and that are lighter get that much,

    armature = max(0, share m r² / n - I).

Dry friction and damping of such a joint are what its motor is tuned against. Where the file states neither gains nor
an effort that they exceed, and they would take a good part of what the servo has, they are left out: else the wheel
would turn far slower than it is told.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from andante.description import Joint, Robot
from andante.physics.commands import outboard_inertia

if TYPE_CHECKING:
    from andante.kinematics import Drive

SHARE = 0.02  # of what a wheel moves, felt as its motor's inertia at least
BRISK = 5.0  # speed at which friction and damping are held against servo and effort limit [rad/s]
MOST = 0.3  # of that speed, which they may cost
LAG = 0.02  # in which a servo without stated gains follows [s]


def with_motors(robot: Robot, drive: Drive) -> Robot:
    """The robot with driven wheels that its speed servos can turn as they are told; itself where nothing is to do."""
    driven = {part.joint: part.wheel.radius for part in drive.wheels if part.driven}
    inertia = dict(zip(robot.joint_names, outboard_inertia(robot), strict=True))
    made = {}
    for name, radius in driven.items():
        if any(fnmatchcase(name, pattern) for pattern in robot.servos):
            continue
        joint = robot.joint(name)
        moves = robot.mass * radius**2 / len(driven)
        moved = _moved(joint, max(0.0, SHARE * moves - float(inertia[name])), MOST * BRISK * moves / LAG)
        if moved != joint:
            made[name] = moved
    if not made:
        return robot
    return replace(robot, joints=tuple(made.get(joint.name, joint) for joint in robot.joints))


def _moved(joint: Joint, rotor: float, most: float) -> Joint:
    """A wheel's joint with a rotor where it states none, without friction above `most` that its motor overcomes."""
    given = joint.dynamics
    made = replace(given, armature=given.armature or rotor)
    effort = joint.limits.effort if joint.limits.effort > 0 else math.inf
    if most < given.friction + given.damping * BRISK < effort:
        made = replace(made, friction=0.0, damping=0.0)
    return replace(joint, dynamics=made)
