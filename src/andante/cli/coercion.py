"""Words of a command line that need no conversion go past Typer's validation library, which takes long to import."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import typer


class _Plain:
    """What Typer asks to convert a value: those that have their type already stay, others are left to Typer."""

    def __init__(self, parameter: Any, usual: Callable[[], Any]) -> None:
        self._usual = usual
        kind = parameter.type_descriptor.annotation
        self._kinds = tuple(each for each in get_args(kind) or (kind,) if each in (str, int, float))

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of a parameter."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if type(value) in self._kinds and not param.type_descriptor.is_ranged:
            return value
        return self._usual().coerce(value, param=param, ctx=ctx)


def quick(parameters: list[Any]) -> list[Any]:
    """The parameters of a command, which from now on convert only what must be."""
    for each in parameters:
        if hasattr(each, "type_descriptor") and "get_runtime_param" not in vars(each):
            each.get_runtime_param = partial(_Plain, each, each.get_runtime_param)
    return parameters


class QuickGroup(typer.core.TyperGroup):
    """A command that has commands of its own, with quick parameters."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters, the one for help too."""
        return quick(super().get_params(ctx))
