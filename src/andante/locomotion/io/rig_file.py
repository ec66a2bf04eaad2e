"""Rigs as editable TOML: written whole or not at all, read back the same, found beside the robot's file."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from andante.description import Robot
from andante.description.io.open import sidecar_path
from andante.errors import BadInput, MissingFile, UnknownName
from andante.files import check_outputs, read_toml, write_bytes
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import Leg, Rig, check_rig

MAX_BYTES = 1024 * 1024
TOP = ("robot", "body", "forward", "center", "mass", "step_height", "stride_time", "legs", "stance", "servos")
NEEDED = ("robot", "body", "legs", "stance")
LEG = ("name", "joints", "hip", "foot", "point", "radius", "stand", "reach", "knee")
LEG_NEEDED = ("name", "joints", "hip", "foot", "stand")
SERVO = ("kp", "kd", "kv", "effort", "velocity", "delay", "backlash", "armature", "step")


def rig_path(robot_file: Path) -> Path:
    """a1.urdf -> a1.rig.toml."""
    side = sidecar_path(robot_file)
    return side.with_name(side.stem + ".rig.toml")


def beside(robot: Robot) -> Path | None:
    """The rig that lies beside the robot's file, None without one."""
    if not robot.source.file:
        return None
    path = rig_path(Path(robot.source.file))
    return path if path.is_file() else None


def rig_for(robot: Robot, path: Path | None = None) -> Rig:
    """The rig in a file, else the one beside the robot's file, else an inferred one."""
    chosen = path or beside(robot)
    return infer_rig(robot) if chosen is None else read_rig(chosen, robot)


def stance_words(robot: Robot, path: Path | None = None) -> str:
    """Where the stance of `rig_for` comes from, in words."""
    chosen = path or beside(robot)
    if chosen is not None:
        return f"stance of {chosen.name}"
    return "inferred stance" if robot.standing is None else f"pose {robot.standing!r}"


def rig_text(rig: Rig) -> str:
    """The rig as TOML with a word on every value."""
    lines = [
        f"# Rig of {rig.robot}: how it stands and steps. Lengths in m, angles in rad, frame of the link `body`.",
        f"robot = {_string(rig.robot)}",
        f"body = {_string(rig.body)}",
        f"forward = {_number(rig.forward)}  # azimuth of straight ahead",
        f"center = {_numbers(rig.center)}  # center of mass in the stance",
        f"mass = {_number(rig.mass)}",
        f"step_height = {_number(rig.step_height)}",
        f"stride_time = {_number(rig.stride_time)}  # period of the quickest gait [s]",
        "",
        "# Legs counter-clockwise, from the first to the left of straight ahead.",
    ]
    for leg in rig.legs:
        lines += [
            "[[legs]]",
            f"name = {_string(leg.name)}",
            f"joints = [{', '.join(map(_string, leg.joints))}]  # from hip to foot",
            f"hip = {_string(leg.hip)}  # link that carries the first joint",
            f"foot = {_string(leg.foot)}",
            f"point = {_numbers(leg.point)}  # of the foot's frame that stands on the ground",
            f"radius = {_number(leg.radius)}  # of a round foot about that point",
            f"stand = {_numbers(leg.stand)}  # where it stands",
            f"reach = {_number(leg.reach)}  # how far from there it may step",
            f"knee = {_numbers(leg.knee)}  # where the knee points",
            "",
        ]
    lines.append("[stance]")
    lines += [f"{_string(name)} = {_number(value)}" for name, value in rig.stance.items()]
    for name, values in rig.servos.items():
        lines += ["", f"[servos.{_string(name)}]", *(f"{key} = {_number(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def write_rig(rig: Rig, path: Path) -> None:
    """Write a rig; the file is complete or absent."""
    check_outputs({"rigs": (path, (".toml",))})
    write_bytes(rig_text(rig).encode(), path)


def read_stance(path: Path) -> dict[str, float]:
    """The [stance] of a file: joints to their positions in a pose in which the robot stands."""
    if not path.is_file():
        raise MissingFile(f"{path}: no such file; it holds a table [stance] with lines like JOINT = ANGLE")
    data = read_toml(path, MAX_BYTES)
    if "stance" not in data:
        raise BadInput(f"{path}: no table [stance] with lines like JOINT = ANGLE")
    return _table(path, "stance", data["stance"])


def read_rig(path: Path, robot: Robot | None = None) -> Rig:
    """A rig from a file; when the robot is given, every name is checked against it.

    A file with nothing but a [stance] is enough then: the rest is inferred from that pose.
    """
    if not path.is_file():
        raise MissingFile(f"{path}: no such rig file; andante rig FILE -o {path} writes one")
    data = read_toml(path, MAX_BYTES)
    if robot is not None and set(data) == {"stance"}:
        return infer_rig(robot, stance=read_stance(path))
    if "centre" in data:
        warnings.warn(f"{path}: the key centre is now called center", DeprecationWarning, stacklevel=2)
        data = {"center": data.pop("centre"), **data}
    _check_keys(path, "the rig", data, TOP, NEEDED)
    if not (isinstance(data["legs"], list) and all(isinstance(leg, dict) for leg in data["legs"])):
        raise BadInput(f"{path}: legs needs one [[legs]] table per leg")
    known = {key: READ[key](path, key, value) for key, value in data.items() if key != "legs"}
    if robot is not None:
        known.setdefault("mass", robot.mass)
    try:
        rig = Rig(legs=tuple(_leg(path, f"legs[{i}]", table) for i, table in enumerate(data["legs"])), **known)
        if robot is not None:
            check_rig(rig, robot)
    except (BadInput, UnknownName) as error:
        text = str(error)
        raise type(error)(text if text.startswith(str(path)) else f"{path}: {text}") from None
    return rig


def _leg(path: Path, where: str, table: Mapping[str, Any]) -> Leg:
    _check_keys(path, where, table, LEG, LEG_NEEDED)
    return Leg(**{key: READ[key](path, f"{where}.{key}", value) for key, value in table.items()})


def _joints(path: Path, where: str, value: Any) -> tuple[str, ...]:
    if not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        raise BadInput(f"{path}: {where} needs a list of joint names")
    return tuple(value)


def _servos(path: Path, where: str, data: Any) -> dict[str, dict[str, float]]:
    if not (isinstance(data, dict) and all(isinstance(values, dict) for values in data.values())):
        raise BadInput(f"{path}: servos needs one table per joint, like [servos.JOINT]")
    out = {}
    for name, values in data.items():
        _check_keys(path, f"servos.{name}", values, SERVO, ())
        out[name] = _table(path, f"servos.{name}", values)
        for key, value in out[name].items():
            if value < 0:
                raise BadInput(f"{path}: servos.{name}.{key} must be >= 0, got {value:g}")
    return out


def _check_keys(
    path: Path, where: str, data: Mapping[str, Any], known: tuple[str, ...], needed: tuple[str, ...]
) -> None:
    UnknownName.check("value", data, known, f"{path}, {where}")
    missing = [key for key in needed if key not in data]
    if missing:
        raise BadInput(f"{path}: {where} lacks {', '.join(missing)}; andante rig FILE -o RIG.toml writes a whole one")


def _text(path: Path, where: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise BadInput(f"{path}: {where} needs a name, got {value!r}")
    return value


def _float(path: Path, where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise BadInput(f"{path}: {where} needs a number, got {str(value)[:40]!r}")
    return float(value)


def _vector(path: Path, where: str, value: Any) -> tuple[float, float, float]:
    if not (isinstance(value, list) and len(value) == 3):
        raise BadInput(f"{path}: {where} needs three numbers, got {str(value)[:40]}")
    x, y, z = (_float(path, where, each) for each in value)
    return (x, y, z)


def _table(path: Path, where: str, value: Any) -> dict[str, float]:
    if not isinstance(value, dict):
        raise BadInput(f"{path}: [{where}] needs lines like NAME = NUMBER")
    return {name: _float(path, f"{where}.{name}", each) for name, each in value.items()}


READ: dict[str, Callable[[Path, str, Any], Any]] = {  # what every value of a rig or leg is; others are numbers
    **dict.fromkeys((*TOP, *LEG), _float),
    **dict.fromkeys(("robot", "body", "name", "hip", "foot"), _text),
    **dict.fromkeys(("center", "point", "stand", "knee"), _vector),
    **{"joints": _joints, "stance": _table, "servos": _servos},
}


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _number(value: float) -> str:
    return repr(float(value))


def _numbers(values: tuple[float, ...]) -> str:
    return "[" + ", ".join(map(_number, values)) + "]"
