"""What MJCF has no word for, kept by our writer as one JSON text in <custom> and put back by our reader.

The record of a robot holds the link and joint details that MuJoCo's format cannot carry: velocity limits, contact
parameters beyond friction, wishes about self-collision, sensors, plugins, transmissions. MuJoCo ignores it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from andante.description import Inertia, Joint, JointType, Limits, Plugin, Robot, SafetyController, Transmission
from andante.description.io.gazebo import ROWS
from andante.description.io.xmltree import Node
from andante.description.link import IDENTITY, Collision, Link, SensorSpec, Surface
from andante.errors import AndanteError
from andante.geometry import SE3

from .spec import Document

PREFIX = "andante."
LOOP_SITE = "loop:"
HINGE = ":axis"  # behind the name of a second connect: a hinge closes the loop
SENSOR_SITE = "sensor:"
MAX_LENGTH = 4_000_000


def make_record(robot: Robot, links: Mapping[str, Any], joints: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a robot; `links` and `joints` are extra entries by name that the writer had to note."""
    record: dict[str, Any] = {
        "name": robot.name,
        "self_collide": robot.self_collide,
        "no_collision": sorted(sorted(pair) for pair in robot.no_collision),
        "links": dict(links),
        "joints": dict(joints),
        "sensors": {
            s.name: {"kind": s.kind, "link": s.link, "rate": s.rate, "topic": s.topic, "parameters": dict(s.parameters)}
            for s in robot.sensors
        },
        "plugins": [{"name": p.name, "filename": p.filename, "parameters": dict(p.parameters)} for p in robot.plugins],
        "transmissions": [asdict(t) for t in robot.transmissions],
    }
    return {key: value for key, value in record.items() if value not in ({}, [])}


def link_entry(link: Link) -> dict[str, Any]:
    """What MJCF cannot say about a link."""
    entry: dict[str, Any] = {}
    if link.self_collide is not None:
        entry["self_collide"] = link.self_collide
    surfaces = {
        str(i): {key: value for key, value in asdict(c.surface).items() if value is not None}
        for i, c in enumerate(link.collisions)
        if not _plain(c.surface)
    }
    if surfaces:
        entry["surfaces"] = surfaces
    return entry


def _plain(surface: Surface) -> bool:
    """Whether friction, condim and the masks of a geom say all of a surface."""
    known = Surface(surface.mu, None, surface.torsional, surface.rolling, collide_bitmask=surface.collide_bitmask)
    known = replace(known, solref=surface.solref, solimp=surface.solimp, margin=surface.margin, gap=surface.gap)
    complete = surface.mu is not None or (surface.torsional is None and surface.rolling is None)
    nested = surface.rolling is None or surface.torsional is not None
    return surface == known and complete and nested and surface.mu != 0 and surface.collide_bitmask not in (0, 1)


def joint_entry(joint: Joint) -> dict[str, Any]:
    """What MJCF cannot say about a joint."""
    entry: dict[str, Any] = {}
    limits = joint.limits
    if math.isfinite(limits.velocity):
        entry["velocity"] = limits.velocity
    if limits.effort == 0:
        entry["effort"] = 0.0
    bounded = math.isfinite(limits.lower) or math.isfinite(limits.upper)
    if (joint.type is JointType.REVOLUTE and not bounded) or (joint.type is JointType.CONTINUOUS and bounded):
        entry["type"] = str(joint.type)
    plain = math.isfinite(limits.upper - limits.lower) and limits.upper != limits.lower
    if bounded and (joint.type is JointType.CONTINUOUS or not plain):
        entry["range"] = [limits.lower, limits.upper]
    if joint.safety is not None:
        entry["safety"] = asdict(joint.safety)
    if joint.calibration:
        entry["calibration"] = dict(joint.calibration)
    return entry


def read_record(document: Document, root: str) -> tuple[dict[str, Any], Node] | None:
    """The record of the robot with that root link, None when there is none; other custom data is told."""
    found = None
    for node in document.section("custom"):
        name = node.get("name") or ""
        if node.tag != "text" or not name.startswith(PREFIX):
            document.info("custom data is not used", node.source, "custom")
            continue
        if name.removeprefix(PREFIX) != root:
            continue
        text = node.get("data") or ""
        try:
            value = json.loads(text) if len(text) <= MAX_LENGTH else None
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise node.error("data should be a JSON object")
        found = (value, node)
    return found


def apply_record(robot: Robot, record: dict[str, Any], node: Node, sites: Mapping[str, tuple[str, SE3]]) -> Robot:
    """The robot with its record put back."""
    try:
        return _applied(robot, record, sites, node)
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, AndanteError) as error:
        reason = " ".join(str(error).split())[:100]
        raise node.error(f"this record is not as Andante writes it ({reason}); delete it to do without") from None


def _renamed(robot: Robot, names: dict[str, str]) -> Robot:
    """The robot with some links renamed (light links of joint chains)."""
    if not names:
        return robot
    return replace(
        robot,
        links=tuple(replace(link, name=str(names.get(link.name, link.name))) for link in robot.links),
        joints=tuple(
            replace(j, parent=str(names.get(j.parent, j.parent)), child=str(names.get(j.child, j.child)))
            for j in robot.joints
        ),
        no_collision=frozenset(),
    )


def _applied(robot: Robot, record: dict[str, Any], sites: Mapping[str, tuple[str, SE3]], node: Node) -> Robot:
    robot = _renamed(robot, dict(record.get("chain", {})))
    of_links, of_joints = dict(record.get("links", {})), dict(record.get("joints", {}))
    known = {link.name for link in robot.links}
    names = {entry["fixed"]: name for name, entry in of_joints.items() if "fixed" in entry}
    joints = []
    for joint in robot.joints:
        if joint.type is JointType.FIXED and joint.child in names:
            joint = replace(joint, name=names[joint.child])
        joints.append(_with_entry(joint, dict(of_joints.get(joint.name, {}))))
    sensors = [
        SensorSpec(
            name,
            str(entry["kind"]),
            str(entry["link"]),
            sites.get(SENSOR_SITE + name, ("", IDENTITY))[1],
            _finite(entry.get("rate", 0.0)),
            str(entry.get("topic", "")),
            {str(k): v if isinstance(v, str) else _finite(v) for k, v in dict(entry.get("parameters", {})).items()},
            node.source,
        )
        for name, entry in dict(record.get("sensors", {})).items()
        if entry["link"] in known
    ]
    servos = {name: dict(values) for name, values in robot.servos.items()}
    for name, entry in of_joints.items():
        if "servo" in entry and name in robot.joint_names:
            servos[name] = servos.get(name, {}) | {str(k): float(v) for k, v in dict(entry["servo"]).items()}
    pairs = [frozenset(str(end) for end in pair) for pair in record.get("no_collision", [])]
    return replace(
        robot,
        name=str(record.get("name", robot.name)),
        links=tuple(_link_with_entry(link, dict(of_links.get(link.name, {}))) for link in robot.links),
        joints=tuple(joints),
        sensors=(*robot.sensors, *sensors),
        servos=servos,
        self_collide=bool(record.get("self_collide", robot.self_collide)),
        no_collision=frozenset(pair for pair in pairs if len(pair) == 2 and pair <= known),
        plugins=tuple(
            Plugin(str(p["name"]), str(p["filename"]), {str(k): str(v) for k, v in dict(p["parameters"]).items()})
            for p in record.get("plugins", [])
        ),
        transmissions=tuple(
            Transmission(
                str(t["name"]),
                str(t["type"]),
                tuple(str(v) for v in t["joints"]),
                tuple(str(v) for v in t["actuators"]),
                _finite(t["reduction"]),
                tuple(str(v) for v in t["interfaces"]),
            )
            for t in record.get("transmissions", [])
        ),
    )


def _with_entry(joint: Joint, entry: dict[str, Any]) -> Joint:
    limits = joint.limits
    lower, upper = (float(v) for v in entry.get("range", (limits.lower, limits.upper)))
    limits = Limits(
        lower, upper, float(entry.get("effort", limits.effort)), float(entry.get("velocity", limits.velocity))
    )
    safety = SafetyController(**{k: _finite(v) for k, v in entry["safety"].items()}) if "safety" in entry else None
    return replace(
        joint,
        limits=limits,
        type=JointType(entry.get("type", joint.type)),
        safety=safety,
        calibration={str(k): _finite(v) for k, v in dict(entry.get("calibration", {})).items()},
    )


def _link_with_entry(link: Link, entry: dict[str, Any]) -> Link:
    inertia = link.inertia
    if "inertia" in entry:
        inertia, given = None, entry["inertia"]
        if given is not None:
            mass, x, y, z, xx, xy, xz, yy, yz, zz = (_finite(v) for v in given)
            inertia = Inertia(mass, (x, y, z), (xx, xy, xz, yy, yz, zz))
    surfaces = dict(entry.get("surfaces", {}))
    collisions = [_with_surface(c, surfaces.get(str(i))) for i, c in enumerate(link.collisions)]
    wish = entry.get("self_collide")
    return replace(
        link, inertia=inertia, collisions=tuple(collisions), self_collide=None if wish is None else bool(wish)
    )


def _with_surface(collision: Collision, entry: dict[str, Any] | None) -> Collision:
    if entry is None:
        return collision
    rows = [key for key in ROWS if key in entry]
    values: dict[str, Any] = {key: _finite(v) for key, v in entry.items() if key not in (*rows, "collide_bitmask")}
    values |= {key: tuple(_finite(v) for v in entry[key]) for key in rows}
    if "collide_bitmask" in entry:
        values["collide_bitmask"] = int(entry["collide_bitmask"])
    return replace(collision, surface=Surface(**values))


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not finite")
    return number
