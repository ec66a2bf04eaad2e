"""<plugin> of SDF: kept by name with its leaf values, never loaded."""

from __future__ import annotations

from andante.description.robot import Plugin

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
        name=_kept(node, "name"),
        filename=_kept(node, "filename"),
        parameters={tag: " ".join(values) for tag, values in parameters.items()},
        source=node.source,
    )


def _kept(node: Node, attribute: str) -> str:
    """An attribute; what our writer had to replace because it was empty is given back."""
    own = node.get(f"andante:{attribute}")
    return own if own is not None else (node.get(attribute) or "").strip()
