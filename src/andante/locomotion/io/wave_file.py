"""Wave gaits that ship with Andante: one TOML file per variant with parameters, speed and how they were found."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from andante.errors import UnknownName
from andante.locomotion.wave.model import VARIANTS, WaveParameters

DATA = Path(__file__).resolve().parents[1] / "data"


@dataclass(frozen=True)
class ShippedGait:
    """Parameters of a gait, the speed it reaches on MuJoCo [m/s], and the command that found it."""

    parameters: WaveParameters
    speed: float
    found_by: str


@cache
def default_gait(variant: str) -> ShippedGait:
    """The gait of the NAO that a variant walks when none is named."""
    if variant not in VARIANTS:
        raise UnknownName.among("wave variant", variant, VARIANTS)
    table = tomllib.loads((DATA / f"wave_nao_{variant}.toml").read_text(encoding="utf-8"))
    return ShippedGait(WaveParameters.of(table["parameters"]), float(table["speed"]), table["found_by"])
