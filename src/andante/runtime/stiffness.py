"""Servos at a share of their strength, as a behaviour asks for by its `stiffness`."""

from __future__ import annotations

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.physics import Engine
from andante.physics.servos import ServoGains

LEAST = 0.01  # servos are never wholly off: the gears of a real one have friction


def softened(gains: ServoGains, stiffness: Array) -> ServoGains:
    """Gains with kp, kd and the effort limit scaled by a share (joints,) from 0 to 1.

    Share 1 is the servo as it is; an unlimited effort stays unlimited.
    """
    share = np.asarray(stiffness, dtype=float)
    if share.shape != gains.kp.shape or not ((share >= 0) & (share <= 1)).all():
        raise BadInput(f"stiffness must be a share from 0 to 1 for each of {len(gains.kp)} joints, got {share}")
    share = np.maximum(share, LEAST)
    return gains.changed(kp=gains.kp * share, kd=gains.kd * share, effort=gains.effort * share)


class Softener:
    """Keeps the servos of one actor at the stiffness last asked for; the gains it found first count as 1."""

    def __init__(self, engine: Engine, actor: int) -> None:
        self._engine, self._actor = engine, actor
        self._full = engine.commands[actor].gains
        self._asked: Array | None = None

    def ask(self, stiffness: Array) -> None:
        """Set the share (joints,); the same array again costs nothing."""
        if stiffness is self._asked:
            return
        if self._asked is None or not np.array_equal(stiffness, self._asked):
            self._engine.set_gains(self._actor, softened(self._full, stiffness))
        self._asked = stiffness
