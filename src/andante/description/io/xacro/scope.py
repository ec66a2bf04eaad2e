"""Properties and macros of a xacro file by name: scopes inside scopes; properties are evaluated at first use."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from andante.description.io.xmltree import Node
from andante.errors import BadInput

# The default is matched ahead and then repeated, so that it is never tried in another way; possessive groups would do
# the same but match wrongly before Python 3.11.5.
MACRO_PARAMETER = re.compile(
    r"""\s*([^\s:=]++)\s*+:?=\s*+(\^\|?)?(?=((?:\$\{[^}]*+\}|\$\([^)]*+\)|'[^']*+'|"[^"]*+"|[^\s'"])*))\3(?:\s+|$)(.*)""",
    re.DOTALL,
)


@dataclass
class Macro:
    """A macro: its element, its parameters in order, and (forwarded from the caller, default) where one is given."""

    body: Node
    parameters: list[str] = field(default_factory=list)
    defaults: dict[str, tuple[bool, str | None]] = field(default_factory=dict)


def read_parameters(macro: Macro, text: str) -> None:
    """Adds the parameters of a text: NAME, NAME:=DEFAULT, NAME:=^ (the caller's own), NAME:=^|DEFAULT, *BLOCK."""
    while text := text.strip():
        match = MACRO_PARAMETER.match(text)
        if match is not None:
            name, forwarded, default, text = match.groups()
            macro.defaults[name] = (bool(forwarded), default or None)
        else:
            name, *rest = text.split(None, 1)
            text = rest[0] if rest else ""
        macro.parameters.append(name)


class Scope(dict[str, Any]):
    """Values by name; what is not here is looked up in the scope around it."""

    def __init__(
        self, parent: Scope | None = None, read: Callable[[str, Scope], Any] | None = None, namespace: bool = False
    ) -> None:
        super().__init__()
        self.parent, self.namespace = parent, namespace
        self.read: Callable[[str, Scope], Any] | None = read or (parent.read if parent is not None else None)
        self.waiting: set[str] = set()  # texts that are evaluated at first use
        self.asked: list[str] = []  # those that are being evaluated

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or (self.parent is not None and name in self.parent)

    def __getitem__(self, name: str) -> Any:
        if not dict.__contains__(self, name):
            if self.parent is None:
                raise KeyError(name)
            return self.parent[name]
        if name in self.waiting and self.read is not None:
            if name in self.asked:
                raise BadInput(f"circular properties: {' -> '.join([*self.asked, name])}")
            self.asked.append(name)
            dict.__setitem__(self, name, literal(self.read(dict.__getitem__(self, name), self)))
            self.waiting.discard(name)
            self.asked.remove(name)
        return dict.__getitem__(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a name here or around, or the default."""
        try:
            return self[name]
        except KeyError:
            return default

    def define(self, name: str, value: Any, lazy: bool = False) -> None:
        """Set a value of this scope; a text that is no literal may wait until it is used."""
        value = literal(value)
        dict.__setitem__(self, name, value)
        (self.waiting.add if lazy and isinstance(value, str) else self.waiting.discard)(name)

    def remove(self, name: str) -> None:
        """Forget a name here and in all scopes around."""
        self.pop(name, None)
        if self.parent is not None:
            self.parent.remove(name)

    @property
    def top(self) -> Scope:
        """The outermost scope."""
        return self if self.parent is None else self.parent.top

    @property
    def caller(self) -> Scope | None:
        """The scope around a macro call; that of a namespace is the one that included it."""
        outer = self.parent
        while outer is not None and outer.namespace and not self.namespace:
            outer = outer.parent
        return outer


def literal(value: Any) -> Any:
    """A text as what it looks like: text in single quotes, number, boolean; digits with _ stay text."""
    if not isinstance(value, str):
        return value
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1]
    if "_" in value:
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return {"true": True, "True": True, "false": False, "False": False}.get(value, value)


def truth(value: Any, text: str | None) -> bool:
    """Value of a condition written as `text`."""
    if not isinstance(value, str):
        return bool(value)
    found = literal(value)
    if isinstance(found, str | float):
        raise BadInput(f'the condition "{text}" evaluated to "{value[:60]}", which is not a boolean')
    return bool(found)
