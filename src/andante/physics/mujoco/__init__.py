"""MuJoCo behind the `Engine` contract."""

from andante.physics.registry import EngineEntry

ENGINE = EngineEntry(
    "mujoco",
    "andante.physics.mujoco.engine:MujocoEngine",
    "mujoco",
    "mujoco-core",
    summary="default; soft contacts, fastest",
)
