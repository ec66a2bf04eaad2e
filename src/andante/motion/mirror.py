"""Left and right changed about: which joint is the mate of which, found from the geometry of a robot.

A mirror M = diag(1, -1, 1) turns a rotation about axis a by q into one about -M a by q, and a slide along a into one
along M a. Two joints are mates when, at zero, M brings the origin of one to that of the other and these axes fit up to
a sign, which is then that of the angle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from andante.description import Robot
from andante.description.joint import JointType
from andante.geometry import Array

from .keyframes import Keyframes

NEAR = 0.02  # of the robot's size: places that fit
ALIKE = 0.98  # cosine of axes that fit
MIRRORS = (np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, 1.0]))  # left and right along y (REP-103), else along x


@dataclass(frozen=True)
class Mate:
    """The mirrored joint has the position sign * q + offset [rad or m]."""

    joint: str
    sign: float
    offset: float = 0.0


def mates(robot: Robot) -> dict[str, Mate]:
    """The mate of every independent joint that has one; a joint in the middle is its own."""
    return max((_mates(robot, mirror) for mirror in MIRRORS), key=len)


def _mates(robot: Robot, mirror: Array) -> dict[str, Mate]:
    poses = robot.link_poses({})
    joints = list(robot.movable)
    if not joints:
        return {}
    frames = [poses[joint.parent] @ joint.pose for joint in joints]
    places = np.array([frame.translation for frame in frames])
    axes = np.array([frame.rotation @ np.asarray(j.axis) for frame, j in zip(frames, joints, strict=True)])
    near = NEAR * max(float(np.ptp(places, axis=0).max()), 1e-3)
    found: dict[str, Mate] = {}
    for k, joint in enumerate(joints):
        if joint.mimic is not None:
            continue
        slides = joint.type is JointType.PRISMATIC
        axis = mirror * axes[k] * (1.0 if slides else -1.0)
        gaps = np.linalg.norm(places - mirror * places[k], axis=1)
        fits = axes @ axis
        for other in np.argsort(gaps):
            if gaps[other] > near:
                break
            if abs(fits[other]) > ALIKE and (joints[other].type is JointType.PRISMATIC) == slides:
                found[joint.name] = _source(robot, Mate(joints[other].name, float(np.sign(fits[other]))))
                break
    return found


def _source(robot: Robot, mate: Mate) -> Mate:
    """In terms of the joint that a mimic follows: m s + o = sign q."""
    mimic = robot.joint(mate.joint).mimic
    if mimic is None or mimic.multiplier == 0:
        return mate
    return Mate(mimic.joint, mate.sign / mimic.multiplier, (mate.offset - mimic.offset) / mimic.multiplier)


def mirrored(positions: Mapping[str, float], pairs: Mapping[str, Mate]) -> dict[str, float]:
    """Positions with left and right changed about; joints without a mate stay as they are."""
    out = {}
    for name, value in positions.items():
        mate = pairs.get(name)
        if mate is None:
            out[name] = value
        else:
            out[mate.joint] = mate.sign * value + mate.offset
    return out


def mirrored_motion(motion: Keyframes, robot: Robot) -> Keyframes:
    """The motion with left and right changed about."""
    pairs = mates(robot)
    return replace(motion, keys=tuple(replace(key, positions=mirrored(key.positions, pairs)) for key in motion.keys))
