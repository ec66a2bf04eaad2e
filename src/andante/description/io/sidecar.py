"""The side file of a robot: NAME.toml beside NAME.urdf(.xacro), SDF or MJCF, with poses, servo gains and masks.

[poses.Stand]            # joint = position [rad or m]
LHipPitch = -0.45
[servos."L*Pitch"]       # joint name or glob: kp kd kv effort velocity
kp = 60.0
[collisions]
self_collide = true
never = [["torso", "LBicep"]]
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from andante.description.robot import Robot
from andante.errors import BadInput, UnknownName
from andante.parsing import parse_toml

from .values import LARGEST
from .xmltree import read_bytes

MAX_BYTES = 1024 * 1024
SERVO_KEYS = ("kp", "kd", "kv", "effort", "velocity")


def sidecar_path(path: Path) -> Path:
    """nao.urdf.xacro -> nao.toml."""
    stem = path.name
    for suffix in (".xacro", ".urdf", ".sdf", ".world", ".xml", ".mjcf"):
        stem = stem.removesuffix(suffix)
    return path.with_name(stem + ".toml")


def with_sidecar(robot: Robot, path: Path) -> Robot:
    """The robot with what its side file adds; unchanged when there is none."""
    side = sidecar_path(path)
    if not side.is_file():
        return robot
    raw = read_bytes(side, MAX_BYTES)
    try:
        data = parse_toml(raw.decode("utf-8"))
    except ValueError as error:
        raise BadInput(f"{side}: not valid TOML ({' '.join(str(error).split())})") from None
    unknown = set(data) - {"poses", "servos", "collisions"}
    if unknown:
        raise UnknownName.among("section", sorted(unknown)[0], ("poses", "servos", "collisions"), str(side))
    poses = {name: _numbers(side, f"poses.{name}", table) for name, table in _tables(side, data, "poses").items()}
    for name, table in poses.items():
        for joint in table:
            if joint not in robot.joint_names:
                raise UnknownName.among("joint", joint, robot.joint_names, f"{side} [poses.{name}]")
    servos = {name: _numbers(side, f"servos.{name}", table) for name, table in _tables(side, data, "servos").items()}
    for name, table in servos.items():
        for key in table:
            if key not in SERVO_KEYS:
                raise UnknownName.among("servo value", key, SERVO_KEYS, f"{side} [servos.{name}]")
    collisions = data.get("collisions", {})
    if (
        not isinstance(collisions, dict)
        or set(collisions) - {"never", "self_collide"}
        or not isinstance(collisions.get("never", []), list)
        or not isinstance(collisions.get("self_collide", False), bool)
    ):
        raise BadInput(f"{side}: [collisions] needs self_collide = true/false and never = [[link, link], ...]")
    pairs, known = set(robot.no_collision), {link.name for link in robot.links}
    for pair in collisions.get("never", []):
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(n, str) for n in pair)):
            raise BadInput(f"{side}: collisions.never needs pairs of link names, got {pair!r}")
        for link in pair:
            if link not in known:
                raise UnknownName.among("link", link, sorted(known), f"{side} [collisions]")
        pairs.add(frozenset(pair))
    return replace(
        robot,
        poses={**robot.poses, **poses},
        servos={**robot.servos, **servos},
        self_collide=bool(collisions.get("self_collide", robot.self_collide)),
        no_collision=frozenset(pairs),
    )


def _tables(side: Path, data: dict[str, Any], section: str) -> dict[str, Any]:
    tables = data.get(section, {})
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        raise BadInput(f"{side}: [{section}] needs one table per name, like [{section}.NAME]")
    return tables


def _numbers(side: Path, where: str, table: dict[str, Any]) -> dict[str, float]:
    out = {}
    for key, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            raise BadInput(f"{side}: {where}.{key} should be a number up to {LARGEST:g}, got {str(value)[:40]}")
        out[key] = float(value)
    return out
