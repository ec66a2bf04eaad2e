"""`TfBuffer`: where frames were, with interpolation in time."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any

from andante.errors import BadInput

from .errors import TfError

Pose = tuple[float, float, float, float, float, float, float]  # x y z qx qy qz qw; quicker than an array for one
IDENTITY: Pose = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
KEEP = 10.0  # how long transforms are kept [s]
CLOSE = 1e-9  # stamps come in nanoseconds [s]


class _Track:
    """Transforms of one frame over time, in its parent."""

    __slots__ = ("parent", "poses", "static", "times")

    def __init__(self, parent: str, static: bool) -> None:
        self.parent, self.static = parent, static
        self.times: list[float] = []
        self.poses: list[Pose] = []


class TfBuffer:
    """The tree of frames over the last seconds. Poses are x y z qx qy qz qw, times seconds."""

    def __init__(self, keep: float = KEEP) -> None:
        if not keep > 0:
            raise BadInput(f"transforms are kept for a time above 0 s, got {keep}")
        self.keep = keep
        self._tracks: dict[str, _Track] = {}
        self._frames: dict[str, None] = {}  # all names, also those that are parents only

    def set(self, stamped: Any, static: bool = False) -> None:
        """Take a geometry_msgs/TransformStamped, or all of a tf2_msgs/TFMessage."""
        if hasattr(stamped, "transforms"):
            for one in stamped.transforms:
                self.set(one, static)
            return
        try:
            stamp, move = stamped.header.stamp, stamped.transform
            t, q = move.translation, move.rotation
            time = stamp.sec + 1e-9 * stamp.nanosec
            pose = (t.x, t.y, t.z, q.x, q.y, q.z, q.w)
            parent, child = stamped.header.frame_id, stamped.child_frame_id
        except AttributeError:
            raise BadInput(f"tf: a TransformStamped or TFMessage is wanted, got {type(stamped).__name__}") from None
        self.set_pose(parent, child, time, pose, static)

    def set_pose(self, parent: str, child: str, time: float, pose: Iterable[float], static: bool = False) -> None:
        """Tell where a frame is in its parent at a time [s]; a static one is there at all times.

        A frame that gets another parent forgets what it was before. Older than what is kept: passed over.
        """
        parent, child = _bare(parent), _bare(child)
        if not parent or not child:
            raise BadInput(f"tf: a transform needs two frames, got {parent!r} -> {child!r}")
        if parent == child:
            raise BadInput(f"tf: frame {child!r} cannot be its own parent")
        placed = checked(pose)
        if placed is None or not math.isfinite(time):
            raise BadInput(f"tf: {parent} -> {child}: numbers that are not finite, or no rotation, at {time} s")
        track = self._tracks.get(child)
        if track is None or track.parent != parent or track.static != static:
            self._refuse_loop(parent, child)
            track = self._tracks[child] = _Track(parent, static)
            self._frames[parent] = self._frames[child] = None
        if static:
            track.times, track.poses = [time], [placed]
            return
        _insert(track, time, placed, self.keep)

    def lookup(self, target: str, source: str, time: float | None = None) -> Pose:
        """The pose of the source frame in the target frame: it moves points from source to target.

        time None: the newest instant at which all transforms between them are known.
        """
        target, source = _bare(target), _bare(source)
        up, down = self._ways(target, source)
        if time is None:
            time = _newest(up, down)
        root_from_source, root_from_target = IDENTITY, IDENTITY
        for track in up:
            root_from_source = compose(self._at(track, time, target, source), root_from_source)
        for track in down:
            root_from_target = compose(self._at(track, time, target, source), root_from_target)
        return compose(inverse(root_from_target), root_from_source)

    def can(self, target: str, source: str, time: float | None = None) -> bool:
        """Whether `lookup` would answer."""
        try:
            self.lookup(target, source, time)
        except TfError:
            return False
        return True

    def newest(self, target: str, source: str) -> float:
        """The newest instant [s] at which `lookup` can answer; 0 when all between them is static."""
        up, down = self._ways(_bare(target), _bare(source))
        return _newest(up, down)

    def frames(self) -> dict[str, str]:
        """Parent of every frame, '' for roots."""
        return {name: self._tracks[name].parent if name in self._tracks else "" for name in self._frames}

    def clear(self, static: bool = False) -> None:
        """Forget what moves, after a jump of time; static frames too when asked."""
        self._tracks = {} if static else {name: track for name, track in self._tracks.items() if track.static}
        self._frames = {}
        for name, track in self._tracks.items():
            self._frames[track.parent] = self._frames[name] = None

    def forget(self, prefix: str) -> None:
        """Forget all frames whose names begin so, such as `waffle_2/`."""
        self._tracks = {name: track for name, track in self._tracks.items() if not name.startswith(prefix)}
        self._frames = {name: None for name in self._frames if not name.startswith(prefix)}

    def _refuse_loop(self, parent: str, child: str) -> None:
        above: str | None = parent
        while above is not None and above in self._tracks:
            above = self._tracks[above].parent
            if above == child:
                raise BadInput(f"tf: {parent} -> {child} would close a loop: {parent} hangs below {child}")

    def _ways(self, target: str, source: str) -> tuple[list[_Track], list[_Track]]:
        """Tracks from the source and from the target up to the frame they share."""
        for name in (target, source):
            if name not in self._frames:
                raise TfError(f"tf: no frame {name!r}; frames: {', '.join(sorted(self._frames)[:30]) or 'none yet'}")
        source_up = self._upwards(source)
        target_up = self._upwards(target)
        shared = set(target_up)
        meeting = next((name for name in source_up if name in shared), None)
        if meeting is None:
            raise TfError(
                f"tf: {target!r} and {source!r} do not hang together: {target!r} is in the tree of "
                f"{target_up[-1]!r}, {source!r} in that of {source_up[-1]!r}"
            )
        up = [self._tracks[name] for name in source_up[: source_up.index(meeting)]]
        down = [self._tracks[name] for name in target_up[: target_up.index(meeting)]]
        return up, down

    def _upwards(self, name: str) -> list[str]:
        out = [name]
        while out[-1] in self._tracks:
            out.append(self._tracks[out[-1]].parent)
        return out

    def _at(self, track: _Track, time: float, target: str, source: str) -> Pose:
        """The transform of a track at a time, between the two nearest that were told."""
        times = track.times
        if track.static:
            return track.poses[0]
        k = bisect_left(times, time)
        if k < len(times) and times[k] - time <= CLOSE:
            return track.poses[k]
        if k and time - times[k - 1] <= CLOSE:
            return track.poses[k - 1]
        if k == 0 or k == len(times):
            way = "before the first" if k == 0 else "after the last"
            child = next(name for name, other in self._tracks.items() if other is track)
            edge = times[0] if k == 0 else times[-1]
            raise TfError(
                f"tf: {target!r} from {source!r} at {time:.6f} s: that is {abs(time - edge):.6f} s {way} "
                f"transform {track.parent} -> {child}, known from {times[0]:.6f} to {times[-1]:.6f} s"
            )
        fraction = (time - times[k - 1]) / (times[k] - times[k - 1])
        return between(track.poses[k - 1], track.poses[k], fraction)


def _newest(up: list[_Track], down: list[_Track]) -> float:
    moving = [track.times[-1] for track in (*up, *down) if not track.static]
    return min(moving) if moving else 0.0


def _insert(track: _Track, time: float, pose: Pose, keep: float) -> None:
    """Put a transform where its time belongs and let go what is too old; the same instant is told anew."""
    times = track.times
    if not times or time > times[-1] + CLOSE:
        times.append(time)
        track.poses.append(pose)
        if len(times) > 64 and times[len(times) // 2] < time - keep:
            old = bisect_right(times, time - keep)
            del times[:old]
            del track.poses[:old]
        return
    k = bisect_left(times, time - CLOSE)
    if abs(times[k] - time) <= CLOSE:
        track.poses[k] = pose
    elif time >= times[-1] - keep:
        times.insert(k, time)
        track.poses.insert(k, pose)


def _bare(frame: str) -> str:
    """Frame names without the slash in front that ROS 1 once had."""
    return frame.lstrip("/")


def checked(pose: Iterable[float]) -> Pose | None:
    """The pose with a unit quaternion; None for numbers that are not finite or a quaternion of length 0."""
    x, y, z, a, b, c, w = (float(value) for value in pose)
    norm = math.sqrt(a * a + b * b + c * c + w * w)
    if not (norm > 1e-6 and math.isfinite(norm + x + y + z)):
        return None
    if abs(norm - 1.0) > 1e-12:
        a, b, c, w = a / norm, b / norm, c / norm, w / norm
    return (x, y, z, a, b, c, w)


def turn(q: Pose, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector turned by the rotation of a pose: v + 2 u × (u × v + w v)."""
    _, _, _, a, b, c, w = q
    tx, ty, tz = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx


def compose(p: Pose, q: Pose) -> Pose:
    """a_from_c of a_from_b and b_from_c."""
    x, y, z = turn(p, q[0], q[1], q[2])
    _, _, _, a1, b1, c1, w1 = p
    _, _, _, a2, b2, c2, w2 = q
    return (
        p[0] + x,
        p[1] + y,
        p[2] + z,
        w1 * a2 + a1 * w2 + b1 * c2 - c1 * b2,
        w1 * b2 - a1 * c2 + b1 * w2 + c1 * a2,
        w1 * c2 + a1 * b2 - b1 * a2 + c1 * w2,
        w1 * w2 - a1 * a2 - b1 * b2 - c1 * c2,
    )


def inverse(p: Pose) -> Pose:
    """b_from_a of a_from_b."""
    back: Pose = (0.0, 0.0, 0.0, -p[3], -p[4], -p[5], p[6])
    x, y, z = turn(back, -p[0], -p[1], -p[2])
    return (x, y, z, back[3], back[4], back[5], back[6])


def between(p: Pose, q: Pose, fraction: float) -> Pose:
    """The pose a fraction of the way from p to q: positions on a line, rotations on the shortest arc (slerp)."""
    dot = p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6]
    sign = 1.0 if dot >= 0 else -1.0
    angle = math.acos(min(1.0, abs(dot)))
    sine = math.sin(angle)
    if sine < 1e-9:
        first, second = 1.0 - fraction, fraction * sign
    else:
        first, second = math.sin((1.0 - fraction) * angle) / sine, sign * math.sin(fraction * angle) / sine
    x, y, z = (p[k] + fraction * (q[k] - p[k]) for k in range(3))
    a, b, c, w = (first * p[k] + second * q[k] for k in range(3, 7))
    norm = math.sqrt(a * a + b * b + c * c + w * w)
    return (x, y, z, a / norm, b / norm, c / norm, w / norm)
