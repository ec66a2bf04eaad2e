"""The control step of legged gaits in plain numpy: what the compiled one is compared with.

It is the readable form of `andante.locomotion.legged.gait` and its kernels; nothing here is fast.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array, so3
from andante.kinematics import Chain, Legs
from andante.locomotion import Command, Readings
from andante.locomotion.legged.gait import LeggedSettings, touch_names
from andante.locomotion.legged.patterns import GaitPattern, pattern
from andante.locomotion.rigs.rig import Rig, check_rig, imu_rotation, leg_chain

GRAVITY = 9.81
CALM = 0.12


def moved(points: Array, twist: Array, seconds: float) -> Array:
    """Points fixed on the ground (n, 2) as the body sees them after moving by a constant twist (vx, vy, wz) for a time.

    p' = exp(twist t)⁻¹ p: the exact arc, [m, m/s, rad/s]; a negative time looks back.
    """
    w = twist[2] * seconds
    half = 0.5 * w
    chord = math.sin(half) / half if abs(half) > 1e-9 else 1.0
    c, s = math.cos(half), math.sin(half)
    x = chord * (c * twist[0] - s * twist[1]) * seconds
    y = chord * (s * twist[0] + c * twist[1]) * seconds
    cw, sw = math.cos(w), math.sin(w)
    dx, dy = points[:, 0] - x, points[:, 1] - y
    return np.stack([cw * dx + sw * dy, cw * dy - sw * dx], axis=1)


def smooth(fraction: Array) -> Array:
    """0 to 1 with zero velocity and acceleration at both ends: 10 s³ - 15 s⁴ + 6 s⁵."""
    s = np.clip(fraction, 0.0, 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def lift(fraction: Array) -> Array:
    """Height of a swinging foot, 0 to 1 and back, with zero velocity at both ends: 16 s² (1 - s)²."""
    s = np.clip(fraction, 0.0, 1.0)
    return 16.0 * (s * (1.0 - s)) ** 2


def forward_fraction(fraction: Array) -> Array:
    """How far a swinging foot has come along the ground: it rises first, and stands above its place before it sinks."""
    return smooth((fraction - 0.1) / 0.65)


def swing(start: Array, end: Array, fraction: Array, height: Array | float) -> Array:
    """Feet (n, 3) between lift-off and touchdown points (n, 3), at fractions (n,) of the swing, lifted by a height."""
    out = start + forward_fraction(fraction)[:, None] * (end - start)
    out[:, 2] = start[:, 2] + smooth(fraction) * (end[:, 2] - start[:, 2]) + height * lift(fraction)
    return out


QUIET = 2.0  # accelerations further from gravity than this are no measure of the vertical [m/s²]


class Attitude:
    """Complementary filter: the vertical turns with the gyro and leans slowly toward the accelerometer.

    Axes are those of the walking frame. Axes that the gyro lacks (NaN) count as not turning.
    """

    def __init__(self, settle: float = 3.0) -> None:
        self.settle = settle  # time in which the accelerometer wins [s]
        self.up = np.array([0.0, 0.0, 1.0])  # the vertical seen from the body
        self.heading = 0.0  # turned since the start, unwrapped [rad]
        self.rate = 0.0  # about the vertical [rad/s]
        self._first = True

    def update(self, gyro: Array, acceleration: Array, dt: float) -> None:
        """Take one reading of angular velocity [rad/s] and specific force [m/s²]."""
        w = np.nan_to_num(gyro)
        x, y, z = self.up
        self.rate = float(w @ self.up)
        self.heading += self.rate * dt
        # d(up)/dt = up × w in body axes
        self.up = self.up + dt * np.array([y * w[2] - z * w[1], z * w[0] - x * w[2], x * w[1] - y * w[0]])
        size = float(np.sqrt(acceleration @ acceleration))
        if math.isfinite(size) and abs(size - GRAVITY) < QUIET:
            fraction = 1.0 if self._first else min(1.0, dt / self.settle)
            self.up = self.up + fraction * (acceleration / size - self.up)
            self._first = False
        self.up = self.up / np.sqrt(self.up @ self.up)

    @property
    def level_from_body(self) -> Array:
        """(3, 3) shortest rotation that brings the body's axes level, R up = z."""
        x, y, z = self.up.tolist()
        k = 1.0 / max(1.0 + z, 1e-6)
        return np.array([[1.0 - k * x * x, -k * x * y, -x], [-k * x * y, 1.0 - k * y * y, -y], [x, y, z]])

    @property
    def roll(self) -> float:
        """Lean to the right [rad]."""
        return math.atan2(self.up[1], self.up[2])

    @property
    def pitch(self) -> float:
        """Lean to the front [rad]."""
        return -math.asin(max(-1.0, min(1.0, self.up[0])))


class LegOdometry:
    """Planar position in the frame of the start: standing feet do not slide, so the body moves against them.

    A round foot rolls: the point of it that touches the ground is what stands still, not its middle.
    """

    def __init__(self, radii: Array) -> None:
        self.radii = radii
        self.position = np.zeros(2)  # [m]
        self._before: tuple[Array, Array, float] | None = None

    def update(self, points: Array, rotations: Array, standing: Array, tilt: Array, heading: float) -> None:
        """One step: middles and rotations of the feet as measured, which of them stand, tilt (3, 3), heading [rad].

        The tilt is the rotation from the body to level axes with the same heading.
        """
        level, turned = points @ tilt.T, tilt @ rotations
        before, self._before = self._before, (level, turned, heading)
        if before is None or not standing.any():
            return
        down = np.zeros((len(points), 3))
        down[:, 2] = -self.radii
        touch_then = before[0] + down
        in_foot = np.einsum("nji,nj->ni", before[1], down)
        touch_now = level + np.einsum("nij,nj->ni", turned, in_foot)
        move = -np.mean((touch_now - touch_then)[standing, :2], axis=0)
        # a turn of the body alone moves the feet too: p' = p - turn × p
        turn = heading - before[2]
        center = np.mean(touch_then[standing, :2], axis=0)
        move = move - turn * np.array([-center[1], center[0]])
        c, s = math.cos(heading), math.sin(heading)
        self.position = self.position + np.array([c * move[0] - s * move[1], s * move[0] + c * move[1]])


def hull(points: Array) -> list[tuple[float, float]]:
    """Corners of the convex hull of points (n, 2) counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) <= 2:
        return ordered

    def half(sequence: list[tuple[float, float]]) -> list[tuple[float, float]]:
        out: list[tuple[float, float]] = []
        for x, y in sequence:
            while len(out) >= 2:
                (ax, ay), (bx, by) = out[-2], out[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-12:
                    break
                out.pop()
            out.append((x, y))
        return out

    return half(ordered)[:-1] + half(ordered[::-1])[:-1]


def edges(points: Array) -> list[tuple[float, float, float]]:
    """Lines of the hull as (nx, ny, d) with n·p - d >= 0 inside, |n| = 1; none when the hull has no area."""
    corners = hull(points)
    if len(corners) < 3:
        return []
    out = []
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        dx, dy = bx - ax, by - ay
        length = (dx * dx + dy * dy) ** 0.5
        nx, ny = -dy / length, dx / length
        out.append((nx, ny, nx * ax + ny * ay))
    return out


def margin(points: Array, where: Array) -> float:
    """Distance of a point from the border of the hull of points (n, 2), positive inside [m]; -inf without a polygon."""
    lines = edges(points)
    if not lines:
        return -float("inf")
    return float(min(nx * where[0] + ny * where[1] - d for nx, ny, d in lines))


def inside(points: Array, where: Array, wanted: float) -> Array:
    """The point nearest to `where` that lies at least `wanted` inside the hull [m]; its middle where that is too much.

    Alternating projections onto the half planes of the shrunken polygon, which end near the nearest point.
    """
    lines = edges(points)
    p = np.array(where, dtype=float)
    if not lines:
        return np.mean(points, axis=0)
    for _ in range(40):
        worst = min(lines, key=lambda line: line[0] * p[0] + line[1] * p[1] - line[2])
        gap = wanted - (worst[0] * p[0] + worst[1] * p[1] - worst[2])
        if gap <= 1e-6:
            return p
        p[0] += gap * worst[0]
        p[1] += gap * worst[1]
    return np.mean(points, axis=0)


class PlainSolver:
    """Inverse and forward kinematics of every leg, in walking axes with the body's origin."""

    def __init__(self, robot: Robot, rig: Rig) -> None:
        poses = robot.link_poses(rig.stance)
        walking_from_body = SE3.from_parts(rig.walking_from_body, np.zeros(3))
        walking_from_root = walking_from_body @ poses[rig.body].inverse()
        self.chains: list[Chain] = []
        self._hips: list[Array] = []
        for leg in rig.legs:
            self.chains.append(leg_chain(robot, leg.hip, leg.foot, leg.joints, leg.point, rig.stance))
            self._hips.append((walking_from_root @ poses[leg.hip]).matrix)
        hips = np.array(self._hips)
        self._rotation, self._origin = hips[:, :3, :3], hips[:, :3, 3]
        names = robot.joint_names
        self.index = [np.array([names.index(name) for name in c.joint_names]) for c in self.chains]
        self._legs = Legs(tuple(self.chains))
        self._all = np.concatenate(self.index)
        self._targets = np.full((len(rig.legs), 6), np.nan)

    def joints(self, points: Array, start: Array, restarts: int = 0) -> tuple[Array, Array]:
        """All joint positions (joints,) that bring the feet to points (legs, 3), and how far each is off [m].

        Joints outside the legs stay as in `start`, which is also where the search begins.
        """
        self._targets[:, :3] = np.einsum("nji,nj->ni", self._rotation, points - self._origin)
        found = self._legs.ik(self._targets, start[self._all], restarts=restarts, tolerance=1e-6, max_iterations=40)
        q = start.copy()
        q[self._all] = found.q
        return q, found.error

    def feet(self, q: Array) -> tuple[Array, Array]:
        """Middle of each foot (legs, 3) [m] and rotation of its link (legs, 3, 3)."""
        local = np.array([each.fk(q[self.index[i]]) for i, each in enumerate(self.chains)])
        points = np.einsum("nij,nj->ni", self._rotation, local[:, :3, 3]) + self._origin
        return points, self._rotation @ local[:, :3, :3]


class PlainGait:
    """A gait on a rig. `update` is the whole of it; the rest reports its state."""

    def __init__(
        self, robot: Robot, rig: Rig, gait: str | GaitPattern = "tripod", settings: LeggedSettings | None = None
    ) -> None:
        check_rig(rig, robot)
        count = len(rig.legs)
        self.rig, self.settings = rig, settings or LeggedSettings()
        self.pattern = pattern(gait, count) if isinstance(gait, str) else gait
        if len(self.pattern.offsets) != count:
            raise BadInput(f"gait {self.pattern.name!r} is for {len(self.pattern.offsets)} legs, the rig has {count}")
        s = self.settings
        self.period = s.period or self.pattern.period * rig.stride_time
        self.duty = s.duty or self.pattern.duty
        self.step_height = s.step_height or rig.step_height
        self._solver = PlainSolver(robot, rig)
        self._offsets = np.array(self.pattern.offsets)
        self._reach = np.array([leg.reach for leg in rig.legs])
        self._radii = np.array([leg.radius for leg in rig.legs])
        self._home = rig.stands.copy()
        self._center = (rig.walking_from_body @ np.asarray(rig.center))[:2]
        self._width = float(np.min(np.ptp(self._home[:, :2], axis=0)))
        self._weight = rig.mass * GRAVITY / count
        self._imu = rig.walking_from_body @ imu_rotation(robot, rig)
        self._names = robot.joint_names
        self._q = np.array([robot.complete(rig.stance)[name] for name in self._names])
        self._touch_names = [touch_names(robot, leg.foot) for leg in rig.legs]
        self._top = np.array([self.max_speed, self.max_speed, self.max_turn])
        # ---- state
        self.feet = self._home.copy()  # commanded, walking axes [m]
        self.twist = np.zeros(3)  # of the body now [m/s, rad/s]
        self.twist_goal = np.zeros(3)  # the twist without the correction of the heading
        self.attitude = Attitude()
        self.odometry = LegOdometry(self._radii)
        self.active = False
        self.swinging = np.zeros(count, dtype=bool)
        self.phase = 0.0
        self._fraction = np.zeros(count)  # of the swing
        self._from = self._home.copy()
        self._waited = np.full(count, math.inf)  # since a swing ended without the ground [s]; inf: it stands
        self._depth = np.zeros(count)
        self._heading_goal = 0.0
        self._sway = np.zeros(2)
        self._fall, self._lean, self._usual_lean = np.zeros(2), np.zeros(2), np.zeros(2)

    # ---- what it can do --------------------------------------------------------------------------
    @property
    def stance_time(self) -> float:
        """How long a foot stands per cycle [s]."""
        return self.duty * self.period

    def limited(self, twist: Array) -> Array:
        """The twist scaled down, if need be, so that every foot stays within its reach."""
        speed = np.hypot(twist[0] - twist[2] * self._home[:, 1], twist[1] + twist[2] * self._home[:, 0])
        most = 2.0 * 0.87 * self._reach / self.stance_time
        return twist * min(1.0, float(np.min(most / np.maximum(speed, 1e-9))))

    @cached_property
    def max_speed(self) -> float:
        """Straight ahead [m/s]."""
        return float(self.limited(np.array([1e3, 0.0, 0.0]))[0])

    @cached_property
    def max_turn(self) -> float:
        """On the spot [rad/s]."""
        return float(self.limited(np.array([0.0, 0.0, 1e3]))[2])

    @property
    def stopping_time(self) -> float:
        """From top speed to a stand [s]."""
        return self.settings.ramp * self.period

    @property
    def standing(self) -> bool:
        """Whether all feet are at their usual places and nothing moves."""
        return not (self.swinging.any() or self.twist.any() or self._away().any())

    @property
    def position(self) -> Array:
        """Where it believes to be: x, y in the frame of its start [m], and the heading, unwrapped [rad].

        It is the place over the feet: the body's sway to and fro is left out.
        """
        c, s = math.cos(self.attitude.heading), math.sin(self.attitude.heading)
        x, y = self._sway
        return np.array([*(self.odometry.position - [c * x - s * y, s * x + c * y]), self.attitude.heading])

    def _away(self) -> np.ndarray:
        gap = self.feet[:, :2] - self._home[:, :2]
        return gap[:, 0] ** 2 + gap[:, 1] ** 2 > (0.06 * self._reach) ** 2

    # ---- one control step ------------------------------------------------------------------------
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        gyro = self._imu @ readings.gyro
        self.attitude.update(gyro, self._imu @ readings.acceleration, dt)
        self._lean = np.array([self.attitude.roll - command.roll, self.attitude.pitch - command.pitch])
        self._usual_lean = self._usual_lean + dt * (self._lean - self._usual_lean)  # over a second
        self._fall = self._falling(np.nan_to_num(gyro))
        tilt = self.attitude.level_from_body
        points, rotations = self._solver.feet(np.asarray(readings.position))
        touching = self._touching(readings)
        stands = ~self.swinging & ~np.isfinite(self._waited)
        pressed = stands & np.array([touch is not False for touch in touching])
        stands = pressed if pressed.any() else stands
        self.odometry.update(points, rotations, stands, tilt, self.attitude.heading)
        self.active = bool(command.moving or self.twist.any() or self.swinging.any() or self._away().any())
        pace = self._clear_to_walk(dt)
        self._choose_twist(command, pace, dt)
        self._advance(pace, dt)
        self._move_feet(touching, dt)
        self._hold_body(command, dt)
        return self._joint_targets(command)

    def _falling(self, gyro: Array) -> Array:
        """How far the body will have fallen beside its feet, x and y [m]: h (lean + sqrt(h / g) rate of the lean).

        It is the capture point of a body on legs of the height h (Pratt and others 2006), for small leans away from the
        usual one. A robot that is to stand, and nearly does, puts its feet where they belong.
        """
        calm = not self.twist.any() and float(np.hypot(*self._lean)) < CALM
        if self.pattern.static or not self.settings.catch or calm:
            return np.zeros(2)
        h = self.rig.center_height
        time = math.sqrt(h / GRAVITY)
        roll, pitch = self._lean - self._usual_lean + time * gyro[:2]
        fall = self.settings.catch * h * np.array([pitch, -roll])
        most = 0.5 * float(np.min(self._reach))
        return fall * min(1.0, most / max(float(np.hypot(*fall)), 1e-9))

    def _touching(self, readings: Readings) -> list[bool | None]:
        """Per leg whether its foot is pressed; None: nobody can tell."""
        if not self.settings.feel:
            return [None] * len(self._touch_names)
        out: list[bool | None] = []
        for link, switches in self._touch_names:
            if link in readings.forces:
                pressed = float(np.sum(readings.forces[link])) > self.settings.touch_fraction * self._weight
                out.append(pressed)
            else:
                known = [readings.pressed[name] for name in switches if name in readings.pressed]
                out.append(any(known) if known else None)
        return out

    def _choose_twist(self, command: Command, pace: float, dt: float) -> None:
        """Ramp the twist toward the command, within the reach of the feet; the heading is held."""
        wanted = np.array([command.vx, command.vy, command.wz])
        still = not (command.moving or self.twist.any())
        goal = limited = self.limited(wanted)
        if self.settings.hold_heading and not still:
            # hold the heading commanded so far
            self._heading_goal += self.twist_goal[2] * dt
            off = self._heading_goal - self.attitude.heading
            limited = self.limited(
                limited + np.array([0.0, 0.0, max(-0.3, min(0.3, self.settings.heading_gain * off))])
            )
            if not command.moving:
                limited = np.zeros(3)
        elif still:
            self._heading_goal = self.attitude.heading
        limited = limited * pace
        most = self._top * (dt / (self.settings.ramp * self.period))
        self.twist = self.twist + np.clip(limited - self.twist, -most, most)
        self.twist_goal = self.twist_goal + np.clip(goal * pace - self.twist_goal, -most, most)

    def _clear_to_walk(self, dt: float) -> float:
        """1 while the clock may run, 0 while a leg that is due to lift must wait until the others carry the body."""
        if not self.pattern.static:
            return 1.0
        until = (self._offsets - self.phase) % 1.0
        due = ~self.swinging & (until <= 2.5 * dt / self.period)
        if not due.any():
            return 1.0
        carries = ~self.swinging & ~due & ~np.isfinite(self._waited)
        enough = 0.3 * self.settings.sway_margin * self._width if self.pattern.sway else 0.0
        free = margin(self.feet[carries, :2], self._center + self._sway) > enough
        return 1.0 if free else 0.0

    def _advance(self, pace: float, dt: float) -> None:
        """Run the clock; lift the legs whose moment has come."""
        if not self.active:
            return
        before = self.phase
        self.phase = (before + pace * dt / self.period) % 1.0
        step = (self.phase - before) % 1.0
        reached = ((self._offsets - before) % 1.0 < step) & (step > 0) & ~self.swinging
        for i in np.flatnonzero(reached):
            if self.twist.any() or self._away()[i]:
                self.swinging[i] = True
                self._fraction[i] = 0.0
                self._from[i] = self.feet[i]
                self._waited[i] = math.inf
                self._depth[i] = 0.0

    def _move_feet(self, touching: list[bool | None], dt: float) -> None:
        """Standing feet go with the ground, swinging ones along their arcs, those in the air reach down."""
        swing_time = (1.0 - self.duty) * self.period
        on_ground = ~self.swinging
        self.feet[on_ground, :2] = moved(self.feet[on_ground, :2], self.twist, dt)
        air = np.flatnonzero(self.swinging)
        if air.size:
            self._fraction[air] += dt / swing_time
            self._from[air, :2] = moved(self._from[air, :2], self.twist, dt)
            end = self._footholds(air, swing_time)
            fraction = self._fraction[air]
            self.feet[air] = swing(self._from[air], end, fraction, self.step_height)
            if not self.pattern.static:  # the ground as it lies under the body that leans
                lean = self._lean[0] * self.feet[air, 1] - self._lean[1] * self.feet[air, 0]
                self.feet[air, 2] -= smooth(fraction) * lean
            for k, i in enumerate(air):
                if fraction[k] > 0.55 and touching[i]:
                    self.swinging[i] = False  # the ground came early
                elif fraction[k] >= 1.0:
                    self.swinging[i] = False
                    if touching[i] is False:
                        self._waited[i] = 0.0
        for i in np.flatnonzero(np.isfinite(self._waited)):
            self._waited[i] += dt
            raised = float(self._lean[0] * self.feet[i, 1] - self._lean[1] * self.feet[i, 0])
            leans = not self.pattern.static and raised > 0.25 * self.step_height
            if touching[i] or leans or self._depth[i] >= self.settings.search_depth * self.step_height:
                self._waited[i] = math.inf
            elif self._waited[i] > self.settings.settle:
                self._depth[i] += self.settings.search_speed * dt
                self.feet[i, 2] -= self.settings.search_speed * dt

    def _footholds(self, legs: np.ndarray, swing_time: float) -> Array:
        """Where swinging feet shall come down, (n, 3), as seen from the body now.

        At touchdown a foot stands half a stance ahead of its usual place; until then the body moves on.
        """
        ahead = (1.0 - np.minimum(self._fraction[legs], 1.0)) * swing_time + 0.5 * self.stance_time
        end = np.empty((len(legs), 3))
        for k, i in enumerate(legs):
            end[k, :2] = moved(self._home[i : i + 1, :2], self.twist, -float(ahead[k]))[0]
        a, b, c = self._ground()
        end[:, 2] = a + b * end[:, 0] + c * end[:, 1]
        end[:, :2] += self._fall
        return end

    def _ground(self) -> tuple[float, float, float]:
        """Plane z = a + b x + c y through the standing feet, level where they leave it open (ridge regression)."""
        stands = ~self.swinging
        if not stands.any():
            return float(np.mean(self._home[:, 2])), 0.0, 0.0
        p = self.feet[stands].copy()
        if not self.pattern.static:  # in level axes
            p[:, 2] += self._lean[0] * p[:, 1] - self._lean[1] * p[:, 0]
        mean = p.mean(axis=0)
        d = p - mean
        ridge = 0.5 * self._width**2
        sxx, syy, sxy = d[:, 0] @ d[:, 0] + ridge, d[:, 1] @ d[:, 1] + ridge, d[:, 0] @ d[:, 1]
        sxz, syz = d[:, 0] @ d[:, 2], d[:, 1] @ d[:, 2]
        det = sxx * syy - sxy * sxy
        b, c = (syy * sxz - sxy * syz) / det, (sxx * syz - sxy * sxz) / det
        return float(mean[2] - b * mean[0] - c * mean[1]), float(b), float(c)

    def _hold_body(self, command: Command, dt: float) -> None:
        """Level the body by the IMU, keep its height over the standing feet, sway it over its support."""
        stands = ~self.swinging
        s = self.settings
        if s.level:
            roll = self.attitude.roll - command.roll
            pitch = self.attitude.pitch - command.pitch
            change = s.level_gain * dt * (roll * self.feet[:, 1] - pitch * self.feet[:, 0])
            room = 1.5 * self.step_height
            self.feet[:, 2] = np.clip(self.feet[:, 2] + change, self._home[:, 2] - room, self._home[:, 2] + room)
        if stands.any():
            off = float(np.mean(self.feet[stands, 2])) - float(np.mean(self._home[:, 2]))
            most = 0.1 * dt
            rise = -max(-most, min(most, s.height_gain * off * dt))
            self.feet[:, 2] += rise
            self._from[:, 2] += rise
        if self.pattern.sway:
            self._sway_body(dt)
        elif not self.pattern.static:
            self._center_body(dt)

    def _center_body(self, dt: float) -> None:
        """Move the body ahead of the middle of its feet by v T / 6, and against its mean lean."""
        goal = np.zeros(2)
        if self.active:
            goal = self._home[:, :2].mean(axis=0) - self._center + self.stance_time * self.twist[:2] / 6.0
            roll, pitch = self._usual_lean
            goal += self.settings.upright * self.rig.center_height * np.array([-pitch, roll])
            goal *= min(1.0, 0.4 * float(self._reach.min()) / max(float(np.hypot(*goal)), 1e-9))
        self._sway = self._sway + min(1.0, dt / self.period) * (goal - self._sway)

    def _sway_body(self, dt: float) -> None:
        """Move the body so that the legs that will carry it during the next swing do so with a margin."""
        goal = np.zeros(2)
        if self.active:
            until = (self._offsets - self.phase) % 1.0
            lifted = self.swinging.copy()
            if not lifted.any():
                lifted[int(np.argmin(until))] = True
            carries = ~lifted
            wanted = self.settings.sway_margin * self._width
            goal = inside(self.feet[carries, :2], self._center, wanted) - self._center
        gap = goal - self._sway
        quick = 0.5 * self._width / (0.25 * self.period)  # [m/s]
        most = quick * dt
        step = gap * min(1.0, 8.0 * dt / (0.25 * self.period))
        size = float(np.hypot(*step))
        self._sway = self._sway + step * (min(1.0, most / size) if size > 0 else 0.0)

    def _joint_targets(self, command: Command) -> Array:
        middle = self.feet - [self._sway[0], self._sway[1], 0.0]
        middle[:, 2] += self._radii - command.height
        if command.roll or command.pitch:
            middle = middle @ so3.from_rpy((command.roll, command.pitch, 0.0))
        self._q, self.error = self._solver.joints(middle, self._q)
        return self._q.copy()
