"""What the checker of SDFormat (`gz sdf -k`, `ign sdf -k`) refuses beyond what keeps a file from being read.

Its rules were found by trying: names among siblings, reserved words, attributes without a default, types, axes,
material scripts and mass matrices. Models that a file includes are held to them too. Masses and tensors that no body
has are mended for simulation, so they are warnings here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from andante.description.io.xmltree import Node
from andante.description.source import Problem, Severity

from .structure import number_or_none

NEEDED = {
    "world": ("name",), "model": ("name",), "link": ("name",), "joint": ("name", "type"), "visual": ("name",),
    "collision": ("name",), "sensor": ("name", "type"), "light": ("name", "type"), "plugin": ("name", "filename"),
    "physics": ("type",), "frame": ("name",), "state": ("world_name",), "actor": ("name",),
}  # fmt: skip
SENSORS = frozenset(
    (
        *("air_pressure", "altimeter", "camera", "contact", "custom", "force_torque", "gps", "gpu_lidar", "gpu_ray"),
        *("imu", "lidar", "logical_camera", "magnetometer", "multicamera", "navsat", "ray", "rfid", "rfidtag", "sonar"),
        *("boundingbox", "boundingbox_camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "segmentation"),
        *("segmentation_camera", "thermal", "thermal_camera", "wideanglecamera", "wide_angle_camera"),
        *("wireless_receiver", "wireless_transmitter"),
    )
)
TYPES = {"sensor": SENSORS, "light": frozenset(("point", "directional", "spot"))}
PLACES = {  # words that other elements use for other things, and where they mean these
    "joint": ("model",), "light": ("world", "link", "sdf"), "plugin": ("model", "world", "sensor", "visual", "link"),
    "collision": ("link",), "visual": ("link",), "physics": ("world",), "sensor": ("link", "joint"),
    "frame": ("model", "world"), "state": ("world",), "actor": ("world",),
}  # fmt: skip
SWITCHES = ("static", "self_collide", "gravity", "kinematic", "allow_auto_disable", "cast_shadows", "always_on")
RESERVED = ("model", "link", "joint", "frame", "visual", "collision", "sensor", "light")
MOMENTS = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}  # and what they are when not given
ROUNDING = 10 * np.finfo(float).eps  # that the checker allows, relative to the largest moment
SCRIPT = "file://media/materials/scripts/gazebo.material"


def sdformat_problems(roots: Iterable[Node]) -> Iterator[Problem]:
    """Errors of SDF trees; those inside plugins, which may hold anything, are none."""
    for root in roots:
        if root.tag != "sdf":
            continue
        if not root.get("version"):
            yield _error(root, '<sdf> has no version; write <sdf version="1.9">')
        models = list(root.all("model"))
        if len(models) > 1:
            yield _error(models[1], "a second <model>: a file holds one model, or a <world> with several")
        yield from _below(root)


def _error(node: Node, message: str) -> Problem:
    return Problem(Severity.ERROR, message, node.source)


def _below(node: Node) -> Iterator[Problem]:
    yield from _siblings(node)
    for child in node.children:
        yield from _element(child, node)
        if child.tag != "plugin" and ":" not in child.tag:
            yield from _below(child)


def _siblings(node: Node) -> Iterator[Problem]:
    seen: dict[str, Node] = {}
    for child in node.children:
        name = child.get("name")
        if not name or child.tag == "plugin" or (child.tag in ("link", "joint") and node.tag == "state"):
            continue
        first = seen.setdefault(name, child)
        same = child.tag == first.tag and child.tag in ("link", "joint")  # told with the tree
        if first is not child and not same:
            where = f"<{first.tag}> at {first.source}"
            yield _error(child, f"<{child.tag}> {name!r} has the name of the {where}; rename one")


def _element(node: Node, parent: Node) -> Iterator[Problem]:
    if parent.tag == "state":
        return
    yield from _names(node, parent)
    told = f"<{node.tag}> {node.get('name') or ''!r}"
    kind = node.get("type")
    if kind is not None and kind not in TYPES.get(node.tag, (kind,)):
        yield _error(node, f"{told}: type {kind!r} is not known; types: {', '.join(sorted(TYPES[node.tag]))}")
    if node.tag == "model" and not any(part.tag in ("link", "model", "include", "static") for part in node.children):
        yield _error(node, f"{told} has no links; give it one, or take it out")
    if node.tag == "script" and parent.tag == "material":
        for part, usual in (("uri", SCRIPT), ("name", "Gazebo/Grey")):
            if not _text(node, part):
                yield _error(node, f"<script> needs a <{part}>; write <{part}>{usual}</{part}> in it")
    if node.tag in SWITCHES and parent.tag != "world":  # whose gravity is a vector
        word = node.text.strip()
        if word and word.lower() not in ("true", "false", "0", "1"):
            yield _error(node, f"<{node.tag}> should be true or false, got {word[:20]!r}")
    if parent.tag == "joint":
        yield from _joint_part(node, f"joint {parent.get('name')!r}")
    if node.tag == "inertial" and parent.tag == "link" and (node.get("auto") or "").lower() not in ("true", "1"):
        yield from _mass_matrix(node, parent)


def _names(node: Node, parent: Node) -> Iterator[Problem]:
    """Attributes that have no default, and names that are reserved."""
    tag, name = node.tag, node.get("name") or ""
    for key in NEEDED.get(tag, ()):
        known = tag in ("link", "joint") and key == "name"  # told with the tree
        if node.get(key) is None and not known and parent.tag in PLACES.get(tag, (parent.tag,)):
            yield _error(node, f"<{tag}> {name!r} has no {key}; write {key}=")
    under = len(name) > 4 and name.startswith("__") and name.endswith("__")
    if tag in RESERVED and (under or (tag, name) == ("link", "world")):
        yield _error(node, f"<{tag}> {name!r}: this name is reserved; rename it")


def _joint_part(node: Node, told: str) -> Iterator[Problem]:
    """An axis without length, and the world as what a joint carries."""
    words = _text(node, "xyz").split() if node.tag in ("axis", "axis2") else []
    if len(words) == 3 and all(number_or_none(word) == 0 for word in words):
        yield _error(node, f"{told}: its <{node.tag}> has no length; write <xyz>0 0 1</xyz>")
    if node.tag == "child" and node.text.strip() == "world":
        yield _error(node, f"{told}: the world cannot be its <child>; swap parent and child")


def _text(node: Node, tag: str) -> str:
    child = node.find(tag)
    return child.text.strip() if child is not None else ""


def _mass_matrix(node: Node, link: Node) -> Iterator[Problem]:
    """The conditions of the checker's mass matrix: m >= 0, no negative principal moment, I1 + I2 >= I3."""
    mass = number_or_none(_text(node, "mass") or "1")
    tensor = node.find("inertia")
    given = {key: number_or_none((_text(tensor, key) if tensor is not None else "") or str(usual))
             for key, usual in MOMENTS.items()}  # fmt: skip
    if mass is None or any(value is None for value in given.values()):
        return  # the reader tells it
    m = {key: value or 0.0 for key, value in given.items()}
    matrix = np.array([[m["ixx"], m["ixy"], m["ixz"]], [m["ixy"], m["iyy"], m["iyz"]], [m["ixz"], m["iyz"], m["izz"]]])
    moments = np.linalg.eigvalsh(matrix)
    slack = ROUNDING * max(float(np.abs(moments).max()), 0.0)
    told = f"link {link.get('name')!r}: SDFormat refuses"
    if mass < 0:
        yield Problem(Severity.WARNING, f"{told} a mass of {mass:g} kg; taken as 0, give it its mass", node.source)
    elif moments[0] + slack < 0 or moments[0] + moments[1] + slack < moments[2]:
        values = ", ".join(f"{value:.3g}" for value in moments)
        rule = "one is negative" if moments[0] + slack < 0 else "the largest exceeds the sum of the others"
        said = f"{told} principal moments {values} kg m^2: {rule}; mended for simulation, give it its tensor"
        yield Problem(Severity.WARNING, said, node.source)
