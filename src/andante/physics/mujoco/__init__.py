"""MuJoCo behind the `Engine` contract."""

from andante.physics.registry import EngineEntry

ENGINE = EngineEntry(
    "mujoco",
    "andante.physics.mujoco.engine:MujocoEngine",
    "mujoco",
    "mujoco-core",
    summary="default; soft contacts, fastest",
    solver=(
        "iterations",
        "method",
        "tolerance",
        "cone",
        "impratio",
        "integrator",
        "ls_iterations",
        "ls_tolerance",
        "noslip_iterations",
    ),
    methods=("newton", "cg", "pgs"),
    surface=("torsional", "rolling", "restitution", "kp", "kd", "min_depth", "solref", "solimp", "margin", "gap"),
)
