"""Numbers and vectors out of XML text, with errors that name file, line and element."""

from __future__ import annotations

import math

from andante.description.shapes import Vec3

from .xmltree import Node

LARGEST = 1e9  # no length, mass or angle of a robot is larger; catches 1e308 before it overflows


def number(node: Node, text: str | None, what: str, default: float | None = None, infinite: bool = False) -> float:
    """A finite float (or ±inf where allowed); empty text gives the default."""
    if text is None or not text.strip():
        if default is None:
            raise node.error(f"{what} is missing")
        return default
    try:
        value = float(text.replace("_", "?"))  # digit groups are Python's own
    except ValueError:
        raise node.error(f"{what} should be a number, got {text.strip()[:40]!r}") from None
    if math.isnan(value) or (abs(value) > LARGEST and not infinite):
        raise node.error(f"{what} should be a finite number up to {LARGEST:g}, got {text.strip()[:40]}")
    return value


def vector(
    node: Node, text: str | None, count: int, what: str, default: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    """Exactly `count` finite floats separated by blanks."""
    if text is None or not text.strip():
        if default is None:
            raise node.error(f"{what} is missing")
        return default
    parts = text.split()
    if len(parts) != count:
        raise node.error(f"{what} needs {count} numbers, got {len(parts)} in {text.strip()[:60]!r}")
    return tuple(number(node, part, what) for part in parts)


def vec3(node: Node, text: str | None, what: str, default: Vec3 | None = None) -> Vec3:
    """Three finite floats."""
    x, y, z = vector(node, text, 3, what, default)
    return (x, y, z)
