"""Experiments from files: TOML, or a Python object `file.py:Name`; mistakes are reported with line and key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from andante.errors import AndanteError, BadInput, MissingFile, UnknownName, one_line
from andante.files import read_text
from andante.parsing import key_lines, line_of, parse_toml
from andante.userfile import is_user_reference, load_user_object

from .experiment import Experiment, Measure
from .setup import shipped, trial_function, trial_terms
from .variation import Variation

ENTRIES = tuple(each.name for each in fields(Experiment))
WORDS = ("name", "trial", "title", "reference", "mode")
TABLES = ("factors", "measures", "tests", "arguments", "vary", "fit", "modes")


def builtin_names() -> tuple[str, ...]:
    """Names of the experiments that ship, sorted."""
    return tuple(shipped("", ".toml"))


def load_experiment(name: str) -> Experiment:
    """The experiment of a built-in name, a .toml file, or a Python object file.py:Name."""
    if is_user_reference(name):
        return _from_python(name)
    path, builtin = Path(name), {} if name.endswith(".toml") else shipped("", ".toml")
    if name in builtin:
        return parse_experiment(read_text(builtin[name]), f"{name}.toml", builtin[name].parent)
    if name.endswith(".toml") or path.is_file():
        if not path.exists():
            raise MissingFile(f"{name}: no such file; an experiment is a .toml file")
        return parse_experiment(read_text(path), name, path.parent)
    raise UnknownName.among("experiment", name, (*builtin, "FILE.toml", "file.py:Name"))


def parse_experiment(text: str, where: str = "experiment", folder: Path | None = None) -> Experiment:
    """The experiment of a TOML text; BadInput names `where`, line and key. Files are looked for from `folder`."""
    try:
        table = parse_toml(text)
    except ValueError as error:
        words = one_line(error)
        line = re.search(r"at line (\d+)", words)
        raise BadInput(f"{where}:{line[1] if line else 1}: {words}") from None
    lines = key_lines(text)
    try:
        return from_dict(table, folder)
    except AndanteError as error:
        message = one_line(error)
        raise BadInput(f"{where}:{line_of(lines, message.partition(':')[0]) or 1}: {message}") from None


def from_dict(table: Mapping[str, Any], folder: Path | None = None) -> Experiment:
    """The experiment of a table; a message begins with the key that is wrong."""
    for key in table:
        if key not in ENTRIES:
            raise BadInput(f"{key}: no such entry; entries: {', '.join(ENTRIES)}")
    for key in ("name", "trial", "factors", "measures"):
        if key not in table:
            raise BadInput(f"{key}: this entry is missing")
    for key in WORDS:
        if not isinstance(table.get(key, ""), str):
            raise BadInput(f"{key}: must be a string, got {table[key]!r}")
    for key in TABLES:
        if not isinstance(table.get(key, {}), Mapping):
            raise BadInput(f"{key}: must be a table, got {table[key]!r}")
    values = dict(table)
    values["engines"] = _levels("engines", table.get("engines", ["mujoco"]))
    values["factors"] = {name: _levels(f"factors.{name}", levels) for name, levels in table["factors"].items()}
    values["measures"] = {name: _measure(name, entry) for name, entry in table["measures"].items()}
    values["vary"] = Variation.of(table.get("vary", {}))
    for key, what in (("tests", "levels"), ("modes", "arguments")):
        for name, entry in table.get(key, {}).items():
            if not isinstance(entry, Mapping):
                raise BadInput(f"{key}.{name}: must be a table of {what}, got {entry!r}")
    if "timeout" in table and (isinstance(table["timeout"], bool) or not isinstance(table["timeout"], int | float)):
        raise BadInput(f"timeout: a time above 0 s, got {table['timeout']!r}")
    if folder is not None:
        values |= {name: _found(values.get(name, {}), folder) for name in ("arguments", "factors", "tests", "modes")}
    values["trial"] = _full(table["trial"], folder)
    try:
        trial_function(values["trial"])
    except AndanteError as error:
        raise BadInput(f"trial: {error}") from None
    made = Experiment(**values)
    terms = trial_terms(made.trial)
    if terms is not None:
        terms.check(made.arguments, made.factors, made.measures, made.modes)
        if made.vary.friction and ("friction" in made.arguments or "friction" in made.factors):
            raise BadInput("vary.friction: the friction is set in [arguments] or [factors]; remove one of the two")
    return made


def _levels(where: str, levels: Any) -> tuple[Any, ...]:
    if not isinstance(levels, list | tuple) or not levels:
        raise BadInput(f"{where}: must be a list of levels, got {levels!r}")
    return tuple(levels)


def _measure(name: str, entry: Any) -> Measure:
    if not isinstance(entry, Mapping):
        raise BadInput(f"measures.{name}: must be a table with unit, label or commanded, got {entry!r}")
    for key, value in entry.items():
        if key not in ("unit", "label", "commanded", "scale"):
            raise BadInput(f"measures.{name}.{key}: no such entry; entries: unit, label, commanded, scale")
        if not isinstance(value, str):
            raise BadInput(f"measures.{name}.{key}: must be a string, got {value!r}")
    return Measure(name, **entry)


def _found(value: Any, folder: Path) -> Any:
    """Values in which files beside the experiment are named by their full paths; anything else as it is."""
    if isinstance(value, Mapping):
        return {name: _found(entry, folder) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_found(entry, folder) for entry in value)
    if not isinstance(value, str) or not Path(value).suffix:
        return value
    file = folder / value
    return str(file.resolve()) if file.is_file() else value


def _full(trial: str, folder: Path | None) -> str:
    """A user's trial by its full path, seen from the folder of the experiment."""
    if not is_user_reference(trial):
        return trial
    file, _, attribute = trial.rpartition(":")
    return f"{((folder or Path()) / file).resolve()}:{attribute}"


def _from_python(reference: str) -> Experiment:
    """An Experiment, or a function that makes one; functions as trials are taken from the same file."""
    found = load_user_object(reference)
    try:
        made = found() if callable(found) and not isinstance(found, Experiment) else found
    except AndanteError as error:
        raise BadInput(f"{reference}: {error}") from None
    if not isinstance(made, Experiment):
        raise BadInput(f"{reference} is no Experiment and no function that makes one")
    file = reference.rpartition(":")[0]
    try:
        return from_dict(made.as_dict(), Path(file).parent)
    except AndanteError as error:
        raise BadInput(f"{reference}: {error}") from None
