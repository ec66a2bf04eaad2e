"""ALMotion: positions and transforms of effectors, read and reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.model import from_position6d, from_rows, position6d, to_rows
from andante.bridges.naoqi.names import AXIS_MASKS, CHAINS, FRAME_ROBOT, FRAME_TORSO
from andante.bridges.naoqi.service import Service, method
from andante.geometry import Array, so3
from andante.motion.joint_lists import Points

SAMPLE = 0.1  # between two poses on the way of an effector [s]
POSITION, TRANSFORM = (6,), (12, 16)  # numbers of each
ALL = AXIS_MASKS["ALL"]
MOVED = (*CHAINS, "Torso")


class CartesianMethods(Service):
    """Positions and transforms."""

    def run_points(self, points: Points, relative: bool = False) -> bool:
        """Of the joints."""
        raise NotImplementedError

    def _frame_from(self, name: str, frame: int, sensors: bool) -> Array:
        joints, root = self.robot.joints(sensors), self.robot.world_from_root()
        found = np.linalg.inv(self.model.world_from(frame, joints, root)) @ root @ self.model.root_from(name, joints)
        return np.asarray(found, dtype=float)

    @method("name:text frame:int sensors:bool?")
    def getPosition(self, name: str, frame: int, sensors: bool = True) -> list[float]:
        """x y z [m] wx wy wz [rad] of an effector, joint or sensor in a frame."""
        return position6d(self._frame_from(name, frame, sensors))

    @method("name:text frame:int sensors:bool?")
    def getTransform(self, name: str, frame: int, sensors: bool = True) -> list[float]:
        """16 numbers, row by row."""
        return to_rows(self._frame_from(name, frame, sensors))

    @method("name:text frame:int sensors:bool?")
    def getCOM(self, name: str, frame: int, sensors: bool = True) -> list[float]:
        """Center of mass [m] of the body, a chain or a part, in a frame."""
        joints, root = self.robot.joints(sensors), self.robot.world_from_root()
        place = np.append(self.model.center_of_mass(name, joints), 1.0)
        found = np.linalg.inv(self.model.world_from(frame, joints, root)) @ root @ place
        return [float(v) for v in found[:3]]

    # ---- solutions ---------------------------------------------------------------------------------
    def _solve(self, effector: str, torso_from_tip: Array, mask: int, joints: dict[str, float]) -> dict[str, float]:
        if effector not in MOVED:
            raise CallError(f"an effector is one of {', '.join(MOVED)}, got {effector}")
        if effector == "Torso":
            return self._torso(torso_from_tip, joints)
        return self.model.solve(effector, torso_from_tip, mask, joints)

    def _torso(self, now_from_wanted: Array, joints: dict[str, float]) -> dict[str, float]:
        """Legs that bring the torso to a pose, given in the torso as it is now, with the feet where they are."""
        feet = {leg: np.linalg.inv(self._torso_from_root(joints)) @ self.model.root_from(leg, joints)
                for leg in ("LLeg", "RLeg")}  # fmt: skip
        back, found = np.linalg.inv(now_from_wanted), dict(joints)
        for leg in ("LLeg", "RLeg"):
            found |= self.model.solve(leg, back @ feet[leg], ALL, found)
        return {name: found[name] for name in self.model.groups["Legs"]}

    def _torso_from_root(self, joints: dict[str, float]) -> Array:
        return self.model.root_from(self.model.torso, joints)

    def _torso_from(self, frame: int, joints: dict[str, float]) -> Array:
        """Pose of a frame in the torso."""
        if frame == FRAME_TORSO:
            return np.eye(4)
        root = self.robot.world_from_root()
        torso = root @ self._torso_from_root(joints)
        return np.asarray(np.linalg.inv(torso) @ self.model.world_from(frame, joints, root), dtype=float)

    # ---- at once -----------------------------------------------------------------------------------
    def _send_poses(self, effectors: Sequence[str], frame: Any, poses: Any, fraction: Any, mask: Any,
                    read: Callable[[Any], Array]) -> None:  # fmt: skip
        many = poses and isinstance(poses[0], list)
        rows = poses if many else [poses] * len(effectors)
        if len(rows) != len(effectors):
            raise CallError(f"{len(effectors)} effectors need as many poses, got {len(rows)}")
        joints = self.robot.commanded()
        for k, (effector, row) in enumerate(zip(effectors, rows, strict=True)):
            found = self._solve(effector, self._torso_from(_nth(frame, k), joints) @ read(row), _nth(mask, k), joints)
            self.robot.send_angles(found, _nth(fraction, k))

    @method("effectors:names frame:any pose:numbers fraction:fraction mask:any?", blocking=True)
    @method("effectors:names frame:any pose:numbers fraction:fraction mask:any?", blocking=True, name="setPosition")
    def setPositions(self, effectors: list[str], frame: Any, poses: Any, fraction: Any, mask: Any = ALL) -> None:
        """Send effectors to positions of 6 numbers at a fraction of the maximal speed; the mask says what counts."""
        self._send_poses(effectors, frame, poses, fraction, mask, _position)

    @method("effectors:names frame:any pose:numbers fraction:fraction mask:any?", blocking=True)
    @method("effectors:names frame:any pose:numbers fraction:fraction mask:any?", blocking=True, name="setTransform")
    def setTransforms(self, effectors: list[str], frame: Any, poses: Any, fraction: Any, mask: Any = ALL) -> None:
        """The same with transforms of 16 (or 12) numbers."""
        self._send_poses(effectors, frame, poses, fraction, mask, _transform)

    def _change(self, effector: str, frame: int, change: Array, fraction: float, mask: int) -> None:
        joints = self.robot.commanded()
        frame_from_torso = np.linalg.inv(self._torso_from(frame, joints))
        if effector == "Torso":
            now = frame_from_torso
        else:
            torso = np.linalg.inv(self._torso_from_root(joints))
            now = frame_from_torso @ torso @ self.model.root_from(effector, joints)
        wanted = now.copy()
        wanted[:3, 3] += change[:3, 3]
        wanted[:3, :3] = change[:3, :3] @ now[:3, :3]
        found = self._solve(effector, self._torso_from(frame, joints) @ wanted, mask, joints)
        self.robot.send_angles(found, fraction)

    @method("effector:text frame:int change:numbers fraction:fraction mask:int?", blocking=True)
    def changePosition(self, effector: str, frame: int, change: Any, fraction: float, mask: int = ALL) -> None:
        """Send an effector away from where it is by 6 numbers in the axes of a frame."""
        self._change(effector, frame, _position(change), fraction, mask)

    @method("effector:text frame:int change:numbers fraction:fraction mask:int?", blocking=True)
    def changeTransform(self, effector: str, frame: int, change: Any, fraction: float, mask: int = ALL) -> None:
        """The same by a transform."""
        self._change(effector, frame, _transform(change), fraction, mask)

    # ---- in time -----------------------------------------------------------------------------------
    def _along(self, effectors: Sequence[str], frames: Any, paths: Any, masks: Any, times: Any, absolute: bool,
               read: Callable[[Any], Array]) -> None:  # fmt: skip
        paths, times = _paths(paths, len(effectors)), _clocks(times, len(effectors))
        joints = self.robot.commanded()
        points: Points = {}
        for k, effector in enumerate(effectors):
            frame, mask = _nth(frames, k), _nth(masks, k)
            clock, path = list(times[k]), [read(row) for row in paths[k]]
            if len(clock) != len(path):
                raise CallError(f"{effector} has {len(path)} poses and {len(clock)} times")
            if not clock or clock[0] <= 0 or any(b <= a for a, b in pairwise(clock)):
                raise CallError(f"times of {effector} must be above 0 and increase, got {clock[:8]}")
            points |= self._way(effector, frame, path, mask, clock, absolute, joints)
        self.run_points(points)

    def _way(self, effector: str, frame: int, path: list[Array], mask: int, clock: list[float], absolute: bool,
             joints: dict[str, float]) -> Points:  # fmt: skip
        torso_from_frame = self._torso_from(frame, joints)
        torso = np.linalg.inv(self._torso_from_root(joints)) @ self.model.root_from(effector, joints)
        start = np.linalg.inv(torso_from_frame) @ (np.eye(4) if effector == "Torso" else torso)
        if not absolute:
            path = [_moved(start, step) for step in path]
        times: list[float] = []
        rows: list[dict[str, float]] = []
        now, before, begin = dict(joints), start, 0.0
        for end, wanted in zip(clock, path, strict=True):
            count = max(1, round((end - begin) / SAMPLE))
            for s in np.linspace(0.0, 1.0, count + 1)[1:]:
                pose = torso_from_frame @ _between(before, wanted, float(s))
                from_here = joints if effector == "Torso" else now
                found = self._solve(effector, pose, mask, from_here)
                now |= found
                times.append(begin + float(s) * (end - begin))
                rows.append(found)
            before, begin = wanted, end
        return {name: (list(times), [row[name] for row in rows]) for name in rows[-1]}

    @method("effectors:names frames:any paths:list masks:any times:any absolute:bool?", blocking=True)
    @method("effectors:names frames:any paths:list masks:any times:any absolute:bool?", blocking=True,
            name="positionInterpolation")  # fmt: skip
    def positionInterpolations(self, effectors: list[str], frames: Any, paths: Any, masks: Any, times: Any,
                               absolute: bool = True) -> None:  # fmt: skip
        """Move effectors along positions of 6 numbers at times [s] since the call."""
        self._along(effectors, frames, paths, masks, times, absolute, _position)

    @method("effectors:names frames:any paths:list masks:any times:any absolute:bool?", blocking=True)
    @method("effectors:names frames:any paths:list masks:any times:any absolute:bool?", blocking=True,
            name="transformInterpolation")  # fmt: skip
    def transformInterpolations(self, effectors: list[str], frames: Any, paths: Any, masks: Any, times: Any,
                                absolute: bool = True) -> None:  # fmt: skip
        """Move effectors along transforms of 16 (or 12) numbers at times [s] since the call."""
        self._along(effectors, frames, paths, masks, times, absolute, _transform)

    # ---- whole body: single effectors ---------------------------------------------------------------
    @method("effector:text target:numbers", blocking=True)
    def wbSetEffectorControl(self, effector: str, target: Any) -> None:
        """Head: turn to wx wy wz [rad]; arms: bring the hand to x y z [m], in FRAME_ROBOT."""
        values = [float(v) for v in target]
        if len(values) < 3 or effector not in ("Head", "LArm", "RArm"):
            raise CallError("the effector is Head, LArm or RArm, its target three numbers")
        if effector == "Head":
            angles = {
                "HeadYaw": self.model.clip("HeadYaw", values[2]),
                "HeadPitch": self.model.clip("HeadPitch", values[1]),
            }
            self.robot.send_angles(angles, 0.5)
            return
        joints = self.robot.commanded()
        pose = self._torso_from(FRAME_ROBOT, joints) @ from_position6d([*values[:3], 0.0, 0.0, 0.0])
        self.robot.send_angles(self._solve(effector, pose, AXIS_MASKS["VEL"], joints), 0.5)


def _nth(value: Any, k: int) -> Any:
    """One of a list, or what stands for all."""
    if isinstance(value, list | tuple):
        if not value:
            raise CallError("a list is empty")
        return value[min(k, len(value) - 1)]
    if isinstance(value, str):
        names = {"Torso": 0, "World": 1, "Robot": 2}
        if value not in names:
            raise CallError(f"a frame is 0 (torso), 1 (world) or 2 (robot), got {value}")
        return names[value]
    return int(value) if isinstance(value, bool) else value


def _numbers(values: Any, counts: tuple[int, ...]) -> list[float]:
    if not isinstance(values, list | tuple) or len(values) not in counts:
        raise CallError(f"a pose has {' or '.join(map(str, counts))} numbers, got {values}")
    found = [float(v) for v in values]
    if not np.isfinite(found).all():
        raise CallError("a pose has finite numbers")
    return found


def _position(values: Any) -> Array:
    return from_position6d(_numbers(values, POSITION))


def _transform(values: Any) -> Array:
    return from_rows(_numbers(values, TRANSFORM))


def _paths(paths: Any, count: int) -> list[Any]:
    """A list of poses for each effector of: that, a list of poses, one pose each, or one pose."""
    if not paths:
        raise CallError("a path has one pose or more")
    if not isinstance(paths[0], list):
        return [[paths]] * count
    if isinstance(paths[0][0], list):
        found = list(paths)
    else:
        found = [list(paths)] if count == 1 else [[row] for row in paths]
    if len(found) != count:
        raise CallError(f"{count} effectors need as many paths, got {len(found)}")
    return found


def _clocks(times: Any, count: int) -> list[list[float]]:
    if not isinstance(times, list):
        return [[float(times)]] * count
    if times and isinstance(times[0], list):
        return [list(row) for row in (times if len(times) == count else times * count)]
    return [list(times)] if count == 1 else [[t] for t in times] if len(times) == count else [list(times)] * count


def _moved(start: Array, step: Array) -> Array:
    out = start.copy()
    out[:3, 3] += step[:3, 3]
    out[:3, :3] = step[:3, :3] @ start[:3, :3]
    return out


def _between(a: Array, b: Array, s: float) -> Array:
    out = np.eye(4)
    out[:3, 3] = a[:3, 3] + s * (b[:3, 3] - a[:3, 3])
    turn = np.asarray(so3.log(a[:3, :3].T @ b[:3, :3]), dtype=float)
    out[:3, :3] = a[:3, :3] @ so3.exp(s * turn)
    return out
