"""Contacts in ODE: surface table, pair filter, and what touched in the last step.

The loop over touching pairs runs inside `OdeSpace.autoCollide`. It writes down what it found only for the last step
of a run (a collision event), and there the contact joints are given feedback structs for the forces.

Of two surfaces the smaller friction holds, as in Gazebo; restitution is the larger; stiffnesses are in series, and
reach ODE as CFM = ERP / (h k). Friction is ODE's pyramid with bounds mu N, along `fdir1` where a surface states one
(`special`). Torsional friction does not exist in it; rolling friction is that of `andante.physics.rolling`, of balls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from panda3d import core, ode

from andante.description.link import Surface
from andante.errors import Unsupported
from andante.geometry import SE3, Array, so3
from andante.gravity import GRAVITY
from andante.physics.model import Model
from andante.physics.state import Contacts, Settings

from .build import Built, attach
from .convex import ConvexPairs, place_shapes
from .filter import ALL, Nearby, allowed_pairs, pair_bits
from .read import PoseReader
from .special import Special, beyond_table, special_of

EVENT = "andante-ode-contact"
BOUNCE_SPEED = 0.05  # slower impacts do not bounce [m/s]
CONTACT_CFM = 1e-5
MAX_SURFACES = 255
MAX_PER_PAIR = 16  # points of a pair, as in autoCollide


def surface_key(surface: Surface, settings: Settings) -> tuple[float, float, float]:
    """Friction coefficient, restitution and stiffness [N/m] (inf: the engine's own) of a surface."""
    mu = settings.friction if surface.mu is None else surface.mu
    return float(mu), float(surface.restitution or 0.0), float(surface.kp or math.inf)


def combined(
    a: tuple[float, float, float], b: tuple[float, float, float], erp: float, dt: float, cfm: float = CONTACT_CFM
) -> tuple[float, float, float]:
    """Friction coefficient, restitution and CFM of a pair of surfaces; `cfm` where they state no stiffness."""
    mu = min(a[0], b[0])
    return mu, max(a[1], b[1]), max(cfm, erp / dt * (1 / a[2] + 1 / b[2]))


class Collider:
    """All geoms of a scene, and the contacts between them."""

    def __init__(
        self, world: ode.OdeWorld, space: ode.OdeSpace, models: Sequence[Model], built: Sequence[Built],
        settings: Settings, erp: float,
    ) -> None:  # fmt: skip
        self.world, self.space, self.group = world, space, ode.OdeJointGroup()
        rows = [(a, b, geom, shape) for a, made in enumerate(built) for geom, b, shape in made.geoms]
        self.model = np.array([a for a, _, _, _ in rows], dtype=int)
        self.body = np.array([b for _, b, _, _ in rows], dtype=int)
        self.link = np.array([shape.link for _, _, _, shape in rows], dtype=int)
        self.geoms: list[ode.OdeGeom] = [geom for _, _, geom, _ in rows]
        self.shapes = [shape for _, _, _, shape in rows]
        self.owner: list[ode.OdeBody | None] = [built[a].bodies[b] for a, b, _, _ in rows]
        self.key = self.model * (1 + int(self.body.max(initial=0))) + self.body
        free = np.array([owner is not None for owner in self.owner], dtype=bool)
        stated = (shape.surface.collide_bitmask for shape in self.shapes)
        mask = np.array([ALL if given is None else given & ALL for given in stated], dtype=np.int64)
        allowed = allowed_pairs(models, self.model, self.body, mask, free)
        self._surfaces = [surface_key(shape.surface, settings) for shape in self.shapes]
        self._erp, self._dt = erp, settings.dt
        self._cfm = CONTACT_CFM if settings.cfm is None else settings.cfm
        self._mass = [math.inf if model.fixed else model.tree.robot.mass for model in models]
        self._settings, self._roots = settings, [model.placement.pose for model in models]
        self._set_surfaces()
        self.own = ConvexPairs([shape.geometry for shape in self.shapes], free, allowed)
        for a, b in self.own.pairs:
            allowed[a, b] = allowed[b, a] = False
        self._allowed = allowed
        bits = pair_bits(allowed, self.model, self.body, free)
        self._exact = bits.exact and not self._any_special(allowed)
        bits.set(self.geoms)
        for index, geom in enumerate(self.geoms):
            space.setCollideId(geom, index)
        space.setAutoCollideWorld(world)
        space.setAutoCollideJointGroup(self.group)
        self._prepare_own([np.asarray(models[a].tree.bodies[b].inertia.com) for a, b, _, _ in rows])
        self.near = Nearby(self.geoms, self.owner, settings.dt)
        self._events = core.EventQueue.getGlobalEventQueue()
        self._pool: list[ode.OdeJointFeedback] = []
        self._touching: list[tuple[int, int, Any]] = []  # geoms and collision entry of the last step
        self._mine: tuple[np.ndarray, Array] = (np.zeros(0, dtype=np.int64), np.zeros((0, 7)))
        self._known: Contacts | None = Contacts.empty()

    def _set_surfaces(self) -> None:
        keys = self._surfaces
        kinds = list(dict.fromkeys(keys)) or [(1.0, 0.0, math.inf)]
        if len(kinds) > MAX_SURFACES:
            raise Unsupported(f"engine 'ode' knows {MAX_SURFACES} different surfaces, the scene has {len(kinds)}")
        self.world.initSurfaceTable(len(kinds))
        for i, a in enumerate(kinds):
            for k, b in enumerate(kinds[: i + 1]):
                mu, bounce, cfm = combined(a, b, self._erp, self._dt, self._cfm)
                self.world.setSurfaceEntry(i, k, mu, bounce, BOUNCE_SPEED, 0.0, cfm, 0.0, 0.0)
        for geom, key in zip(self.geoms, keys, strict=True):
            self.space.setSurfaceType(geom, kinds.index(key))

    def _contact(self, a: int, b: int) -> ode.OdeContact:
        """A contact with the surface of two geoms, as the table of the world has it."""
        mu, bounce, cfm = combined(self._surfaces[a], self._surfaces[b], self._erp, self._dt, self._cfm)
        surface = ode.OdeSurfaceParameters()
        mode = (
            ode.OdeSurfaceParameters.MFContactBounce
            | ode.OdeSurfaceParameters.MFContactSoftCFM
            | ode.OdeSurfaceParameters.MFContactApprox1
        )
        surface.setMode(mode)
        surface.setMu(mu)
        surface.setBounce(bounce)
        surface.setBounceVel(BOUNCE_SPEED)
        surface.setSoftCfm(cfm)
        special = self._special(a, b)
        if special is not None:
            special.enter(surface, mode)
        contact = ode.OdeContact()
        contact.setSurface(surface)
        return contact

    def _special(self, a: int, b: int) -> Special | None:
        """What the surfaces of two geoms have that the table has no column for."""
        layer, fastest = self.world.getContactSurfaceLayer(), self.world.getContactMaxCorrectingVel()
        # ODE parts bodies no faster than that: damped so, a spring still carries thrice the weight
        weight = GRAVITY * min(self._mass[self.model[a]], self._mass[self.model[b]])
        least = 3 * weight / fastest if math.isfinite(weight) and fastest > 0 else 0.0
        return special_of(self.shapes[a], self.shapes[b], self._settings, self._erp, layer, least)

    def _any_special(self, allowed: np.ndarray) -> bool:
        """Whether any pair that ODE's own loop would meet needs more than the table has."""
        telling = [i for i, shape in enumerate(self.shapes) if beyond_table(shape.surface)]
        return any(self._special(i, int(k)) is not None for i in telling for k in np.flatnonzero(allowed[i]))

    def _axes(self, geom: int) -> Array:
        """Axes (3, 3) of the body of a geom in the world."""
        owner = self.owner[geom]
        if owner is None:
            root: SE3 = self._roots[self.model[geom]]
            return root.rotation
        w, x, y, z = owner.getQuaternion()
        axes: Array = so3.from_quaternion([x, y, z, w])
        return axes

    def _meet(self, special: Special, ends: tuple[int, int], contact: ode.OdeContact, geom: ode.OdeContactGeom) -> None:
        """Fit a contact to what its pair of geoms has beyond the table."""
        geom.setDepth(special.depth(geom.getDepth()))
        special.turn(contact, tuple(geom.getNormal()), self._axes(ends[special.side]))

    # ---- pairs met by our own code -----------------------------------------------------------------
    def _prepare_own(self, coms: list[Array]) -> None:
        own = self.own
        self._own_ends = [
            (self._contact(a, b), self.owner[a], self.owner[b], self._special(a, b)) for a, b in own.pairs.tolist()
        ]
        movers = list(dict.fromkeys(int(self.key[g]) for g in own.geoms if self.owner[g] is not None))
        first = {int(self.key[g]): owner for g in own.geoms if (owner := self.owner[g]) is not None}
        self._movers = PoseReader([first[key] for key in movers])
        self._mover_of = np.array(
            [movers.index(int(self.key[g])) if self.owner[g] is not None else -1 for g in own.geoms], dtype=np.int64
        )
        local = [self.shapes[g].pose for g in own.geoms]
        offsets = [pose.translation - coms[g] for pose, g in zip(local, own.geoms, strict=True)]
        self._offset = np.array(offsets).reshape(-1, 3)
        self._turn = np.array([pose.quaternion for pose in local]).reshape(-1, 4)
        self._own_poses = np.zeros((len(own.geoms), 7))

    def stand(self, model: int, root: SE3) -> None:
        """The geoms of a fixed root stand here now."""
        self._roots[model] = root
        self.near.measure()
        for i, g in enumerate(self.own.geoms):
            if self.owner[g] is None and self.model[g] == model:
                self._own_poses[i] = (root @ self.shapes[g].pose).vector

    def _collide_own(self, record: bool) -> None:
        self._movers.read()
        place_shapes(
            self._movers.position, self._movers.quaternion, self._mover_of, self._offset, self._turn, self._own_poses
        )
        pairs, points = self.own.contacts(self._own_poses)
        if record:
            self._mine = pairs.copy(), points.copy()
        geom, world, group, ends = ode.OdeContactGeom(), self.world, self.group, self._own_ends
        for row, (pair, (x, y, z, nx, ny, nz, depth)) in enumerate(zip(pairs.tolist(), points.tolist(), strict=True)):
            contact, a, b, special = ends[pair]
            geom.setPos(core.LVecBase3f(x, y, z))
            geom.setNormal(core.LVecBase3f(nx, ny, nz))
            geom.setDepth(depth)
            if special is not None:
                first, second = self.own.pairs[pair].tolist()
                self._meet(special, (first, second), contact, geom)
            contact.setGeom(geom)
            joint = ode.OdeContactJoint(world, group, contact)
            if b is None:
                joint.attachBody(a, 0)
            else:
                attach(joint, a, b)
            if record:
                joint.setFeedback(self._feedback(row))

    def _feedback(self, index: int) -> ode.OdeJointFeedback:
        while index >= len(self._pool):
            self._pool.append(ode.OdeJointFeedback())
        return self._pool[index]

    # ---- every step --------------------------------------------------------------------------------
    def collide(self, record: bool) -> None:
        """Make the contact joints of the coming step; `record` keeps what touches and measures the forces."""
        self.group.empty()
        self.near.before_step()
        if record:
            self._known, self._touching = None, []
        if len(self.own.pairs):
            self._collide_own(record)
        if not self._exact:
            self._collide_slowly(record)
        elif record:
            self._collide_recorded()
        else:
            self.space.autoCollide()

    def _collide_recorded(self) -> None:
        events, number = self._events, self.space.getCollideId
        while not events.isQueueEmpty():
            events.dequeueEvent()
        self.space.setCollisionEvent(EVENT)
        self.space.autoCollide()
        self.space.setCollisionEvent("")
        while not events.isQueueEmpty():
            event = events.dequeueEvent()
            if event.getName() == EVENT:
                entry = event.getParameter(0).getPtr().getValue()
                self._touching.append((number(entry.getGeom1()), number(entry.getGeom2()), entry))
        self._attach_feedback()

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
        used = len(self._mine[0])
        for at, start, points in plan:
            owner, total = self.owner[at], made.get(self.key[at], 0)
            for k in range(start, start + points):
                feedback = self._feedback(used)
                used += 1
                if owner is not None:
                    owner.getJoint(total - 1 - k).setFeedback(feedback)

    def _collide_slowly(self, record: bool) -> None:
        """The same with a filter in Python, for scenes whose pairs do not fit into ODE's bits."""
        number, used = self.space.getCollideId, len(self._mine[0])

        def near(_: object, first: ode.OdeGeom, second: ode.OdeGeom) -> None:
            nonlocal used
            a, b = number(first), number(second)
            if not self._allowed[a, b]:
                return
            entry = ode.OdeUtil.collide(first, second, MAX_PER_PAIR)
            count = entry.getNumContacts()
            if count == 0:
                return
            contact, special = self._contact(a, b), self._special(a, b)
            for k in range(count):
                geom = entry.getContactGeom(k)
                if special is not None:
                    self._meet(special, (a, b), contact, geom)
                contact.setGeom(geom)
                joint = ode.OdeContactJoint(self.world, self.group, contact)
                attach(joint, self.owner[a], self.owner[b])
                if record:
                    joint.setFeedback(self._feedback(used))
                    used += 1
            if record:
                self._touching.append((a, b, entry))

        self.space.collide(None, near)

    # ---- what touched ------------------------------------------------------------------------------
    def contacts(self) -> Contacts:
        """Contact points and forces of the last recorded step."""
        if self._known is None:
            self._known = self._gather()
        return self._known

    def forget(self, contacts: Contacts | None = None) -> None:
        """Let these be the contacts of the last step (none: nothing touches)."""
        self._touching, self._known = [], contacts or Contacts.empty()

    def _gather(self) -> Contacts:
        ends: list[tuple[int, int]] = []
        rows: list[tuple[float, ...]] = []
        pool = iter(self._pool)
        for pair, point in zip(self._mine[0].tolist(), self._mine[1].tolist(), strict=True):
            ends.append(tuple(self.own.pairs[pair].tolist()))
            rows.append((*point[:6], *next(pool).getForce1(), point[6]))
        for a, b, entry in self._touching:
            for k in range(entry.getNumContacts()):
                geom = entry.getContactGeom(k)
                ends.append((a, b))
                rows.append((*geom.getPos(), *geom.getNormal(), *next(pool).getForce1(), geom.getDepth()))
        if not rows:
            return Contacts.empty()
        a, b = np.array(ends).T
        what: Array = np.array(rows)
        what[[self.owner[index] is None for index in a], 6:9] *= -1.0  # the force is on the side that moves
        return Contacts.of_rows(np.stack([self.model[a], self.link[a], self.model[b], self.link[b]], axis=1), what)
