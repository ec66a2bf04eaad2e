"""Bullet behind the `Engine` contract."""

from andante.physics.registry import EngineEntry

ENGINE = EngineEntry(
    "bullet",
    "andante.physics.bullet.engine:BulletEngine",
    "pybullet",
    "pybullet",
    "bullet",
    "reduced coordinates, hard contacts",
)
