"""Machines by name or file: a machine of the robot's library, .toml, .scxml, .json, or `file.py:Class`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.control.machines.author import StateMachine
from andante.control.machines.model import Machine
from andante.control.machines.skills import Skill
from andante.description import ROBOTS, Robot
from andante.description.source import Source
from andante.errors import BadInput, UnknownName
from andante.files import read_bytes, read_text, write_bytes
from andante.parsing import key_lines, line_of, parse_json, parse_toml, toml_value
from andante.userfile import is_user_reference, load_user_object

from .plain import machine_of, table_of
from .scxml import scxml_machine, scxml_text

SUFFIXES = (".toml", ".scxml", ".json")
MAX_BYTES = 4 * 1024 * 1024


def library_machines(robot: Robot) -> dict[str, Path]:
    """Machines in the folder `behaviors` of a robot's package, by name."""
    folder = ROBOTS[robot.name].behaviors if robot.name in ROBOTS else None
    if folder is None or not folder.is_dir():
        return {}
    return {path.stem: path for path in sorted(folder.iterdir()) if path.suffix in SUFFIXES}


def find_machine(robot: Robot, name: str) -> tuple[Machine, Mapping[str, Skill]]:
    """What a name means, and skills that the machine brings along."""
    known = library_machines(robot)
    plain = name.casefold().replace("-", "_")
    if plain in known:
        return read_machine(known[plain]), {}
    if is_user_reference(name):
        made = load_user_object(name)
        made = made() if inspect.isclass(made) else made
        if isinstance(made, StateMachine):
            return made.machine(), made.skills()
        if isinstance(made, Machine):
            return made, {}
        raise BadInput(f"{name} is no state machine: subclass andante.control.machines.StateMachine")
    if Path(name).suffix in SUFFIXES:
        return read_machine(Path(name)), {}
    raise UnknownName(
        f"no state machine {name!r} for robot {robot.name!r}; choices: {', '.join(known) or 'none'}, "
        f"or a file ({', '.join(SUFFIXES)}, file.py:Class)"
    )


def read_machine(path: Path) -> Machine:
    """The machine of a file; errors name file and line."""
    if path.suffix == ".scxml":
        return scxml_machine(read_bytes(path, MAX_BYTES), str(path))
    if path.suffix not in SUFFIXES:
        raise BadInput(f"{path}: state machines are files ending in {', '.join(SUFFIXES)}")
    text = read_text(path, MAX_BYTES)
    return machine_of_text(text, path.suffix, str(path))


def machine_of_text(text: str, suffix: str = ".json", file: str = "") -> Machine:
    """The machine of a TOML or JSON text."""
    name = Path(file).stem if file else "machine"
    try:
        table = parse_toml(text) if suffix == ".toml" else parse_json(text)
    except ValueError as error:
        raise BadInput(f"{file + ': ' if file else ''}not valid {suffix[1:].upper()} ({error})") from None
    lines = key_lines(text) if suffix == ".toml" else {}
    return machine_of(table, lambda key: Source(file, line_of(lines, key)), name)


def machine_text(machine: Machine, suffix: str = ".json") -> str:
    """The text of a machine in one of the forms."""
    if suffix == ".scxml":
        return scxml_text(machine)
    table = table_of(machine)
    return json.dumps(table, ensure_ascii=False, indent=2) + "\n" if suffix == ".json" else _toml(table)


def write_machine(machine: Machine, path: Path) -> None:
    """Write a machine; reading gives it back. The file is complete or absent."""
    if path.suffix not in SUFFIXES:
        raise BadInput(f"{path}: state machines are files ending in {', '.join(SUFFIXES)}")
    write_bytes(machine_text(machine, path.suffix).encode(), path)


def _toml(table: Mapping[str, Any]) -> str:
    """A table per state, its transitions under headings of their own."""
    lines = [f"{key} = {toml_value(value)}" for key, value in table.items() if key not in ("variables", "states")]
    if "variables" in table:
        lines += ["", "[variables]", *(f"{key} = {toml_value(value)}" for key, value in table["variables"].items())]
    for name, state in table["states"].items():
        heading = name if name.isidentifier() and name.isascii() else toml_value(name)
        lines += ["", f"[states.{heading}]"]
        lines += [f"{key} = {toml_value(value)}" for key, value in state.items() if key != "transitions"]
        for transition in state.get("transitions", ()):
            lines.append(f"[[states.{heading}.transitions]]")
            lines += [f"{key} = {toml_value(value)}" for key, value in transition.items()]
    return "\n".join([*lines, ""])
