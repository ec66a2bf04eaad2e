"""Wave gaits of robot packages: one TOML file per variant with parameters, speed and how they were found."""

from __future__ import annotations

import tomllib
from functools import cache

from andante.description import ROBOTS
from andante.errors import BadInput, UnknownName
from andante.locomotion.wave.model import VARIANTS, ShippedGait, WaveParameters


@cache
def default_gait(variant: str, robot: str = "nao") -> ShippedGait:
    """The gait that a variant walks when nothing is asked for, from the package of a robot."""
    if variant not in VARIANTS:
        raise UnknownName.among("wave variant", variant, VARIANTS)
    folder = ROBOTS[robot].gaits if robot in ROBOTS else None
    if folder is None:
        raise BadInput(f"the package of robot {robot!r} holds no gaits")
    table = tomllib.loads((folder / f"wave_{variant}.toml").read_text(encoding="utf-8"))
    return ShippedGait(WaveParameters.of(table["parameters"]), float(table["speed"]), table["found_by"])
