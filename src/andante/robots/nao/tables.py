"""The NAO's figures as the CSV tables of this folder hold them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from andante.geometry import Array

HERE = Path(__file__).resolve().parent


def rows(name: str) -> list[dict[str, str]]:
    """Rows of a table (links, joints, sensors, sole) by column name."""
    lines = (HERE / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def sole_outline() -> Array:
    """Contact outline of the left sole in the l_ankle frame (10, 2) [m], counter-clockwise."""
    return np.array([[float(row["x"]), float(row["y"])] for row in rows("sole")])
