"""Interface texts (.msg, .srv, .action) turned into the type tables of `rosbags`.

A service NAME becomes the messages NAME_Request and NAME_Response. An action NAME becomes what ROS 2 makes of it
(NAME_Goal, NAME_Result, NAME_Feedback, NAME_FeedbackMessage, NAME_SendGoal_Request, ...) in `PKG/action/` and what
ROS 1 makes of it (NAMEGoal, NAMEActionGoal, ...) in `PKG/msg/`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from andante.errors import BadInput

FOLDER = Path(__file__).parent / "interfaces"
NUMBERS = ("float32", "float64", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
BASES = frozenset(("bool", "byte", "char", "string", "wstring", *NUMBERS))
ALIASES = {
    "time": "builtin_interfaces/msg/Time",
    "duration": "builtin_interfaces/msg/Duration",
    "Header": "std_msgs/msg/Header",
}
EMPTY = "structure_needs_at_least_one_member"  # what ROS 2 puts into a message without fields
UUID, TIME = "unique_identifier_msgs/UUID", "builtin_interfaces/Time"
LINE = re.compile(
    r"(?P<type>[A-Za-z][\w/]*)(?:<=(?P<bound>\d+))?(?P<array>\[(?:<=)?\d*\])?\s+(?P<name>[A-Za-z]\w*)\s*(?P<rest>.*)"
)

Table = dict[str, tuple[list[tuple[str, str, Any]], list[tuple[str, Any]]]]  # constants and fields of each type


def read_interfaces(folder: Path = FOLDER) -> Table:
    """The types of `folder/PKG/{msg,srv,action}/NAME.{msg,srv,action}`."""
    table: Table = {}
    for path in sorted(folder.glob("*/*/*.*")):
        package, kind, name = path.parts[-3], path.parts[-2], path.stem
        if path.suffix == f".{kind}" and kind in ("msg", "srv", "action"):
            table |= parse_interface(path.read_text(encoding="utf-8"), f"{package}/{kind}/{name}", str(path))
    return table


def parse_interface(text: str, name: str, where: str = "") -> Table:
    """Types that a text defines: one for a message, two for a service, twelve or more for an action."""
    package, kind, short = name.split("/")
    where = where or name
    parts = _split(text)
    wanted = {"msg": 1, "srv": 2, "action": 3}[kind]
    if len(parts) != wanted:
        raise BadInput(f"{where}: {wanted - 1} lines with --- are wanted in a .{kind} text, got {len(parts) - 1}")
    parsed = [_parse(lines, package, where) for lines in parts]
    if kind == "msg":
        return {name: parsed[0]}
    if kind == "srv":
        return {f"{name}_Request": parsed[0], f"{name}_Response": parsed[1]}
    return _action(package, short, parsed)


def _action(package: str, name: str, parsed: list[tuple[list[Any], list[Any]]]) -> Table:
    two, one = f"{package}/action/{name}", f"{package}/msg/{name}"
    table: Table = {}
    for part, content in zip(("Goal", "Result", "Feedback"), parsed, strict=True):
        table[f"{two}_{part}"] = content
        table[f"{one}{part}"] = content
    for short, text in (
        ("SendGoal_Request", f"{UUID} goal_id\n{two}_Goal goal"),
        ("SendGoal_Response", f"bool accepted\n{TIME} stamp"),
        ("GetResult_Request", f"{UUID} goal_id"),
        ("GetResult_Response", f"int8 status\n{two}_Result result"),
        ("FeedbackMessage", f"{UUID} goal_id\n{two}_Feedback feedback"),
    ):
        table[f"{two}_{short}"] = _parse(list(enumerate(text.splitlines(), 1)), package, two)
    for short, text in (
        ("ActionGoal", f"Header header\nactionlib_msgs/GoalID goal_id\n{one}Goal goal"),
        ("ActionResult", f"Header header\nactionlib_msgs/GoalStatus status\n{one}Result result"),
        ("ActionFeedback", f"Header header\nactionlib_msgs/GoalStatus status\n{one}Feedback feedback"),
        (
            "Action",
            f"{one}ActionGoal action_goal\n{one}ActionResult action_result\n{one}ActionFeedback action_feedback",
        ),
    ):
        table[f"{one}{short}"] = _parse(list(enumerate(text.splitlines(), 1)), package, one)
    return table


def _split(text: str) -> list[list[tuple[int, str]]]:
    """Numbered lines of the parts between lines of dashes."""
    parts: list[list[tuple[int, str]]] = [[]]
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith("---"):
            parts.append([])
        else:
            parts[-1].append((number, line))
    return parts


def _parse(lines: list[tuple[int, str]], package: str, where: str) -> tuple[list[Any], list[Any]]:
    """Constants and fields of one message."""
    constants: list[tuple[str, str, Any]] = []
    fields: list[tuple[str, Any]] = []
    for number, line in lines:
        bare = line.split("#", 1)[0].strip()
        if not bare:
            continue
        found = LINE.fullmatch(bare)
        if found is None:
            raise BadInput(f"{where}:{number}: a line is TYPE NAME or TYPE NAME=VALUE, got {line.strip()[:60]!r}")
        type_name, name, rest = found["type"], found["name"], found["rest"]
        if rest.startswith("="):
            raw = line.split("=", 1)[1].strip() if type_name == "string" else rest[1:].strip()
            constants.append((name, type_name, _constant(type_name, raw, f"{where}:{number}")))
            continue
        if any(name == other for other, _ in fields):
            raise BadInput(f"{where}:{number}: field {name!r} comes twice")
        fields.append((name, _described(type_name, found["bound"], found["array"], package)))
    return constants, fields


def _constant(type_name: str, raw: str, where: str) -> Any:
    if type_name == "string":
        return raw
    try:
        if type_name == "bool":
            return {"true": True, "1": True, "false": False, "0": False}[raw.lower()]
        return float(raw) if type_name.startswith("float") else int(raw, 0)
    except (ValueError, KeyError):
        raise BadInput(f"{where}: {raw!r} is not a {type_name}") from None


def _described(type_name: str, bound: str | None, array: str | None, package: str) -> Any:
    """The field in the words of `rosbags`: (kind, what), nested for arrays and sequences."""
    from rosbags.interfaces import Nodetype

    if type_name in BASES:
        inner: Any = (Nodetype.BASE, (type_name, int(bound or 0)))
    else:
        full = ALIASES.get(type_name, type_name)
        if "/" not in full:
            full = f"{package}/msg/{full}"
        elif full.count("/") == 1:
            full = full.replace("/", "/msg/")
        inner = (Nodetype.NAME, full)
    if array is None:
        return inner
    if array == "[]" or array.startswith("[<="):
        return (Nodetype.SEQUENCE, (inner, int(array.strip("[]<=") or 0)))
    return (Nodetype.ARRAY, (inner, int(array.strip("[]"))))
