"""The walk on two legs: a velocity and sensor readings in, joint targets out.

The plan is a linear inverted pendulum over footsteps (see `footsteps`); legs, soles and masses come from the file.
The whole body is placed by inverse kinematics so that its center, weighed by what masses press when they sway, goes
where the pendulum goes. Errors of the divergent component and tilts of the standing foot beyond what is usual are
answered by where and when the next foot comes down; each landing takes the pendulum over as measured.
"""

from __future__ import annotations

import math
from collections import deque
from copy import deepcopy
from typing import Literal

import numpy as np

from andante.description import Robot
from andante.geometry import Array, se2
from andante.locomotion.behaviour import Command, Places, Readings, Walker
from andante.locomotion.rigs.balance import margin
from andante.locomotion.rigs.rig import Rig, free_joints

from .body import BipedBody, planned_push
from .command_set import CommandSet, Velocity, command_set
from .estimation import Alarm, BipedOdometry, BipedSense
from .footsteps import (
    LEFT,
    RIGHT,
    Step,
    Swing,
    advance,
    angles_of,
    choose_step,
    coming_offset,
    leaning,
    leveled,
    next_step,
    seen_from,
    shift_fraction,
    starting_offset,
    turned,
)
from .settings import BipedMeasures, BipedSettings
from .strength import check_strength

Phase = Literal["stand", "shift", "walk"]
Pair = tuple[float, float]

LEVEL = np.eye(3)
LANDED = 0.3  # load of a foot that has met the ground early [body weights]
SAG_FRACTION = 0.1  # of a new reading of how far the servos give way
BOUNDARY = 0.06  # a stand steps when the divergent component comes this near to the edge, in heights of the center


class BipedWalk(Walker):
    """A walk on two legs. All lengths are seen from the standing sole: x along it, y to the left, z up."""

    def __init__(self, robot: Robot, rig: Rig, settings: BipedSettings | None = None) -> None:
        self.settings = s = settings or BipedSettings()
        self.body = body = BipedBody(robot, rig)
        self.measures, shift = self._stand_up(body.stance_height if s.height is None else s.height)
        m = self.measures
        self.pose = dict(zip(body.names, self._q.tolist(), strict=True))
        self.sense = BipedSense(body, m.rate, shift)
        self.odometry = BipedOdometry((0.0, 0.5 * m.width, 0.0), m.rate)
        self._shift = shift[:2]
        self._free = free_joints(robot, rig)
        self._growth = math.exp(m.rate * m.step_time)
        self._fraction = shift_fraction(m.rate, m.double)
        self._weights = np.array([s.weigh_place, m.weigh_time, s.weigh_error])
        self._found = np.zeros(6)
        # ---- state
        self.phase: Phase = "stand"
        self.stance = LEFT
        self.time = 0.0  # since the step began [s]
        self.left = m.step_time  # until it ends [s]
        self.swing = Swing((0.0, -m.width, 0.0, 0.0, 0.0, 0.0))
        self.place, self.speed = (m.pressure, -0.5 * m.width), (0.0, 0.0)  # of the pendulum
        self.pressure: Pair = (m.pressure, -0.5 * m.width)
        self.step: Step = (0.0, -m.width, 0.0)  # where the next foot goes
        self.error: Pair = (0.0, 0.0)  # of the divergent component, beyond what is left alone
        self.disturbed = False
        self.alarm = Alarm(m)
        self.velocity = [0.0, 0.0, 0.0]  # commanded, ramped, heading held
        self.sag = 1.0  # how far servos give way under the planned load, 1: as their stiffness implies
        self._ramped = [0.0, 0.0, 0.0]
        self._commanded = False
        self._heading_goal = 0.0
        self._pressed: Pair = (m.pressure, 0.0)
        self._before: Pair = (0.0, 0.0)  # where the foot before stands
        self._past: deque[Pair] = deque(maxlen=32)  # divergent components that were wanted
        self._yaw, self._lean, self._height = 0.0, (0.0, 0.0), m.height
        self._tilt: Array | None = None  # of the standing foot
        self._joint_speed = np.zeros(len(body.names))  # of the last targets [rad/s]
        self._sent: tuple[Array, Array] | None = None  # targets and how far each should give way
        self._blind = False  # it feels what it plans, see `ahead`
        self.missed = 0.0  # by the inverse kinematics of the last targets [m]
        self.torques = np.zeros(len(body.names))  # that carry the planned push [N m]
        self.commands: CommandSet | None = None  # until it is known, everything within the tops
        check_strength(self)
        self.commands = command_set(self)

    def _stand_up(self, height: float) -> tuple[BipedMeasures, Array]:
        """Solve the stance; the walk's measures, and the weighed center of mass seen from the true one."""
        body, s = self.body, self.settings
        self._q = body.stance.copy()
        first = BipedMeasures.of(s, body, height, body.rig.center_height)
        feet = np.array([[0.0, 0.5 * first.width, 0.0], [0.0, -0.5 * first.width, 0.0]])
        level = np.array([LEVEL, LEVEL])
        over = np.array([first.pressure, 0.0])
        _, left, self._torso = body.reach(self._q, 0.0, feet, level, over, height, body.upright, 0.0, 40)
        body.check_stance(left)
        true = body.upright @ body.center(self._q)
        measures = BipedMeasures.of(s, body, height, height + float(true[2]))
        body.stance = self._q.copy()
        body.weigh(height, s.sway * math.pi / measures.step_time)
        self._feet, self._turns = feet, level
        return measures, body.upright @ body.center(self._q) - true

    # ---- what it can do and knows ----------------------------------------------------------------
    @property
    def max_speed(self) -> float:
        """Straight ahead [m/s]."""
        return self.measures.max_speed

    @property
    def max_turn(self) -> float:
        """On the spot [rad/s]."""
        return self.measures.max_turn

    @property
    def stopping_time(self) -> float:
        """From top speed to a stand [s]."""
        return self.measures.max_speed / self.measures.acceleration + 2.0 * self.measures.step_time

    @property
    def approach(self) -> float:
        """Time in which a goal should be approached, so that the last steps are short [s]."""
        return 4.0 * self.measures.step_time

    @property
    def standing(self) -> bool:
        """Whether it has come to rest after the last command."""
        return self.phase == "stand" and self.time > self.measures.rest

    @property
    def position(self) -> Array:
        """x, y [m] and heading, unwrapped [rad], of the middle between the feet in the frame of the start."""
        return np.array(self.odometry.middle(self.sense.other))

    @property
    def free_joints(self) -> frozenset[str]:
        """All but those of the legs."""
        return self._free

    @property
    def footsteps(self) -> tuple[Places, Places]:
        """Soles that stand, and where the one in the air will come down."""
        x, y, yaw = self.sense.other
        stance = se2.compose(self.position, se2.inverse((0.5 * x, 0.5 * y, 0.5 * yaw)))
        feet = [leg.foot for leg in self.body.rig.legs]
        own, other = feet[self.stance], feet[1 - self.stance]
        if self.phase != "walk":
            return {own: stance, other: se2.compose(stance, (x, y, yaw))}, {}
        return {own: stance}, {other: se2.compose(stance, self.step)}

    @property
    def tilt(self) -> Pair:
        """Measured roll and pitch of the body [rad]."""
        return self.sense.attitude.roll, self.sense.attitude.pitch

    @property
    def divergent(self) -> Pair:
        """Measured divergent component of motion, seen from the standing sole [m]."""
        return self.sense.divergent

    @property
    def support(self) -> Array:
        """(corners, 2) points that the robot stands on, seen from the standing sole [m]: soles that carry."""
        soles = self.body.soles
        points = [soles[self.stance].outline]
        if self.phase != "walk" or self.sense.loads[1 - self.stance] > 0.1:
            x, y, yaw = self.sense.other
            points.append(soles[1 - self.stance].outline @ turned(yaw)[:2, :2].T + [x, y])
        return np.concatenate(points)

    @property
    def support_margin(self) -> float:
        """How far the divergent component lies inside the support, negative outside [m]."""
        return float(margin(self.support, np.array(self.divergent)))

    def ahead(self) -> BipedWalk:
        """A copy that feels what it plans, so that the targets of the coming time can be asked for now."""
        made = deepcopy(self, {id(self.body): self.body})
        made._blind, made.error, made.disturbed, made._tilt = True, (0.0, 0.0), False, None
        return made

    def begin(self, velocity: Velocity) -> None:
        """Be up to a velocity at once; for a walk in thought."""
        self._ramped = list(velocity)

    # ---- one control step ------------------------------------------------------------------------
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        if self._blind:
            x, y, _, yaw, _, _ = self.swing.pose
            self.sense.other = (x, y, yaw)
        else:
            self._estimate(readings, dt)
        self._follow(command, dt)
        if self.phase == "stand":
            pressure = self._stand(command, dt)
        elif self.phase == "shift":
            pressure = self._shift_over(dt)
        else:
            pressure = self._walk(dt)
        self._advance(pressure, dt)
        return self._targets(dt)

    def _estimate(self, readings: Readings, dt: float) -> None:
        w, sense = self.measures.rate, self.sense
        planned = (w * w * (self.place[0] - self.pressure[0]), w * w * (self.place[1] - self.pressure[1]))
        sense.update(readings, self.stance, planned, self._yaw, dt)
        self.odometry.measure(sense.other, sense.loads, self.time)
        if self.phase == "walk" and self.time > 0.5 * self.measures.step_time:
            self.odometry.lifted()
        if self.phase == "stand" and self._sent is not None and sense.attitude.seen > 0.5 * sense.attitude.first:
            gap, bend = self._sent[0] - readings.position, self._sent[1]
            whole = float(bend @ bend)
            if whole > 0.0:
                self.sag += SAG_FRACTION * (max(0.0, min(1.0, float(gap @ bend) / whole)) - self.sag)
        off, lean = (0.0, 0.0), (0.0, 0.0)
        ago = round(self.measures.lag / dt) + 1
        if len(self._past) >= ago and sense.attitude.seen > sense.attitude.first:
            then, now = self._past[-ago], sense.divergent
            off, lean = (now[0] - then[0], now[1] - then[1]), (sense.foot_roll, sense.foot_pitch)
        self.alarm.update(off, lean, dt)
        self.error, self._tilt, self.disturbed = self.alarm.error, self.alarm.tilt, self.alarm.on

    def _follow(self, command: Command, dt: float) -> None:
        """Ramp the command, within what is possible, and hold the heading by the steps that were measured."""
        m = self.measures
        self._commanded = command.moving
        tops = (m.max_speed, m.max_side, m.max_turn)
        goal = self._shaped((command.vx, command.vy, command.wz))
        for i in range(3):
            most = m.acceleration * tops[i] / m.max_speed * dt
            self._ramped[i] += max(-most, min(most, goal[i] - self._ramped[i]))
        self.velocity = list(self._shaped((self._ramped[0], self._ramped[1], self._ramped[2])))
        heading = self.odometry.middle(self.sense.other)[2]
        if self.phase == "walk":
            self._heading_goal += self._ramped[2] * dt
            held = self._ramped[2] + m.heading_gain * (self._heading_goal - heading)
            self.velocity[2] = max(-m.max_turn, min(m.max_turn, held))
        else:
            self._heading_goal = heading

    def _shaped(self, velocity: Velocity) -> Velocity:
        return velocity if self.commands is None else self.commands.shaped(velocity)

    def _next(self, stance: int) -> Step:
        vx, vy, wz = self.velocity
        return next_step((vx, vy, wz), stance, self.measures.width, self.measures.step_time)

    def _wanted(self) -> Pair:
        w = self.measures.rate
        return self.place[0] + self.speed[0] / w, self.place[1] + self.speed[1] / w

    # ---- standing and starting -------------------------------------------------------------------
    def _stand(self, command: Command, dt: float) -> Pair:
        """Pull the pendulum to the middle of the feet; begin to walk when commanded or when a push leaves no choice."""
        m = self.measures
        self.time += dt
        if self._must_step():
            return self._walk(dt)
        if command.moving:
            aside = self._ramped[1] or self._ramped[2]
            if aside and (aside > 0.0) == (self.stance == LEFT):
                self._change_foot()  # the foot on the outside goes first
            self.phase, self.time = "shift", 0.0
            return self._shift_over(dt)
        x, y = self._wanted()
        middle = (m.pressure + 0.5 * self.swing.pose[0], 0.5 * self.swing.pose[1])
        gain = 1.0 + m.stand_gain / m.rate
        return self._inside(middle[0] + gain * (x - middle[0]), middle[1] + gain * (y - middle[1]), 0.0)

    def _must_step(self) -> bool:
        """Whether a stand has been pushed over the edge; then it becomes a step with the right foot."""
        if not self.disturbed:
            return False
        x, y = (a + e for a, e in zip(self._wanted(), self.error, strict=True))
        room = BOUNDARY * self.measures.center
        if margin(self.support, np.array([x, y])) > room:
            return False
        middle = 0.5 * self.swing.pose[1]
        off = y - middle
        if abs(off) > 0.2 * self.measures.width and (off > 0.0) == (self.stance == LEFT):
            self._change_foot()
        else:
            self._take_over()
        self._lift_off()
        return True

    def _shift_over(self, dt: float) -> Pair:
        """Bring the pendulum to where the first step begins, by the pressure point that does it in the time left."""
        m = self.measures
        x, y = (a + e for a, e in zip(self._wanted(), self.error, strict=True))
        bx, by = starting_offset(self._next, self.stance, self._growth)
        growth = math.exp(m.rate * max(m.shift_time - self.time, dt))
        self.time += dt
        if self.time >= m.shift_time - 1e-9:
            self._lift_off()
        px = (m.pressure + bx - x * growth) / (1.0 - growth)
        return self._inside(px, (by - y * growth) / (1.0 - growth), 0.4)

    def _lift_off(self) -> None:
        m = self.measures
        self.phase, self.time, self.left = "walk", m.double, m.step_time - m.double
        self._before = (0.0, 0.0)
        self.swing = Swing(tuple(self.swing.pose))  # type: ignore[arg-type]

    def _inside(self, x: float, y: float, outside: float) -> Pair:
        """A pressure point within both soles; `outside`: how far beyond the ankles, in widths."""
        m, (heel, toe, _, _) = self.measures, self.body.soles[self.stance].box
        low = min(0.0, self.swing.pose[1]) - outside * m.width
        high = max(0.0, self.swing.pose[1]) + outside * m.width
        return max(heel + m.margin, min(toe - m.margin, x)), max(low, min(high, y))

    # ---- walking ---------------------------------------------------------------------------------
    def _walk(self, dt: float) -> Pair:
        """One control step of a walk: choose the coming step, press the sole, move the other foot, change feet."""
        m = self.measures
        remain = m.double - self.time
        if self.left > m.last_change or remain > 0.0:
            self._choose(remain, dt)
        px, py = self._pressed
        if remain > 1e-9:  # the load is still going over
            fraction = max(0.0, min(1.0, (remain - 0.5 * dt) / m.double))
            px, py = px + fraction * self._before[0], py + fraction * self._before[1]
        self.time += dt
        self.left -= dt
        if self.time > m.double:
            self.swing.advance(self._goal(), self.time - m.double, max(self.left, 0.0), m.lift, dt)
        if self.left > 1e-9 and not self._met_ground():
            return px, py
        step = self._change_foot()
        if not (self._commanded or any(self._ramped) or self.disturbed) and self._side_by_side():
            self.phase = "stand"
        return seen_from(step, px, py)

    def _choose(self, remain: float, dt: float) -> None:
        m, s = self.measures, self.settings
        wanted, bx, by = coming_offset(self._next, self.stance, self._growth, self._fraction)
        shift = np.zeros(2)
        if remain > 1e-9:
            part = shift_fraction(m.rate, remain) * remain / m.double
            shift[0], shift[1] = part * self._before[0], part * self._before[1]
        heel, toe, right, left = self.body.soles[self.stance].box
        near, far = (m.narrowest, m.widest) if self.stance == RIGHT else (-m.widest, -m.narrowest)
        usual = max(m.step_time - self.time, dt)
        shortest = longest = usual
        if self.alarm.hurry:
            shortest = max(s.shortest * m.step_time - self.time, m.soonest, remain)
            longest = max(usual, s.longest * m.step_time - self.time)
        x, y = self._wanted()
        args = (
            np.array([m.pressure, 0.0]), np.array([heel + m.margin, right + m.margin]),
            np.array([toe - m.margin, left - m.margin]), shift, np.array(wanted[:2]), np.array([m.reach_back, near]),
            np.array([m.reach_ahead, far]), np.array([bx, by]), np.array(self.swing.pose[:2]), m.quick, m.rate,
        )  # fmt: skip
        measured = np.array([x + self.error[0], y + self.error[1]])
        found = self._found
        self.left = choose_step(measured, *args, usual, shortest, longest, dt, m.calm_control, self._weights, found)
        self.step = (float(found[0]), float(found[1]), wanted[2])
        if self.disturbed:  # the body itself goes on as planned, in the time that the step now takes
            choose_step(
                np.array([x, y]), *args, self.left, self.left, self.left, dt, m.calm_control, self._weights, found
            )  # fmt: skip
        self._pressed = (float(found[2]), float(found[3]))

    def _goal(self) -> tuple[float, float, float, float, float, float]:
        """Where the swinging foot comes down, level on the ground even when the standing one is not."""
        x, y, yaw = self.step
        if self._tilt is None:
            return x, y, 0.0, yaw, 0.0, 0.0
        return leveled(self.step, self._tilt, self.body.soles[self.stance].outline)

    def _met_ground(self) -> bool:
        """Whether the swinging foot of a pushed walk has come down before its time."""
        swung = self.time - self.measures.double
        return (
            self.alarm.hurry
            and swung > self.measures.early
            and self.left > self.measures.last
            and self.sense.loads[1 - self.stance] > LANDED
        )

    def _side_by_side(self) -> bool:
        x, y, yaw = self.swing.step
        width = self.measures.width
        return abs(x) < 0.04 * width and abs(yaw) < 0.02 and abs(abs(y) - width) < 0.06 * width

    # ---- change of feet --------------------------------------------------------------------------
    def _change_foot(self) -> Step:
        """See everything from the other foot, which stands from now on; its pose as it was seen before."""
        k = self.stance
        turn, at = self._turns[1 - k], self._feet[1 - k]
        step = (float(at[0]), float(at[1]), angles_of(turn)[0])
        wanted = self._wanted()
        measured = seen_from(step, wanted[0] + self.error[0], wanted[1] + self.error[1])
        rotation = turn.T @ turned(self._yaw) @ leaning(*self._lean)
        torso = turn.T @ (self._torso - at)
        if self.disturbed:  # take over what was measured; the lean that is left fades
            center = rotation @ (self.body.upright @ self.body.center(self._q)) + torso
            self.place = (float(center[0] - self._shift[0]), float(center[1] - self._shift[1]))
            rate = self.measures.rate
            self.speed = ((measured[0] - self.place[0]) * rate, (measured[1] - self.place[1]) * rate)
            self._yaw, roll, pitch = angles_of(rotation)
            self._lean, self._height = (roll, pitch), float(torso[2])
            self._past.clear()
        else:
            self.place = seen_from(step, *self.place)
            self.speed = seen_from((0.0, 0.0, step[2]), *self.speed)
            self._yaw -= step[2]
            self._past = deque((seen_from(step, *each) for each in self._past), maxlen=self._past.maxlen)
        away = -(turn.T @ at)
        self.swing = Swing((float(away[0]), float(away[1]), float(away[2]), *angles_of(turn.T)))
        self._before = (float(away[0]), float(away[1]))
        self.odometry.change_foot(self.sense.other)
        self.sense.change_foot()
        self.pressure = seen_from(step, *self.pressure)
        self._pressed = (self.measures.pressure, 0.0)
        self.stance, self.time, self.left = 1 - k, 0.0, self.measures.step_time
        return step

    def _take_over(self) -> None:
        """Let the pendulum be what was measured."""
        rate = self.measures.rate
        self.speed = (self.speed[0] + rate * self.error[0], self.speed[1] + rate * self.error[1])
        self._past.clear()
        self.error = (0.0, 0.0)

    # ---- pendulum and joints ---------------------------------------------------------------------
    def _advance(self, pressure: Pair, dt: float) -> None:
        rate = self.measures.rate
        x, vx = advance(self.place[0], self.speed[0], pressure[0], rate, dt)
        y, vy = advance(self.place[1], self.speed[1], pressure[1], rate, dt)
        self.place, self.speed = (x, y), (vx, vy)
        self.pressure = pressure
        self._past.append(self._wanted())

    def _targets(self, dt: float) -> Array:
        body, k = self.body, self.stance
        x, y, z, yaw, roll, pitch = self.swing.pose
        feet, turns = np.zeros((2, 3)), np.empty((2, 3, 3))
        feet[1 - k] = x, y, z
        turns[k], turns[1 - k] = LEVEL, turned(yaw) @ leaning(roll, pitch)
        self._feet, self._turns = feet, turns
        fade = math.exp(-dt / self.measures.fade)
        self._lean = (fade * self._lean[0], fade * self._lean[1])
        self._height = self.measures.height + fade * (self._height - self.measures.height)
        upright = leaning(*self._lean) @ body.upright
        ahead = x if k == LEFT else -x  # of the right foot
        before = self._q.copy()
        for joint, sign in body.arms:
            self._q[joint] = body.stance[joint] + sign * self.measures.arms * ahead
        over = np.array([self.place[0] + self._shift[0], self.place[1] + self._shift[1]])
        self._yaw, self.missed, self._torso = body.reach(
            self._q, self._yaw, feet, turns, over, self._height, upright, 0.5 * yaw, 2
        )  # fmt: skip
        both = self.phase != "walk" or self.time < self.measures.double
        push = planned_push(body.mass, self.measures.rate, self.place, self.pressure, (x, y), both)
        self.torques = body.carry(self._q, turned(self._yaw) @ upright, self._torso, k, (x, y), push)
        bend = self.torques / body.kp
        out = self._q + self.sag * bend
        if self.measures.lead:
            speed = (self._q - before) / dt
            out += self.measures.lead * speed + body.servo_inertia * (speed - self._joint_speed) / dt
            self._joint_speed = speed
        self._sent = (out, bend)
        targets: Array = out.copy()
        return targets
