"""Contact parameters of a pair of surfaces that ODE's surface table has no column for.

Each is put into the contact itself before its joint is made. A pair with `fdir1` and another `mu2` has two friction
coefficients; `slip1`, `slip2` let it slide by that speed per newton; `min_depth` is taken off the depth; `max_vel`
bounds the depth d that is given back, since ODE parts bodies by ERP/h (d - layer); a damper kd beyond what ERP gives
makes ERP = h kp / (h kp + kd) and CFM = 1 / (h kp + kd) (ODE manual, section "How to use ERP and CFM").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from panda3d import core, ode

from andante.description.link import Surface
from andante.geometry import Array
from andante.physics.state import Settings
from andante.physics.tree import BodyShape

SLIPS = 0x100 | 0x200  # dContactSlip1 and 2 of the ODE that panda3d is linked with; its own words are of an older one
PARALLEL = 1e-6  # shorter than this, a direction has no part in the contact plane


@dataclass(frozen=True)
class Special:
    """What a pair has beyond friction, bounce and stiffness."""

    mu2: float | None = None
    direction: tuple[float, float, float] | None = None  # first friction direction, in the axes of a body
    side: int = 0  # whose body: 0 the first geom's, 1 the second's
    slip: tuple[float, float] = (0.0, 0.0)  # [m/s/N]
    allowance: float = 0.0  # depth that is left alone [m]
    deepest: float = math.inf  # depth that counts at most [m]
    damped: tuple[float, float] | None = None  # ERP and CFM where a damper makes them

    def enter(self, surface: ode.OdeSurfaceParameters, mode: int) -> None:
        """Put into the surface what is the same in every step."""
        kinds = ode.OdeSurfaceParameters
        if self.direction is not None and self.mu2 is not None:
            mode |= kinds.MFContactMu2 | kinds.MFContactFDir1
            surface.setMu2(self.mu2)
        if any(self.slip):
            mode |= SLIPS
            surface.setSlip1(self.slip[0])
            surface.setSlip2(self.slip[1])
        if self.damped is not None:
            mode |= kinds.MFContactSoftERP
            surface.setSoftErp(self.damped[0])
            surface.setSoftCfm(self.damped[1])
        surface.setMode(mode)

    def depth(self, depth: float) -> float:
        """The depth [m] that ODE is told."""
        return min(max(depth - self.allowance, 0.0), self.deepest)

    def turn(self, contact: ode.OdeContact, normal: tuple[float, float, float], axes: Array) -> None:
        """Set the first friction direction: that of the body with these axes (3, 3), laid into the contact plane."""
        if self.direction is None or self.mu2 is None:
            return
        n = np.asarray(normal)
        along = axes @ np.asarray(self.direction)
        along = along - (along @ n) * n
        size = float(np.linalg.norm(along))
        if size < PARALLEL:  # it stands across the plane: any direction in it
            along = np.cross(n, [1.0, 0.0, 0.0] if abs(n[0]) < 0.9 else [0.0, 1.0, 0.0])
            size = float(np.linalg.norm(along))
        contact.setFdir1(core.LVecBase3f(*(along / size).tolist()))


def beyond_table(surface: Surface) -> bool:
    """Whether a surface states anything that could make a pair special."""
    stated = (surface.fdir1, surface.slip1, surface.slip2, surface.min_depth, surface.max_velocity, surface.kp)
    return any(stated)


def special_of(
    a: BodyShape, b: BodyShape, settings: Settings, erp: float, layer: float, least_damping: float = 0.0
) -> Special | None:
    """What a pair of shapes has; None: nothing. Where they state a stiffness, their damper has at least that strength
    [N s/m]."""
    damped = _damped(a.surface, b.surface, settings.dt, erp, least_damping)
    reduction = damped[0] if damped is not None else erp
    fastest = min(math.inf if s.max_velocity is None else s.max_velocity for s in (a.surface, b.surface))
    deepest = fastest * settings.dt / max(reduction, 1e-6) + layer
    found = Special(
        *_anisotropy(a, b, settings.friction),
        slip=(_sum(a.surface.slip1, b.surface.slip1), _sum(a.surface.slip2, b.surface.slip2)),
        allowance=_sum(a.surface.min_depth, b.surface.min_depth),
        deepest=deepest,
        damped=damped,
    )
    return None if found == Special() else found


def _sum(a: float | None, b: float | None) -> float:
    return (a or 0.0) + (b or 0.0)


def _anisotropy(
    a: BodyShape, b: BodyShape, usual: float
) -> tuple[float | None, tuple[float, float, float] | None, int]:
    """Second coefficient, first direction in the axes of a body, and whose body; that of the first that states one."""
    both = (a.surface, b.surface)
    for side, shape in enumerate((a, b)):
        surface = shape.surface
        if surface.fdir1 is not None and surface.mu2 is not None and surface.mu2 != surface.mu:
            second = [s.mu2 if s.fdir1 is not None and s.mu2 is not None else s.mu for s in both]
            x, y, z = (shape.pose.rotation @ np.asarray(surface.fdir1)).tolist()
            return min(usual if mu is None else mu for mu in second), (x, y, z), side
    return None, None, 0


def _damped(a: Surface, b: Surface, h: float, erp: float, least: float) -> tuple[float, float] | None:
    """ERP and CFM of spring and damper, both sides in series; None where the damper is no stronger than ERP's."""
    stated = [s for s in (a, b) if s.kp]
    if not stated:
        return None
    k = 1 / sum(1 / s.kp for s in stated if s.kp)
    dampers = [s.kd for s in stated if s.kd]
    d = max(1 / sum(1 / kd for kd in dampers) if len(dampers) == len(stated) else 0.0, least - h * k)
    if d <= h * k * (1 / max(erp, 1e-6) - 1):
        return None
    return h * k / (h * k + d), 1 / (h * k + d)
