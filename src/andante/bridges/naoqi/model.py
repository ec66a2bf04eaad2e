"""The robot of a session as NAOqi talks of it: groups of joints, frames, positions, inverse kinematics."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from andante.description import Robot, load_robot
from andante.geometry import Array, so3

from .forms import CallError
from .names import (
    BODY,
    CHAINS,
    EFFECTORS,
    FRAME_ROBOT,
    FRAME_TORSO,
    FRAME_WORLD,
    GROUPS,
    HORIZONTAL_FOV,
    SHAPE,
    SOLES,
    VERSION,
)  # fmt: skip

Joints = Mapping[str, float]
LIFTED = 0.01  # a sole so much higher than the other one carries nothing [m]
IK_TOLERANCE = 2e-3  # a target that is missed by more is out of reach [m, rad]


def read_robot(text: str) -> Robot:
    """The robot of a URDF text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robot.urdf"
        file.write_text(text, encoding="utf-8")
        return load_robot(file)


class RobotModel:
    """Names and kinematics of one robot."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.joints = tuple(name for name in BODY if name in robot.joint_names)
        self.joints += tuple(joint.name for joint in robot.independent if joint.name not in self.joints)
        self.groups = {name: tuple(j for j in joints if j in self.joints) for name, joints in GROUPS.items()}
        self.groups["Body"] = self.groups["Joints"] = self.groups["JointActuators"] = self.joints
        self.torso = "torso" if any(link.name == "torso" for link in robot.links) else robot.root
        self._sensors = {spec.name: spec for spec in robot.sensors}
        self._links = {link.name: link for link in robot.links}
        said = [plugin.parameters.get("version", "") for plugin in robot.plugins if plugin.name == "naoqi"]
        self.version = next(filter(None, said), VERSION)  # of the body, such as V5.0

    # ---- names -------------------------------------------------------------------------------------
    def expand(self, names: Sequence[str]) -> list[str]:
        """Joints of names of joints and groups, in their order; an empty list for the group Chains is all chains."""
        found: list[str] = []
        for name in names:
            if name in self.joints:
                found.append(name)
            elif name in self.groups:
                found += self.groups[name]
            else:
                raise CallError(f"{name} is not a joint, chain or group of this robot")
        return found

    def limits(self, name: str) -> list[float]:
        """Least and most position [rad], maximal speed [rad/s], maximal torque [N m]."""
        each = self.robot.joint(name).limits
        return [float(each.lower), float(each.upper), float(each.velocity), float(each.effort)]

    def clip(self, name: str, value: float) -> float:
        """A position within the limits of a joint."""
        low, high, _, _ = self.limits(name)
        return min(high, max(low, value))

    def view(self, camera: str) -> tuple[float, float]:
        """Full angles of a camera's picture across and up [rad]."""
        spec = self._sensors.get(camera)
        across = float(spec.parameters.get("horizontal_fov", HORIZONTAL_FOV)) if spec else HORIZONTAL_FOV
        return across, 2 * math.atan(SHAPE * math.tan(0.5 * across))

    # ---- frames ------------------------------------------------------------------------------------
    def link_of(self, name: str) -> tuple[str, Array]:
        """Link and link_from_frame (4, 4) of an effector, a joint, a sensor or a link."""
        if name in EFFECTORS and EFFECTORS[name] in self._links:
            return EFFECTORS[name], np.eye(4)
        if name in self.joints:
            return self.robot.joint(name).child, np.eye(4)
        if name in self._sensors:
            return self._sensors[name].link, np.asarray(self._sensors[name].pose.matrix, dtype=float)
        if name in self._links:
            return name, np.eye(4)
        raise CallError(f"{name} is not a chain, joint or sensor of this robot")

    def root_from(self, name: str, joints: Joints) -> Array:
        """Pose (4, 4) of a frame in the root."""
        link, offset = self.link_of(name)
        return np.asarray(self.robot.link_poses(joints)[link].matrix, dtype=float) @ offset

    def world_from_robot(self, joints: Joints, world_from_root: Array) -> Array:
        """FRAME_ROBOT: between the feet on the ground, upright, ahead as the feet are."""
        poses = self.robot.link_poses(joints)
        feet = [world_from_root @ poses[sole].matrix for sole in SOLES if sole in poses] or [world_from_root]
        yaws = [math.atan2(foot[1, 0], foot[0, 0]) for foot in feet]
        yaw = math.atan2(sum(map(math.sin, yaws)), sum(map(math.cos, yaws)))
        place = np.mean([foot[:3, 3] for foot in feet], axis=0)
        place[2] = min(float(foot[2, 3]) for foot in feet)
        return transform(place, so3.from_rpy((0.0, 0.0, yaw)))

    def world_from(self, frame: int, joints: Joints, world_from_root: Array) -> Array:
        """Pose (4, 4) of one of the three frames of NAOqi in odom."""
        if frame == FRAME_WORLD:
            return np.eye(4)
        if frame == FRAME_ROBOT:
            return self.world_from_robot(joints, world_from_root)
        if frame == FRAME_TORSO:
            return world_from_root @ self.root_from(self.torso, joints)
        raise CallError(f"frame is 0 (torso), 1 (world) or 2 (robot), got {frame}")

    def support(self, joints: Joints, world_from_root: Array, frame: int) -> Array:
        """Corners (n, 2) [m] of the hull of the soles on the ground, in a frame."""
        from andante.geometry.hull import convex_hull
        from andante.locomotion.rigs.soles import foot_corners

        into = np.linalg.inv(self.world_from(frame, joints, world_from_root)) @ world_from_root
        poses, found = self.robot.link_poses(joints), []
        for sole in SOLES:
            foot = next((j.parent for j in self.robot.joints if j.child == sole), None)
            if foot is None:
                continue
            corners = foot_corners(self.robot, foot)
            low = corners[corners[:, 2] < corners[:, 2].min() + 3e-3]
            found.append((poses[foot] @ low) @ into[:3, :3].T + into[:3, 3])
        if not found:
            return np.zeros((0, 2))
        ground = min(float(each[:, 2].mean()) for each in found)
        points = np.concatenate([each for each in found if each[:, 2].mean() < ground + LIFTED])[:, :2]
        hull = convex_hull(points)
        return points if hull is None else points[hull.vertices]

    def center_of_mass(self, name: str, joints: Joints) -> Array:
        """Of a link, chain or the body, in the root [m] (3,)."""
        poses, total, moment = self.robot.link_poses(joints), 0.0, np.zeros(3)
        for link in self._part(name):
            mass, com = self._mass(link)
            moment += mass * (poses[link].matrix @ np.append(com, 1.0))[:3]
            total += mass
        return moment / total if total else moment

    def mass(self, name: str) -> float:
        """Of a link, chain, joint or the body [kg]."""
        return sum(self._mass(link)[0] for link in self._part(name))

    def _mass(self, link: str) -> tuple[float, Array]:
        inertia = self._links[link].inertia
        if inertia is None:
            return 0.0, np.zeros(3)
        return float(inertia.mass), np.asarray(inertia.com, dtype=float)

    def _part(self, name: str) -> list[str]:
        if name in ("Body", "Joints"):
            return list(self._links)
        if name in CHAINS or name in self.groups:
            return [self.robot.joint(joint).child for joint in self.groups[name]]
        return [self.link_of(name)[0]]

    # ---- inverse kinematics ------------------------------------------------------------------------
    def solve(self, effector: str, torso_from_tip: Array, mask: int, joints: Joints) -> dict[str, float]:
        """Joints of a chain that bring its end to a pose (4, 4) in the torso, as near as it can be, from `joints`.

        mask: x 1, y 2, z 4, wx 8, wy 16, wz 32 that count.
        """
        link, _ = self.link_of(effector)
        chain = self.robot.chain(self.torso, link)
        hands = {name: joints.get(name, 0.0) for name in chain.joint_names if name.endswith("Hand")}
        if hands:
            chain = chain.hold(hands)
        x, y, z, wx, wy, wz = position6d(torso_from_tip)
        wanted = np.array([x, y, z, wz, wy, wx])
        free = [not mask & bit for bit in (1, 2, 4, 32, 16, 8)]
        wanted[free] = np.nan
        low, high = chain.limits
        start = np.clip(np.array([joints.get(name, 0.0) for name in chain.joint_names]), low, high)
        found = chain.ik(wanted, start, restarts=5, tolerance=1e-5)
        return {name: float(v) for name, v in zip(chain.joint_names, np.atleast_1d(found.q), strict=True)}


def transform(place: Any, rotation: Any) -> Array:
    """(4, 4) of a place [m] and a rotation (3, 3)."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation, place
    return out


def position6d(matrix: Array) -> list[float]:
    """x y z [m] wx wy wz [rad] of a pose, R = Rz(wz) Ry(wy) Rx(wx)."""
    wx, wy, wz = np.asarray(so3.to_rpy(matrix[:3, :3]), dtype=float).tolist()
    return [*matrix[:3, 3].tolist(), wx, wy, wz]


def from_position6d(values: Sequence[float]) -> Array:
    """The inverse of `position6d`."""
    return transform(values[:3], so3.from_rpy(tuple(values[3:6])))


def from_rows(values: Sequence[float]) -> Array:
    """A pose of 16 (or 12) numbers, row by row."""
    rows = [*values, 0.0, 0.0, 0.0, 1.0] if len(values) == 12 else list(values)
    return np.array(rows, dtype=float).reshape(4, 4)


def to_rows(matrix: Array) -> list[float]:
    """16 numbers, row by row."""
    return [float(v) for v in matrix.ravel()]
