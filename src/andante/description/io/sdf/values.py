"""Values as SDF writes them: flags, colors, large numbers, poses with their attributes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.description.io.xmltree import Node, child_of, number, rgba, vector
from andante.description.link import IDENTITY
from andante.description.shapes import RGBA
from andante.geometry import SE3

BIG = 1e18  # contact stiffnesses are often written as 1e12 or 1e16
UNBOUNDED = 1e16  # limits from here on mean "no limit" in SDF


@dataclass(frozen=True)
class RawPose:
    """A <pose> as written: the motion and the name of the frame it is told in (empty: the default)."""

    motion: SE3 = IDENTITY
    relative_to: str = ""
    node: Node | None = None
    legacy: bool = False  # the frame came from the `frame` attribute of SDF 1.5 and 1.6


def name_of(node: Node, default: str = "") -> str:
    """Name of an element; where our writer had to choose another one, the one that was wished."""
    if node.get("andante:unnamed") is not None:
        return ""
    return node.get("andante:name") or (node.get("name") or default).strip()


def text_of(node: Node | None, tag: str, default: str = "") -> str:
    """Trimmed text of a child element."""
    child = child_of(node, tag)
    return child.text.strip() if child is not None and child.text.strip() else default


def flag(node: Node | None, tag: str, default: bool = False) -> bool:
    """A boolean child element: true, false, 1, 0 in any case."""
    text = text_of(node, tag)
    if not text:
        return default
    return truth(node.find(tag) or node, text, tag) if node is not None else default


def truth(node: Node, text: str, what: str) -> bool:
    """A boolean text."""
    folded = text.strip().casefold()
    if folded in ("1", "true", "yes"):
        return True
    if folded in ("0", "false", "no"):
        return False
    raise node.error(f"{what} should be true or false, got {text.strip()[:40]!r}")


def child_number(node: Node | None, tag: str, default: float, infinite: bool = False) -> float:
    """The number in a child element; the default when it is absent or empty."""
    child = child_of(node, tag)
    return default if child is None else number(child, child.text, f"<{tag}>", default, infinite)


def child_big(node: Node | None, tag: str) -> float | None:
    """A number up to 1e18 in a child element; None when it is absent."""
    child = child_of(node, tag)
    if child is None or not child.text.strip():
        return None
    value = number(child, child.text, f"<{tag}>", infinite=True)
    if abs(value) > BIG:
        raise child.error(f"should be a finite number up to {BIG:g}, got {child.text.strip()[:40]}")
    return value


def color(node: Node | None, tag: str) -> RGBA | None:
    """Red, green, blue and perhaps alpha of a child element; None when it is absent."""
    child = child_of(node, tag)
    if child is None or not child.text.strip():
        return None
    return rgba(child, child.text, f"<{tag}>")


def raw_pose(node: Node | None, tag: str = "pose") -> RawPose:
    """The <pose> of an element; identity in the default frame when it has none."""
    pose = child_of(node, tag)
    if pose is None:
        return RawPose()
    relative_to = (pose.get("relative_to") or "").strip()
    legacy = not relative_to and bool((pose.get("frame") or "").strip())
    frame = relative_to or (pose.get("frame") or "").strip()
    return RawPose(_motion(pose), frame, pose, legacy)


def _motion(pose: Node) -> SE3:
    form = (pose.get("rotation_format") or "euler_rpy").strip()
    if form == "quat_xyzw":
        values = vector(pose, pose.text, 7, "pose with a quaternion", (0.0,) * 6 + (1.0,))
        if math.sqrt(sum(v * v for v in values[3:])) < 1e-9:
            raise pose.error("the quaternion has no length; write 0 0 0 1 for no rotation")
        return SE3.from_xyz_quaternion(values[:3], values[3:])
    if form != "euler_rpy":
        raise pose.error(f"rotation_format should be euler_rpy or quat_xyzw, got {form[:40]!r}")
    values = vector(pose, pose.text, 6, "pose", (0.0,) * 6)
    if not any(values):
        return IDENTITY
    angles = np.asarray(values[3:])
    if truth(pose, pose.get("degrees") or "false", "degrees"):
        angles = np.radians(angles)
    return SE3.from_xyz_rpy(values[:3], angles)
