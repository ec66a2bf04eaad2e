"""Chains: from a robot and two of its links, up to the common ancestor and down, or from Denavit-Hartenberg rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Joint, JointType, Robot
from andante.errors import BadInput, UnknownName, Unsupported
from andante.files import read_text
from andante.geometry import SE3, Array
from andante.parsing import parse_toml

from .chain import Chain, Fixed, Moving, Step


def chain(robot: Robot, base: str, tip: str, held: Mapping[str, float] | None = None) -> Chain:
    """The chain from one link (or named frame) to another, anywhere in the tree.

    A mimic joint whose source is on the way adds to the source's column. One whose source is elsewhere follows that
    source as a held joint: at the position in `held`, else 0 (moved into its limits). `held` may name joints on the
    way too.
    """
    base_link, base_pose = _place(robot, base)
    tip_link, tip_pose = _place(robot, tip)
    up, down = _path(robot, base_link, tip_link)
    own = {joint.name for joint in (*up, *down) if joint.one_dof}
    steps: list[Step] = [Fixed(base_pose.inverse().matrix)]
    for joint in up:
        steps.append(Fixed(joint.joint_from_child.inverse().matrix))
        steps += _motion(robot, joint, -1.0)
        steps.append(Fixed(joint.pose.inverse().matrix))
    for joint in down:
        steps.append(Fixed(joint.pose.matrix))
        steps += _motion(robot, joint, 1.0)
        steps.append(Fixed(joint.joint_from_child.matrix))
    steps.append(Fixed(tip_pose.matrix))
    bounds = _bounds(robot, steps, [joint for joint in (*up, *down) if joint.one_dof])
    outside = {name: float(np.clip(0.0, *pair)) for name, pair in bounds.items() if name not in own}
    return Chain(base, tip, tuple(steps), bounds, {**outside, **(held or {})})


def _place(robot: Robot, name: str) -> tuple[str, SE3]:
    """Link and pose on it of a link or frame name."""
    for frame in robot.frames:
        if frame.name == name:
            return frame.link, frame.pose
    return robot.link(name).name, SE3.identity()


def _path(robot: Robot, base: str, tip: str) -> tuple[list[Joint], list[Joint]]:
    """Joints from the base up to the common ancestor, and from there down to the tip."""
    above_base, above_tip = robot.ancestors(base), robot.ancestors(tip)
    while above_base and above_tip and above_base[-1] is above_tip[-1]:
        above_base.pop()
        above_tip.pop()
    for joint in (*above_base, *above_tip):
        if not joint.one_dof and joint.type is not JointType.FIXED:
            raise Unsupported(
                f"robot {robot.name!r}: links {base!r} and {tip!r} are not connected by a chain: joint {joint.name!r} "
                f"between them is {joint.type.value}; a chain takes revolute, continuous, prismatic and fixed joints"
            )
    return above_base, above_tip[::-1]


def _source(robot: Robot, joint: Joint) -> tuple[str, float, float]:
    """The joint that leads a mimic in the end, with multiplier and offset."""
    name, multiplier, offset, seen = joint.name, 1.0, 0.0, {joint.name}
    while joint.mimic is not None:
        offset += multiplier * joint.mimic.offset
        multiplier *= joint.mimic.multiplier
        name = joint.mimic.joint
        if name in seen:
            raise BadInput(f"robot {robot.name!r}: joint {name!r} mimics itself")
        seen.add(name)
        joint = robot.joint(name)
    return name, multiplier, offset


def _motion(robot: Robot, joint: Joint, sign: float) -> list[Step]:
    if not joint.one_dof:
        return []
    name, multiplier, offset = _source(robot, joint)
    axis = np.asarray(joint.axis) * sign
    if multiplier == 0.0:
        return [Moving(axis, joint.type is JointType.PRISMATIC, joint.name)] if joint.mimic is None else []
    return [Moving(axis, joint.type is JointType.PRISMATIC, name, multiplier, offset)]


def _bounds(robot: Robot, steps: list[Step], joints: list[Joint]) -> dict[str, tuple[float, float]]:
    """Limits of every variable: its own, narrowed by those of the mimics on the way."""
    bounds: dict[str, tuple[float, float]] = {}
    for step in steps:
        if isinstance(step, Moving) and step.variable not in bounds:
            bounds[step.variable] = _own_limits(robot.joint(step.variable))
    for joint in joints:
        name, multiplier, offset = _source(robot, joint)
        if joint.mimic is None or multiplier == 0.0:
            continue
        ends = sorted((limit - offset) / multiplier for limit in _own_limits(joint))
        lower, upper = max(ends[0], bounds[name][0]), min(ends[1], bounds[name][1])
        if lower > upper + 1e-9:
            raise BadInput(
                f"robot {robot.name!r}: the limits of mimic joint {joint.name!r} leave no position for {name!r}; "
                f"widen one of them"
            )
        bounds[name] = (lower, max(lower, upper))
    return bounds


def _own_limits(joint: Joint) -> tuple[float, float]:
    if joint.type is JointType.CONTINUOUS:
        return -np.inf, np.inf
    return joint.limits.lower, joint.limits.upper


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
        UnknownName.check("DH row type", self.type, TYPES)
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
    UnknownName.check("DH convention", convention, CONVENTIONS)
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
    UnknownName.check("DH row key", map(str, entry), known)
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
