"""YAML files that xacro expressions load: plain values, units behind tags, no more of them than the limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import yaml

from andante.errors import BadInput
from andante.expressions.functions import MAX_PARTS, Dictionary, check_size

UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180.0,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}


class _Loader(yaml.SafeLoader):
    """Safe loader that weighs what it composes: an alias weighs as much as what it stands for."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.weights: dict[int, int] = {}
        self.evaluate: Callable[[str], Any] = float

    def compose_node(self, parent: Any, index: Any) -> Any:
        node = super().compose_node(parent, index)
        if id(node) not in self.weights:
            below: list[Any] = []
            if isinstance(node, yaml.SequenceNode):
                below = node.value
            elif isinstance(node, yaml.MappingNode):
                below = [part for pair in node.value for part in pair]
            if any(id(part) not in self.weights for part in below):
                raise yaml.YAMLError("an alias refers to what it stands in")
            weight = 1 + sum(self.weights[id(part)] for part in below)
            if weight > MAX_PARTS:
                raise yaml.YAMLError(f"more than {MAX_PARTS} values after its aliases are followed")
            self.weights[id(node)] = weight
        return node


def _unit(factor: float) -> Callable[[_Loader, Any], float]:
    def construct(loader: _Loader, node: Any) -> float:
        return float(loader.evaluate(str(loader.construct_scalar(node)))) * factor

    return construct


for _tag, _factor in UNITS.items():
    _Loader.add_constructor(_tag, _unit(_factor))


def parse_yaml(data: bytes, file: str, evaluate: Callable[[str], Any]) -> Any:
    """Contents of a YAML file; `evaluate` is for the expressions behind unit tags (`!degrees 180/4`)."""
    try:
        loader = _Loader(data.decode("utf-8"))
        loader.evaluate = evaluate
        return check_size(_plain(loader.get_single_data()))
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise BadInput(f"{file}:{line}: not valid YAML ({error.problem or error.context})") from None
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
        text = " ".join(str(error).split())[:120]
        raise BadInput(f"{file}: not valid YAML ({text})") from None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return Dictionary({_plain(key): _plain(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)  # dates
