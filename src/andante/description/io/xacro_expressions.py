"""Expressions of xacro files, evaluated over an allow-list of syntax; Python's own `eval` is never called.

Known: numbers, strings, lists, tuples, dicts, arithmetic, comparison, boolean and conditional expressions, indexing,
list comprehensions, keys of dicts after a dot, the functions of `FUNCTIONS` and `MATHS` (also as math.f and python.f),
and a few methods of strings and dicts. Everything is bounded: length, steps, size of numbers and of results.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from andante.errors import BadInput

from .xacro_values import (
    MAX_PARTS,
    MAX_TEXT,
    Dictionary,
    check_size,
    checked_power,
    checked_product,
    checked_range,
    checked_shift,
    weigh,
)

MAX_EXPRESSION = 4000  # characters
MAX_STEPS = 100_000  # evaluated syntax nodes of one expression
MAX_DIGITS = 400  # of a text that is turned into a number

CONSTANTS: dict[str, Any] = {
    "pi": math.pi,
    "e": math.e,
    "tau": math.tau,
    "inf": math.inf,
    "nan": math.nan,
    "True": True,
    "False": False,
    "true": True,
    "false": False,
    "None": None,
}
_MATHS = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sqrt exp log log10 log2 log1p expm1 hypot "
    "radians degrees floor ceil trunc fabs fmod copysign isnan isinf isfinite isclose"
)
MATHS: dict[str, Callable[..., Any]] = {name: getattr(math, name) for name in _MATHS.split()}


def _number(kind: Callable[[Any], Any]) -> Callable[..., Any]:
    def convert(value: Any = 0) -> Any:
        if not isinstance(value, int | float | str):
            raise BadInput(f"a {type(value).__name__} is not a number")
        if isinstance(value, str) and (len(value) > MAX_DIGITS or "_" in value):
            raise BadInput(f"{value[:40]!r} is not a number")
        return kind(value)

    return convert


def _text(value: Any = "") -> str:
    check_size(value)
    return str(value)


def _boolean(value: Any = False) -> bool:
    return bool(value)


def _extreme(kind: Callable[..., Any]) -> Callable[..., Any]:
    def choose(*values: Any) -> Any:
        return kind(*values)

    return choose


def _pairs(*lists: Any) -> list[Any]:
    return [tuple(row) for row in zip(*lists, strict=False)]


def _dictionary(values: Any = (), **named: Any) -> Dictionary:
    return Dictionary(dict(values, **named))


def _rounded(value: float, digits: int = 0) -> Any:
    if abs(digits) > 100:
        raise BadInput("round() takes at most 100 digits")
    return round(value, digits) if digits else round(value)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "min": _extreme(min),
    "max": _extreme(max),
    "round": _rounded,
    "int": _number(int),
    "float": _number(float),
    "str": _text,
    "bool": _boolean,
    "len": len,
    "range": checked_range,
    "sum": lambda values: _fold(values),
    "list": lambda values=(): list(values),
    "tuple": lambda values=(): tuple(values),
    "dict": _dictionary,
    "sorted": lambda values: sorted(values),
    "reversed": lambda values: list(reversed(list(values))),
    "enumerate": lambda values: [tuple(pair) for pair in enumerate(values)],
    "zip": _pairs,
    "all": lambda values: all(list(values)),
    "any": lambda values: any(list(values)),
    **MATHS,
}
METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {
        "lower": str.lower,
        "upper": str.upper,
        "strip": str.strip,
        "startswith": str.startswith,
        "endswith": str.endswith,
        "split": str.split,
        "join": lambda text, parts: _joined(text, parts),
        "replace": lambda text, old, new: _replaced(text, old, new),
    },
    dict: {
        "get": lambda values, key, default=None: values.get(key, default),
        "keys": lambda values: list(values.keys()),
        "values": lambda values: list(values.values()),
        "items": lambda values: [tuple(pair) for pair in values.items()],
    },
    list: {"index": list.index, "count": list.count},
    tuple: {"index": tuple.index, "count": tuple.count},
}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b if b is None or isinstance(b, bool) else a == b,
    ast.IsNot: lambda a, b: a is not b if b is None or isinstance(b, bool) else a != b,
}
UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}


def _fold(values: Iterable[Any]) -> Any:
    total: Any = 0
    for value in values:
        if not isinstance(value, int | float):
            raise BadInput("sum() adds numbers only")
        total = check_size(total + value)
    return total


def _replaced(text: str, old: str, new: str) -> str:
    if len(text) + (text.count(old)) * len(new) > MAX_TEXT:
        raise BadInput(f"the text would grow beyond {MAX_TEXT} characters")
    return text.replace(old, new)


def _joined(text: str, parts: Any) -> str:
    words = [str(part) for part in parts if isinstance(part, str)]
    if not isinstance(parts, list | tuple) or len(words) != len(parts):
        raise BadInput("join() needs a list of texts; str() converts")
    if sum(len(word) + len(text) for word in words) > MAX_TEXT:
        raise BadInput(f"the text would grow beyond {MAX_TEXT} characters")
    return text.join(words)


def _sum_of(a: Any, b: Any) -> Any:
    for kinds in ((int, float), (str,), (list,), (tuple,)):
        if isinstance(a, kinds) and isinstance(b, kinds):
            if not isinstance(a, int | float) and len(a) + len(b) > MAX_TEXT:
                raise BadInput(f"the result would grow beyond {MAX_TEXT} characters or elements")
            return a + b
    raise BadInput(f"{_kind(a)} and {_kind(b)} cannot be added; str() and float() convert")


def _numeric(symbol: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        if not (isinstance(a, int | float) and isinstance(b, int | float)):
            raise BadInput(f"{symbol} needs two numbers, got {_kind(a)} and {_kind(b)}")
        return function(a, b)

    return apply


BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: _sum_of,
    ast.Sub: _numeric("-", operator.sub),
    ast.Mult: checked_product,
    ast.Div: _numeric("/", operator.truediv),
    ast.FloorDiv: _numeric("//", operator.floordiv),
    ast.Mod: _numeric("%", operator.mod),
    ast.Pow: _numeric("**", checked_power),
    ast.LShift: _numeric("<<", checked_shift),
    ast.RShift: _numeric(">>", operator.rshift),
    ast.BitAnd: _numeric("&", operator.and_),
    ast.BitOr: _numeric("|", operator.or_),
    ast.BitXor: _numeric("^", operator.xor),
}
_NAMES = {str: "text", dict: "a dict", Dictionary: "a dict", type(None): "None", int: "an integer", float: "a number"}


def _kind(value: Any) -> str:
    return _NAMES.get(type(value), f"a {type(value).__name__}")


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr:
    if len(text) > MAX_EXPRESSION:
        raise BadInput(f"the expression has {len(text)} characters; at most {MAX_EXPRESSION} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, "<expression>", "eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise BadInput(f"{_short(text)} is not an expression") from None


def stored_name(name: str) -> str:
    """Key under which a property is kept: the xacro package takes no names with two underscores in front."""
    return f"_two_{name[2:]}" if name.startswith("__") else name


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:57] + "...")


def evaluate(
    text: str,
    symbols: Mapping[str, Any] | Any,
    namespaces: Mapping[str, Mapping[str, Callable[..., Any]]] | None = None,
) -> Any:
    """Value of an expression.

    `symbols` gives the properties by name; `namespaces` gives further functions, called as name.function(...), those of
    the namespace "" without a prefix.
    """
    stripped = text.strip()
    tree = _parsed(stripped)
    try:
        return check_size(_Evaluator(symbols, namespaces or {}).visit(tree))
    except BadInput:
        raise
    except RecursionError:
        raise BadInput(f"{_short(stripped)} is nested too deeply") from None
    except ZeroDivisionError:
        raise BadInput(f"{_short(stripped)} divides by zero") from None
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, MemoryError) as error:
        raise BadInput(f"{_short(stripped)} cannot be evaluated ({' '.join(str(error).split())[:100]})") from None


class _Evaluator:
    """Walks one syntax tree; each kind of node has its own rule, a kind without a rule is refused."""

    def __init__(self, symbols: Any, namespaces: Mapping[str, Mapping[str, Callable[..., Any]]]) -> None:
        self.symbols, self.namespaces = symbols, namespaces
        self.local: dict[str, Any] = {}
        self.steps = self.weight = 0

    def made(self, value: Any) -> Any:
        """The value itself; all that one expression makes on its way is bounded too."""
        if not isinstance(value, bool | int | float):
            self.weight += weigh(value)
            if self.weight > 10 * MAX_PARTS:
                raise BadInput(f"the expression makes more than {10 * MAX_PARTS} values")
            return value
        return check_size(value)

    def visit(self, node: ast.expr) -> Any:
        """Value of a node."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise BadInput(f"the expression takes more than {MAX_STEPS} steps")
        rule = self.RULES.get(type(node))
        if rule is None:
            raise BadInput(f"{type(node).__name__} is not allowed in expressions")
        return rule(self, node)

    def constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, bytes | complex) or node.value is Ellipsis:
            raise BadInput(f"a literal of type {type(node.value).__name__} is not allowed")
        return self.made(node.value)

    def name(self, node: ast.Name) -> Any:
        found, value = self.lookup(node.id)
        if not found:
            hint = "; it is a function, call it" if node.id in FUNCTIONS else ""
            raise BadInput(f"name {node.id!r} is not defined{hint}")
        return value

    def lookup(self, name: str) -> tuple[bool, Any]:
        """Whether a name has a value, and the value: loop variables, properties, constants."""
        if name in self.local:
            return True, self.local[name]
        for key in (name, stored_name(name)):
            if key in self.symbols:
                return True, self.symbols[key]
        return name in CONSTANTS, CONSTANTS.get(name)

    def binary(self, node: ast.BinOp) -> Any:
        rule = BINARY.get(type(node.op))
        if rule is None:
            raise BadInput(f"the operator {type(node.op).__name__} is not allowed")
        return self.made(rule(self.visit(node.left), self.visit(node.right)))

    def unary(self, node: ast.UnaryOp) -> Any:
        value = self.visit(node.operand)
        if not isinstance(node.op, ast.Not) and not isinstance(value, int | float):
            raise BadInput(f"a sign needs a number, got {_kind(value)}")
        return UNARY[type(node.op)](value)

    def boolean(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for part in node.values:
            value = self.visit(part)
            if bool(value) is isinstance(node.op, ast.Or):
                return value
        return value

    def compare(self, node: ast.Compare) -> bool:
        left = self.visit(node.left)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.visit(right_node)
            if not COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def conditional(self, node: ast.IfExp) -> Any:
        return self.visit(node.body if self.visit(node.test) else node.orelse)

    def sequence(self, node: ast.List | ast.Tuple) -> Any:
        values = [self.visit(item) for item in node.elts]
        return self.made(values if isinstance(node, ast.List) else tuple(values))

    def dictionary(self, node: ast.Dict) -> Any:
        if any(key is None for key in node.keys):
            raise BadInput("** is not allowed in a dict")
        pairs = zip(node.keys, node.values, strict=True)
        return self.made(Dictionary({self.visit(k): self.visit(v) for k, v in pairs if k is not None}))

    def subscript(self, node: ast.Subscript) -> Any:
        value = self.visit(node.value)
        if not isinstance(value, str | list | tuple | dict):
            raise BadInput(f"{_kind(value)} cannot be indexed")
        if isinstance(node.slice, ast.Slice):
            if isinstance(value, dict):
                raise BadInput("a dict cannot be sliced")
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            return self.made(value[slice(*(None if part is None else self.visit(part) for part in parts))])
        key = self.visit(node.slice)
        try:
            return value[key]
        except (KeyError, IndexError, AttributeError):
            raise BadInput(f"{key!r} is not in {_kind(value)}") from None

    def attribute(self, node: ast.Attribute) -> Any:
        if node.attr.startswith("_"):
            raise BadInput(f"the name {node.attr!r} is not allowed after a dot")
        if isinstance(node.value, ast.Name) and not self.lookup(node.value.id)[0]:
            if node.value.id in ("math", "python") and node.attr in CONSTANTS:
                return CONSTANTS[node.attr]
            raise BadInput(f"name {node.value.id!r} is not defined")
        value = self.visit(node.value)
        if isinstance(value, dict):  # of yaml, or a namespace of included properties
            if node.attr in value:
                return value[node.attr]
            raise BadInput(f"no key {node.attr!r}; keys: {', '.join(str(key) for key in list(value)[:12]) or 'none'}")
        raise BadInput(f".{node.attr} is not allowed on {_kind(value)}; only dicts have keys after a dot")

    def call(self, node: ast.Call) -> Any:
        function = self.function(node.func)
        if any(isinstance(item, ast.Starred) for item in node.args) or any(item.arg is None for item in node.keywords):
            raise BadInput("* and ** are not allowed in a call")
        arguments = [self.visit(item) for item in node.args]
        named = {str(item.arg): self.visit(item.value) for item in node.keywords}
        return self.made(function(*arguments, **named))

    def function(self, node: ast.expr) -> Callable[..., Any]:
        """The function that a call names; nothing else can be called."""
        if isinstance(node, ast.Name):
            function = FUNCTIONS.get(node.id) or self.namespaces.get("", {}).get(node.id)
            if function is None:
                raise BadInput(f"no function {node.id!r}; functions: {', '.join(sorted(FUNCTIONS))}")
            return function
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and not self.lookup(node.value.id)[0]:
                space = {"math": MATHS, "python": FUNCTIONS, **self.namespaces}.get(node.value.id, {})
                if node.attr in space:
                    return space[node.attr]
                raise BadInput(f"no function {node.value.id}.{node.attr}")
            value = self.visit(node.value)
            kind = dict if isinstance(value, dict) else type(value)
            if kind is dict and not isinstance(value, Dictionary):
                raise BadInput(f".{node.attr}() is not allowed on a namespace")
            method = METHODS.get(kind, {}).get(node.attr)
            if method is None:
                raise BadInput(f".{node.attr}() is not allowed on {_kind(value)}")
            return lambda *arguments, **named: method(value, *arguments, **named)
        raise BadInput("only named functions can be called")

    def comprehension(self, node: ast.ListComp) -> list[Any]:
        before = dict(self.local)
        out: list[Any] = []
        try:
            self.loop(node, 0, out)
        finally:
            self.local = before
        return self.made(out)

    def loop(self, node: ast.ListComp, depth: int, out: list[Any]) -> None:
        """One `for` of a comprehension after the other; each round costs steps."""
        if depth == len(node.generators):
            out.append(self.visit(node.elt))
            return
        part = node.generators[depth]
        if part.is_async:
            raise BadInput("async is not allowed in expressions")
        values = self.visit(part.iter)
        if not isinstance(values, list | tuple | str | dict):
            raise BadInput(f"{_kind(values)} cannot be walked through")
        for value in list(values):
            self.bind(part.target, value)
            if all(self.visit(test) for test in part.ifs):
                self.loop(node, depth + 1, out)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give loop variables their values."""
        if isinstance(target, ast.Name) and not target.id.startswith("__"):
            self.local[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, list | tuple):
            if len(target.elts) != len(value):
                raise BadInput(f"{len(target.elts)} loop variables, but {len(value)} values")
            for item, part in zip(target.elts, value, strict=True):
                self.bind(item, part)
        else:
            raise BadInput("a loop variable must be a plain name")

    RULES: Mapping[type, Callable[..., Any]] = {
        ast.Constant: constant,
        ast.Name: name,
        ast.BinOp: binary,
        ast.UnaryOp: unary,
        ast.BoolOp: boolean,
        ast.Compare: compare,
        ast.IfExp: conditional,
        ast.List: sequence,
        ast.Tuple: sequence,
        ast.Dict: dictionary,
        ast.Subscript: subscript,
        ast.Attribute: attribute,
        ast.Call: call,
        ast.ListComp: comprehension,
    }
