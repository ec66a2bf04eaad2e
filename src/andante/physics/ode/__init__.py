"""ODE (panda3d.ode, QuickStep) behind the `Engine` contract."""

from andante.physics.registry import EngineEntry

ENGINE = EngineEntry(
    "ode", "andante.physics.ode.engine:OdeEngine", "panda3d.ode", "panda3d", "ode", "maximal coordinates, QuickStep"
)
