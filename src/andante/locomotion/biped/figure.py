"""Where body and feet of a walk are believed to be, seen from the foot that stands, and the joints that put them there.

The whole body is placed by inverse kinematics so that its center, weighed by what masses press when they sway, goes
where the pendulum goes. Each landing takes pendulum, lean and height over as they were measured; nothing jumps.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Literal

import numpy as np

from andante.description import Robot
from andante.geometry import Array, se2
from andante.locomotion.behaviour import Places, Walker
from andante.locomotion.rigs.balance import margin
from andante.locomotion.rigs.rig import Rig

from .body import BipedBody
from .estimation import BipedOdometry, BipedSense
from .footsteps import LEFT, Step, Swing, advance, angles_of, leaning, seen_from, turned
from .ground import FLAT, Ground, Plane
from .lag import Lag
from .pose_kernels import targets_of
from .pushes import Pushes
from .settings import BipedMeasures, BipedSettings
from .softness import Softness

Phase = Literal["stand", "shift", "walk"]
Pair = tuple[float, float]

LEVEL = np.eye(3)
LEVEL_FEET = (0.0, 0.0, 0.0)
SMOOTH = 0.05  # of `uneven`: the plan goes on without jumps


class BipedFigure(Walker):
    """Pendulum, feet and body. All lengths are seen from the standing sole: x along it, y to the left, z up."""

    def __init__(self, robot: Robot, rig: Rig, settings: BipedSettings) -> None:
        self.settings = s = settings
        self.body = body = BipedBody(robot, rig)
        self.measures, shift = self._stand_up(body.stance_height if s.height is None else s.height)
        m = self.measures
        self.sense = BipedSense(body, m.rate, shift)
        self.odometry = BipedOdometry((0.0, 0.5 * m.width, 0.0), m.rate)
        self.ground = Ground(m.rate, m.center)
        self.pushes = Pushes(m.rate, m.center)
        self.softness = Softness(m.rate, m.center)
        self._shift = shift[:2]  # of the weighed center against the true one, along the body
        self.phase: Phase = "stand"
        self.stance = LEFT
        self.time = 0.0  # since the step began [s]
        self.left = m.step_time  # until it ends [s]
        self.swing = Swing((0.0, -m.width, 0.0, 0.0, 0.0, 0.0))
        self.place, self.speed = (m.pressure, -0.5 * m.width), (0.0, 0.0)  # of the pendulum
        self.pressure: Pair = (m.pressure, -0.5 * m.width)
        self._apart = LEVEL_FEET  # of a stand: height [m], roll and pitch [rad] of the other foot against the ground
        self.step: Step = (0.0, -m.width, 0.0)  # where the next foot goes
        self.error: Pair = (0.0, 0.0)  # of the divergent component, beyond what is left alone
        self.disturbed = False
        self.uneven = 0.0  # 1 where the ground is not where it was expected, fades after it
        self.sag = 1.0  # how far servos give way under the planned load, 1: as their stiffness implies
        self.missed = 0.0  # by the inverse kinematics of the last targets [m]
        self._pressed: Pair = (m.pressure, 0.0)
        self._before: Pair = (0.0, 0.0)  # where the foot before stands
        self._past: deque[Pair] = deque(maxlen=32)  # divergent components that were wanted
        self._yaw, self._lean, self._height = 0.0, (0.0, 0.0), m.height
        self.lag = Lag(len(body.names), m.lag)  # from a target to what is measured of it
        self._sent: tuple[Array, Array] | None = None  # targets and how far each should give way
        self._joints = self._q  # as measured
        self._joint_speed = np.zeros(len(body.names))  # of the last targets [rad/s]
        self.torques = np.zeros(len(body.names))  # that carry the planned push [N m]
        self._masses = np.zeros((3, len(body.tree.parent), 3))  # where the plan had centers of mass, from this foot [m]
        self._remembered = 0  # of these

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

    # ---- what is known ---------------------------------------------------------------------------
    @property
    def position(self) -> Array:
        """x, y [m] and heading, unwrapped [rad], of the middle between the feet in the frame of the start."""
        return np.array(self.odometry.middle(self.sense.other))

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

    @property
    def masses(self) -> Array:
        """(3, bodies, 3) places of all centers of mass in the last two control steps and now, from this foot [m]."""
        return self._masses

    def _wanted(self) -> Pair:
        w = self.measures.rate
        return self.place[0] + self.speed[0] / w, self.place[1] + self.speed[1] / w

    # ---- change of feet --------------------------------------------------------------------------
    def _change_foot(self) -> Step:
        """See everything from the other foot, which stands from now on; its pose as it was seen before."""
        k = self.stance
        turn, at = self._turns[1 - k], self._feet[1 - k]
        step = (float(at[0]), float(at[1]), angles_of(turn)[0])
        wanted = self._wanted()
        measured = seen_from(step, wanted[0] + self.error[0], wanted[1] + self.error[1])
        self.ground.change_foot(step[2])
        self.pushes.change_foot(step[2])
        self.softness.change_foot()
        if self.phase != "walk" and self._apart != LEVEL_FEET:
            self.ground.under = Plane.of(*angles_of(turn)[1:])
        over = self.ground.under.tilt @ turn.T  # from what was believed level to what is now, which is turned
        rotation = over @ turned(self._yaw) @ leaning(*self._lean)
        torso = over @ (self._torso - at)
        if self.disturbed:  # take over what was measured; the lean that is left fades
            center = rotation @ (self.body.upright @ self.body.center(self._q)) + torso
            self._yaw, roll, pitch = angles_of(rotation)
            self._lean = (roll, pitch)
            self.place = self._true_center(center)
            rate = self.measures.rate
            self.speed = ((measured[0] - self.place[0]) * rate, (measured[1] - self.place[1]) * rate)
            self._past.clear()
            self._remembered = 0
        else:
            self.place = seen_from(step, *self.place)
            self.speed = seen_from((0.0, 0.0, step[2]), *self.speed)
            self._yaw -= step[2]
            self._past = deque((seen_from(step, *each) for each in self._past), maxlen=self._past.maxlen)
            self._masses = (self._masses - at) @ over.T
        self._height = float(torso[2]) - self.ground.felt.height(*self.place)
        away = -(over @ at)
        self.swing = Swing((float(away[0]), float(away[1]), float(away[2]), *angles_of(over @ self._turns[k])))
        self._before = (float(away[0]), float(away[1]))
        self.odometry.change_foot(self.sense.other)
        self.sense.change_foot()
        self.pressure = seen_from(step, *self.pressure)
        self._pressed = (self.measures.pressure, 0.0)
        self.stance, self.time, self.left = 1 - k, 0.0, self.measures.step_time
        if self.phase != "walk" and self._apart != LEVEL_FEET:
            self._stand_apart()
        return step

    def _stand_apart(self) -> None:
        """Note how the other foot of a stand lies against the ground under this one."""
        x, y, z, yaw, roll, pitch = self.swing.pose
        under = self.ground.under
        _, level_roll, level_pitch = angles_of(under.tilt @ turned(yaw))
        self._apart = (z - under.height(x, y), roll - level_roll, pitch - level_pitch)

    def _true_center(self, weighed: Array) -> Pair:
        """The center of mass, x and y [m], of which the weighed one (3,) is known."""
        x, y = turned(self._yaw)[:2, :2] @ self._shift
        return float(weighed[0] - x), float(weighed[1] - y)

    def _take_over(self) -> None:
        """Let the pendulum be what was measured."""
        rate = self.measures.rate
        self.speed = (self.speed[0] + rate * self.error[0], self.speed[1] + rate * self.error[1])
        self._past.clear()
        self._remembered = 0
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
        body, k, m, under = self.body, self.stance, self.measures, self.ground.under
        x, y, z, yaw, roll, pitch = self.swing.pose
        if self.phase != "walk" and (under != FLAT or self._apart != LEVEL_FEET):  # both feet lie on the same ground
            _, roll, pitch = angles_of(under.tilt @ turned(yaw))
            z, roll, pitch = under.height(x, y) + self._apart[0], roll + self._apart[1], pitch + self._apart[2]
            self.swing.pose[2:] = z, yaw, roll, pitch
        fade = math.exp(-dt / m.fade)
        self._lean = (fade * self._lean[0], fade * self._lean[1])
        self._height = m.height + fade * (self._height - m.height)
        longest = m.max_speed * m.step_time
        ahead = math.cos(0.5 * yaw) * x + math.sin(0.5 * yaw) * y  # along the body, midway between the feet
        ahead = max(-longest, min(longest, ahead if k == LEFT else -ahead))  # of the right foot
        before = self._q.copy() if m.lead else self._q
        for joint, sign in body.arms:
            self._q[joint] = body.stance[joint] + sign * m.arms * ahead
        felt, both = self.ground.felt, self.phase != "walk" or self.time < m.double
        self._remembered += 1
        # on uneven ground feet and body are put where they were found: how masses are accelerated is not known
        moving = self._remembered > 2 and self.uneven <= SMOOTH and not self.disturbed
        self._yaw, self.missed = body.place(
            self._q, self._yaw, k, (x, y, z, yaw, roll, pitch), (under.x, under.y), (felt.x, felt.y), self._lean,
            self.place, self._height, self._shift, 2, self._feet, self._turns, self._torso, self.pressure, m.rate, both,
            self._masses, moving, dt, self.torques,
        )  # fmt: skip
        out, bend, self._joint_speed = targets_of(
            self._q, before, self.torques, body.kp, self.sag, m.lead, body.servo_inertia, self._joint_speed, dt
        )
        self._sent = (out, bend)
        self.lag.told(self._q)
        targets: Array = out.copy()
        return targets
