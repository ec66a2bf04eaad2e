"""Bullet behind the `Engine` contract."""
