"""What states say: calls of skills, assignments and expressions, parsed and never run as Python.

play("wave_hand", speed=0.8)      a call: name, arguments, each an expression
tries = tries + 1                 an assignment to a variable of the machine
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from andante.errors import BadInput
from andante.expressions import evaluate, parsed
from andante.expressions.functions import CONSTANTS, FUNCTIONS

MOST_LETTERS = 4000


@dataclass(frozen=True)
class Call:
    """A skill with its arguments as expressions."""

    skill: str
    arguments: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()

    def values(self, symbols: Mapping[str, Any], functions: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments now."""
        spaces = {"": functions}
        given = [evaluate(text, symbols, spaces) for text in self.arguments]
        return given, {name: evaluate(text, symbols, spaces) for name, text in self.named}

    @property
    def expressions(self) -> tuple[str, ...]:
        """All that is evaluated."""
        return (*self.arguments, *(text for _, text in self.named))


@dataclass(frozen=True)
class Assignment:
    """A variable and the expression of its new value."""

    variable: str
    expression: str

    @property
    def expressions(self) -> tuple[str, ...]:
        """All that is evaluated."""
        return (self.expression,)


@lru_cache(maxsize=4096)
def parse_action(text: str) -> Call | Assignment:
    """The one call or assignment of a text."""
    plain = text.strip()
    wrong = BadInput(f'{plain[:60]!r} is no action: write a call like play("wave_hand"), or name = expression')
    if len(plain) > MOST_LETTERS:
        raise BadInput(f"an action of {len(plain)} letters; at most {MOST_LETTERS} are read")
    try:
        body = ast.parse(plain, "<action>", "exec").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise wrong from None
    if len(body) != 1:
        raise wrong
    made = body[0]
    if isinstance(made, ast.Assign) and len(made.targets) == 1 and isinstance(made.targets[0], ast.Name):
        return Assignment(made.targets[0].id, ast.unparse(made.value))
    if not (isinstance(made, ast.Expr) and isinstance(made.value, ast.Call) and isinstance(made.value.func, ast.Name)):
        raise wrong
    call = made.value
    if any(isinstance(item, ast.Starred) for item in call.args) or any(item.arg is None for item in call.keywords):
        raise BadInput(f"{plain[:60]!r}: * and ** are not allowed in a call")
    named = tuple((str(item.arg), ast.unparse(item.value)) for item in call.keywords)
    return Call(made.value.func.id, tuple(ast.unparse(item) for item in call.args), named)


def constant(expression: str) -> Any:
    """The value of an expression that is a plain number, text or truth value; None: it depends on something."""
    tree = parsed(expression.strip())
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub) and isinstance(tree.operand, ast.Constant):
        value = tree.operand.value
        return -value if isinstance(value, int | float) else None
    return tree.value if isinstance(tree, ast.Constant) else None


def names_in(expression: str) -> frozenset[str]:
    """All names that an expression uses."""
    return frozenset(node.id for node in ast.walk(parsed(expression.strip())) if isinstance(node, ast.Name))


def unknown_names(expression: str, known: frozenset[str], functions: frozenset[str]) -> tuple[str, ...]:
    """Names that an expression uses and nobody defines, functions with () behind them."""
    tree = parsed(expression.strip())
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    made = {
        name.id
        for node in ast.walk(tree)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or node.id in made:
            continue
        if node in called:
            if node.id not in FUNCTIONS and node.id not in functions:
                found.append(f"{node.id}()")
        elif node.id not in known and node.id not in CONSTANTS and node.id not in ("math", "python"):
            found.append(node.id)
    return tuple(dict.fromkeys(found))
