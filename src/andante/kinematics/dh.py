"""Chains from Denavit-Hartenberg rows, standard and modified, written in Python or in a TOML file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.files import read_text
from andante.geometry import Array
from andante.parsing import parse_toml

from .chain import Chain, Fixed, Moving, Step

CONVENTIONS = ("standard", "modified")
TYPES = ("revolute", "prismatic", "fixed")
ARMS = Path(__file__).parent / "arms"
Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class DHRow:
    """One row; q adds to theta (revolute) or d (prismatic).

    standard: Tz(d) Rz(theta) Tx(r) Rx(alpha); modified (Craig): Rx(alpha) Tx(r) Rz(theta) Tz(d).
    """

    alpha: float = 0.0  # [rad]
    d: float = 0.0  # [m]
    theta: float = 0.0  # [rad]
    r: float = 0.0  # [m], "a" in many books
    type: str = "revolute"
    lower: float = -math.inf  # [rad or m]
    upper: float = math.inf
    name: str = ""

    def __post_init__(self) -> None:
        if self.type not in TYPES:
            raise UnknownName.among("DH row type", self.type, TYPES)
        numbers = (self.alpha, self.d, self.theta, self.r)
        if not all(map(math.isfinite, numbers)):
            raise BadInput(f"DH row {self.name!r}: alpha, d, theta and r must be finite, got {numbers}")
        if not self.lower <= self.upper:
            raise BadInput(f"DH row {self.name!r}: limits need lower <= upper, got {self.lower} and {self.upper}")


def dh_matrix(alpha: float, d: float, theta: float, r: float, convention: str = "standard") -> Array:
    """(4, 4) transform of one row."""
    c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    if convention == "standard":
        return np.array([[c, -s * ca, s * sa, r * c], [s, c * ca, -c * sa, r * s], [0, sa, ca, d], [0, 0, 0, 1.0]])
    if convention == "modified":
        rows = [[c, -s, 0, r], [s * ca, c * ca, -sa, -sa * d], [s * sa, c * sa, ca, ca * d], [0, 0, 0, 1.0]]
        return np.array(rows)
    raise UnknownName.among("DH convention", convention, CONVENTIONS)


def dh_chain(
    rows: Iterable[DHRow | Mapping[str, Any]],
    convention: str = "standard",
    *,
    base: ArrayLike | None = None,
    tool: ArrayLike | None = None,
) -> Chain:
    """The chain of DH rows; `base` and `tool` are (4, 4) poses before the first and after the last row.

    Joints without a name are called q1, q2, ... in order of the moving rows.
    """
    if convention not in CONVENTIONS:
        raise UnknownName.among("DH convention", convention, CONVENTIONS)
    steps: list[Step] = [] if base is None else [Fixed(_pose(base, "base"))]
    bounds: dict[str, tuple[float, float]] = {}
    for entry in rows:
        row = entry if isinstance(entry, DHRow) else _row(entry)
        whole = dh_matrix(row.alpha, row.d, row.theta, row.r, convention)
        if row.type == "fixed":
            steps.append(Fixed(whole))
            continue
        name = row.name or f"q{len(bounds) + 1}"
        if name in bounds:
            raise BadInput(f"two DH rows are named {name!r}; rename one")
        bounds[name] = (row.lower, row.upper)
        moving = Moving(Z, row.type == "prismatic", name)
        if convention == "standard":  # the motion commutes with Tz(d) Rz(theta), so it may come first
            steps += [moving, Fixed(whole)]
        else:
            steps += [Fixed(whole), moving]
    if not bounds:
        raise BadInput("a DH chain needs at least one revolute or prismatic row")
    if tool is not None:
        steps.append(Fixed(_pose(tool, "tool")))
    return Chain("base", "tip", tuple(steps), bounds)


def _pose(value: ArrayLike, what: str) -> Array:
    matrix = np.asarray(value, dtype=float)
    if matrix.shape != (4, 4) or not np.all(np.isfinite(matrix)):
        raise BadInput(f"{what} must be a (4, 4) pose, got shape {matrix.shape}")
    return matrix


def _row(entry: Mapping[str, Any]) -> DHRow:
    known = DHRow.__dataclass_fields__
    for key in entry:
        if key not in known:
            raise UnknownName.among("DH row key", str(key), known)
    return DHRow(**entry)


def load_dh(source: str | Path) -> Chain:
    """A chain from a TOML file with `convention` and a list of `[[rows]]`, or from a built-in arm's name."""
    path = Path(source)
    builtin = {file.stem: file for file in sorted(ARMS.glob("*.toml"))}
    if str(source) in builtin:
        path = builtin[str(source)]
    elif not path.is_file():
        raise UnknownName.among("DH file or arm", str(source), builtin)
    text = read_text(path)
    try:
        data = parse_toml(text)
        return dh_chain(
            data.get("rows", []), data.get("convention", "standard"), base=data.get("base"), tool=data.get("tool")
        )
    except (BadInput, UnknownName) as error:
        raise type(error)(f"{path}: {error}") from None
    except (TypeError, ValueError) as error:
        raise BadInput(f"{path}: not a DH file: {error}") from None
