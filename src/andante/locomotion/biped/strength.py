"""Whether the servos of a robot can carry it on two legs, told before the first step."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.behaviour import Command, Readings

if TYPE_CHECKING:
    from .walk import BipedWalk

RESERVE = 0.1  # of the torque that a servo has: with less than that to spare a warning tells
INSTANTS, STEPS = 10, 3  # of a step that are looked at; steps in thought, the first from a stand
SLIGHTEST = (1e-9, 0.0, 0.0)  # velocity of a walk on the spot
MOST_NAMED = 3


def carried(walk: BipedWalk) -> Array:
    """Largest torque (joints,) [N m] on one leg in steps on the spot: what joints hold against the planned push."""
    thought, body = walk.ahead(), walk.body
    thought.commands = None
    dt = walk.measures.step_time / INSTANTS
    readings = Readings(0.0, body.stance, np.zeros(len(body.names)))
    out, changes = np.zeros(len(body.names)), 0
    while changes < STEPS:
        stance = thought.stance
        thought.update(readings, Command(*SLIGHTEST), dt)
        changes += thought.stance != stance
        if changes and thought.time > walk.measures.double + dt:  # on one leg
            np.maximum(out, np.abs(thought.torques), out=out)
    return out


def check_strength(walk: BipedWalk) -> None:
    """Raise BadInput where servos are too weak to carry the robot on one leg, with the torque that is missing.

    Where they just can, a warning says how little they have to spare.
    """
    body, needed = walk.body, carried(walk)
    weak = [(body.names[i], float(needed[i]), float(body.efforts[i])) for i in np.flatnonzero(needed > body.efforts)]
    if not weak:
        _warn_if_short(walk, needed)
        return
    weak.sort(key=lambda each: each[2] / each[1])
    told = [
        f"{name} needs {need:.3g} N m and has {has:.3g}, {need - has:.2g} N m are missing" for name, need, has in weak
    ]
    more = f"; and {len(weak) - MOST_NAMED} more" if len(weak) > MOST_NAMED else ""
    raise BadInput(
        f"robot {body.robot.name!r} cannot walk, its servos cannot carry it on one leg: {'; '.join(told[:MOST_NAMED])}"
        f"{more}. Straighter knees need less; stronger servos are stated as effort limits in its file"
    )


def _warn_if_short(walk: BipedWalk, needed: Array) -> None:
    body = walk.body
    i = int(np.argmax(needed / body.efforts))
    spare = 1.0 - float(needed[i] / body.efforts[i])
    if spare < RESERVE:
        told = (
            f"robot {body.robot.name!r} walks with little torque to spare: on one leg {body.names[i]} needs "
            f"{needed[i]:.3g} of {body.efforts[i]:.3g} N m; fast turns and steps aside or back may end in a fall"
        )
        warnings.warn(told, RuntimeWarning, stacklevel=4)
