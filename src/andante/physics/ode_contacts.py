"""Contacts in ODE: surface table, pair filter, and what touched in the last step.

The loop over touching pairs runs inside `OdeSpace.autoCollide`. It writes down what it found only for the last step
of a run (a collision event), and there the contact joints are given feedback structs for the forces.

Of two surfaces: mu = sqrt(mu_a mu_b), so that equal ones keep their value; restitution is the larger; stiffnesses are
in series, and reach ODE as CFM = ERP / (h k). Friction is ODE's pyramid with bounds mu N. Anisotropic, torsional and
rolling friction do not exist in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from panda3d.core import EventQueue
from panda3d.ode import OdeBody, OdeGeom, OdeHashSpace, OdeJointFeedback, OdeJointGroup, OdeWorld

from andante.description.link import Surface
from andante.errors import Unsupported
from andante.geometry import Array

from .engine import Actor
from .ode_build import Built, set_bits
from .ode_filter import pair_bits, wished_pairs
from .state import Contacts, Settings

EVENT = "andante-ode-contact"
BOUNCE_SPEED = 0.05  # slower impacts do not bounce [m/s]
CONTACT_CFM = 1e-5
MAX_SURFACES = 255


def surface_key(surface: Surface, settings: Settings) -> tuple[float, float, float]:
    """Friction coefficient, restitution and stiffness [N/m] (inf: the engine's own) of a surface."""
    mu = settings.friction if surface.mu is None else surface.mu
    return float(mu), float(surface.restitution or 0.0), float(surface.kp or math.inf)


def combined(
    a: tuple[float, float, float], b: tuple[float, float, float], erp: float, dt: float
) -> tuple[float, float, float]:
    """Friction coefficient, restitution and CFM of a pair of surfaces."""
    mu = math.sqrt(a[0] * b[0]) if math.isfinite(a[0] * b[0]) else max(a[0], b[0])
    softness = 1 / a[2] + 1 / b[2]
    return mu, max(a[1], b[1]), max(CONTACT_CFM, erp / dt * softness)


class Collider:
    """All geoms of a scene, and the contacts between them."""

    def __init__(
        self, world: OdeWorld, space: OdeHashSpace, actors: Sequence[Actor], built: Sequence[Built], settings: Settings,
        erp: float,
    ) -> None:  # fmt: skip
        self.world, self.space, self.group = world, space, OdeJointGroup()
        rows = [(a, b, geom, shape) for a, made in enumerate(built) for geom, b, shape in made.geoms]
        self.actor = np.array([a for a, _, _, _ in rows], dtype=int)
        self.body = np.array([b for _, b, _, _ in rows], dtype=int)
        self.link = np.array([shape.link for _, _, _, shape in rows], dtype=int)
        self.geoms: list[OdeGeom] = [geom for _, _, geom, _ in rows]
        self.owner: list[OdeBody | None] = [built[a].bodies[b] for a, b, _, _ in rows]
        free = np.array([owner is not None for owner in self.owner], dtype=bool)
        mask = np.array([_bitmask(shape.surface) for _, _, _, shape in rows], dtype=np.int64)
        self.wish = wished_pairs(actors, self.actor, self.body, mask, free)
        self._set_surfaces([surface_key(shape.surface, settings) for _, _, _, shape in rows], erp, settings.dt)
        self.key = self.actor * (1 + self.body.max(initial=0)) + self.body
        bits = pair_bits(self.wish, self.actor, self.body, free)
        for index, geom in enumerate(self.geoms):
            set_bits(geom, bits.category[index], bits.collide[index])
            space.setCollideId(geom, index)
        space.setAutoCollideWorld(world)
        space.setAutoCollideJointGroup(self.group)
        self._events = EventQueue.getGlobalEventQueue()
        self._pool: list[OdeJointFeedback] = []
        self._touching: list[tuple[int, int, Any]] = []  # geoms and collision entry of the last step
        self._known: Contacts | None = Contacts.empty()

    def _set_surfaces(self, keys: list[tuple[float, float, float]], erp: float, dt: float) -> None:
        kinds = list(dict.fromkeys(keys)) or [(1.0, 0.0, math.inf)]
        if len(kinds) > MAX_SURFACES:
            raise Unsupported(f"engine 'ode' knows {MAX_SURFACES} different surfaces, the scene has {len(kinds)}")
        self.world.initSurfaceTable(len(kinds))
        for i, a in enumerate(kinds):
            for k, b in enumerate(kinds[: i + 1]):
                mu, bounce, cfm = combined(a, b, erp, dt)
                self.world.setSurfaceEntry(i, k, mu, bounce, BOUNCE_SPEED, 0.0, cfm, 0.0, 0.0)
        for geom, key in zip(self.geoms, keys, strict=True):
            self.space.setSurfaceType(geom, kinds.index(key))

    def collide(self, record: bool) -> None:
        """Make the contact joints of the coming step; `record` keeps what touches and measures the forces."""
        self.group.empty()
        if not record:
            self.space.autoCollide()
            return
        self._clear_events()
        self.space.setCollisionEvent(EVENT)
        self.space.autoCollide()
        self.space.setCollisionEvent("")
        self._known = None
        self._touching = []
        events, number = self._events, self.space.getCollideId
        while not events.isQueueEmpty():
            event = events.dequeueEvent()
            if event.getName() == EVENT:
                entry = event.getParameter(0).getPtr().getValue()
                self._touching.append((number(entry.getGeom1()), number(entry.getGeom2()), entry))
        self._attach_feedback()

    def _clear_events(self) -> None:
        events = self._events
        while not events.isQueueEmpty():
            events.dequeueEvent()

    def _attach_feedback(self) -> None:
        """Give every contact joint a feedback struct, in the order of the contacts.

        A body lists its joints youngest first, so its k-th contact of n is joint n - 1 - k.
        """
        made: dict[int, int] = {}
        plan: list[tuple[int, int, int]] = []
        for a, b, entry in self._touching:
            at = a if self.owner[a] is not None else b
            points = entry.getNumContacts()
            plan.append((at, made.get(self.key[at], 0), points))
            for side in {self.key[g] for g in (a, b) if self.owner[g] is not None}:
                made[side] = made.get(side, 0) + points
        used = 0
        for at, start, points in plan:
            owner, total = self.owner[at], made.get(self.key[at], 0)
            for k in range(start, start + points):
                if used == len(self._pool):
                    self._pool.append(OdeJointFeedback())
                if owner is not None:
                    owner.getJoint(total - 1 - k).setFeedback(self._pool[used])
                used += 1

    def contacts(self) -> Contacts:
        """Contact points and forces of the last recorded step."""
        if self._known is None:
            self._known = self._gather()
        return self._known

    def forget(self, contacts: Contacts | None = None) -> None:
        """Let these be the contacts of the last step (none: nothing touches)."""
        self._touching, self._known = [], contacts or Contacts.empty()

    def _gather(self) -> Contacts:
        first: list[int] = []
        second: list[int] = []
        rows: list[tuple[float, ...]] = []
        pool = iter(self._pool)
        for a, b, entry in self._touching:
            sign = 1.0 if self.owner[a] is not None else -1.0
            for k in range(entry.getNumContacts()):
                geom, force = entry.getContactGeom(k), next(pool).getForce1()
                first.append(a)
                second.append(b)
                rows.append((*geom.getPos(), *geom.getNormal(), *(force * sign), geom.getDepth()))
        if not rows:
            return Contacts.empty()
        a_side, b_side = np.array(first), np.array(second)
        table: Array = np.array(rows)
        return Contacts(
            self.actor[a_side], self.link[a_side], self.actor[b_side], self.link[b_side],
            table[:, 0:3], table[:, 3:6], table[:, 6:9], table[:, 9],
        )  # fmt: skip


def _bitmask(surface: Surface) -> int:
    return 0xFFFFFFFF if surface.collide_bitmask is None else surface.collide_bitmask & 0xFFFFFFFF
