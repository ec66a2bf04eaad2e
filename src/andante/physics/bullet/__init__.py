"""Bullet behind the `Engine` contract."""

from andante.physics.registry import EngineEntry

ENGINE = EngineEntry(
    "bullet",
    "andante.physics.bullet.engine:BulletEngine",
    "pybullet",
    "pybullet",
    "bullet",
    "reduced coordinates, hard contacts",
    solver=("iterations", "cfm", "erp", "tolerance", "surface_layer"),
    surface=("mu2", "fdir1", "torsional", "rolling", "restitution", "kp", "kd", "solref"),
)
