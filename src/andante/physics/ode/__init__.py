"""ODE (panda3d.ode, QuickStep) behind the `Engine` contract."""

from andante.physics.registry import LOOPS, EngineEntry

ENGINE = EngineEntry(
    "ode",
    "andante.physics.ode.engine:OdeEngine",
    "panda3d.ode",
    "panda3d",
    "ode",
    "maximal coordinates, QuickStep",
    solver=("iterations", "cfm", "erp", "method", "sor", "max_correcting_velocity", "surface_layer"),
    methods=("quick", "world"),
    surface=(
        "rolling",
        "mu2",
        "fdir1",
        "slip1",
        "slip2",
        "restitution",
        "kp",
        "kd",
        "max_velocity",
        "min_depth",
        "solref",
    ),
    loops=(*LOOPS, "prismatic"),
)
