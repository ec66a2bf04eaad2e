"""`StandFilter`: joint targets of a robot that stands on two legs, changed as little as keeps it standing.

Feet stay where they are, the center of mass over them. Joints that are in no leg pass as they are commanded; the legs
follow as far as they can, and make up for what arms, head and trunk do to the balance. With leg joints u and wanted
ones v, each period solves

    min |u - r|²   with   T(u) = T0,   n_i c(u) - d_i >= m + h_i (1 - dt / τ),   l <= u <= h

where r lies from the last u towards v, as far as the joints may go in a period, T is the pose of one sole seen from the
other, c the center of mass in its axes, n_i, d_i the edges of the support polygon, m the margin and h_i
how far inside it was in the last period: the center of mass nears an edge like exp(-t / τ). The pressure point
p = c - c'' z / g + s stays within `press` of it and inside the edges too; s is how far the other joints push it by
changing the spin of their masses, and they go slower where that is too much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.locomotion.rigs.balance import edges, margin

from .body import BipedBody
from .stand_kernels import keep, root_from_sole, seen_from_sole, spin_between

LEFT, RIGHT = 0, 1
BOTH = (LEFT, RIGHT)
AXES = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
REGAIN = 2.0  # times the usual acceleration to come back from beyond an edge
ROUNDS = 3  # Gauss-Newton steps in a period
REACHED = 1e-3  # of its command a joint has arrived [rad or m], and so much nearer it has come on
STUCK = 0.5  # after this time without coming nearer a joint will not get there [s]
TOLD = math.radians(2.0)  # a joint that is held further from its command is told


@dataclass(frozen=True)
class StandSettings:
    """How a standing robot is kept up."""

    margin: float = 0.6  # of the center of mass from the edge of the support, in half widths of a sole
    approach: float = 0.4  # time in which the center of mass nears an edge, τ [s]
    regain: float = 0.15  # and in which it comes back from beyond it [s]
    press: float = 0.4  # of the pressure point from the center of mass at most, in half widths of a sole
    speed: float = 0.09  # of the legs, as a fraction of the joints' top speeds
    reserve: float = 0.3  # of the pressure point from the edge of the support, in half widths of a sole,
    free_reserve: float = 0.3  # and before arms and head go slower
    catch_up: float = 0.08  # time in which those that lag behind catch up [s]
    hurry: float = 0.8  # how fast that speed may grow [1/s]
    settle: float = 0.3  # time in which the legs near their goal [s]
    feel: float = 0.12  # time over which it is felt how far the center of mass is from where it was sent [s]
    lean: float = 38.0  # of the trunk at most, from how it stands in the stance [deg]
    plane: float = 0.012  # how far the soles may be apart in height to count as standing [m]
    level: float = 8.0  # and how far they may be tilted against each other [deg]


class StandFilter:
    """Keeps commanded joint targets such that the robot stands; pure: targets in, targets out.

    Args:
        body: its legs, soles and masses.
        settings: margins and speeds.
    """

    def __init__(self, body: BipedBody, settings: StandSettings | None = None) -> None:
        self.body, self.settings = body, settings or StandSettings()
        self._masses, self._feet = tuple(body.tree), tuple(body.legs)  # as the kernels take them
        legs, tree = body.legs, body.tree
        self.carrying = np.zeros(len(body.names), dtype=bool)  # joints of the legs
        self.carrying[tree.joint[legs.moved]] = True
        own = [int(np.flatnonzero((legs.variable == u) & (legs.gain == 1.0))[0]) for u in range(len(legs.lower))]
        self._own = tree.joint[legs.moved[own]]  # joint of each unknown
        self._top = np.where(np.isfinite(body.speeds), body.speeds, 2.0 * math.pi)
        half = min(0.5 * (sole.box[3] - sole.box[2]) for sole in body.soles)
        self.margin, self.press = self.settings.margin * half, self.settings.press * half  # [m]
        self.reserve, self.free_reserve = self.settings.reserve * half, self.settings.free_reserve * half
        self.supports: tuple[int, ...] = BOTH  # feet that carry
        self._alone = False  # the other foot is free
        self._foot = LEFT  # whose sole is level, and whose axes all is told in
        self._pose: Array | None = None  # of the right sole seen from the left one (4, 4), None: it does not stand
        self.positions = np.zeros(0)  # that it meant the joints to have last [rad], and
        self._center = np.zeros(3)  # the center of mass in the one before it
        self._spin = np.zeros(6)  # of the other joints' masses in the last period [kg m²],
        self._pushed = np.zeros(2)  # and how far its change pushes the pressure point [m]
        self._speed = 0.0  # of the legs, as a fraction of the joints' top speeds
        self._off = np.zeros(2)  # by how much the center of mass is off, as it is felt [m]
        self.wanted = np.zeros(0)  # targets that were asked for last,
        self.before = np.zeros(0)  # and those before them
        self._least = np.zeros(len(body.names))  # smallest distance of each joint from its command,
        self._since = np.zeros(len(body.names))  # and how long it has not become smaller [s]

    # ---- what it knows -----------------------------------------------------------------------------
    @property
    def engaged(self) -> bool:
        """Whether it has the joints."""
        return self._pose is not None

    @property
    def lean(self) -> float:
        """Of the trunk in the last targets, from the stance [rad]."""
        return self.seen(self.positions)[2]

    def tilt(self, up: Array | None) -> float:
        """Of the trunk from how it stands in the stance [rad], up (3,) being the vertical in axes of the root."""
        return 0.0 if up is None else math.acos(max(-1.0, min(1.0, float(self.body.upright[2] @ up))))

    @property
    def refused(self) -> dict[str, float]:
        """Joints of the legs that are held away from their commands, and by how much [rad]."""
        if not self.engaged or not len(self.wanted):
            return {}
        gap = self.positions - self.wanted
        return {
            name: float(gap[k])
            for k, name in enumerate(self.body.names)
            if self.carrying[k] and abs(gap[k]) > TOLD and k in self._own
        }

    @property
    def lagging(self) -> np.ndarray:
        """Which joints (joints,) are not where they were sent, but come nearer."""
        if not self.engaged or not len(self.wanted):
            return np.zeros(len(self.body.names), dtype=bool)
        return np.asarray((np.abs(self.positions - self.wanted) > REACHED) & (self._since < STUCK))

    def wanted_of(self, name: str) -> float:
        """Target of a joint that was asked for last [rad]."""
        return float(self.wanted[self.body.names.index(name)])

    def seen(self, q: Array) -> tuple[Array, Array, float]:
        """Pose of the other sole (4, 4) and center of mass (3,) [m] from that of the foot, lean of the trunk [rad]."""
        return self._seen(q)[:3]

    def _seen(self, q: Array) -> tuple[Array, Array, float, Array]:
        """As `seen`, and the trunk's up (3,)."""
        pose, center, up = np.eye(4), np.empty(3), np.empty(3)
        seen_from_sole(q, self._masses, self._feet, self._foot, self.body.upright, pose, center, up)
        return pose, center, math.acos(max(-1.0, min(1.0, float(up[2])))), up

    def support(self, pose: Array, feet: tuple[int, ...] | None = None) -> Array:
        """Corners (n, 2) of the soles of some feet or those that carry [m], the other foot's sole being at (4, 4)."""
        soles = self.body.soles
        other = soles[1 - self._foot].outline @ pose[:2, :2].T + pose[:2, 3]
        return np.concatenate([soles[k].outline if k == self._foot else other for k in feet or self.supports])

    def stands(self, q: Array) -> bool:
        """Whether a robot stands in q (joints,): soles in one plane, trunk upright, center of mass over them."""
        s = self.settings
        pose, center, lean = self.seen(q)
        tilt = math.acos(max(-1.0, min(1.0, float(pose[2, 2]))))
        flat = abs(float(pose[2, 3])) < s.plane and tilt < math.radians(s.level)
        upright = lean < math.radians(s.lean + 5.0)
        return flat and upright and margin(self.support(pose), center[:2]) > 0.0

    # ---- one period --------------------------------------------------------------------------------
    def begin(self, q: Array) -> bool:
        """Take the joints over at targets q (joints,); False where the robot does not stand in them."""
        self.supports, self._alone, self._foot = BOTH, False, LEFT
        q = self.joined(q)
        if not self.stands(q):
            return False
        self._pose, self.positions = self.seen(q)[0], q.copy()
        self.wanted, self.before = q.copy(), q.copy()
        self._center, self._speed, self._off = self.seen(q)[1], 0.0, np.zeros(2)
        self._spin, self._pushed = np.zeros(6), np.zeros(2)
        self._least[:], self._since[:] = 0.0, 0.0
        return True

    def joined(self, q: Array) -> Array:
        """The same joints (joints,), those of the legs that follow another one mechanically where that one puts them.

        Commands tell nothing of such a joint: NAO's two hip yaw joints are one servo.
        """
        legs, out = self.body.legs, q.copy()
        out[self.body.tree.joint[legs.moved]] = legs.gain * q[self._own[legs.variable]]
        return out

    def end(self) -> None:
        """Let the joints go."""
        self._pose = None

    def rest_on(self, *feet: int, alone: bool = False) -> None:
        """Keep the center of mass over these feet; another one stays where it is, or is free where they stand alone."""
        self.supports = tuple(feet) or BOTH
        self._alone = alone and len(self.supports) == 1
        if len(self.supports) == 1:
            self._foot = self.supports[0]
        if self.engaged:
            self._pose, self._center, _ = self.seen(self.positions)
            self._off = np.zeros(2)

    def limit(self, wanted: Array, dt: float, felt: Array | None = None, up: Array | None = None) -> Array:
        """Targets (joints,) that keep it standing, as near to the wanted ones as they can be after dt [s].

        felt (joints,): measured positions, NaN where nobody measures; up (3,): the vertical in axes of the root as it
        is felt. Servos that give way and soles that tilt shift the center of mass, seen along the vertical.
        """
        assert self._pose is not None
        s, before = self.settings, self.positions
        self.before, self.wanted = self.wanted, np.array(wanted, dtype=float)
        goal = wanted[self._own]
        gap = goal - before[self._own]
        far = float(np.max(np.abs(gap) / self._top[self._own]))  # [s at the top speeds]
        self._speed = min(s.speed, self._speed + s.hurry * dt, far / s.settle)
        step = gap * min(1.0, self._speed * dt / max(far, 1e-12))
        pose, center, _, up_before = self._seen(before)
        if self._alone:
            self._pose = pose
        if felt is not None:
            off = np.clip(self._felt_center(felt, up) - center[:2], -self.margin, self.margin)
            self._off += min(1.0, dt / s.feel) * (off - self._off)
        lines = edges(self.support(self._pose))
        whole = self._alone or self.supports == BOTH  # all that touches the ground carries
        ground = lines if whole else edges(self.support(self._pose, BOTH))
        out = np.where(self.carrying, before, self._freely(before, ground, center, dt))
        normals, bound = self._bounds(lines, ground, center, up_before, dt)
        self._center = center
        goal = before[self._own] + step
        keep(
            out,
            goal,
            self._masses,
            self._feet,
            self._foot,
            self.body.upright,
            self._pose,
            not self._alone,
            normals,
            bound,
            ROUNDS,
        )
        self.positions = out
        self._watch(dt)
        return out + self._bend(out)

    def _watch(self, dt: float) -> None:
        """Keep track of which joints come nearer to their commands."""
        gap = np.abs(self.positions - self.wanted)
        nearer = (self.wanted != self.before) | (gap < self._least - REACHED)
        self._least = np.where(nearer, gap, self._least)
        self._since = np.where(nearer, 0.0, self._since + dt)

    def _freely(self, before: Array, lines: Array, center: Array, dt: float) -> Array:
        """Positions (joints,) of joints that do not carry: as wanted, all slower where their swing could tip the robot.

        Arms whose spin about the sole changes by L' push the pressure point aside by L' / (m g).
        """
        gap = np.where(self.carrying, 0.0, self.wanted - before)
        lags = np.maximum(np.abs(self.wanted - self.before), np.abs(gap) * min(1.0, dt / self.settings.catch_up))
        most = np.minimum(self._top * dt, lags)
        step, spin, part = np.clip(gap, -most, most), np.zeros(6), 1.0
        scale = 1.0 / (self.body.mass * GRAVITY * dt * dt)
        rest = -scale * self._spin  # what stopping at once would do
        if step.any():
            spin_between(before, before + step, self._masses, self._feet, self._foot, spin)
            room = lines[:, :2] @ (center[:2] + _aside(rest[3:])) - lines[:, 2] - self.free_reserve
            part = _share(lines[:, :2] @ _aside(scale * spin[3:]), room)
        self._spin, self._pushed = part * spin, _aside(rest[:3] + part * scale * spin[:3])
        return np.asarray(before + part * step)

    def _felt_center(self, felt: Array, up: Array | None) -> Array:
        """Where the center of mass is over the foot's sole (2,) [m], along the vertical."""
        q = np.where(np.isfinite(felt), felt, self.positions)
        center = self.seen(q)[1]
        if up is None:
            return center[:2]
        turn, place = np.empty((3, 3)), np.empty(3)
        root_from_sole(q, self._masses, self._feet, self._foot, turn, place)
        vertical = turn @ up
        return np.asarray(center[:2] - center[2] * vertical[:2] / max(float(vertical[2]), 0.5))

    def _bounds(self, lines: Array, ground: Array, center: Array, up: Array, dt: float) -> tuple[Array, Array]:
        """Normals (n, 4) and bounds (n,) that center of mass [m] and trunk's up keep: see `stand_kernels.keep`.

        Edges of the support, lines (n, 3) as `edges` tells them; the pressure point p = c - c'' z / g + s within
        `press` of the center of mass and, s being the push of the other joints, inside the edges of all soles on the
        ground (m, 3); and a lean of at most `lean`.
        """
        s = self.settings
        need = lines[:, 2] + self.margin - lines[:, :2] @ self._off
        inside = lines[:, :2] @ center[:2] - need
        tau = np.where(inside > 0.0, s.approach, s.regain)
        edge = need + inside * (1.0 - np.minimum(1.0, dt / tau))
        coming = 2.0 * center[:2] - self._center[:2]
        per_meter = GRAVITY / max(float(center[2]), 0.05) * dt * dt
        most = self.press * per_meter
        if (inside < 0.0).any():
            most *= REGAIN
        n, m = len(lines), len(lines) + len(ground)
        normals = np.zeros((m + 5, 4))
        normals[:n, :2], normals[n:m, :2], normals[m:-1, :2] = lines[:, :2], -ground[:, :2], AXES
        room = ground[:, :2] @ (center[:2] + self._pushed) - ground[:, 2] - self.reserve
        room = np.maximum(room, -self.press) * per_meter
        stays = -ground[:, :2] @ coming - room
        edge = np.minimum(edge, lines[:, :2] @ coming + (np.minimum(most, room) if lines is ground else most))
        aside = float(np.hypot(up[0], up[1]))
        normals[-1, 2:] = -up[:2] / max(aside, 1e-9)
        top = math.sin(math.radians(s.lean))
        lean = aside + (top - aside) * min(1.0, dt / s.approach)
        return normals, np.concatenate([edge, stays, AXES @ coming - most, [-max(lean, aside - 0.5 * dt)]])

    def _bend(self, q: Array) -> Array:
        """How far servos give way under the weight (joints,) [rad]: targets lie so far ahead of positions."""
        body = self.body
        root, torso, pose, center = np.empty((3, 3)), np.empty(3), np.eye(4), np.empty(3)
        seen_from_sole(q, self._masses, self._feet, self._foot, body.upright, pose, center, np.empty(3))
        root_from_sole(q, self._masses, self._feet, self._foot, root, torso)
        over, other = (float(center[0]), float(center[1])), (float(pose[0, 3]), float(pose[1, 3]))
        bend: Array = body.carry(q, root, torso, self._foot, over, other, not self._alone) / body.kp
        return bend


def _aside(spin: Array) -> Array:
    """Direction (2,) in which the pressure point goes for the floor to turn a robot by spin (3,)."""
    return np.array([-spin[1], spin[0]])


def _share(moves: Array, room: Array) -> float:
    """The largest part x of 1 with room + x moves >= 0 in every row; where there is none, that which misses least."""
    if (room + moves >= 0.0).all():
        return 1.0
    low, high = 0.0, 1.0
    helps, harms = moves > 0.0, moves < 0.0
    if helps.any():
        low = max(0.0, float((-room[helps] / moves[helps]).max()))
    if harms.any():
        high = min(1.0, float((room[harms] / -moves[harms]).min()))
    if low <= high:
        return min(high, 1.0)
    tried = np.linspace(0.0, 1.0, 21)
    return float(tried[np.argmax((room[:, None] + moves[:, None] * tried).min(axis=0))])
