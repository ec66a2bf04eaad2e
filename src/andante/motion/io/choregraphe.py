"""Key-frame code of Choregraphe: Python lists of names, times and keys that a motion call takes. Read, never executed.

    names = list()
    times = list()
    keys = list()
    names.append("HeadYaw")
    times.append([0.5, 1.2])
    keys.append([0.3, -0.3])                                   # or [[0.3, [3, -0.17, 0.0], [3, 0.23, 0.0]], ...]
    motion.angleInterpolation(names, keys, times, True)        # or angleInterpolationBezier(names, times, keys)

Python 2 and 3 are understood as far as such exports go: assignments, append and extend of literals, numbers with signs
and simple arithmetic, and the call. Several calls follow one another, as they block. Bezier curves are sampled.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from andante.description.source import Source
from andante.errors import BadInput
from andante.files import read_text, write_bytes
from andante.motion.joint_lists import Points, bezier_points, points_of
from andante.motion.keyframes import Key, Keyframes

MAX_BYTES = 8 * 1024 * 1024
PLAIN, BEZIER = "angleInterpolation", "angleInterpolationBezier"
BESIDE = 1e-6  # keys of several joints this near are one instant [s]
LISTS = ("list", "vector")
CONSTANTS = {"TO_RAD": math.pi / 180.0, "PI": math.pi, "pi": math.pi, "True": True, "False": False, "None": None}
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
HANDLES = 3  # parts of a piece that its handles reach over, as Choregraphe sets them


class _Unknown(Exception):
    """A value that is not a literal."""


def read_choregraphe(path: Path) -> Keyframes:
    """The motion of a Python file with key-frame code; it is parsed, nothing of it runs."""
    text = read_text(path, MAX_BYTES)
    try:
        tree = ast.parse(_statements(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        raise BadInput(f"{path}{f':{line}' if line else ''}: not Python that can be read ({error})") from None
    keys: dict[float, dict[str, float]] = {}
    begin = 0.0
    last: dict[str, float] = {}
    for points, line in _Reader(path).calls(tree.body, last):
        _add(keys, points, begin, Source(str(path), line))
        begin += max(clock[-1] for clock, _ in points.values())
        last.update({name: places[-1] for name, (_, places) in points.items()})
    if not keys:
        raise BadInput(f"{path}: no call of {PLAIN} or {BEZIER} with lists of names, times and keys")
    made = tuple(Key(time, keys[time]) for time in sorted(keys))
    return Keyframes(path.stem, made, "cubic", source=Source(str(path)))


def _statements(text: str) -> str:
    """The text with what Python 2 writes otherwise and no motion needs made harmless: print, `except X, e`."""
    text = re.sub(r"^(\s*)print\b(?!\s*\().*$", r"\1pass", text, flags=re.MULTILINE)
    return re.sub(r"^(\s*except\s+[\w.]+)\s*,\s*\w+\s*:", r"\1:", text, flags=re.MULTILINE)


def _add(keys: dict[float, dict[str, float]], points: Points, begin: float, source: Source) -> None:
    for name, (clock, places) in points.items():
        for time, place in zip(clock, places, strict=True):
            if not all(isinstance(each, int | float) for each in (time, place)):
                raise BadInput(f"{source}: times and keys should be lists of numbers")
            if not (math.isfinite(time) and math.isfinite(place)):
                raise BadInput(f"{source}: times and keys of {name} must be finite")
            at = round((begin + time) / BESIDE) * BESIDE
            keys.setdefault(at, {})[name] = float(place)


class _Reader:
    """Follows lists through the statements of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Any] = {}

    def calls(self, body: Sequence[ast.stmt], last: dict[str, float]) -> Iterator[tuple[Points, int]]:
        """Points of every motion call, in the order of the text, with its line."""
        for statement in body:
            if isinstance(statement, ast.Assign):
                self._assign(statement)
            for call in (
                (node for node in ast.walk(statement) if isinstance(node, ast.Call)) if _plain(statement) else ()
            ):
                yield from self._call(call, last)
            for part in ("body", "orelse", "finalbody"):
                yield from self.calls(getattr(statement, part, []), last)

    def _assign(self, statement: ast.Assign) -> None:
        for target in statement.targets:
            if isinstance(target, ast.Name):
                try:
                    self._known[target.id] = self._value(statement.value)
                except _Unknown:
                    self._known.pop(target.id, None)

    def _call(self, call: ast.Call, last: dict[str, float]) -> Iterator[tuple[Points, int]]:
        function = call.func
        if not isinstance(function, ast.Attribute):
            return
        if function.attr in ("append", "extend") and isinstance(function.value, ast.Name):
            self._grow(function.value.id, function.attr, call)
        elif function.attr in (PLAIN, BEZIER):
            yield self._points(function.attr, call, last), call.lineno

    def _grow(self, name: str, how: str, call: ast.Call) -> None:
        known = self._known.get(name)
        if not isinstance(known, list) or len(call.args) != 1:
            return
        try:
            value = self._value(call.args[0])
        except _Unknown:
            return
        if how == "append":
            known.append(value)
        elif isinstance(value, list):
            known.extend(value)

    def _points(self, kind: str, call: ast.Call, last: dict[str, float]) -> Points:
        where = f"{self._path}:{call.lineno}"
        try:
            given = [self._value(each) for each in call.args]
        except _Unknown:
            raise BadInput(f"{where}: {kind} takes lists that are written in the file, not computed ones") from None
        if len(given) < 3:
            raise BadInput(f"{where}: {kind} takes names, times and keys")
        names = [given[0]] if isinstance(given[0], str) else given[0]
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise BadInput(f"{where}: names should be a list of joint names")
        if kind == PLAIN and len(given) > 3 and not given[3]:
            raise BadInput(f"{where}: relative keys cannot be imported; export absolute ones")
        try:
            if kind == PLAIN:
                return points_of(names, given[1], given[2])
            return bezier_points(
                names, given[1], given[2], {name: last.get(name, _first(given[2], k)) for k, name in enumerate(names)}
            )
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from None
        except (TypeError, ValueError):
            raise BadInput(f"{where}: times and keys should be lists of numbers") from None

    def _value(self, node: ast.expr) -> Any:
        """A literal, or a list that was made of such."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.List | ast.Tuple):
            return [self._value(each) for each in node.elts]
        if isinstance(node, ast.Name):
            if node.id in self._known:
                return self._known[node.id]
            if node.id in CONSTANTS:
                return CONSTANTS[node.id]
        if isinstance(node, ast.Attribute) and node.attr in CONSTANTS:
            return CONSTANTS[node.attr]
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in LISTS
            and not node.keywords
        ):
            return list(self._value(node.args[0])) if node.args else []
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            value = _number(self._value(node.operand))
            return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            try:
                return ARITHMETIC[type(node.op)](_number(self._value(node.left)), _number(self._value(node.right)))
            except (ZeroDivisionError, OverflowError):
                raise _Unknown from None
        raise _Unknown


def _plain(statement: ast.stmt) -> bool:
    """Whether a statement holds no others, so that its calls are its own."""
    return not hasattr(statement, "body")


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Unknown
    return value


def _first(keys: Any, k: int) -> float:
    """The first angle of the k-th joint: where a curve begins of which nothing is known before."""
    value = keys[k] if isinstance(keys, list) and k < len(keys) else keys
    while isinstance(value, list) and value:
        value = value[0]
    return float(value) if isinstance(value, int | float) else 0.0


def write_choregraphe(motion: Keyframes, path: Path, bezier: bool = False) -> None:
    """Write a motion as key-frame code for a NAO; see `choregraphe_text`."""
    write_bytes(choregraphe_text(motion, bezier).encode(), path)


def choregraphe_text(motion: Keyframes, bezier: bool = False) -> str:
    """A motion as key-frame code for a NAO; the keys of every joint as they are, with handles as wanted."""
    lines = [
        f"# {motion.name}: key-frames for ALMotion",
        "from naoqi import ALProxy",
        "names = list()",
        "times = list()",
        "keys = list()",
    ]
    for name in motion.names:
        told = [(key.time, key.positions[name]) for key in motion.expanded if name in key.positions]
        clock = [max(time, BESIDE) for time, _ in told]
        places = [place for _, place in told]
        written = [_knot(clock, places, k) for k in range(len(told))] if bezier else places
        lines += ["", f"names.append({name!r})", f"times.append({clock!r})", f"keys.append({written!r})"]
    call = f"{BEZIER}(names, times, keys)" if bezier else f"{PLAIN}(names, keys, times, True)"
    lines += ["", 'motion = ALProxy("ALMotion")', f"motion.{call}"]
    return "\n".join([*lines, ""])


def _knot(clock: Sequence[float], places: Sequence[float], k: int) -> list[Any]:
    """A key with level handles over a third of the pieces beside it: the joint rests in it."""
    before = clock[k] - (clock[k - 1] if k else 0.0)
    after = clock[k + 1] - clock[k] if k + 1 < len(clock) else 0.0
    return [places[k], [3, -before / HANDLES, 0.0], [3, after / HANDLES, 0.0]]
