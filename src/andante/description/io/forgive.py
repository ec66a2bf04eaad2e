"""One odd value does not cost the robot: the part that cannot be used is cut out of the tree, and the rest is read.

A reader stops at the first value that it cannot use and names the element. Here that value is taken away, an attribute
or else the smallest element that can be missing, the fault is noted with its line, and the file is read again. What
holds a robot together (links, joints, where they stand) is never taken away: then the refusal stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from andante.description.robot import Robot
from andante.description.source import Problem, Severity
from andante.description.world import World

from .xmltree import LARGEST, ElementError, Node

T = TypeVar("T", bound=Robot | World)
MOST_CUTS = 400  # of one file; one with more faults is refused
WHOLES = frozenset(("robot", "sdf", "world", "model", "mujoco", "include", "frame", "state"))
HOLDING = frozenset(("link", "joint"))  # when they stand directly in one of the wholes
PLACES = frozenset(("origin", "pose", "parent", "child"))  # of links and joints
CARRIED = frozenset(("visual", "collision", "inertial"))  # go whole when their place cannot be read
# what urdfdom leaves out itself, or never looks at
ASIDE = frozenset(("gazebo", "transmission", "visual", "collision", "inertial", "sensor", "plugin", "material"))
IN_MJCF = frozenset(("option", "camera", "light", "sensor", "actuator", "keyframe", "contact", "equality", "custom"))
OLD = frozenset(("joint_properties", "ros2_control"))  # that no reference reads any more, or yet


def forgiven(read: Callable[[], T], roots: Callable[[], Iterable[Node]], only: frozenset[str] = frozenset()) -> T:
    """What a reader makes of a file without the parts that it cannot use; each is told in its `problems`.

    Args:
        read: reads the trees from their start.
        roots: the trees that it reads, as far as they are open.
        only: elements in which parts may be cut; empty: anywhere.
    """
    cuts = _Cuts(only)
    while True:
        try:
            return cuts.on(read())
        except ElementError as error:
            if not cuts.cut(error, roots()):
                raise


@dataclass
class _Cuts:
    """What was taken away; a part that had to follow another is told in one line with it."""

    only: frozenset[str]
    told: list[tuple[Problem, str]] = field(default_factory=list)  # and the part that is left out by now
    by_holder: dict[int, int] = field(default_factory=dict)  # index of the line by what it was taken from
    count: int = 0

    def on(self, made: T) -> T:
        """What was read, with what was taken away before told first."""
        problems = [Problem(cut.severity, f"{cut.message}; {out}", cut.source) for cut, out in self.told]
        return replace(made, problems=(*problems, *made.problems)) if problems else made

    def cut(self, error: ElementError, roots: Iterable[Node]) -> bool:
        """Take away what a reader cannot use; False where the robot cannot do without."""
        node, key = error.node, error.what
        self.count += 1
        trail = _trail(node, roots) if self.count <= MOST_CUTS else None
        if trail is None or (self.only and not any(each.tag in self.only for each in trail)):
            return False
        if node.tag == "origin" and (numbers := _three(node.attributes.get(key, ""))):
            self._tell(error, node, f"{numbers!r} is taken", trail)
            node.attributes[key] = numbers
            return True
        if key in node.attributes and node.tag not in PLACES:
            text = node.attributes[key]
            self._tell(error, node, f"{key} is taken as not given", trail)
            for other in _alike(trail[0], node, key, text):
                del other.attributes[key]
            return True
        inner = node.find(key.strip("<>")) if key.startswith("<") else None
        if inner is not None and inner.tag not in PLACES:
            trail, node = [*trail, inner], inner
        while len(trail) > 1 and node.tag in PLACES and trail[-2].tag in CARRIED:
            trail = trail[:-1]
            node = trail[-1]
        if len(trail) < 2 or _holds(node, trail[-2]):
            return False
        holder = trail[-2]
        self._tell(error, holder, f"<{node.tag}> is left out", trail, node)
        holder.children = [child for child in holder.children if child is not node]
        return True

    def _tell(self, error: ElementError, holder: Node, out: str, trail: list[Node], gone: Node | None = None) -> None:
        earlier = self.by_holder.get(id(gone if gone is not None else error.node))
        follows = earlier is not None and error.what not in error.node.attributes
        if follows and earlier is not None:
            self.told[earlier] = (self.told[earlier][0], out)
            self.by_holder[id(holder)] = earlier
            return
        urdf = trail[0].tag == "robot"  # MJCF is judged by its schema, and SDF's own checker is strict
        aside = bool(self.only) or (urdf and any(node.tag in ASIDE | OLD for node in trail))
        severity = Severity.ERROR if error.unreadable and not aside else Severity.WARNING
        self.by_holder[id(holder)] = len(self.told)
        self.told.append((Problem(severity, error.words, error.node.source), out))


def _holds(node: Node, parent: Node) -> bool:
    """Whether a robot falls apart without an element."""
    if node.tag in WHOLES or (node.tag in HOLDING and parent.tag in WHOLES):
        return True
    return node.tag in PLACES and (parent.tag in HOLDING or parent.tag in WHOLES)


def _three(text: str) -> str:
    """The first three numbers of a text with commas or too many numbers in it; empty where it has not three."""
    words = re.split(r"[\s,;]+", text.strip(" ,;"))[:3]
    try:
        sound = len(words) == 3 and all(abs(float(word)) <= LARGEST for word in words)
    except ValueError:
        return ""
    return " ".join(words) if sound and words != text.split() else ""


def _alike(root: Node, node: Node, key: str, text: str) -> list[Node]:
    """The element, and all others with the same text in the same place: they fail alike."""
    return [other for other in root.walk() if other.tag == node.tag and other.attributes.get(key) == text]


def _trail(node: Node, roots: Iterable[Node]) -> list[Node] | None:
    """The elements from a root down to one; None where it stands in none of the trees."""
    for root in roots:
        stack: list[list[Node]] = [[root]]
        while stack:
            trail = stack.pop()
            if trail[-1] is node:
                return trail
            stack.extend([*trail, child] for child in trail[-1].children)
    return None
