"""<plugin> of SDF: kept by name with its leaf values, never loaded."""

from __future__ import annotations

from andante.description.robot import Plugin

from .sdf_values import name_of
from .xmltree import Node


def read_plugin(node: Node) -> Plugin:
    """The plugin of an element; repeated leaf names are joined by a blank."""
    parameters: dict[str, list[str]] = {}
    for child in node.walk():
        if child is node or child.children:
            continue
        key = child.get("name") or "" if child.tag == "andante:parameter" else child.tag
        parameters.setdefault(key, []).append(child.text.strip())
    return Plugin(
        name=name_of(node),
        filename="" if node.get("andante:no_file") else (node.get("filename") or "").strip(),
        parameters={tag: " ".join(values) for tag, values in parameters.items()},
        source=node.source,
    )
