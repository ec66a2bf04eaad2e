"""`FrameTree`: where the frames of a robot sit on one another, from tf messages, a text file or a robot file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from andante.description.io.xmltree import read_bytes
from andante.errors import BadInput
from andante.geometry import SE3
from andante.mapping.records import believable

MAX_BYTES = 1024 * 1024
ROBOT_FILES = (".urdf", ".xacro", ".sdf", ".xml", ".mjcf")


class FrameTree:
    """Frames with the pose of each in its parent; names without a leading slash."""

    def __init__(self) -> None:
        self._up: dict[str, tuple[str, SE3]] = {}

    def set(self, parent: str, child: str, pose: SE3) -> None:
        """Put a child into its parent: parent_from_child."""
        self._up[bare(child)] = (bare(parent), pose)

    def __contains__(self, frame: str) -> bool:
        return bare(frame) in self._up or any(parent == bare(frame) for parent, _ in self._up.values())

    @property
    def names(self) -> tuple[str, ...]:
        """All frames."""
        return tuple(sorted({*self._up, *(parent for parent, _ in self._up.values())}))

    def pose(self, base: str, frame: str) -> SE3 | None:
        """base_from_frame, or None where the two do not hang together."""
        ours, theirs = self._chain(bare(base)), self._chain(bare(frame))
        for name, pose in theirs.items():
            if name in ours:
                return ours[name].inverse() @ pose
        return None

    def _chain(self, frame: str) -> dict[str, SE3]:
        """Every frame above (and itself) with its pose of `frame`: above_from_frame."""
        poses = {frame: SE3.identity()}
        at, pose = frame, SE3.identity()
        while at in self._up:
            parent, step = self._up[at]
            if parent in poses:  # a loop
                break
            pose = step @ pose
            poses[parent] = pose
            at = parent
        return poses


def bare(frame: str) -> str:
    """A frame name without the slash that ROS 1 put in front."""
    return frame.lstrip("/")


def read_frames(path: Path) -> FrameTree:
    """Frames of a robot file, or of text lines `parent child x y z yaw pitch roll` or `... x y z qx qy qz qw`."""
    if path.suffix.lower() in ROBOT_FILES:
        return _of_robot(path)
    tree = FrameTree()
    for number, line in enumerate(read_bytes(path, MAX_BYTES).decode("utf-8", errors="replace").splitlines(), start=1):
        words = line.split("#")[0].replace(",", " ").split()
        if not words:
            continue
        where = f"{path}:{number}"
        try:
            values = np.array(words[2:], dtype=float)
        except ValueError:
            values = np.zeros(0)
        if len(values) not in (6, 7) or not believable(values):
            raise BadInput(f"{where}: a line is 'parent child x y z yaw pitch roll' or '... x y z qx qy qz qw'")
        if len(values) == 7 and np.linalg.norm(values[3:]) < 1e-6:
            raise BadInput(f"{where}: the quaternion is zero")
        pose = SE3.from_vector(values) if len(values) == 7 else SE3.from_xyz_rpy(values[:3], values[:2:-1])
        tree.set(words[0], words[1], pose)
    if not tree.names:
        raise BadInput(f"{path}: holds no frames; a line is 'parent child x y z yaw pitch roll'")
    return tree


def _of_robot(path: Path) -> FrameTree:
    from andante.description import load_robot

    robot, tree = load_robot(str(path)), FrameTree()
    for name, pose in robot.link_poses().items():
        if name != robot.root:
            tree.set(robot.root, name, pose)
    return tree
