"""How a foot meets ground that is not where it was expected: it stops, reaches lower, and its sole turns onto it.

A foot that meets the ground before its time stays where it is, one that has found none after its time reaches lower.
One that is pressed at its rim alone turns until it lies. Then place and tilt of the sole are taken over as they are, if
they are not what was expected.
"""

from __future__ import annotations

import math

from andante.description import Robot
from andante.geometry import Array
from andante.locomotion.rigs.rig import Rig

from .estimation import CARRIES, Alarm
from .figure import BipedFigure
from .footsteps import Swing, angles_of, beyond
from .ground import Plane
from .settings import BipedSettings

BRISK = 0.5  # of the top speeds
CALM = 3.0  # steps after a change of the velocity
KNOWN = 0.5  # of `uneven`: the ground is the cause of what happens
SURE = 2  # control steps in which a sole is pressed at its rim before it turns: level ones come to lie at once
SURER = 3  # as long as the ground is not known to be uneven
HIGH = 0.035  # a foot that meets the ground so much higher stands on something, in heights of the center
LIES = 0.5  # a sole that is turned for so long, and not about an edge, lies on something, in times of the pendulum
ALONE = 0.5  # load from which a foot stands alone, beside one that does not carry [body weights]
JUST = 1.5  # uneven ground that was found so shortly before a push was the push, in times of the pendulum


class BipedLanding(BipedFigure):
    """A figure whose feet find the ground."""

    def __init__(self, robot: Robot, rig: Rig, settings: BipedSettings) -> None:
        super().__init__(robot, rig, settings)
        self.alarm = Alarm(self.measures)
        self._sure = False  # it is uneven whoever pushes
        self._known_for = 0.0  # uneven ground has been known for so long [s]
        self.pace = 0.0  # of the steps that it makes, in top speeds
        self.steady = 0.0  # since when the velocity has not changed [s]
        self._blind = False  # it feels what it plans, see `BipedWalk.ahead`
        self._held = False  # the swinging foot has met the ground before its time
        self._landed = True  # the standing one has, and carries
        self._lies = True  # its sole lies on it
        self._waited = 0.0  # for it [s]
        self._at_rim = [0, 0]  # for how many control steps it has been pressed there, ahead and to the left
        self._deeper = 0.0  # how far it has reached lower [m]
        self._lift = self.measures.lift  # of the swinging foot [m]
        self._stuck = False  # it has hit something
        self._askew = 0.0  # for how long the standing sole has lain askew [s]
        self._tilt_before = (0.0, 0.0)  # of the standing sole, as a slope
        self._tilt_first: tuple[float, float] | None = None  # the same when it began to carry
        self.barred = False  # a foot has met something that is too high for its lift

    @property
    def _busy(self) -> bool:
        """Whether a push is caught or the walk is brisk or changes: then soles tip on level ground too.

        Over a late line feet tell of the ground when it is too late, and on soft ground every foot sinks in, turns and
        meets the next ground before its time; it counts as level then.
        """
        if self.lag.late or self.softness.known:
            return True
        upset = self.pushes.lately or self.alarm.lately or math.hypot(*self.error) > 0.5 * self.measures.hurry
        calm = self.pace <= BRISK and self.steady > CALM * self.measures.step_time
        return not self._known and (upset or not calm)

    @property
    def _known(self) -> bool:
        """Whether the ground is known to be uneven: then less is needed to believe it again."""
        return self.uneven > KNOWN

    @property
    def _put_down(self) -> float:
        """How fast a foot is put down [m/s]."""
        return math.pi * self.measures.lift / (self.measures.step_time - self.measures.double)

    def _feel_pushes(self, dt: float) -> None:
        """Tell a push from uneven ground; what was taken for the ground while it began is taken back."""
        sense, pressed = self.sense, self.sense.pressed(self.stance)
        self._known_for = self._known_for + dt if self._known else 0.0
        if self.phase != "walk" or sense.dull or pressed is None:
            return
        self.pushes.update(sense.acceleration, sense.place, pressed, dt)
        self._sure = self._sure and self._known
        just = 0.0 < self._known_for < JUST / self.measures.rate
        if self.pushes.now and just and not self._sure:
            self._take_back()

    def _feel_softness(self, dt: float) -> None:
        """Tell soft ground from uneven ground; what was taken for uneven until it was known is taken back."""
        sense, k, knew = self.sense, self.stance, self.softness.known
        self.softness.fade(dt)
        if self.phase != "walk" or sense.dull or sense.loads[k] < ALONE or sense.loads[1 - k] > CARRIES:
            return
        off = sense.at_rim(k, self.ground.settings.inner)
        x, y = sense.points[k].tolist()
        felt = self.ground.felt
        tilt = (sense.foot_roll - felt.roll, sense.foot_pitch - felt.pitch)
        self.softness.update(tilt, (x, y), off, self.time, dt)
        if self.softness.known and not knew:
            self._take_back()

    def _feel_lying(self, dt: float) -> None:
        """Tell uneven ground by a sole that stands alone and lies askew, pressed inside its edges; whoever pushes.

        On level ground a sole turns about its edges alone, and is pressed there as long as it is turned. One that lies
        as the sole before did is on a slope that is not believed yet.
        """
        g, sense, k = self.ground.settings, self.sense, self.stance
        alone = self.phase == "walk" and sense.loads[k] > ALONE and sense.loads[1 - k] < CARRIES
        if self._known or not alone or self._blind or sense.dull or self.lag.late or self.softness.known:
            self._askew = 0.0
            return
        measured, felt, rim = Plane.of(sense.foot_roll, sense.foot_pitch), self.ground.felt, sense.at_rim(k, g.inner)
        last = self.ground.before
        ahead = min(abs(measured.x - felt.x), abs(measured.x - last.x)) if rim[0] == 0.0 else 0.0
        aside = min(abs(measured.y - felt.y), abs(measured.y - last.y)) if rim[1] == 0.0 else 0.0
        off = max(ahead, aside)
        self._askew = self._askew + dt if off > g.usual_tilt else 0.0
        if self._askew > LIES / self.measures.rate:
            self.uneven, self._sure = 1.0, True

    def _tell_height(self) -> None:
        """Tell uneven ground by how high the swinging foot has met it, whoever pushes: leans are seen through."""
        if self.lag.late or self.softness.known or self.sense.dull:
            return
        stands = self.sense.loads[self.stance] > self.ground.settings.touched
        if stands and self._touched_height() > HIGH * self.measures.center:
            self.uneven, self._sure = 1.0, True

    def _take_back(self) -> None:
        """The ground was not uneven."""
        self.uneven, self.barred, self._held = 0.0, False, False
        self.ground.under = self.ground.felt

    def _await_landing(self, landed: bool) -> None:
        """A step begins; the foot that has come down may still be in the air."""
        self._landed, self._lies, self._held, self._waited, self._deeper = landed, landed, False, 0.0, 0.0
        self._at_rim = [0, 0]
        self._tilt_first = None
        self._stuck = False

    def _free_foot(self, dt: float) -> None:
        """Choose how high the swinging foot is lifted: higher on uneven ground, and over what it has hit."""
        m, g = self.measures, self.ground.settings
        x, y, _ = self.sense.other
        free = self._blind or self._busy or self.time - m.double < self.lag.seconds
        if not free and self.swing.behind(x, y, self.lag.seconds) > g.stuck * m.center:
            self.swing.catch(x, y)
            self._stuck, self._sure, self.uneven = True, True, 1.0
        wanted = m.lift * (1.0 + g.higher * max(self.uneven, 1.5 * self._stuck))
        most = self._put_down * dt
        self._lift += max(-most, min(most, wanted - self._lift))

    def _feel_landing(self, dt: float) -> bool:
        """Look after the standing foot until it lies on the ground; whether the step has to wait for it."""
        m, g, sense, k = self.measures, self.ground.settings, self.sense, self.stance
        if self._lies:
            return False
        own, other = sense.loads[k], sense.loads[1 - k]
        over = self._waited > g.longest_wait / m.rate or self.time > 0.5 * m.step_time
        if over or self._busy or sense.dull or not sense.feels[k]:
            self._lies = self._landed = True
            return False
        late = self.time > self.lag.seconds + 0.5 * m.double
        if own > g.touched and other > CARRIES and not self.ground.met:
            self._meet()
        if own > g.touched:
            off = sense.at_rim(k, g.inner)
            self._lies = off == (0.0, 0.0)
            if self._lies or (late and other < CARRIES and not self._landed):
                self._landed = True
                self._stand_on()
            if not self._lies:
                self._turn_sole(off, dt)
            late = own < other and late
        elif late:
            self._reach(min(self._put_down * dt, max(0.0, m.lift - self._deeper)))
        waits = late and not self._landed
        self._waited += dt if waits else 0.0
        return waits

    def _meet(self) -> None:
        """Note where the foot before stands, seen from where the standing sole meets the ground."""
        tilt, (at, _) = Plane.of(self.sense.foot_roll, self.sense.foot_pitch).tilt, self._other_sole()
        point = self.sense.points[self.stance]
        x, y, z = (tilt @ at - tilt[:, :2] @ point).tolist()
        self.ground.meet((x, y, z), (float(point[0]), float(point[1])))

    def _tip_on(self, dt: float) -> None:
        """Turn a sole that tips over something under its middle further, until its other end finds the ground."""
        g, sense, k = self.ground.settings, self.sense, self.stance
        measured, under = Plane.of(sense.foot_roll, sense.foot_pitch), self.ground.under
        before, self._tilt_before = self._tilt_before, (measured.x, measured.y)
        caught = self.lag.late or self.softness.known or ((self.alarm.lately or self.pushes.lately) and not self._known)
        if not self._lies or self._blind or caught or sense.dull or sense.loads[k] < g.touched:
            return
        rim, most = sense.at_rim(k, g.inner), self.measures.rate * dt
        first = (under.x, under.y)
        if not self._known:  # on level ground too a sole turns when it comes down or is tipped over an edge
            if rim != (0.0, 0.0) or self.time < self.measures.double:
                return
            first = self._tilt_first = self._tilt_first or self._tilt_before
        turn = [0.0, 0.0]
        for i, (now, last, held) in enumerate(zip(self._tilt_before, before, (under.x, under.y), strict=True)):
            off = now - held
            way = math.copysign(1.0, off)
            far = min(abs(off), way * (now - first[i]))
            if rim[i] == 0.0 and far > g.tipped and way * (now - last) > g.tips_at * most:
                turn[i] = way * g.yielding * most
        if turn != [0.0, 0.0]:
            self.uneven = 1.0
            self.ground.under = Plane(under.x + turn[0], under.y + turn[1])
            point = sense.points[k]
            self._reach(float(turn[0] * point[0] + turn[1] * point[1]))

    def _reach(self, way: float) -> None:
        """Put the standing foot lower [m]: seen from it, all else rises."""
        self._deeper += way
        self._height += way
        self.swing.rise(way)

    def _turn_sole(self, off: tuple[float, float], dt: float) -> None:
        """Turn the standing sole about the point at which it is pressed, away from the rim, until the rest lies too."""
        under, point, most = self.ground.under, self.sense.points[self.stance], self.measures.rate * dt
        turn, loads = [0.0, 0.0], self.sense.loads
        tells = self._known or loads[self.stance] > loads[1 - self.stance]  # level ground too meets a rim first
        for i, each in enumerate(off):
            side = (each > 0.0) - (each < 0.0) if tells else 0
            count = self._at_rim[i]
            self._at_rim[i] = count + side if count * side > 0 else side
            if abs(self._at_rim[i]) > (SURE if self._known else SURER):
                turn[i] = side * self.ground.settings.yielding * most
        turned = Plane(under.x + turn[0], under.y + turn[1])
        if turn != [0.0, 0.0] and math.hypot(turned.x, turned.y) < self.ground.settings.steepest:
            self.uneven = 1.0
            self.ground.under = turned
            self._reach(float(turn[0] * point[0] + turn[1] * point[1]))

    def _stand_on(self) -> None:
        """Take the standing foot, and body and other foot seen from it, as they are if the ground is uneven there."""
        body, k, g = self.body, self.stance, self.ground.settings
        measured, expected = Plane.of(self.sense.foot_roll, self.sense.foot_pitch), self.ground.felt
        off = beyond(measured.x - expected.x, measured.y - expected.y, g.usual_tilt)
        body.center(self._joints)
        (r0, p0), (r1, p1) = body.sole_pose(k), body.sole_pose(1 - k)
        level = measured.tilt @ r0.T  # from the root
        other = level @ (p1 - p0)
        if (
            off == (0.0, 0.0)
            and abs(other[2] - expected.height(other[0], other[1])) < g.usual_height * self.measures.center
        ):
            return
        self.uneven = 1.0
        rise = self._rise(measured, other)
        self.barred = self.barred or (
            self.time < self.measures.double + self.lag.seconds and rise > g.highest * self.measures.lift
        )
        self.ground.under = measured
        rate, divergent = self.measures.rate, self.sense.divergent
        torso = -(level @ p0)
        center = level @ body.center(self._joints) + torso
        self._yaw, roll, pitch = angles_of(level @ body.upright.T)
        self._lean = (roll, pitch)
        self.place = self._true_center(center)
        self.speed = ((divergent[0] - self.place[0]) * rate, (divergent[1] - self.place[1]) * rate)
        self._height = float(torso[2]) - self.ground.felt.height(*self.place)
        self.swing = Swing((float(other[0]), float(other[1]), float(other[2]), *angles_of(level @ r1)))
        self._before = (float(other[0]), float(other[1]))
        self._past.clear()
        self._remembered = 0
        self.error = (0.0, 0.0)

    def _rise(self, own: Plane, other: Array) -> float:
        """How much higher the middle of the standing sole, tilted as `own`, lies than the ground at the other one [m].

        other (3,): place of the other sole in the level frame of the standing one [m].
        """
        x, y = self.body.soles[self.stance].outline.mean(axis=0)
        felt = self.ground.felt
        return float(own.height(x, y) - other[2] - felt.height(x - other[0], y - other[1]))

    def _take_foot(self) -> None:
        """Let the foot that has met the ground before its time be where it is; it stands from now on."""
        self._feet[1 - self.stance], self._turns[1 - self.stance] = self._seen_foot()

    def _seen_foot(self) -> tuple[Array, Array]:
        """Place (3,) [m] and rotation (3, 3) of the swinging sole, as the encoders have it."""
        tilt, (at, turn) = self.ground.under.tilt, self._other_sole()
        return tilt @ at, tilt @ turn

    def _other_sole(self) -> tuple[Array, Array]:
        """The same in axes of the standing sole."""
        body, k = self.body, self.stance
        body.center(self._joints)
        (r0, p0), (r1, p1) = body.sole_pose(k), body.sole_pose(1 - k)
        return r0.T @ (p1 - p0), r0.T @ r1

    def _touched_height(self) -> float:
        """How much higher the swinging foot stands than the standing one, over what the ground should rise [m].

        The lower one of its middle and of where it is pressed, over the slope that is felt or that the standing sole
        lies on, and by that sole as it is, not as it is believed to be: while it tips, a foot a step aside would seem
        too high by millimeters.
        """
        sense, k = self.sense, self.stance
        at, turn = self._other_sole()
        tilt = Plane.of(sense.foot_roll, sense.foot_pitch).tilt
        own, heights = tilt[:, :2] @ sense.points[k], []
        for point in (sense.points[1 - k], self.body.soles[1 - k].outline.mean(axis=0)):
            x, y, z = (tilt @ (at + turn[:, :2] @ point) - own).tolist()
            heights.append(z - max(self.ground.felt.height(x, y), self.ground.under.height(x, y)))
        return float(min(heights))

    def _hold_foot(self) -> None:
        """Keep the swinging foot, which has met the ground before its time, where it is, and tell a step too high.

        There too it stands: by then it has no time left to be drawn back, and would push the robot over.
        """
        height = self._touched_height()
        self.barred = self.barred or height > self.ground.settings.highest * self.measures.lift
        self._sure = self._sure or height > HIGH * self.measures.center
        at, turn = self._seen_foot()
        self.swing = Swing((float(at[0]), float(at[1]), float(at[2]), *angles_of(turn)))
        self._held, self.uneven = True, 1.0

    def _creep(self, dt: float) -> None:
        """Lower a held foot that has lost the ground again."""
        if self.sense.loads[1 - self.stance] < self.ground.settings.touched:
            self.swing.rise(-self.ground.settings.creeping * self._put_down * dt)
