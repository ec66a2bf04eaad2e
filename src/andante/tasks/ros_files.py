"""Parameter files of ROS: YAML of any node, and launch files, in which AMCL and hector_mapping mostly get theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from andante.description.io.xmltree import Node, parse_xml
from andante.errors import BadInput, MissingFile
from andante.files import read_bytes
from andante.locomotion.io.gait_parameters import MAX_BYTES, checked_parameters, read_parameters
from andante.mobile.ros_parameters import Translated, translated
from andante.parsing import parse_yaml

LAUNCH = (".launch", ".xml")
ENDINGS = (".yaml", ".yml", *LAUNCH)
_ARGUMENT = re.compile(r"\$\(arg\s+([^\s)]+)\s*\)")
Leaf = tuple[tuple[str, ...], Any]


def is_ros_file(path: Path) -> bool:
    """Whether a file is one of ROS, by its ending."""
    return path.suffix.lower() in ENDINGS


def read_ros(path: Path) -> Translated:
    """What a parameter file of ROS says in our tables."""
    if not path.is_file():
        raise MissingFile(f"{path}: no such parameter file")
    data = read_bytes(path, MAX_BYTES)
    if path.suffix.lower() in LAUNCH:
        return translated(launch_tree(parse_xml(data, str(path))), str(path))
    try:
        return translated(parse_yaml(data), str(path))
    except ValueError as error:
        if isinstance(error, BadInput) and str(path) in str(error):
            raise
        raise BadInput(f"{path}: cannot be read as parameters ({' '.join(str(error).split())})") from None


def left_out(path: Path | str, unmatched: tuple[str, ...]) -> tuple[str, ...]:
    """What of a file of ROS does not count, in words."""
    return (f"{path}: no counterpart here, left out: {', '.join(unmatched)}",) if unmatched else ()


def read_values(path: Path, table: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Names and values of one kind of settings, and warnings.

    Args:
        path: a TOML or JSON file of such names, at its top or in the table; or a file of ROS.
        table: what the settings are called in files of many, such as "mapping".
    """
    if is_ros_file(path):
        made = read_ros(path).only(table)
        return made.tables.get(table, {}), left_out(path, made.unmatched)
    values = read_parameters(path, tables=(table,))
    inner = values.pop(table, {})
    if not isinstance(inner, dict):
        raise BadInput(f"{path}: [{table}] is a table of names and values")
    return {**checked_parameters(values, str(path)), **checked_parameters(inner, str(path))}, ()


def launch_tree(root: Node) -> dict[str, Any]:
    """The parameters of a ROS 1 launch file as a tree: namespaces and nodes, then names.

    Arguments have the values that the file gives them; what is taken from other files, or by other substitutions, is
    kept as the text that stands there.
    """
    tree: dict[str, Any] = {}
    for names, value in _launch_leaves(root, {}):
        level = tree
        for name in names[:-1]:
            inner = level.setdefault(name, {})
            level = inner if isinstance(inner, dict) else level
        level[names[-1]] = value
    return tree


def _launch_leaves(node: Node, above: dict[str, str]) -> Iterator[Leaf]:
    arguments = dict(above)
    for child in node.children:
        if child.tag == "arg" and child.get("name"):
            arguments.setdefault(
                str(child.get("name")), _filled(child.get("value") or child.get("default") or "", arguments)
            )
        if not _wanted(child, arguments):
            continue
        if child.tag == "param" and child.get("name"):
            yield (
                _names(_filled(str(child.get("name")), arguments)),
                _scalar(_filled(child.get("value") or "", arguments), child.get("type") or "auto"),
            )
        elif child.tag == "rosparam":
            at = _names(_filled(f"{child.get('ns') or ''}/{child.get('param') or ''}", arguments), empty=True)
            if child.get("file"):
                yield (*at, "rosparam file"), str(child.get("file"))
            else:
                yield from _below(at, _yaml(child, _filled(child.text, arguments)))
        elif child.tag in ("group", "node"):
            at = _names(_filled(child.get("ns") or "", arguments), empty=True)
            at += (_filled(child.get("name") or "node", arguments),) if child.tag == "node" else ()
            yield from ((at + names, value) for names, value in _launch_leaves(child, arguments))
        elif child.tag == "include":
            yield ("include",), _filled(child.get("file") or "", arguments)


def _below(at: tuple[str, ...], value: Any) -> Iterator[Leaf]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _below((*at, str(name)), inner)
    elif at:
        yield at, value


def _yaml(node: Node, text: str) -> Any:
    try:
        return parse_yaml(text)
    except ValueError as error:
        raise node.error(f"its text cannot be read as parameters ({' '.join(str(error).split())})") from None


def _names(path: str, empty: bool = False) -> tuple[str, ...]:
    found = tuple(part for part in path.lstrip("~").split("/") if part)
    return found if found or empty else (path,)


def _filled(text: str, arguments: dict[str, str]) -> str:
    return _ARGUMENT.sub(lambda match: arguments.get(match[1], match[0]), text)


def _wanted(node: Node, arguments: dict[str, str]) -> bool:
    """Whether `if` and `unless` let an element count; a condition that is not plain counts."""
    on, off = (_filled(node.get(word) or "", arguments).strip().lower() for word in ("if", "unless"))
    return on not in ("false", "0") and off not in ("true", "1")


def _scalar(text: str, kind: str) -> Any:
    """A value as roslaunch takes it: a number or truth value where it reads like one, else a text."""
    if kind in ("str", "string", "yaml"):
        return text
    try:
        value = parse_yaml(text)
    except ValueError:
        return text
    return float(value) if kind == "double" and isinstance(value, int) and not isinstance(value, bool) else value
