"""The model of a robot that walks on two legs, from its file and rig: masses, legs, soles, load cells, IMU."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np

from andante.description import JointType, Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.geometry.hull import convex_hull
from andante.gravity import GRAVITY
from andante.locomotion.rigs.balance import mass_tree, sliding_frames
from andante.locomotion.rigs.rig import Rig, imu_rotation
from andante.locomotion.rigs.soles import FLAT, foot_corners, leveling
from andante.motion import vector_of

from .kernels import BipedLegs, center_of_mass, holding, mass_places, measure, reach
from .pose_kernels import Pair, Pose, carry, place_body
from .sense_kernels import Triple, feel

TURNING = (JointType.FIXED, JointType.REVOLUTE, JointType.CONTINUOUS)
NOTHING, UP = np.zeros(3), np.array([0.0, 0.0, 1.0])
TRULY_FLAT = 3e-4  # only these, where they make up most of it: round feet touch the ground along lines
MOST = 0.4
TILTS = 0.5  # cosine to the way ahead of an axis that tilts a sole sideways
BELOW = 0.1  # the last joint is above the middle of the sole if it is this near to it, in widths of the sole
STIFF = 150.0  # of a servo whose file states no gain [N m/rad]


@dataclass(frozen=True)
class Sole:
    """The flat underside of a foot. Its frame lies below the ankle: x ahead, z up when the robot stands."""

    link: str
    outline: Array  # (corners, 2) convex, counter-clockwise, sole frame [m]
    cells: Array  # (cells, 2) load cells, sole frame [m]; (0, 2): none
    switches: tuple[str, ...]  # contact switches on the foot

    @cached_property
    def places(self) -> list[list[float]]:
        """Its load cells, x and y [m]."""
        places: list[list[float]] = self.cells.tolist()
        return places

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """Heel, toe, right and left bound [m]."""
        low, high = self.outline.min(axis=0), self.outline.max(axis=0)
        return float(low[0]), float(high[0]), float(low[1]), float(high[1])

    @cached_property
    def rims(self) -> tuple[tuple[float, float, float, float], ...]:
        """Sides of the hull of its load cells, seen from the middle of them; none where they span no face.

        Outward normal x, y, how far along it the middle is from the origin of the sole's frame, and the side from
        there [m].
        """
        hull = convex_hull(self.cells) if len(self.cells) > 2 else None
        if hull is None:
            return ()
        middle = 0.5 * (self.cells.min(axis=0) + self.cells.max(axis=0))
        each = ((row, float(row[:2] @ middle)) for row in hull.equations)
        return tuple((float(row[0]), float(row[1]), at, -at - float(row[2])) for row, at in each)


class BipedBody:
    """Kinematics and masses of a robot on two legs; leg 0 is the left one."""

    def __init__(self, robot: Robot, rig: Rig) -> None:
        if len(rig.legs) != 2:
            raise BadInput(f"robot {robot.name!r} has {len(rig.legs)} legs; this walk needs two")
        self.robot, self.rig = robot, rig
        for joint in robot.joints:
            if joint.type not in TURNING:
                raise BadInput(
                    f"robot {robot.name!r}: joint {joint.name!r} is {joint.type.value}; this walk needs turning joints"
                )
        self.tree, place = mass_tree(robot)
        self.mass = self.tree.total
        self._masses = tuple(self.tree)  # as the kernels take them
        self._at_rest = np.zeros((len(self.tree.parent), 3))
        self.names = robot.joint_names
        body_from_root = robot.link_poses(rig.stance)[rig.body].inverse()
        self.upright = rig.walking_from_body @ body_from_root.rotation  # level_from_root when it stands
        self.stance_height = rig.height + float(body_from_root.translation[2])  # of the root over the soles [m]
        self.imu = rig.walking_from_body @ imu_rotation(robot, rig)
        self.stance = vector_of(robot, rig.stance)
        self._work = np.empty((len(self.tree.parent), 3, 3)), np.empty((len(self.tree.parent), 3))
        feet = np.array([place[leg.foot][0] for leg in rig.legs], dtype=np.int64)
        paths = [self._path(int(body)) for body in feet]
        waist = {*paths[0]} & {*paths[1]}  # joints between the root and the hips stay as in the stance
        if place[rig.body][0] not in {0, *waist}:
            raise BadInput(
                f"rig of {robot.name!r}: joints outside the legs move its body {rig.body!r}; name a link that both "
                f"legs hang on, as {robot.root!r}"
            )
        paths = [[body for body in path if body not in waist] for path in paths]
        for leg, path in zip(rig.legs, paths, strict=True):
            if len(path) < 5:
                raise BadInput(f"leg {leg.name!r} has {len(path)} joints; a walk with flat feet needs 5 or more")
        self._check_ankles(paths)
        self.weighed = self.tree  # with masses as they count for the plan, see `weigh`
        self.legs = BipedLegs(feet, *self._sole_frames(feet, place), *self._numbered(paths))
        self._tables = tuple(self.weighed), tuple(self.legs)  # as the kernels take them
        self.kp = np.array([self._gain(name, "kp", STIFF) for name in self.names])  # [N m/rad]
        drag = [self._gain(name, "kd", 0.0) + robot.joint(name).dynamics.damping for name in self.names]
        known = [(robot.joint(name).limits.effort, self._gain(name, "effort", math.inf)) for name in self.names]
        self.efforts = np.array([min((each for each in pair if each > 0), default=math.inf) for pair in known])  # [N m]
        rotor = np.array([robot.joint(name).dynamics.armature for name in self.names])
        self.servo_inertia = rotor / self.kp  # [s²]
        moved = self.tree.joint[self.legs.moved]
        self.servo_lag = float(np.median((np.array(drag) / self.kp)[moved]))  # of the legs behind their targets [s]
        limits = [robot.joint(name).limits.velocity for name in self.names]
        self.speeds = np.array([each if each > 0 else math.inf for each in limits])  # of the joints [rad/s]
        self.arms = self._arms()
        self.soles = tuple(self._sole(k, place) for k in range(2))

    # ---- what is found in the file ---------------------------------------------------------------
    def _path(self, body: int) -> list[int]:
        out = []
        while body > 0:
            out.append(body)
            body = int(self.tree.parent[body])
        return out[::-1]

    def _check_ankles(self, paths: list[list[int]]) -> None:
        """Raise BadInput where no joint below the knee tilts a sole sideways."""
        turns, at = self._work
        sliding_frames(self.stance, self.tree, turns, at)
        for leg, path in zip(self.rig.legs, paths, strict=True):
            sideways = [abs(float((self.upright @ turns[body] @ self.tree.axis[body])[0])) for body in path[-2:]]
            if max(sideways) < TILTS:
                joints = ", ".join(self.names[self.tree.joint[body]] for body in path)
                raise BadInput(
                    f"robot {self.robot.name!r} stands but cannot walk: leg {leg.name!r} ({joints}) has no ankle roll, "
                    "a joint that tilts the sole sideways, so that it would stand on its edge whenever the body is "
                    "shifted over one foot"
                )

    def _numbered(self, paths: list[list[int]]) -> tuple[np.ndarray, ...]:
        """Leg joints as unknowns, as in `BipedLegs`: a joint that mimics another leg joint shares its unknown."""
        moved = sorted({body for path in paths for body in path})
        joints = [self.robot.joint(self.names[self.tree.joint[body]]) for body in moved]
        free = [j.name for j in joints if j.mimic is None]
        variable, gain = [], []
        for joint in joints:
            mimic = joint.mimic
            if mimic is not None and (mimic.joint not in free or mimic.offset):
                raise BadInput(f"joint {joint.name!r} mimics {mimic.joint!r}, which is no joint of the legs")
            variable.append(free.index(mimic.joint if mimic is not None else joint.name))
            gain.append(mimic.multiplier if mimic is not None else 1.0)
        on_path = np.array([[body in path for body in moved] for path in paths])
        limits = [self.robot.joint(name).limits for name in free]
        lower, upper = np.array([limit.lower for limit in limits]), np.array([limit.upper for limit in limits])
        numbers = np.array(moved, dtype=np.int64), np.array(variable, dtype=np.int64)
        return *numbers, np.array(gain), on_path, lower, upper

    def _gain(self, name: str, key: str, value: float) -> float:
        for pattern, gains in self.robot.servos.items():
            if fnmatchcase(name, pattern):
                value = float(gains.get(key, value))
        return max(value, 1e-6)

    def _arms(self) -> tuple[tuple[int, float], ...]:
        """Joints that swing an arm: index, and which way an angle brings it ahead (on the right side: back).

        An arm hangs on the root to one side, and its first joint turns about the axis across the walk.
        """
        t = self.tree
        whole = self.center(self.stance)
        turns, at = self._work
        out = []
        for body in range(1, len(t.parent)):
            if t.parent[body] != 0 or body in self.legs.moved:
                continue
            axis = self.upright @ turns[body] @ t.axis[body]
            place = self.upright @ at[body]
            aside = float(place[1] - (self.upright @ whole)[1])
            if abs(axis[1]) < 0.9 or abs(aside) < 0.1 * self.rig.center_height:
                continue
            outboard = [k for k in range(body, len(t.parent)) if body in self._path(k)]
            moment = sum(t.mass[k] * (at[k] + turns[k] @ t.center[k] - at[body]) for k in outboard)
            down = float((self.upright @ moment)[2])
            out.append((int(t.joint[body]), float(np.sign(axis[1] * down) * np.sign(aside))))
        return tuple(out)

    def _sole_frames(self, feet: np.ndarray, place: dict[str, tuple[int, SE3]]) -> tuple[Array, Array]:
        """Sole frames (2, 3, 3), (2, 3) in the foot bodies, level in the stance, below the origin of the last joint.

        Where the sole lies to one side of that, the frame is in its middle instead: that is where it is pressed.
        """
        self.center(self.stance)
        turns = self._work[0]
        sole_turn, sole_at = np.empty((2, 3, 3)), np.empty((2, 3))
        self._corners = []
        for k, body in enumerate(feet):
            level = self.upright @ turns[body]
            foot = self.rig.legs[k].foot
            corners = foot_corners(self.robot, foot)
            if not len(corners):
                raise BadInput(f"foot {foot!r} has no collision shape to stand on")
            corners = place[foot][1] @ corners
            level = leveling(corners @ level.T, foot) @ level
            points = corners @ level.T
            self._corners.append(points)
            low = points[points[:, 2] < points[:, 2].min() + FLAT, 1]
            middle = 0.5 * float(low.min() + low.max())
            if abs(middle) < BELOW * float(np.ptp(low)):
                middle = 0.0
            points[:, 1] -= middle
            sole_turn[k] = level.T
            sole_at[k] = level.T @ np.array([0.0, middle, points[:, 2].min()])
        return sole_turn, sole_at

    def _sole(self, k: int, place: dict[str, tuple[int, SE3]]) -> Sole:
        link = self.rig.legs[k].foot
        points = self._corners[k]
        height = points[:, 2] - points[:, 2].min()
        hulls = [(low, convex_hull(low)) for low in (points[height < flat, :2] for flat in (TRULY_FLAT, FLAT))]
        known = [(low, hull) for low, hull in hulls if hull is not None]
        if not known:
            raise BadInput(f"foot {link!r} has no flat sole; a walk on two legs needs one")
        most = max(float(hull.volume) for _, hull in known)
        low, hull = next((low, hull) for low, hull in known if hull.volume > MOST * most)
        outline = low[hull.vertices]
        group = self.robot.welded(link)
        level_from_foot = self.legs.sole_turn[k].T
        cells = [
            (level_from_foot @ (place[spec.link][1] @ spec.pose.translation - self.legs.sole_at[k]))[:2]
            for spec in self.robot.sensors
            if spec.kind == "force" and spec.link in group
        ]
        switches = tuple(spec.name for spec in self.robot.sensors if spec.kind == "contact" and spec.link in group)
        return Sole(link, outline, np.array(cells).reshape(-1, 2), switches)

    @property
    def stance_width(self) -> float:
        """Between the soles in the stance [m]."""
        self.center(self.stance)
        apart = self.upright @ (self.sole_pose(0)[1] - self.sole_pose(1)[1])
        return abs(float(apart[1]))

    def check_stance(self, left: float) -> None:
        """Raise BadInput when legs cannot reach the stance; `left` is what the inverse kinematics left over [m]."""
        if not left < 1e-3:
            raise BadInput(
                f"robot {self.robot.name!r}: its legs miss the stance by {left:.3f} m; give another height or width"
            )

    # ---- kernels with this robot's tables --------------------------------------------------------
    def center(self, q: Array) -> Array:
        """Center of mass in the root frame (3,) [m]; frames of all bodies are kept for `sole`."""
        out = np.empty(3)
        center_of_mass(q, self.weighed, *self._work, out)
        return out

    def measure(self, q: Array, stance: int, shift: Array, up: Array, force: Array) -> Array:
        """What the body is like at measured joints, (10,); see `kernels.measure`."""
        out = np.empty(10)
        measure(q, *self._tables, stance, self.upright, shift, up, force, *self._work, out)
        return out

    def feel(
        self, q: Array, stance: int, shift: Array, gyro: Triple, acceleration: Triple, planned: Pair, yaw: float,
        up: Array, seen: Triple, place: Pair, speed: Pair, bandwidth: float, dt: float, out: Array,
    ) -> None:  # fmt: skip
        """Take what the body feels into out (16,); see `sense_kernels.feel`."""
        feel(
            q, *self._tables, stance, self.upright, shift, self.imu, gyro, acceleration, planned, yaw, up, seen, place,
            speed, bandwidth, dt, *self._work, out,
        )  # fmt: skip

    def other_sole(self, q: Array, stance: int) -> Array:
        """x, y [m] and yaw [rad] of the other sole, seen from the standing one."""
        return self.measure(q, stance, NOTHING, UP, NOTHING)[:3]

    def weigh(self, height: float, frequency: float) -> None:
        """Count masses by what they press when they sway, m (g + h w²), with their height h over the soles.

        A mass at height h that moves as sin(w t) shifts the pressure point like m (g + h w²); with these weights the
        pressure follows the plan although the legs swing low. `height` is that of the root [m], `frequency` w [rad/s].
        The sum is left as it was.
        """
        t = self.tree
        self.center(self.stance)
        turns, at = self._work
        middle = at + np.einsum("kij,kj->ki", turns, t.center)
        over = np.maximum(height + middle @ self.upright[2], 0.0)
        weight = t.mass * (GRAVITY + over * frequency**2)
        self.weighed = t._replace(mass=weight * (t.mass.sum() / weight.sum()))
        self._tables = tuple(self.weighed), self._tables[1]

    def sole_pose(self, k: int) -> tuple[Array, Array]:
        """Rotation (3, 3) and place (3,) [m] of a sole in the root frame, at the q of the last `center`."""
        turns, at = self._work
        body, legs = self.legs.feet[k], self.legs
        return turns[body] @ legs.sole_turn[k], at[body] + turns[body] @ legs.sole_at[k]

    def reach(
        self, q: Array, yaw: float, soles: Array, turns: Array, com: Array, height: float, tilt: Array, wanted: float,
        rounds: int = 3,
    ) -> tuple[float, float, Array]:  # fmt: skip
        """Make q (joints,) put soles (2, 3), (2, 3, 3) and center of mass (2,) there; see `kernels.reach`.

        Returns the root's yaw [rad], the residual [m] and the root's place (3,) [m].
        """
        torso = np.empty(3)
        yaw, left = reach(q, yaw, *self._tables, soles, turns, com, height, tilt, wanted, rounds, torso, *self._work)
        return yaw, left, torso

    def hold(
        self, q: Array, root: Array, push: Array, point: Array, twist: Array | None = None, moving: Array | None = None
    ) -> Array:
        """Torques (joints,) [N m] that carry the robot; see `kernels.holding`. moving: accelerations of its masses."""
        out = np.empty(len(q))
        twist = np.zeros(2) if twist is None else twist
        moving = self._at_rest if moving is None else moving
        holding(q, self._masses, self._tables[1], root, push, point, twist, moving, out)
        return out

    def mass_places(self, q: Array, root: Array, torso: Array) -> Array:
        """Centers of mass (bodies, 3) [m] in level axes; root (3, 3): level_from_root, torso (3,): its place [m]."""
        out = np.empty_like(self._at_rest)
        mass_places(q, self._masses, root, torso, out)
        return out

    def carry(self, q: Array, root: Array, torso: Array, stance: int, center: Pair, other: Pair, both: bool) -> Array:
        """Torques (joints,) [N m] that carry a robot that stands still with its center of mass there [m].

        root (3, 3): level_from_root, torso (3,): its place, other: where the foot that does not stand is [m]; both:
        whether that carries too.
        """
        out, weight = np.empty(len(q)), np.array([0.0, 0.0, self.mass * GRAVITY])
        carry(q, self._masses, self._tables[1], stance, weight, center, other, both, root, torso, out)
        return out

    def place(
        self, q: Array, yaw: float, stance: int, swing: Pose, under: Pair, felt: Pair, lean: Pair, place: Pair,
        height: float, shift: Array, rounds: int, soles: Array, turns: Array, torso: Array, pressure: Pair, rate: float,
        both: bool, past: Array, moving: bool, dt: float, torques: Array,
    ) -> tuple[float, float]:  # fmt: skip
        """Make q (joints,) put soles and center of mass there, and torques what carries them; see `place_body`."""
        weighed, feet = self._tables
        return place_body(
            q, yaw, weighed, self.tree.mass, feet, stance, swing, under, felt, lean, place, height, shift, self.upright,
            rounds, soles, turns, torso, *self._work, pressure, rate, both, past, moving, dt, torques,
        )  # fmt: skip
