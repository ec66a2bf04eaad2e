"""The walk on two legs: a velocity and sensor readings in, joint targets out.

The plan is a linear inverted pendulum over footsteps (see `footsteps`); legs, soles and masses come from the file.
The whole body is placed by inverse kinematics so that its center, weighed by what masses press when they sway, goes
where the pendulum goes. Errors of the divergent component and tilts of the standing foot beyond what is usual are
answered by where and when the next foot comes down; each landing takes the pendulum over as measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np

from andante.description import Robot
from andante.geometry import Array
from andante.locomotion.behaviour import Command, Readings
from andante.locomotion.rigs.balance import margin
from andante.locomotion.rigs.rig import Rig, free_joints

from .arms import clear_swing
from .command_set import CommandSet, Velocity, command_set
from .estimation import CARRIES
from .figure import LEVEL, LEVEL_FEET, Pair
from .footsteps import (
    LEFT,
    RIGHT,
    Swing,
    leveled,
    meet_step,
    plan_step,
    seen_from,
    shift_fraction,
    starting_offset,
)
from .ground import FLAT
from .landing import BRISK, KNOWN, BipedLanding
from .settings import BipedSettings
from .step_plan import AHEAD, PlannedStep, StepLimits, StepPlan
from .strength import check_strength

LANDED = 0.3  # load of a foot that has met the ground early while a push is caught [body weights]
UNTOLD = 4.0  # times in which a tilt is first known: a robot that tells none walks then
SAG_FRACTION = 0.1  # of a new reading of how far the servos give way
STEADY = 0.1  # of the top speeds: a velocity that changes less is steady
SOFTLY = 0.2  # of the top speeds: what is walked on soft ground
CAREFUL = 0.2  # the same aside and in turns on ground that is known to be uneven
STUMBLE = 1.6  # errors on uneven ground that end a walk, beside those that free the time of steps
RETREAT = 0.4  # of the top speed: how fast it goes back from a step that is too high
LONGEST_RETREAT = 12.0  # [steps]
CLEAR = 0.3  # of a sole's length: how far it goes back beyond where the ground was even
BOUNDARY = 0.06  # a stand steps when the divergent component comes this near to the edge, in heights of the center


class BipedWalk(BipedLanding):
    """A walk on two legs."""

    last_step = 0.5

    def __init__(self, robot: Robot, rig: Rig, settings: BipedSettings | None = None) -> None:
        super().__init__(robot, rig, settings or BipedSettings())
        s, m = self.settings, self.measures
        self.pose = dict(zip(self.body.names, self._q.tolist(), strict=True))
        self._free = free_joints(robot, rig)
        self._growth = math.exp(m.rate * m.step_time)
        self._fraction = shift_fraction(m.rate, m.double)
        self._weights = np.array([s.weigh_place, m.weigh_time, s.weigh_error])
        self._numbers = np.array(
            [m.width, m.step_time, self._growth, self._fraction, m.rate, m.double, m.pressure, m.quick, m.calm_control]
        )
        self._bounds = np.array([self._bounds_on(k) for k in (LEFT, RIGHT)])
        # ---- state
        self.stopped = ""  # why it has stopped by itself
        self._even = (0.0, 0.0)  # where the ground was even last [m]
        self._back: Command | None = None  # how it goes back there
        self._going_back = 0.0  # for so long [s]
        self.caution = 0.0  # 1 while something is caught, fades after it
        self.velocity: Velocity = (0.0, 0.0, 0.0)  # commanded, ramped, heading held
        self._ramped = [0.0, 0.0, 0.0]
        self._meant = [0.0, 0.0, 0.0]  # the same, were nothing caught
        self._commanded = False
        self._heading_goal = 0.0
        self._tilt: Array | None = None  # of the standing foot
        self._airborne = False  # the swinging foot has left the ground
        self.plan: StepPlan | None = None  # footsteps that it is to make instead of a velocity
        self.commands: CommandSet | None = None  # until it is known, everything within the tops
        check_strength(self)
        self.measures = replace(m, arms=clear_swing(self))
        self.commands = command_set(self)

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
        return 1.5 * self.measures.step_time

    @property
    def standing(self) -> bool:
        """Whether it has come to rest after the last command."""
        return self.phase == "stand" and self.time > self.measures.rest

    @property
    def executed(self) -> Command:
        """The velocity of the steps that it makes now: what was asked, within its command set, ramped."""
        return Command() if self.phase == "stand" else Command(*self.velocity)

    @property
    def notice(self) -> str:
        """Why it has stopped by itself, or what it takes care of."""
        if self.stopped:
            return f"stopped: {self.stopped}"
        return "soft ground" if self.softness.known else "uneven ground" if self.uneven > KNOWN else ""

    @property
    def gave_up(self) -> bool:
        """Whether it has stopped by itself, until the command stops too."""
        return bool(self.stopped)

    @property
    def free_joints(self) -> frozenset[str]:
        """All but those of the legs."""
        return self._free

    def ahead(self) -> BipedWalk:
        """A copy that feels what it plans, so that the targets of the coming time can be asked for now."""
        made = deepcopy(self, {id(self.body): self.body})
        made._blind, made.error, made.disturbed, made._tilt = True, (0.0, 0.0), False, None
        made._remembered = 0
        return made

    def begin(self, velocity: Velocity) -> None:
        """Be up to a velocity at once; for a walk in thought."""
        self._ramped = list(velocity)

    def follow_footsteps(self, steps: Sequence[PlannedStep]) -> None:
        """Make these steps, then stand; they replace those that were given before. None: stop beside the last foot.

        Poses are those of soles in the frame of the start, as `position` and `footsteps` tell them. A step that is too
        long is made as long as it can be, and the next ones make good for it. A command with a velocity ends the plan.
        """
        m = self.measures
        longest, wide = m.max_speed * m.step_time, 2.0 * m.max_side * m.step_time
        limits = StepLimits(longest, longest, m.narrowest, m.width + wide, 2.0 * m.max_turn * m.step_time)
        self.plan = StepPlan(steps, m.width, limits) if steps else None

    # ---- one control step ------------------------------------------------------------------------
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]; a command that is not finite is a stop."""
        if not math.isfinite(command.vx + command.vy + command.wz):
            command = Command()
        if command.moving:
            self.plan = None
        command = self._heed(self._planned(command), dt)
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

    def _heed(self, command: Command, dt: float) -> Command:
        """The command, or a stop on ground that is too uneven, until the command stops too.

        A step that is too high is left by going back, to where the ground was even and the soles are clear of it.
        """
        if not command.moving:
            self.stopped, self.barred, self.softness.sunk, self._back = "", False, 0, None
        elif not self.stopped and self.barred:
            self.stopped = "a step ahead is too high"
            slow = min(1.0, RETREAT * self.measures.max_speed / max(math.hypot(command.vx, command.vy), 1e-9))
            self._back, self._going_back = Command(-slow * command.vx, -slow * command.vy), 0.0
            self._ramped = [self._back.vx, self._back.vy, 0.0]
        elif not self.stopped and self.softness.too_soft:
            self.stopped = "the ground is too soft here"
        elif not self.stopped and math.hypot(*self.error) > STUMBLE * self.measures.hurry:
            if self.softness.known:
                self.stopped = "the ground is too soft here"
            elif self.uneven > KNOWN:
                self.stopped = "the ground is too uneven here"
        if self.stopped:
            return self._retreat(dt)
        if self.uneven < KNOWN:
            self._even = self.odometry.middle(self.sense.other)[:2]
        return command

    def _retreat(self, dt: float) -> Command:
        """Go back until the soles are clear of what was too high; then a stop."""
        back, self._going_back = self._back, self._going_back + dt
        if back is None or not back.moving or self._going_back > LONGEST_RETREAT * self.measures.step_time:
            self._back = None
            return Command()
        x, y, yaw = self.position
        dx, dy = seen_from((0.0, 0.0, yaw), x - self._even[0], y - self._even[1])
        heel, toe, _, _ = self.body.soles[self.stance].box
        if (dx * back.vx + dy * back.vy) / math.hypot(back.vx, back.vy) > CLEAR * (toe - heel):
            self._back = None
        return back

    def _estimate(self, readings: Readings, dt: float) -> None:
        w, sense = self.measures.rate, self.sense
        planned = (w * w * (self.place[0] - self.pressure[0]), w * w * (self.place[1] - self.pressure[1]))
        sense.update(readings, self.stance, planned, self._yaw, dt)
        self._joints = readings.position
        if self.phase != "stand" and not self.disturbed:
            self.lag.feel(readings.position, dt)
        self.odometry.turn(sense.turning, sense.facing, self.standing, dt)
        self.odometry.measure(sense.other, (sense.loads[self.stance], sense.loads[1 - self.stance]), self.time)
        if self.phase == "walk" and self.time > 0.5 * self.measures.step_time:
            self.odometry.lifted()
        self._feel_pushes(dt)
        self._feel_softness(dt)
        self._feel_lying(dt)
        if self.phase == "stand" and self._sent is not None and sense.attitude.seen > 0.5 * sense.attitude.first:
            gap, bend = self._sent[0] - readings.position, self._sent[1]
            whole = float(bend @ bend)
            if whole > 0.0:
                self.sag += SAG_FRACTION * (max(0.0, min(1.0, float(gap @ bend) / whole)) - self.sag)
        known = sense.attitude.seen > sense.attitude.first
        both = self.phase != "walk"
        rests = sense.rests(self.stance, self.ground.settings, both) if known else (False, False)
        self.ground.update(sense.foot_roll, sense.foot_pitch, rests, dt, both, self.uneven)
        under = self.ground.under
        off, lean = (0.0, 0.0), (0.0, 0.0)
        ago = round(self.lag.seconds / dt) + 1
        if len(self._past) >= ago and known:
            then, now = self._past[-ago], sense.divergent
            off = (now[0] - then[0], now[1] - then[1])
            lean = (sense.foot_roll - under.roll, sense.foot_pitch - under.pitch)
        self.alarm.update(off, lean, dt)
        self.error, self._tilt, self.disturbed = self.alarm.error, self.alarm.tilt, self.alarm.on

    def _follow(self, command: Command, dt: float) -> None:
        """Ramp the command, within what is possible, and hold the heading by the steps that were measured."""
        m = self.measures
        self._commanded = command.moving
        tops = self._tops
        self.caution = 1.0 if self.alarm.hurry else self.caution * math.exp(-dt / m.caution_time)
        self.steady += dt
        self.uneven *= math.exp(-dt * m.rate / self.ground.settings.forgets)
        slow = 1.0 - (1.0 - self.settings.cautious) * self.caution
        asked = self._within((command.vx, command.vy, command.wz))
        pace = self._pace_of(asked)
        curve = self._pace_of((0.0, asked[1], asked[2])) > STEADY  # each foot meets a bar at another angle
        slowest = SOFTLY if self.softness.known else CAREFUL if curve else BRISK  # feet can tell the ground at less
        if (self._known or self.softness.known) and pace > slowest:
            slow = min(slow, slowest / pace)
        goal = self._shaped(asked)
        for i in range(3):
            most = m.acceleration * tops[i] / m.max_speed * dt
            self._ramped[i] += max(-most, min(most, slow * goal[i] - self._ramped[i]))
            change = goal[i] - self._meant[i]  # whatever is caught meanwhile
            self._meant[i] += max(-most, min(most, change))
            if abs(change) > STEADY * tops[i]:
                self.steady = 0.0
        ramped = (self._ramped[0], self._ramped[1], self._ramped[2])
        vx, vy, wz = self._shaped(ramped)
        self.pace = self._pace_of(ramped)
        heading = self.odometry.middle(self.sense.other)[2]
        if self.phase == "walk":
            most = self.settings.heading_most * m.max_turn / max(m.heading_gain, 1e-9)
            self._heading_goal = max(heading - most, min(heading + most, self._heading_goal + wz * dt))
            held = wz + m.heading_gain * (self._heading_goal - heading)
            vx, vy, wz = self._shaped((vx, vy, max(-m.max_turn, min(m.max_turn, held))))
        else:
            self._heading_goal = heading
        self.velocity = (vx, vy, wz)

    @property
    def _tops(self) -> Velocity:
        m = self.measures
        return m.max_speed, m.max_side, m.max_turn

    def _within(self, velocity: Velocity) -> Velocity:
        """A velocity cut at the top speeds."""
        (x, y, turn), (vx, vy, wz) = self._tops, velocity
        return float(max(-x, min(x, vx))), float(max(-y, min(y, vy))), float(max(-turn, min(turn, wz)))

    def _pace_of(self, velocity: Velocity) -> float:
        """The largest part of a top speed."""
        (x, y, turn), (vx, vy, wz) = self._tops, velocity
        return max(abs(vx) / x, abs(vy) / y, abs(wz) / turn)

    def _shaped(self, velocity: Velocity) -> Velocity:
        return velocity if self.commands is None else self.commands.shaped(velocity)

    def _planned(self, command: Command) -> Command:
        """The command, or the velocity of the next step of the plan; a walk that has stopped by itself drops it."""
        if self.stopped or not self.plan:
            self.plan = None
            return command
        foot, m = self.odometry.foot, self.measures
        step = self.plan.coming(foot, self.stance, 1)[0]
        vx, vy, wz = self._shaped(self.plan.velocity(step, self.stance, m.step_time))
        moving = Command(vx, vy, wz)
        return moving if moving.moving else Command(vx=STEADY * STEADY * m.max_speed)  # steps on the spot are steps

    def _start(self) -> tuple[float, float]:
        """Where the divergent component has to be when the first step begins."""
        if not self.plan:
            m = self.measures
            return starting_offset(self.velocity, self.stance, m.width, m.step_time, self._growth)
        return self.plan.start(self.plan.coming(self.odometry.foot, self.stance, AHEAD), self.stance, self._growth)

    def _bounds_on(self, stance: int) -> Array:
        """Least and largest pressure point, and place of the other foot (4, 2), seen from a foot that stands [m]."""
        m, (heel, toe, right, left) = self.measures, self.body.soles[stance].box
        near, far = (m.narrowest, m.widest) if stance == RIGHT else (-m.widest, -m.narrowest)
        pressure = [heel + m.margin, right + m.margin], [toe - m.margin, left - m.margin]
        return np.array([*pressure, [m.reach_back, near], [m.reach_ahead, far]])

    # ---- standing and starting -------------------------------------------------------------------
    def _stand(self, command: Command, dt: float) -> Pair:
        """Pull the pendulum to the middle of the feet; begin to walk when commanded or when a push leaves no choice."""
        m = self.measures
        self.time += dt
        if self._must_step():
            return self._walk(dt)
        if command.moving and self._tilt_known:
            aside = self._ramped[1] or self._ramped[2]
            outside = bool(aside) and (aside > 0.0) == (self.stance == LEFT)
            if self.plan.steps[0].side == self.stance if self.plan else outside:
                self._change_foot()  # the foot on the outside, or the plan's first one, goes first
            self.phase, self.time = "shift", 0.0
            return self._shift_over(dt)
        x, y = self._wanted()
        middle = (m.pressure + 0.5 * self.swing.pose[0], 0.5 * self.swing.pose[1])
        gain = 1.0 + m.stand_gain / m.rate
        return self._inside(middle[0] + gain * (x - middle[0]), middle[1] + gain * (y - middle[1]), 0.0)

    @property
    def _tilt_known(self) -> bool:
        """Whether it has stood long enough to know its tilt, which is hard to learn on the way."""
        attitude = self.sense.attitude
        return self._blind or attitude.seen > attitude.first or self.time > UNTOLD * attitude.first

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
        bx, by = self._start()
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
        waits = self._feel_landing(dt)
        self._tip_on(dt)
        remain = m.double - self.time
        if self.left > m.last_change or remain > 0.0:
            self._choose(remain, dt)
        px, py = self._pressed
        if waits:
            return px + self._before[0], py + self._before[1]
        if remain > 1e-9:  # the load is still going over
            fraction = max(0.0, min(1.0, (remain - 0.5 * dt) / m.double))
            px, py = px + fraction * self._before[0], py + fraction * self._before[1]
        self.time += dt
        self.left -= dt
        met = self._met_ground()
        if met and self._busy:
            self._tell_height()
        if self._held:
            self._creep(dt)
        elif met and not self._busy:
            self._hold_foot()
        elif self.time > m.double:
            self._free_foot(dt)
            early = 1.0 - self.ground.settings.sooner * self.uneven
            self.swing.advance(self._goal(), self.time - m.double, max(self.left, 0.0), self._lift, dt, early)
        if self.left > 1e-9 and not (met and self._busy):
            return px, py
        if met and self._busy and not self.alarm.hurry:
            self._take_foot()
        step = self._change_foot()
        if self.plan:
            self.plan.landed(self.stance)
            if not self.plan:
                self._end_plan()
        self._await_landing(self._blind)
        if not (self._commanded or any(self._ramped) or self.disturbed) and self._side_by_side():
            self.phase = "stand"
            self._apart = LEVEL_FEET
            if self.uneven > KNOWN:
                self._stand_apart()
        return seen_from(step, px, py)

    def _end_plan(self) -> None:
        """The last step has landed; the pendulum was steered to a stand there, so no speed of the way is left."""
        self._commanded, self._ramped, self._meant = False, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        self._heading_goal = self.odometry.middle(self.sense.other)[2]

    def _choose(self, remain: float, dt: float) -> None:
        m, s = self.measures, self.settings
        usual = max(m.step_time - self.time, dt)
        shortest = longest = usual
        if self.alarm.hurry:
            shortest = max(s.shortest * m.step_time - self.time, m.soonest, remain)
            longest = max(usual, s.longest * m.step_time - self.time)
        pose = self.swing.pose
        rest = (
            self._wanted(), self.error, self._before, (pose[0], pose[1]), remain, (usual, shortest, longest, dt),
            self.disturbed, self._numbers, self._bounds, self._weights,
        )  # fmt: skip
        if self.plan:
            steps = self.plan.coming(self.odometry.foot, self.stance, AHEAD)
            wanted, bx, by = self.plan.offset(steps, self.stance, self._growth, self._fraction)
            self.left, x, y, yaw, px, py = meet_step(wanted, (bx, by), self.stance, *rest)
        else:
            self.left, x, y, yaw, px, py = plan_step(self.velocity, self.stance, *rest)
        self.step, self._pressed = (x, y, yaw), (px, py)

    def _goal(self) -> tuple[float, float, float, float, float, float]:
        """Where the swinging foot comes down, level on the ground even when the standing one is not."""
        felt = self.ground.felt
        if self._tilt is None and felt == FLAT:
            return self.step[0], self.step[1], 0.0, self.step[2], 0.0, 0.0
        tilt = LEVEL if self._tilt is None else self._tilt
        return leveled(self.step, tilt, felt.tilt, (felt.x, felt.y), self.body.soles[self.stance].outline)

    def _met_ground(self) -> bool:
        """Whether the swinging foot has been in the air and comes down now, before its time."""
        swung, load = self.time - self.measures.double, self.sense.loads[1 - self.stance]
        self._airborne = swung > 0.0 and (self._airborne or load < CARRIES)
        if self._blind or self._held or not self._airborne:
            return False
        if self._busy:
            return swung > self.measures.early and self.left > self.measures.last and load > LANDED
        early = (self.left > self.measures.last or self._known) and not self.sense.dull
        return early and swung > self.left and load > self.ground.settings.touched

    def _side_by_side(self) -> bool:
        x, y, yaw = self.swing.step
        width = self.measures.width
        return abs(x) < 0.04 * width and abs(yaw) < 0.02 and abs(abs(y) - width) < 0.06 * width

    # ---- pendulum and joints ---------------------------------------------------------------------
