"""Contacts that a file lists as <contact><pair>, as models made for simulation on graphics cards do.

Their geoms have no masks of their own: they touch the geoms that they are paired with and nothing else. Here a geom
that is paired with one of another object (the floor, a thing to be held) touches whatever comes.
"""

from __future__ import annotations

from andante.description.io.xmltree import Node, number

from .spec import Document


def touching(document: Document) -> dict[str, float | None]:
    """Geoms that a pair lets touch another object than their own, with the sliding friction that it states."""
    tops = _tops(document)
    found: dict[str, float | None] = {}
    for node in document.section("contact"):
        ends = (node.get("geom1") or "", node.get("geom2") or "")
        if node.tag != "pair" or tops.get(ends[0], "") == tops.get(ends[1], ""):
            continue
        stated = (node.get("friction") or "").split()
        friction = number(node, stated[0], "friction") if stated else None
        for end in ends:
            found[end] = max((f for f in (found.get(end), friction) if f is not None), default=None)
    return found


def within(document: Document, pair: Node) -> bool:
    """Whether a pair is of two parts of one object."""
    tops = _tops(document)
    ends = (pair.get("geom1") or "", pair.get("geom2") or "")
    return tops.get(ends[0], "") == tops.get(ends[1], "")


def _tops(document: Document) -> dict[str, str]:
    """The outermost body by the name of its geoms; those of the world itself, or of another file, have none."""
    found: dict[str, str] = {}

    def walk(node: Node, top: str) -> None:
        for index, child in enumerate(node.children):
            if child.tag == "geom" and top:
                found[child.get("name") or ""] = top
            walk(child, top or (f"{child.source}#{index}" if child.tag == "body" else ""))

    for section in document.root.all("worldbody"):
        walk(section, "")
    return found
