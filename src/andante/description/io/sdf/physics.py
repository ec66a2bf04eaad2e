"""<physics> of SDF: step and solver. Engines have blocks of their own there; that of the stated type comes first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.description.io.xmltree import Node
from andante.description.solver import KNOWN, SolverSettings
from andante.errors import BadInput

from .include import Reading
from .values import child_number, text_of
from .write_link import below
from .xml import Element, Names

BLOCKS: Mapping[str, Mapping[str, str]] = {  # path below the block of an engine -> setting
    "ode": {
        "solver/type": "method",
        "solver/iters": "iterations",
        "solver/sor": "sor",
        "constraints/cfm": "cfm",
        "constraints/erp": "erp",
        "constraints/contact_max_correcting_vel": "max_correcting_velocity",
        "constraints/contact_surface_layer": "surface_layer",
    },
    "bullet": {
        "solver/iters": "iterations",
        "solver/sor": "sor",
        "constraints/cfm": "cfm",
        "constraints/erp": "erp",
        "constraints/contact_surface_layer": "surface_layer",
    },
    "dart": {"solver/solver_type": "method"},
}
HARMLESS = (
    *("real_time_factor", "real_time_update_rate", "max_contacts", "simbody", "magnetic_field"),
    *("update_rate", "collision_detector"),
)
WRITTEN = {name: f"ode/{path}" for path, name in BLOCKS["ode"].items() if name != "method"}
OF_METHOD = {"quick": "ode/solver/type", "world": "ode/solver/type"}
OF_METHOD |= {"dantzig": "dart/solver/solver_type", "pgs": "dart/solver/solver_type"}
OWN = "andante:"  # begins attributes for what SDF has no element for


def read_physics(reading: Reading, world: Node) -> SolverSettings:
    """Step and solver of the default (else first) <physics>; a value that cannot be is told and left out."""
    offered = list(world.all("physics"))
    if not offered:
        return SolverSettings()
    node = next((p for p in offered if (p.get("default") or "").strip() in ("true", "1")), offered[0])
    if len(offered) > 1:
        reading.report.info(node, f"the world offers {len(offered)} <physics>; the default one is used")
    reading.report.leftovers(node, ("max_step_size", "gravity", *BLOCKS), HARMLESS)
    values: dict[str, Any] = {}

    def take(where: Node, name: str, value: Any, tag: str) -> None:
        try:
            values[name] = getattr(SolverSettings(**{name: value}), name)
        except BadInput as error:
            reading.report.warn(where, f"<{tag}> is not used: {error}")

    if text_of(node, "max_step_size"):
        dt = child_number(node, "max_step_size", 0.0)
        if not 1e-6 <= dt <= 1.0:
            raise node.error(f"<max_step_size> should lie between 1e-6 and 1 s, got {dt:g}")
        values["dt"] = dt
    kind = (node.get("type") or "").strip()
    for block in sorted(BLOCKS, key=lambda each: each != kind):
        for path, name in BLOCKS[block].items():
            group, _, tag = path.partition("/")
            body = node.find(block)
            holder = body.find(group) if body is not None else None
            if holder is None or not text_of(holder, tag) or name in values:
                continue
            take(holder, name, text_of(holder, tag) if name == "method" else child_number(holder, tag, 0.0), tag)
    for name in KNOWN:
        text = node.get(f"{OWN}{name}")
        if text is not None:
            take(node, name, text if "choices" in KNOWN[name] else _as_number(text), f"physics {OWN}{name}")
    return SolverSettings(**values)


def _as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def write_physics(element: Element, physics: SolverSettings, names: Names) -> None:
    """A <physics> with what is stated; settings that SDF has no element for are kept in attributes of our own."""
    if physics == SolverSettings():
        return
    node = element.add("physics", name=names.fresh("physics", "default"), default="true", type="ode")
    for name, value in physics.stated.items():
        if name == "dt":
            node.add("max_step_size", value)
        elif name in WRITTEN:
            _put(node, WRITTEN[name], value)
        elif name == "method" and value in OF_METHOD:
            _put(node, OF_METHOD[value], value)
        else:
            node.attributes[f"{OWN}{name}"] = value if isinstance(value, str) else repr(value)


def _put(node: Element, path: str, value: str | float) -> None:
    group, _, tag = path.rpartition("/")
    below(node, group).add(tag, value)
