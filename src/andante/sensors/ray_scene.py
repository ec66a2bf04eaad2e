"""Rays of sensors against everything in a running scene, whichever engine moves it.

The engines' own batch rays start from one point (MuJoCo), err by millimetres on round shapes (Bullet) or do not exist
(ODE); a turning lidar on a moving robot sends every beam from a place of its own. So sensors share one compiled caster
over the collision shapes: moving bodies are read once per instant, standing ones every `LOOK` seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from andante.geometry import Array
from andante.physics import Engine
from andante.physics.rays import Raycaster

LOOK = 2.0  # how often things that stand are looked at again: somebody may have put them elsewhere [s]


class RayScene:
    """Collision shapes of all actors, placed for one instant after the other."""

    def __init__(self, engine: Engine, body_poses: Callable[[int], Array] | None = None) -> None:
        """body_poses: gives the poses (bodies, 7) of an actor, by default the engine's own function."""
        self.engine = engine
        self._body_poses = body_poses or engine.body_poses
        self._caster = Raycaster(engine.actors)
        ends = np.cumsum([0, *(len(actor.tree.bodies) for actor in engine.actors)])
        self._rows = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self._poses = np.zeros((int(ends[-1]), 7))
        self._moving = [a.index for a in engine.actors if not (a.fixed and len(a.tree.bodies) == 1)]
        self._standing = [a.index for a in engine.actors if a.fixed and len(a.tree.bodies) == 1]
        self._looked = -math.inf
        self._placed = False

    def renew(self) -> None:
        """The engine has gone on."""
        self._placed = False

    def forget(self) -> None:
        """The engine was put elsewhere: read everything anew."""
        self._placed, self._looked = False, -math.inf

    def body_row(self, actor: int, body: int) -> int:
        """Number of a body of an actor among all bodies."""
        return self._rows[actor].start + body

    def hidden(self, actor: int, body: int) -> np.ndarray:
        """Mask (shapes,) of the shapes on one body: those a sensor on it does not see."""
        return np.asarray(self._caster.shape_bodies == self.body_row(actor, body))

    def nearest(self, origins: Array, directions: Array, reach: float, hidden: np.ndarray) -> Array:
        """Distances (n,) along rays (n, 3) of unit length to the first shape that is not hidden; inf beyond `reach`."""
        self._place()
        if not len(origins):
            return np.zeros(0)
        spread = math.sqrt(3.0) * float(np.abs(origins - origins[0]).max())
        skip = hidden | ~self._caster.within(origins[0], reach + spread)
        return self._caster.nearest(origins, directions, reach, skip)[0]

    def _place(self) -> None:
        if self._placed:
            return
        now = self.engine.time
        for actor in self._moving:
            self._poses[self._rows[actor]] = self._body_poses(actor)
        if not self._looked <= now < self._looked + LOOK:
            for actor in self._standing:
                self._poses[self._rows[actor]] = self._body_poses(actor)
            self._looked = now
        self._caster.place(self._poses)
        self._placed = True
