"""<option> of MJCF: gravity, step and solver; what MuJoCo has no word for is kept as one JSON text in <custom>."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from andante.description.io.xmltree import number, vec3
from andante.description.shapes import Vec3
from andante.description.solver import SolverSettings, solver_settings
from andante.errors import AndanteError, BadInput
from andante.gravity import GRAVITY

from .record import PREFIX
from .spec import Document

NUMBERS = {  # attribute of <option> -> setting
    "timestep": "dt", "iterations": "iterations", "tolerance": "tolerance", "impratio": "impratio",
    "ls_iterations": "ls_iterations", "ls_tolerance": "ls_tolerance", "noslip_iterations": "noslip_iterations",
}  # fmt: skip
WORDS: Mapping[str, tuple[str, tuple[str, ...]]] = {  # attribute -> setting, and words as MuJoCo writes them
    "solver": ("method", ("PGS", "CG", "Newton")),
    "cone": ("cone", ("pyramidal", "elliptic")),
    "integrator": ("integrator", ("Euler", "RK4", "implicit", "implicitfast")),
}
SOLVER = f"{PREFIX}:solver"  # name of the text in <custom>
MEDIUM = ("wind", "density", "viscosity")


def read_options(document: Document) -> tuple[Vec3, SolverSettings]:
    """Gravity, and what the file asks of the solver; a value that cannot be is told and left out."""
    gravity: Vec3 = (0.0, 0.0, -GRAVITY)
    values: dict[str, Any] = {}
    for node in document.root.all("option"):
        gravity = vec3(node, node.get("gravity"), "gravity", gravity)
        given: dict[str, Any] = {
            name: number(node, node.get(key), key) for key, name in NUMBERS.items() if node.get(key) is not None
        }
        if not given.get("dt", 1.0) > 0:
            raise node.error("timestep must be positive")
        given |= {name: node.get(key) for key, (name, _) in WORDS.items() if node.get(key) is not None}
        for name, value in given.items():
            try:
                values[name] = getattr(SolverSettings(**{name: value}), name)
            except BadInput as error:
                document.warn(f"<option> is used without one value: {error}", node.source)
        for key in MEDIUM:
            if any(v != "0" for v in (node.get(key) or "0").split()):
                document.warn(f"<option {key}> (a medium around the bodies) is not represented", node.source)
    return gravity, _kept(document).over(SolverSettings(**values))


def tell_options(document: Document) -> None:
    """What a file asks of the solver is the world's business; a robot that is read from it does without, told once."""
    _, asked = read_options(document)
    if asked.stated:
        words = ", ".join(f"solver.{name}={value}" for name, value in asked.stated.items())
        told = f"<option> asks for {words}: it counts where the file is the world; for this robot, give solver settings"
        document.info(told, next(document.root.all("option"), document.root).source)


def _kept(document: Document) -> SolverSettings:
    """What our writer has kept in <custom>."""
    for node in document.section("custom"):
        if node.get("name") == SOLVER:
            try:
                return solver_settings(dict(json.loads(node.get("data") or "{}")))
            except (ValueError, TypeError, AndanteError):
                raise node.error("these solver settings are not as Andante writes them; delete them") from None
    return SolverSettings()


def write_options(option: Element, custom: Element, settings: SolverSettings) -> None:
    """Attributes of <option>, and a text in <custom> for the rest."""
    rest = settings.stated
    for key, name in NUMBERS.items():
        if name in rest:
            option.set(key, repr(rest.pop(name)))
    for key, (name, words) in WORDS.items():
        word = next((each for each in words if each.lower() == rest.get(name)), None)
        if word is not None:
            option.set(key, word)
            del rest[name]
    if rest:
        SubElement(custom, "text", name=SOLVER, data=json.dumps(rest))
