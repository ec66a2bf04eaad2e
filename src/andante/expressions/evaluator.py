"""Expressions of files, evaluated over an allow-list of syntax; Python's own `eval` is never called.

Known: numbers, strings, lists, tuples, dicts, arithmetic, comparison, boolean and conditional expressions, indexing,
list comprehensions, keys of dicts after a dot, the functions of `FUNCTIONS` and `MATHS` (also as math.f and python.f),
and a few methods of strings and dicts. Everything is bounded: length, steps, size of numbers and of results.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from andante.errors import BadInput

from .functions import (
    BINARY,
    COMPARE,
    CONSTANTS,
    FUNCTIONS,
    MATHS,
    MAX_PARTS,
    METHODS,
    UNARY,
    Dictionary,
    check_size,
    kind_of,
    weigh,
)

MAX_EXPRESSION = 4000  # characters
MAX_STEPS = 100_000  # evaluated syntax nodes of one expression


@lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr:
    """The syntax tree of an expression; BadInput where it is none."""
    if len(text) > MAX_EXPRESSION:
        raise BadInput(f"the expression has {len(text)} characters; at most {MAX_EXPRESSION} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, "<expression>", "eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise BadInput(f"{_short(text)} is not an expression") from None


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
    tree = parsed(stripped)
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
        if name in self.symbols:
            return True, self.symbols[name]
        return name in CONSTANTS, CONSTANTS.get(name)

    def binary(self, node: ast.BinOp) -> Any:
        rule = BINARY.get(type(node.op))
        if rule is None:
            raise BadInput(f"the operator {type(node.op).__name__} is not allowed")
        return self.made(rule(self.visit(node.left), self.visit(node.right)))

    def unary(self, node: ast.UnaryOp) -> Any:
        value = self.visit(node.operand)
        if not isinstance(node.op, ast.Not) and not isinstance(value, int | float):
            raise BadInput(f"a sign needs a number, got {kind_of(value)}")
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
            raise BadInput(f"{kind_of(value)} cannot be indexed")
        if isinstance(node.slice, ast.Slice):
            if isinstance(value, dict):
                raise BadInput("a dict cannot be sliced")
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            return self.made(value[slice(*(None if part is None else self.visit(part) for part in parts))])
        key = self.visit(node.slice)
        try:
            return value[key]
        except (KeyError, IndexError, AttributeError):
            raise BadInput(f"{key!r} is not in {kind_of(value)}") from None

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
        raise BadInput(f".{node.attr} is not allowed on {kind_of(value)}; only dicts have keys after a dot")

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
                raise BadInput(f".{node.attr}() is not allowed on {kind_of(value)}")
            return lambda *arguments, **named: method(value, *arguments, **named)
        raise BadInput("only named functions can be called")

    def comprehension(self, node: ast.ListComp) -> list[Any]:
        before = dict(self.local)
        out: list[Any] = []
        try:
            self.loop(node, 0, out)
        finally:
            self.local = before
        made: list[Any] = self.made(out)
        return made

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
            raise BadInput(f"{kind_of(values)} cannot be walked through")
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
