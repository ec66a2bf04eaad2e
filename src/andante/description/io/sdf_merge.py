"""<include merge="true"> of SDF 1.9: the parts of the included model become parts of the including one."""

from __future__ import annotations

from .xmltree import Node

FRAMED = ("link", "joint", "frame", "model", "include")


def merged_children(include: Node, model: Node) -> list[Node]:
    """Children of an included model as they stand in the including model.

    The frame of the included model lives on as a frame of its own; what was told in it is told in that frame.
    """
    name = (model.get("name") or "").strip() or "model"
    frame = f"_merged__{name}__model__"
    canonical = model.get("canonical_link") or next(
        ((c.get("name") or "") for c in model.children if c.tag == "link"), ""
    )
    placed = [c for c in model.children if c.tag == "pose"]
    placement = (model.get("placement_frame") or "").strip()
    if placement:
        raise include.error("placement_frame together with merge is not supported; leave out one of them")
    out = [Node("frame", {"name": frame, "attached_to": canonical}, "", _told_in_model(placed), include.source)]
    for child in model.children:
        if child.tag in FRAMED:
            out.append(_retold(child, frame))
        elif child.tag not in ("pose", "static", "self_collide"):
            out.append(child)
    return out


def _told_in_model(placed: list[Node]) -> list[Node]:
    """The pose of the include, told in the including model unless it says otherwise."""
    if not placed:
        return [Node("pose", {"relative_to": "__model__"}, "0 0 0 0 0 0")]
    pose = placed[0]
    return [Node("pose", {"relative_to": "__model__", **pose.attributes}, pose.text, [], pose.source)]


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
