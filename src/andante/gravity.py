"""Gravitational acceleration: of worlds that set none, and of the unit g."""

from __future__ import annotations

GRAVITY = 9.81  # [m/s²]
STANDARD_GRAVITY = 9.80665  # of the unit g and of kilograms of force, by convention [m/s²]
