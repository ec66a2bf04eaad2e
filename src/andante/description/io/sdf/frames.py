"""Frames of SDF models: scopes of names, `relative_to`, `attached_to`, placement frames, canonical links.

A scope is one <model> (or the <world>). Names are looked up inside the scope, `inner::name` inside a nested model.
Chains of frames are followed in loops, not by recursion, so that their length is no danger; nesting is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from andante.description.io.xmltree import Node, free_name
from andante.description.link import IDENTITY
from andante.errors import BadInput
from andante.geometry import SE3

from .common import stand_in
from .include import Absent, Document, Reading
from .scenery import scenery
from .values import RawPose, raw_pose, text_of

MAX_NESTING = 32
ROOT = ("", "__model__", "__root__", "world")
WORLD = "world"  # as files write it
ANCHOR = "\0world"  # what `link_of` answers for the world; no link can be called that
FRAMED = ("link", "joint", "frame", "model", "include")


@dataclass(frozen=True)
class Entry:
    """A named frame: what it is, its pose as written and the name of the frame that pose is told in."""

    kind: str  # link, joint, frame, model
    node: Node
    raw: SE3
    relative_to: str
    attached_to: str = ""  # frames: attached_to; joints: their child


@dataclass
class Scope:
    """One model with its named frames and nested models."""

    name: str
    prefix: str  # of flattened names: "" or "inner::"
    document: Document
    node: Node
    children: list[Node]  # with includes replaced by models
    entries: dict[str, Entry] = field(default_factory=dict)
    nested: dict[str, Scope] = field(default_factory=dict)
    placement: str = ""  # placement_frame; empty: the model frame
    pose: RawPose = field(default_factory=RawPose)
    is_world: bool = False
    _known: dict[str, SE3] = field(default_factory=dict)
    _links: dict[str, str] = field(default_factory=dict)

    @property
    def version(self) -> tuple[int, int]:
        """SDF version of the file that the model stands in."""
        return self.document.version

    def all(self, tag: str) -> Iterator[Node]:
        """Child elements of that tag, includes already replaced."""
        return (child for child in self.children if child.tag == tag)

    def flat(self, name: str) -> str:
        """Name of a link, joint or frame of this scope in the flattened model."""
        entry = self.entries.get(name)
        kept = entry.node.get("andante:name") if entry is not None else None
        return kept or self.prefix + name

    def has(self, name: str) -> bool:
        """Whether a frame of that name can be seen from this scope."""
        if name in ROOT or name in self.entries:
            return True
        head, separator, rest = name.partition("::")
        return bool(separator) and head in self.nested and self.nested[head].has(rest)

    def where(self, name: str) -> SE3:
        """Pose of a frame in the model frame of this scope, scope_from_frame."""
        factors: list[tuple[str, SE3]] = []
        visited: set[str] = set()
        current = name
        base = IDENTITY
        while current not in ROOT or current in self.entries:
            if current in self._known:
                base = self._known[current]
                break
            entry = self.entries.get(current)
            if entry is None:
                head, separator, rest = current.partition("::")
                if separator and head in self.nested:
                    factors.append((current, self.nested[head].where(rest)))
                    current = head
                elif separator and head == self.name:
                    current = rest
                else:
                    raise self._unknown(current)
                continue
            if current in visited:
                raise entry.node.error(f"the pose of {current!r} depends on itself; break the circle of relative_to")
            visited.add(current)
            motion = entry.raw
            if entry.kind == "model" and self.nested[current].placement:
                inner = self.nested[current]
                motion = motion @ inner.where(inner.placement).inverse()
            factors.append((current, motion))
            current = entry.relative_to
        for key, motion in reversed(factors):
            base = base if motion is IDENTITY else base @ motion
            self._known[key] = base
        return base

    def locate(self, raw: RawPose, default: str) -> SE3:
        """Pose of an element that stands in the frame `default`, told in that frame: default_from_element."""
        frame = self.frame_of(raw, default)
        if frame == default:
            return raw.motion
        return self.where(default).inverse() @ self.where(frame) @ raw.motion

    def frame_of(self, raw: RawPose, default: str) -> str:
        """Name of the frame that a pose is told in; an unknown legacy `frame` means the default, as Gazebo does."""
        if not raw.relative_to:
            return default
        if raw.legacy and not self.has(raw.relative_to):
            return default
        return raw.relative_to

    def link_of(self, name: str) -> str:
        """Flattened name of the link that a frame is fixed to; ANCHOR for the world."""
        visited: set[str] = set()
        link = self._follow(name, visited)
        self._links.update(dict.fromkeys(visited, link))
        return link

    def _follow(self, name: str, visited: set[str]) -> str:
        """`link_of`, with the names passed on the way put into `visited`."""
        current = name
        while True:
            if current in self._links:
                return self._links[current]
            if (current == WORLD and WORLD not in self.entries) or (self.is_world and current in ROOT):
                return ANCHOR
            if current in visited:
                raise self.node.error(f"{name!r} is attached to itself; break the circle of attached_to")
            visited.add(current)
            if current in ROOT and current not in self.entries:
                current = self.canonical()
                continue
            entry = self.entries.get(current)
            if entry is None:
                head, separator, rest = current.partition("::")
                if separator and head in self.nested:
                    return self.nested[head].link_of(rest)
                if separator and head == self.name:
                    current = rest
                    continue
                raise self._unknown(current)
            if entry.kind == "link":
                return self.flat(current)
            if entry.kind == "model":
                return self.nested[current].link_of("__model__")
            current = entry.attached_to or "__model__"

    def canonical(self) -> str:
        """Name of the link that the model frame is fixed to: as written, else the first link."""
        wish = (self.node.get("canonical_link") or "").strip()
        if wish and wish != "__default__":
            return wish
        first = next((n for n, e in self.entries.items() if e.kind == "link"), None)
        first = first or next((n for n, e in self.entries.items() if e.kind == "model"), None)
        if first is None:
            raise self.node.error("the model has no links")
        return first

    def _unknown(self, name: str) -> BadInput:
        choices = ", ".join(list(self.entries)[:12]) or "none"
        return self.node.error(f"no frame {name[:80]!r} here; frames: {choices}")


def build_scope(
    reading: Reading,
    document: Document,
    node: Node,
    chain: tuple[Path, ...],
    prefix: str = "",
    name: str = "",
    depth: int = 0,
) -> Scope:
    """Scope of a <model> or <world> element, nested models and includes opened."""
    if depth > MAX_NESTING:
        raise node.error(f"models are nested more than {MAX_NESTING} deep; refused")
    scope = Scope(
        name=name or (node.get("name") or "").strip(),
        prefix=prefix,
        document=document,
        node=node,
        children=[],
        placement=(node.get("placement_frame") or "").strip(),
        pose=raw_pose(node),
        is_world=node.tag == "world",
    )
    pending: list[tuple[Node, Document, tuple[Path, ...]]] = [(child, document, chain) for child in node.children]
    pending.reverse()
    while pending:
        child, origin, files = pending.pop()
        if child.tag == "include":
            try:
                target = reading.included(child, origin.path, files)
                wrapped = _overridden(reading, child, target)
            except Absent as error:
                if node.tag != "world" or not node.get("name"):
                    raise
                box = stand_in(child, scope.entries)
                reading.stand_ins += 1
                solid = any(each.tag == "collision" for each in box.walk())
                kind = "a box stands in for it" if solid else "a box that stops nothing stands in for it"
                reading.report.warn(child, f"{_plain(error, child)}; {kind}")
                scope.children.append(box)
                _enter(reading, scope, box, origin, files, depth)
                continue
            inner_files = (*files, target.path)
            if child.get("merge") in ("true", "1") and wrapped.tag == "model":
                pending.extend((c, target, inner_files) for c in reversed(merged_children(child, wrapped)))
                continue
            if wrapped.tag == "model" and (name := wrapped.get("name") or "") in scope.entries:
                _same_name(reading, scope, child, name, target)
                continue
            child, origin, files = wrapped, target, inner_files
        if scope.is_world and child.tag in ("road", "actor", "population"):
            pending.extend((made, origin, files) for made in reversed(scenery(reading, child)))
            continue
        scope.children.append(child)
        _enter(reading, scope, child, origin, files, depth)
    return scope


def _same_name(reading: Reading, scope: Scope, include: Node, name: str, target: Document) -> None:
    """A model is included under a name that is taken: told in the file that includes it; a ground needs no second."""
    other = scope.entries[name]
    if target.path == Path(f"{name}.sdf") and other.kind == "model":  # built in
        reading.report.warn(include, f"a second {name!r} is left out")
        return
    raise include.error(f"the name {name!r} of what it includes is taken; give this <include> a <name> of its own")


def _plain(error: Absent, include: Node) -> str:
    """The words of an error without the place, which the warning has."""
    return str(error).removeprefix(f"{include.source}: ").removeprefix("<include>: ")


def _enter(reading: Reading, scope: Scope, child: Node, origin: Document, files: tuple[Path, ...], depth: int) -> None:
    """Give a child element its entry in the scope."""
    if child.tag not in ("link", "joint", "frame", "model"):
        return
    name = (child.get("name") or "").strip()
    if not name:
        raise child.error("has no name; give it one")
    if child.tag == "joint" and name in scope.entries and scope.entries[name].kind == "joint":
        reading.report.warn(child, f"two joints are named {name!r}; this one is renamed")
        name = child.attributes["name"] = free_name(name, set(scope.entries))
    if name in scope.entries:
        other = scope.entries[name]
        if "joint" not in (other.kind, child.tag) or other.kind == child.tag:
            raise child.error(f"the name is taken by the <{other.kind}> at {other.node.source}; rename one")
        if scope.version >= (1, 7):
            reading.report.warn(child, f"a joint and a <{other.kind}> share the name {name!r}; poses mean the latter")
        if child.tag == "joint":
            return  # before SDF 1.7 a link and a joint may share a name; poses then mean the link
    if name in ROOT:
        if name != WORLD or child.tag != "link":
            raise child.error("the name is reserved in SDF; rename it")
        reading.report.warn(child, "`world` is reserved in SDF; joints that name it mean this link, not the world")
    pose = raw_pose(child)
    attached = ""
    default = "__model__"
    if child.tag == "joint":
        attached = _end(child, "child")
        default = attached if attached != WORLD else _end(child, "parent")
    elif child.tag == "frame":
        attached = (child.get("attached_to") or "").strip()
        default = attached or "__model__"
    relative_to = pose.relative_to or default
    if pose.legacy and pose.node is not None:
        reading.report.info(pose.node, "the `frame` attribute of a <pose> was never defined for Gazebo; it is followed")
        if not any((c.get("name") or "") == relative_to for c in scope.node.children) and "::" not in relative_to:
            reading.report.warn(pose.node, f"the pose names the frame {relative_to[:60]!r}, which does not exist")
            relative_to = default
    scope.entries[name] = Entry(child.tag, child, pose.motion, relative_to, attached)
    if child.tag == "model":
        reading.elements += 1
        inner_prefix = "" if scope.is_world else f"{scope.prefix}{name}::"
        if len(inner_prefix) > 2000:
            raise child.error("the names of the nested models are too long; refused")
        scope.nested[name] = build_scope(reading, origin, child, files, inner_prefix, name, depth + 1)


def _end(joint: Node, role: str) -> str:
    """Name in <parent> or <child>; old files write it as an attribute."""
    node = joint.find(role)
    name = text_of(joint, role) or (node.get("link") or "" if node is not None else "")
    if not name.strip():
        raise joint.error(f"has no <{role}>; name a link")
    return name.strip()


def joint_ends(joint: Node) -> tuple[str, str]:
    """Names in <parent> and <child> of a joint."""
    return _end(joint, "parent"), _end(joint, "child")


def _overridden(reading: Reading, include: Node, target: Document) -> Node:
    """The model (or light, or actor) of an included file with the name, pose and static flag of the include."""
    found = [child for child in target.root.children if child.tag in ("model", "light", "actor")]
    if not found:
        raise Absent(f"{include.source}: <include>: {target.path} holds no model, light or actor")
    if len(found) > 1:
        reading.report.warn(include, f"{target.path.name} holds {len(found)} models; the first one is used")
    original = found[0]
    attributes = dict(original.attributes)
    if text_of(include, "name"):
        attributes["name"] = text_of(include, "name")
        attributes.pop("andante:name", None)
    if include.find("placement_frame") is not None:
        attributes["placement_frame"] = text_of(include, "placement_frame")
    children = [c for c in original.children if not (c.tag in ("pose", "static") and include.find(c.tag) is not None)]
    children += [c for c in include.children if c.tag in ("pose", "static", "plugin")]
    reading.report.leftovers(include, ("uri", "placement_frame", "name", "pose", "static", "plugin"))
    return Node(original.tag, attributes, original.text, children, original.source)


def merged_children(include: Node, model: Node) -> list[Node]:
    """Children of an included model as they stand in the including model.

    The frame of the included model lives on as a frame of its own; what was told in it is told in that frame.
    """
    name = (model.get("name") or "").strip() or "model"
    frame = f"_merged__{name}__model__"
    canonical = model.get("canonical_link") or next(
        ((c.get("name") or "") for c in model.children if c.tag == "link"), ""
    )
    pose = model.find("pose") or Node("pose", {}, "0 0 0 0 0 0")
    placed = Node("pose", {"relative_to": "__model__", **pose.attributes}, pose.text, [], pose.source)
    if (model.get("placement_frame") or "").strip():
        raise include.error("placement_frame together with merge is not supported; leave out one of them")
    out = [Node("frame", {"name": frame, "attached_to": canonical}, "", [placed], include.source)]
    for child in model.children:
        if child.tag in FRAMED:
            out.append(_retold(child, frame))
        elif child.tag not in ("pose", "static", "self_collide"):
            out.append(child)
    return out


def _retold(child: Node, frame: str) -> Node:
    """A copy whose default frame and `__model__` mean the frame of the merged model."""
    poses = [c for c in child.children if c.tag == "pose"]
    attributes = {k: frame if v == "__model__" else v for k, v in child.attributes.items()}
    if child.tag == "frame" and not attributes.get("attached_to"):
        attributes["attached_to"] = frame
    rest = [_renamed(c, frame) for c in child.children if c.tag != "pose"]
    if child.tag in ("link", "model", "include"):
        pose = poses[0] if poses else Node("pose", {}, "0 0 0 0 0 0", [], child.source)
        kept = {"relative_to": frame, **{k: v for k, v in pose.attributes.items() if v != "__model__"}}
        poses = [Node("pose", kept, pose.text, [], pose.source)]
    else:
        poses = [_renamed(pose, frame) for pose in poses]
    return Node(child.tag, attributes, child.text, [*poses, *rest], child.source)


def _renamed(node: Node, frame: str) -> Node:
    """A copy of an element and what is below it with `__model__` replaced by the frame."""
    if node.tag == "model":
        return node
    attributes = {k: frame if v == "__model__" else v for k, v in node.attributes.items()}
    text = frame if node.text.strip() == "__model__" else node.text
    return Node(node.tag, attributes, text, [_renamed(c, frame) for c in node.children], node.source)
