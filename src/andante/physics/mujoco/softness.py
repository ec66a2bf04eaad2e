"""How soft the contacts of MuJoCo are: solref and solimp from what surfaces state.

MuJoCo's contacts are springs of acceleration. One with impedance d and solref (-S, -D) on a point of effective mass m
(1 / m the sum of `body_invweight0` of its two bodies) rests as deep as a spring

    K = S m / (1 - d),        with the damper        C = D m / (1 - d)

and moves by (1 - d) of the outside acceleration. So a stated kp [N/m] becomes S = kp (1 - d) / m; d is 0.5 where that
can be, else so near to 1 that the contact still lasts two steps. It is never less than critically damped, D >= 2
sqrt(S), since files state kd for engines that solve contacts as velocity constraints. Both sides are springs in series.

The mass is that of a pair, and of two geoms MuJoCo takes solref from that with the smaller friction (see `GeomMaker`),
therefore what stands and what moves become explicit pairs where one of them states its softness.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from andante.description.link import Surface

CONTACT_TIME = 0.01  # time constant of a contact where nothing is stated [s]
SOFT, HARDEST = 0.5, 0.9  # impedances of a stated stiffness
MOST_DAMPED = 10.0  # of the critical damping
MOST_PAIRS = 1024
Pair = tuple[list[float], list[float]]  # solref and solimp


@dataclass(frozen=True)
class Side:
    """A geom as one side of contacts."""

    name: str
    model: int
    stands: bool
    friction: tuple[float, float, float]  # sliding, torsional, rolling
    condim: int
    priority: int
    bits: tuple[int, int]  # contype, conaffinity
    surface: Surface

    @property
    def softness(self) -> bool:
        """Whether its surface states how soft it is."""
        stated = self.surface
        return any(value is not None for value in (stated.kp or None, stated.solref, stated.solimp))


def plain_softness(surface: Surface, dt: float) -> list[float]:
    """solref of a surface that states no stiffness.

    A restitution e becomes the damping ratio -ln e / sqrt(pi^2 + ln^2 e) of a contact that lasts ten steps.
    """
    if surface.restitution is not None and surface.restitution > 0.01:
        log = math.log(min(surface.restitution, 0.99))
        ratio = -log / math.hypot(math.pi, log)
        omega = math.pi / (10 * dt)
        return [-(omega**2), -2 * ratio * omega]
    return [max(CONTACT_TIME, 2 * dt), 1.0]


def spring(kp: float, kd: float, mass: float, dt: float) -> Pair:
    """solref and solimp of a contact with stiffness kp [N/m] and damping kd [N s/m] on an effective mass [kg]."""
    fastest = 1 / (2 * dt) ** 2
    d = min(max(SOFT, 1 - mass * fastest / kp), HARDEST)
    stiffness = min(kp * (1 - d) / mass, fastest)
    critical = 2 * math.sqrt(stiffness)
    damping = min(max(kd * (1 - d) / mass, critical), MOST_DAMPED * critical)
    return [-stiffness, -damping], [d, d, 0.001, 0.5, 2.0]


def pair_softness(a: Surface, b: Surface, mass: float, dt: float) -> Pair | None:
    """solref and solimp of two surfaces of which one states its softness; None where MuJoCo's own impedance is meant.

    Stated stiffnesses are in series. MuJoCo's own words come first, of both sides their mean, as MuJoCo mixes them.
    """
    references = [s.solref for s in (a, b) if s.solref is not None]
    impedances = [s.solimp for s in (a, b) if s.solimp is not None]
    if references or impedances:
        mean = np.mean(references, axis=0) if references else np.array(plain_softness(a, dt))
        if references and np.min(references) < 0:
            mean = np.min(references, axis=0)
        solimp = np.mean(impedances, axis=0) if impedances else np.array(mujoco.MjSpec().default.geom.solimp)
        return mean.tolist(), solimp.tolist()
    stiff = [s for s in (a, b) if s.kp]
    if not stiff or mass <= 0:
        return None
    kp = 1 / sum(1 / s.kp for s in stiff if s.kp)
    kd = min((s.kd for s in stiff if s.kd), default=0.0)
    return spring(kp, kd, mass, dt)


def soft_pairs(sides: Sequence[Side]) -> list[tuple[Side, Side]]:
    """Pairs of what stands and what moves that may touch and of which one states its softness; none if too many."""
    standing, moving = ([side for side in sides if side.stands is stands] for stands in (True, False))
    found = [
        (a, b)
        for a in standing
        for b in moving
        if (a.softness or b.softness) and a.model != b.model and (a.bits[0] & b.bits[1] or a.bits[1] & b.bits[0])
    ]
    return found if len(found) <= MOST_PAIRS else []


def add_pairs(spec: Any, pairs: Sequence[tuple[Side, Side]]) -> None:
    """Enter pairs with their friction; `soften` sets the rest once the masses are known."""
    for a, b in pairs:
        made, rubs = spec.add_pair(), max(a, b, key=lambda side: side.priority)
        made.geomname1, made.geomname2, made.condim = a.name, b.name, rubs.condim
        sliding, torsional, rolling = rubs.friction
        made.friction = [sliding, sliding, torsional, rolling, rolling]
        made.margin = sum(margin_of(side.surface) for side in (a, b))
        made.gap = sum(side.surface.gap or 0.0 for side in (a, b))


def margin_of(surface: Surface) -> float:
    """Margin of a geom [m], those of a pair add up; below zero a contact begins deeper."""
    return (surface.margin or 0.0) - (surface.min_depth or 0.0)


def soften(mj_model: Any, sides: Sequence[Side], pairs: Sequence[tuple[Side, Side]], dt: float) -> None:
    """Set the softness of pairs, and of geoms on a body that moves, of a compiled model."""
    inverse = mj_model.body_invweight0[mj_model.geom_bodyid, 0]
    number = {side.name: mj_model.geom(side.name).id for side in sides if side.softness or pairs}
    for k, (a, b) in enumerate(pairs):
        found = pair_softness(a.surface, b.surface, _mass(inverse[number[a.name]] + inverse[number[b.name]]), dt)
        mj_model.pair_solref[k] = plain_softness(a.surface, dt) if found is None else found[0]
        if found is not None:
            mj_model.pair_solimp[k] = found[1]
            mj_model.pair_solreffriction[k] = [max(CONTACT_TIME, 2 * dt), 1.0]
    usual = _mass(float(np.median(inverse[inverse > 0]))) if np.any(inverse > 0) else 0.0
    for side in sides:
        if side.softness:
            geom = number[side.name]
            found = pair_softness(side.surface, Surface(), usual if side.stands else _mass(inverse[geom]), dt)
            if found is not None:
                mj_model.geom_solref[geom], mj_model.geom_solimp[geom] = found


def _mass(inverse: float) -> float:
    return 1 / float(inverse) if inverse > 0 else 0.0
