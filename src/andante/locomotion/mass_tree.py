"""A robot as moving masses: the arrays that compiled kernels of whole trees read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.description import JointType, Robot
from andante.description.inertia import combine
from andante.errors import BadInput
from andante.geometry import SE3, Array

MOVES = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


@dataclass(frozen=True)
class MassTree:
    """Rigid bodies, parents first; body 0 is the root. Body k > 0 is carried by joint `joint[k]` of the robot."""

    parent: np.ndarray  # (bodies,) index of the parent body, -1 for the root
    joint: np.ndarray  # (bodies,) index into `robot.joint_names`, -1 for the root
    slides: np.ndarray  # (bodies,) whether that joint slides instead of turning
    rotation: Array  # (bodies, 3, 3) parent_from_body at q = 0
    offset: Array  # (bodies, 3) [m]
    axis: Array  # (bodies, 3) unit, body frame
    mass: Array  # (bodies,) [kg]
    centre: Array  # (bodies, 3) centre of mass, body frame [m]

    @property
    def total(self) -> float:
        """Mass of the robot [kg]."""
        return float(self.mass.sum())


def mass_tree(robot: Robot) -> tuple[MassTree, dict[str, tuple[int, SE3]]]:
    """The tree of a robot, and for every link its body and body_from_link; joints that neither turn nor slide stand."""
    place: dict[str, tuple[int, SE3]] = {robot.root: (0, SE3.identity())}
    parent, joint, slides = [-1], [-1], [False]
    poses, axes = [SE3.identity()], [np.array([0.0, 0.0, 1.0])]
    names = robot.joint_names
    for each in robot.topological:
        body, at = place[each.parent]
        frame = at @ each.pose
        if each.type not in MOVES:
            place[each.child] = (body, frame @ each.joint_from_child)
            continue
        place[each.child] = (len(parent), each.joint_from_child)
        parent.append(body)
        joint.append(names.index(each.name))
        slides.append(each.type is JointType.PRISMATIC)
        poses.append(frame)
        axes.append(np.asarray(each.axis, dtype=float) / np.linalg.norm(each.axis))
    mass, centre = np.zeros(len(parent)), np.zeros((len(parent), 3))
    for k in range(len(parent)):
        parts = [
            link.inertia.transformed(place[link.name][1])
            for link in robot.links
            if link.inertia is not None and place[link.name][0] == k
        ]
        whole = combine(parts)
        if whole is not None:
            mass[k], centre[k] = whole.mass, whole.com
    if not mass.sum() > 0:
        raise BadInput(f"robot {robot.name!r} has no mass; give its links inertials")
    tree = MassTree(
        parent=np.array(parent, dtype=np.int64),
        joint=np.array(joint, dtype=np.int64),
        slides=np.array(slides),
        rotation=np.array([pose.rotation for pose in poses]),
        offset=np.array([pose.translation for pose in poses]),
        axis=np.array(axes),
        mass=mass,
        centre=centre,
    )
    return tree, place
