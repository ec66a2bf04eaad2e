"""What else stands in an SDF world, as plain models: strips of road, actors on their ways, populations.

Roads have no body, as in Gazebo: they are seen and touch nothing. Actors that move are seen and touched.
"""

from __future__ import annotations

import math
import zlib
from pathlib import Path

import numpy as np

from andante.description.io.cached import cached_file
from andante.description.io.xmltree import Node, number, vec3
from andante.description.mesh.files import load_mesh_parts
from andante.description.trajectory import Trajectory
from andante.errors import AndanteError, BadInput
from andante.geometry import SE3, Array, so3

from .geometry import find_file
from .include import Reading
from .values import flag, raw_pose, text_of

MAX_MEMBERS = 2000  # of one population
MAX_POINTS = 10_000  # of one road
LIFT = 0.005  # of a road above the ground, so that it is seen [m]
PERSON = (0.22, 1.3)  # radius and length of a capsule that stands for an actor [m]
SOLID = (0.22, 1.8)  # ... of the cylinder that it touches with, about its root at the hips [m]


def scenery(reading: Reading, node: Node) -> list[Node]:
    """The models (or includes) that a <road>, <actor> or <population> becomes."""
    if node.tag == "road":
        return _road(reading, node)
    return _actor(reading, node) if node.tag == "actor" else _population(reading, node)


def _node(source: Node, tag: str, *children: Node, text: str = "", **attributes: str) -> Node:
    return Node(tag, attributes, text, list(children), source.source)


def _shown(owner: Node, pose: Node | None, geometry: Node, material: Node | None) -> Node:
    """A static model with one visual."""
    visual = [geometry, *([material] if material is not None else [])]
    link = _node(owner, "link", _node(owner, "visual", *visual, name="visual"), name="link")
    place = [pose] if pose is not None else []
    name = (owner.get("name") or owner.tag).strip()
    return _node(owner, "model", *place, _node(owner, "static", text="true"), link, name=name)


def _road(reading: Reading, node: Node) -> list[Node]:
    """A strip of <width> along the points."""
    width = number(node, text_of(node, "width"), "<width>", 1.0)
    points = np.array([vec3(p, p.text, "<point>") for p in node.all("point")][: MAX_POINTS + 1]).reshape(-1, 3)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1) if len(points) else np.zeros(0)
    points = points[np.append(True, steps > 1e-9)] if len(points) else points
    if len(points) < 2 or len(points) > MAX_POINTS or not width > 0:
        reading.report.warn(node, f"a <road> needs a positive width and 2 to {MAX_POINTS} points; it is left out")
        return []
    path = cached_file(_strip(points, width).encode(), "road", ".obj")
    geometry = _node(node, "geometry", _node(node, "mesh", _node(node, "uri", text=path.as_uri())))
    paint = _node(node, "material", _node(node, "script", _node(node, "name", text="Gazebo/Road")))
    return [_shown(node, node.find("pose"), geometry, node.find("material") or paint)]


def _strip(points: Array, width: float) -> str:
    """Wavefront text of a strip along points, mitred at the corners; its picture repeats every width."""
    ahead = np.diff(points[:, :2], axis=0)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-12)
    left = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    before, after = np.vstack([left[:1], left]), np.vstack([left, left[-1:]])
    side = before + after
    side /= np.maximum(np.sum(side * after, axis=1, keepdims=True), 0.3)  # as wide beside every piece
    across = np.column_stack([side * width / 2, np.zeros(len(side))])
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))) / width
    raised = points + np.array([0.0, 0.0, LIFT])
    pairs = np.stack([raised + across, raised - across], axis=1).reshape(-1, 3)
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in pairs]
    lines += [f"vt {u} {v:.9g}" for v in along for u in (0, 1)]
    for k in range(1, 2 * len(points) - 2, 2):
        a, b, c, d = (f"{i}/{i}" for i in (k, k + 1, k + 3, k + 2))
        lines += [f"f {a} {b} {c}", f"f {a} {c} {d}"]
    return "\n".join(lines) + "\n"


def _actor(reading: Reading, node: Node) -> list[Node]:
    """The skin of an actor where its script begins, which moves it from there on; a capsule without one that is read.

    An actor that moves is as solid as its own links, else as a cylinder; one without a script touches nothing.
    """
    skin = node.find("skin")
    uri = text_of(skin, "filename") if skin is not None else ""
    motion = _motion(reading, node)
    pose = raw_pose(node).motion if motion is None else motion.at(0.0)[0]
    path = find_file(reading, uri, node) if uri else None
    if skin is not None and path is not None and _readable(path):
        scale = number(skin, text_of(skin, "scale"), "<scale>", 1.0)
        size = _node(node, "scale", text=f"{scale:g} {scale:g} {scale:g}")
        geometry = _node(node, "geometry", _node(node, "mesh", _node(node, "uri", text=uri), size))
        what = "its skin is shown"
    else:
        geometry = _round(node, "capsule", *PERSON)
        what = "a capsule is shown"
    made = _shown(node, _pose(node, pose), geometry, None)
    if motion is None:
        reading.report.info(node, f"an actor without waypoints does not move: {what}, and touches nothing")
        return [made]
    reading.motions[made.attributes["name"]] = motion
    own = [child for child in node.children if child.tag in ("link", "joint")]
    if any(child.tag == "link" for child in own):
        made.children[2:] = own
        return [made]
    made.children[2].children.append(_node(node, "collision", _round(node, "cylinder", *SOLID), name="collision"))
    reading.report.info(node, f"the limbs of an actor do not move: {what}, and a cylinder is what it touches with")
    return [made]


def _round(node: Node, kind: str, radius: float, length: float) -> Node:
    parts = (_node(node, "radius", text=f"{radius:g}"), _node(node, "length", text=f"{length:g}"))
    return _node(node, "geometry", _node(node, kind, *parts))


def _motion(reading: Reading, node: Node) -> Trajectory | None:
    """The way that the script of an actor tells: the waypoints of all its trajectories, straight in between."""
    script = node.find("script")
    base, rows = raw_pose(node).motion, dict[float, tuple[float, ...]]()
    for waypoint in (w for w in node.walk() if w.tag == "waypoint" and w.find("pose") is not None):
        at = base @ raw_pose(waypoint).motion
        when = number(waypoint, text_of(waypoint, "time"), "<time>", 0.0)
        rows.setdefault(when, (*at.translation.tolist(), *(float(v) for v in so3.to_rpy(at.rotation))))
    if script is None or not rows:
        return None
    times = sorted(rows)
    if not flag(script, "auto_start", True):
        reading.report.warn(script, "<auto_start> of the actor is false: it stands where its script begins")
        times = times[:1]
    delay = number(script, text_of(script, "delay_start"), "<delay_start>", 0.0)
    try:
        return Trajectory(tuple(times), tuple(rows[t] for t in times), flag(script, "loop", True), delay)
    except BadInput as error:
        raise node.error(str(error)) from None


def _readable(path: Path) -> bool:
    """Whether a mesh can be drawn; skins that only exist with their bones cannot."""
    try:
        return bool(load_mesh_parts(path))
    except AndanteError:
        return False


def _pose(owner: Node, pose: SE3) -> Node:
    numbers = (*pose.translation, *so3.to_rpy(pose.rotation))
    return _node(owner, "pose", text=" ".join(f"{float(v):.12g}" for v in numbers))


def _population(reading: Reading, node: Node) -> list[Node]:
    """Copies of a model in a box or a cylinder, the same ones every time."""
    member = node.find("model") or node.find("include")
    if member is not None and member.tag == "model" and member.find("link") is None:
        member = member.find("include") or member
    count = int(number(node, text_of(node, "model_count"), "<model_count>", 1))
    if member is None or not 0 <= count <= MAX_MEMBERS:
        reading.report.warn(node, f"a <population> needs a <model> and a count up to {MAX_MEMBERS}; it is left out")
        return []
    base = raw_pose(node).motion
    name = (member.get("name") or text_of(member, "name") or node.get("name") or "member").strip()
    out = []
    for k, place in enumerate(_places(reading, node, count)):
        pose = _pose(node, base @ SE3.from_xyz_rpy(place) @ raw_pose(member).motion)
        kept = [child for child in member.children if child.tag != "pose"]
        label = f"{name}_clone_{k}"
        if member.tag == "include":
            kept = [child for child in kept if child.tag != "name"] + [_node(node, "name", text=label)]
        attributes = member.attributes if member.tag == "include" else {**member.attributes, "name": label}
        out.append(Node(member.tag, dict(attributes), member.text, [*kept, pose], member.source))
    return out


def _places(reading: Reading, node: Node, count: int) -> list[tuple[float, float, float]]:
    """Where the members stand in the frame of the population [m]."""
    spread = node.find("distribution")
    kind = text_of(spread, "type") if spread is not None else "random"
    box, cylinder = node.find("box"), node.find("cylinder")
    size = np.array(vec3(box, text_of(box, "size"), "<size>", (1.0, 1.0, 1.0)) if box is not None else (1.0, 1.0, 1.0))
    if spread is not None and kind == "grid":
        rows, columns = (int(number(spread, text_of(spread, tag), f"<{tag}>", 1)) for tag in ("rows", "cols"))
        step = np.array(vec3(spread, text_of(spread, "step"), "<step>", (1.0, 1.0, 0.0)))
        cells = [(i, j) for i in range(min(max(rows, 1), count)) for j in range(min(max(columns, 1), count))][:count]
        middle = np.array([(max(columns, 1) - 1) / 2, (max(rows, 1) - 1) / 2, 0.0])
        found = (np.array([(j, i, 0) for i, j in cells], dtype=float).reshape(-1, 3) - middle) * step
    elif kind.startswith("linear-"):
        axis = "xyz".find(kind[-1])
        found = np.zeros((count, 3))
        found[:, max(axis, 0)] = np.linspace(-0.5, 0.5, count) * size[max(axis, 0)] if count > 1 else 0.0
    else:
        rng = np.random.default_rng(zlib.crc32((node.get("name") or "").encode()))
        found = rng.uniform(-0.5, 0.5, (count, 3)) * size
        if cylinder is not None:
            radius = number(cylinder, text_of(cylinder, "radius"), "<radius>", 1.0)
            length = number(cylinder, text_of(cylinder, "length"), "<length>", 1.0)
            turn, far = rng.uniform(0, 2 * math.pi, count), radius * np.sqrt(rng.uniform(0, 1, count))
            found = np.column_stack([far * np.cos(turn), far * np.sin(turn), rng.uniform(-0.5, 0.5, count) * length])
        reading.report.info(node, f"the {count} members of the population stand where a fixed seed puts them")
    return [(float(x), float(y), float(z)) for x, y, z in found]
