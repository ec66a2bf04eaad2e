"""Builds the XML of our SDF files: elements, numbers at full precision, poses in the form that loses nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from andante.description.io.xmltree import escaped, quoted
from andante.errors import BadInput
from andante.geometry import SE3

NAMESPACE_URI = "urn:andante:sdf"
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*\Z")


@dataclass
class Element:
    """An XML element that is being written."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def add(self, tag: str, text: str | float | int | bool = "", **attributes: str) -> Element:
        """A new child; `andante_x` in an attribute's name stands for `andante:x`."""
        named = {key.replace("andante_", "andante:", 1): value for key, value in attributes.items()}
        child = Element(tag, named, write_value(text))
        self.children.append(child)
        return child

    def render(self, depth: int = 0) -> list[str]:
        """Lines of the element, two blanks per level."""
        indent = "  " * depth
        attributes = "".join(f" {key}={quoted(_legal(value))}" for key, value in self.attributes.items())
        if self.children:
            lines = [f"{indent}<{self.tag}{attributes}>"]
            for child in self.children:
                lines += child.render(depth + 1)
            return [*lines, f"{indent}</{self.tag}>"]
        if self.text:
            return [f"{indent}<{self.tag}{attributes}>{escaped(_legal(self.text))}</{self.tag}>"]
        return [f"{indent}<{self.tag}{attributes}/>"]


def _legal(text: str) -> str:
    if FORBIDDEN.search(text):
        raise BadInput(f"{text[:40]!r} holds a character that XML cannot; rename it")
    return text


def write_value(value: str | float | int | bool) -> str:
    """Text of a value: booleans as true and false, floats with every digit that tells them apart."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(float(value) if isinstance(value, float) else value)


def write_numbers(values: Sequence[float] | np.ndarray) -> str:
    """Numbers separated by blanks, at full precision."""
    return " ".join(repr(float(v)) for v in values)


@dataclass
class Version:
    """The oldest SDF version that can say what was written so far."""

    minor: int = 7

    def need(self, minor: int) -> None:
        """Something of SDF 1.minor was written."""
        self.minor = max(self.minor, minor)

    def __str__(self) -> str:
        return f"1.{self.minor}"


def add_pose(parent: Element, pose: SE3, version: Version, tag: str = "pose", relative_to: str = "") -> None:
    """A <pose>: roll, pitch, yaw where they give the rotation back to the last digits, else a quaternion."""
    attributes = {"relative_to": relative_to} if relative_to else {}
    if pose.is_identity():
        if relative_to:
            parent.children.append(Element(tag, attributes, "0 0 0 0 0 0"))
        return
    rpy = np.zeros(3) if np.array_equal(pose.rotation, np.eye(3)) else pose.rpy
    again = SE3.from_xyz_rpy(pose.translation, rpy)
    if np.abs(again.rotation - pose.rotation).max() <= 1e-15:
        text = write_numbers([*pose.translation, *rpy])
    else:
        version.need(9)
        attributes["rotation_format"] = "quat_xyzw"
        text = write_numbers([*pose.translation, *pose.quaternion])
    parent.children.append(Element(tag, attributes, text))


def document(version: Version, body: Element) -> str:
    """The whole file."""
    root = Element("sdf", {"version": str(version), "xmlns:andante": NAMESPACE_URI}, "", [body])
    return "\n".join(['<?xml version="1.0"?>', *root.render(), ""])


class Names:
    """Names in one SDF scope: unique over links, joints and frames, and free of what SDF reserves."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._given: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def give(self, kind: str, name: str) -> str:
        """Name in the file of a thing; stays the same for the same thing."""
        if (kind, name) not in self._given:
            self._given[kind, name] = self.fresh(kind, name)
        return self._given[kind, name]

    def fresh(self, kind: str, name: str) -> str:
        """A name that nothing has yet, as close to the wished one as SDF allows."""
        base = name.strip().replace("::", ".") or kind
        if base == "world" or (base.startswith("__") and base.endswith("__")):
            base = f"{base.strip('_') or kind}_{kind}"
        unique = base if base not in self._taken or base == kind else f"{base}_{kind}"
        stem = unique
        while unique in self._taken:
            self._counts[stem] = self._counts.get(stem, 1) + 1
            unique = f"{stem}_{self._counts[stem]}"
        self._taken.add(unique)
        return unique


def label(element: Element, written: str, wished: str) -> None:
    """Set the name, and keep the wished one beside it where SDF does not allow it."""
    element.attributes = {"name": written, **element.attributes}
    if written != wished:  # the checker takes no empty attributes
        key, value = ("andante:name", wished) if wished else ("andante:unnamed", "true")
        element.attributes[key] = value
