"""Faults of the kinematic tree found in the file itself, all of them, before a `Robot` can exist.

A reader stops at the first fault; here every duplicate, orphan, unknown link, second parent, cycle and impossible limit
of a URDF or of the models of an SDF file is told with its line.
"""

from __future__ import annotations

from collections.abc import Iterator

from andante.description.io.urdf.loops import WORLD
from andante.description.io.xmltree import Node
from andante.description.source import Problem, Severity, Source

NEEDS_LIMITS = ("revolute", "prismatic")


def structure_problems(root: Node) -> list[Problem]:
    """Everything wrong with the tree of a <robot> or of each <model>."""
    if root.tag == "robot":
        return list(_check_tree(root, urdf=True))
    models = [node for node in root.walk() if node.tag == "model"]
    return [problem for model in models for problem in _check_tree(model, urdf=False)]


def _error(source: Source, message: str) -> Problem:
    return Problem(Severity.ERROR, message, source)


def _warning(source: Source, message: str) -> Problem:
    return Problem(Severity.WARNING, message, source)


def _check_tree(robot: Node, urdf: bool) -> Iterator[Problem]:
    links, joints = list(robot.all("link")), list(robot.all("joint"))
    yield from _duplicates("link", links)
    yield from _duplicates("joint", joints)
    known = {link.get("name") or "" for link in links}
    nested = {"world", "__model__"} | {
        node.get("name") or "" for node in robot.children if node.tag in ("frame", "model")
    }
    parents: dict[str, list[tuple[str, Node]]] = {}
    for joint in joints:
        ends = [_end(joint, "parent", urdf), _end(joint, "child", urdf)]
        for role, name in zip(("parent", "child"), ends, strict=True):
            if not name:
                yield _error(joint.source, f"joint {joint.get('name')!r} names no {role} link")
            elif name not in known and (urdf or (name not in nested and "::" not in name)):
                told = f"joint {joint.get('name')!r}: {role} link {name!r} does not exist"
                remedy = f'write <link name="{WORLD}"/>, which not only Drake takes as given' if name == WORLD else ""
                yield _error(joint.source, f"{told}; {remedy or 'links: ' + ', '.join(sorted(known)[:8])}")
        if ends[0] and ends[0] == ends[1]:
            yield _error(joint.source, f"joint {joint.get('name')!r} joins link {ends[0]!r} to itself")
        if ends[1]:
            parents.setdefault(ends[1], []).append((ends[0], joint))
        if urdf:
            yield from _limits(joint)
    if urdf:
        if robot.get("name") is None:
            yield _error(robot.source, "<robot> has no name; write name=")
        yield from _second_parents(parents)
        yield from _roots(robot, links, parents)
    yield from _cycles(parents)


def _end(joint: Node, role: str, urdf: bool) -> str:
    node = joint.find(role)
    if node is None:
        return ""
    return ((node.get("link") if urdf else node.text) or "").strip()


def _duplicates(what: str, nodes: list[Node]) -> Iterator[Problem]:
    seen: dict[str, Node] = {}
    for node in nodes:
        name = node.get("name")
        if not name:
            yield _error(node.source, f"a {what} has no name")
        elif name in seen:
            yield _error(node.source, f"{what} {name!r} is defined twice, first at {seen[name].source}; rename one")
        else:
            seen[name] = node


def _second_parents(parents: dict[str, list[tuple[str, Node]]]) -> Iterator[Problem]:
    for child, carriers in parents.items():
        if len(carriers) > 1:
            names = ", ".join(repr(joint.get("name")) for _, joint in carriers)
            message = f"link {child!r} hangs on {len(carriers)} joints ({names}); the later ones close a loop"
            yield Problem(Severity.WARNING, message, carriers[1][1].source)


def _roots(robot: Node, links: list[Node], parents: dict[str, list[tuple[str, Node]]]) -> Iterator[Problem]:
    named = {link.get("name") or "": link for link in reversed(links)}  # duplicates are told elsewhere
    roots = [link for name, link in reversed(named.items()) if name not in parents]
    if not links:
        yield _error(robot.source, "the robot has no links")
    elif len(roots) > 1:
        told = f"not connected to the root {roots[0].get('name')!r}"
        names = ", ".join(repr(link.get("name")) for link in roots[1:6])
        yield _error(roots[1].source, f"{told}: {names}; add joints or remove them")


def _cycles(parents: dict[str, list[tuple[str, Node]]]) -> Iterator[Problem]:
    done: set[str] = set()
    for start in parents:
        trail: list[str] = []
        link = start
        while link in parents and link not in done and link not in trail:
            trail.append(link)
            link = parents[link][0][0]
        if link in trail:
            ring = trail[trail.index(link) :]
            joint = parents[link][0][1]
            yield _error(joint.source, f"the joints form a cycle: {' <- '.join([*ring, link])}; break it at one joint")
        done.update(trail)


def _limits(joint: Node) -> Iterator[Problem]:
    limit, name = joint.find("limit"), joint.get("name")
    if joint.get("type") in NEEDS_LIMITS and limit is None:
        told = f"joint {name!r} is {joint.get('type')}"
        yield _error(joint.source, f"{told} and needs <limit lower upper effort velocity>")
    if joint.get("type") == "floating":
        return
    for what in ("effort", "velocity"):
        if limit is not None and limit.get(what) is None:
            yield _error(limit.source, f"joint {name!r}: its <limit> has no {what}; write {what}=")
    dynamics = joint.find("dynamics")
    if dynamics is not None and dynamics.get("damping") is None and dynamics.get("friction") is None:
        yield _error(dynamics.source, f"joint {name!r}: <dynamics> has neither damping nor friction; give one, or none")


def part_problems(root: Node) -> list[Problem]:
    """Limits and mimics of a URDF that its reader would mend, for files that it cannot read at all."""
    joints = list(root.all("joint")) if root.tag == "robot" else []
    return [*(problem for joint in joints for problem in _bounds(joint)), *_mimics(joints)]


def _bounds(joint: Node) -> Iterator[Problem]:
    limit, name = joint.find("limit"), joint.get("name")
    if limit is None:
        return
    lower, upper = number_or_none(limit.get("lower")), number_or_none(limit.get("upper"))
    if lower is not None and upper is not None and lower > upper:
        told = f"joint {name!r}: lower limit {lower:g} is above the upper limit {upper:g}"
        yield _warning(limit.source, f"{told}; swap them")
    for what in ("effort", "velocity"):
        value = number_or_none(limit.get(what))
        if value is not None and value < 0:
            yield _warning(limit.source, f"joint {name!r}: {what} limit {value:g} is negative")


def _mimics(joints: list[Node]) -> Iterator[Problem]:
    names = {joint.get("name") for joint in joints}
    follows: dict[str, tuple[str, Node]] = {}
    for joint in joints:
        mimic = joint.find("mimic")
        if mimic is None:
            continue
        source = mimic.get("joint") or ""
        if source not in names:
            yield _warning(mimic.source, f"joint {joint.get('name')!r} mimics {source!r}, which does not exist")
        else:
            follows[joint.get("name") or ""] = (source, mimic)
    reported: set[str] = set()
    for start in follows:
        trail = [start]
        while trail[-1] in follows and follows[trail[-1]][0] not in trail:
            trail.append(follows[trail[-1]][0])
        if trail[-1] in follows and trail[-1] not in reported:
            ring = trail[trail.index(follows[trail[-1]][0]) :]
            reported.update(ring)
            told = f"mimic joints follow each other in a circle: {' -> '.join([*ring, ring[0]])}"
            yield _warning(follows[ring[0]][1].source, f"{told}; free one of them")


def number_or_none(text: str | None) -> float | None:
    """The number that a text is; None where it is none."""
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None
