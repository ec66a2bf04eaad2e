"""The arguments of a function, read from its source: asking for help imports none of what a command needs."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parents[1]
REQUIRED = inspect.Parameter.empty
NAMED = {"Robot", "World", "Experiment"}  # what a user names by a word that need not be a path
ENTRY = re.compile(r"^    (\w[\w, ]*): (.*(?:\n {8}.*)*)", re.MULTILINE)  # of `Args:`
ELSEWHERE = re.compile(r"as in `(\w+)`")


@dataclass(frozen=True)
class Argument:
    """An argument of a function, as its source says it."""

    name: str
    annotation: str
    default: Any  # REQUIRED: it has none; None also for one that is no literal
    positional: bool
    about: str  # its entry in the docstring

    @property
    def mapping(self) -> bool:
        """Whether it is given as words NAME=VALUE."""
        return self.annotation.startswith("Mapping[")

    @property
    def kind(self) -> Any:
        """The type of a word of it on the command line."""
        kinds = {each.strip() for each in self.annotation.split("|")} - {"None"}
        for kind in (bool, int, float):
            if kinds == {kind.__name__}:
                return kind
        if self.mapping or self.annotation.startswith(("Sequence[str", "Sequence[Path")):
            return list[Path] if "Path" in self.annotation else list[str]
        return Path if "Path" in kinds and not kinds & NAMED else str


def read_arguments(reference: str) -> list[Argument]:
    """The arguments of a function of this package that `module:name` names, in their order."""
    module, _, name = reference.partition(":")
    path = SOURCES.joinpath(*module.split(".")[1:])
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(source.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found, about = functions[name].args, _about(functions, name)
    constants = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    missing = [None] * (len(found.args) - len(found.defaults))
    rows = [(each, default, True) for each, default in zip(found.args, [*missing, *found.defaults], strict=True)]
    rows += [(each, default, False) for each, default in zip(found.kwonlyargs, found.kw_defaults, strict=True)]
    return [
        Argument(
            each.arg,
            ast.unparse(each.annotation or each),
            _literal(constants.get(default.id, default) if isinstance(default, ast.Name) else default),
            first,
            about.get(each.arg, ""),
        )
        for each, default, first in rows
    ]


def _literal(default: ast.expr | None) -> Any:
    try:
        return REQUIRED if default is None else ast.literal_eval(default)
    except ValueError:
        return None


def _about(functions: dict[str, ast.FunctionDef], name: str) -> dict[str, str]:
    """The entries of `Args` by argument, for people who have a command line and no Python."""
    words = (ast.get_docstring(functions[name]) or "").partition("Args:\n")[2]
    out = {}
    for names, text in ENTRY.findall(words):
        line = " ".join(text.split())
        other = ELSEWHERE.match(line)
        for each in names.split(", "):
            out[each] = _about(functions, other[1])[each] if other else _plain(line)
    return out


def _plain(text: str) -> str:
    """A sentence without Python in it."""
    literal = text.startswith("`") or text.partition(" ")[0].endswith(",")  # names stay as they are typed
    text = text.replace("`", "").replace("None: ", "by default ")
    return text if literal else text[:1].upper() + text[1:]
