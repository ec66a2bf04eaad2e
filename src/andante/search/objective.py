"""What a search evaluates: parameters and a seed in, figures out; named by text, so that any process can build it."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from andante.errors import AndanteError, BadInput, UnknownName
from andante.userfile import is_user_reference, load_user_object

from .space import Space


@runtime_checkable
class Objective(Protocol):
    """Something to search: a space and how good a place of it is."""

    space: Space

    def evaluate(self, parameters: Mapping[str, Any], seed: int) -> Mapping[str, Any]:
        """Figures that JSON can hold; "fitness" is a number, larger is better.

        "objectives", a list of numbers (larger is better), is for samplers with several aims. The same
        parameters and seed give the same figures in every process.
        """

    def stamp(self) -> Mapping[str, Any]:
        """What the figures depend on beside parameters and seed: engine, versions, settings."""


@dataclass(frozen=True)
class ObjectiveSpec:
    """How to build an objective anywhere: factory(**arguments).

    factory: "andante.module:Name", or a user's "file.py:Name".
    arguments: what JSON and TOML can hold.
    """

    factory: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        module, sign, name = self.factory.rpartition(":")
        inside = module.startswith("andante.") and all(part.isidentifier() for part in module.split("."))
        if not (is_user_reference(self.factory) or (sign and inside and name.isidentifier())):
            raise BadInput(f"an objective is named file.py:Name or andante.module:Name, got {self.factory!r}")
        try:
            json.dumps(dict(self.arguments), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise BadInput(f"arguments of {self.factory} must be plain numbers, words and lists ({error})") from None

    def resolved(self) -> ObjectiveSpec:
        """The same objective with the path of a user's file made absolute."""
        if not is_user_reference(self.factory):
            return self
        file, _, name = self.factory.rpartition(":")
        return ObjectiveSpec(f"{Path(file).resolve()}:{name}", self.arguments)

    def build(self) -> Objective:
        """The objective itself."""
        if is_user_reference(self.factory):
            factory = load_user_object(self.factory)
        else:
            module, _, name = self.factory.rpartition(":")
            try:
                factory = getattr(importlib.import_module(module), name)
            except (ImportError, AttributeError):
                raise UnknownName(f"no objective {self.factory!r}; give andante.module:Name or file.py:Name") from None
        if not callable(factory):
            raise BadInput(f"{self.factory} is no class or function that makes an objective")
        try:
            objective = factory(**self.arguments)
        except TypeError as error:
            raise BadInput(f"{self.factory} cannot be made with {dict(self.arguments)}: {error}") from error
        except Exception as error:
            if isinstance(error, AndanteError) or not is_user_reference(self.factory):
                raise
            raise BadInput(f"{self.factory} fails ({type(error).__name__}: {error})") from error
        if not isinstance(objective, Objective) or not isinstance(objective.space, Space):
            raise BadInput(
                f"{self.factory} needs `space` (an andante Space), `evaluate(parameters, seed)` and `stamp()`"
            )
        return objective

    def as_dict(self) -> dict[str, Any]:
        """The specification as a table."""
        return {"factory": self.factory, "arguments": dict(self.arguments)}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> ObjectiveSpec:
        """The specification of a table as `as_dict` gives it."""
        if not isinstance(table.get("factory"), str) or not isinstance(table.get("arguments", {}), Mapping):
            raise BadInput("an objective is a table with factory (a word) and arguments (a table)")
        return cls(table["factory"], dict(table.get("arguments", {})))
