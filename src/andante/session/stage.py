"""The scene of a live session, built from a choice: the simulation, and the robot's activities on its control loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from andante import mobile
from andante.control.activities import Driving, GettingUp, Hold
from andante.control.activity_manager import ActivityManager
from andante.control.body import Body
from andante.control.drivers import Ready, again, make_ready
from andante.control.fall_supervisor import FallSupervisor
from andante.control.joints.balance_filter import BalanceFilter
from andante.control.joints.following import Following
from andante.control.joints.joint_moves import JointMoves
from andante.control.loop import ControlLoop
from andante.control.start import START, StartSettings, lying_side, require_rate
from andante.control.view import RobotView
from andante.description import ROBOTS, Placement, Robot
from andante.errors import BadInput, Unsupported
from andante.geometry import SE3, Array, se2, so3
from andante.locomotion import Command, FallRules, Walker
from andante.locomotion.biped.body import BipedBody
from andante.locomotion.biped.figure import BipedFigure
from andante.locomotion.biped.standing import StandFilter
from andante.locomotion.falls.manager import FallEvent
from andante.locomotion.falls.pose_routes import pose_route, static_margin, two_feet
from andante.locomotion.gaits import pose_motion
from andante.locomotion.io.fall_library import can_get_up
from andante.locomotion.io.rig_file import rig_for
from andante.locomotion.rigs.balance import Balance
from andante.motion import JointMotion, Keyframes, transition
from andante.motion.joint_motion import MotionLimits, vector_of
from andante.physics import Mode
from andante.plugins import load_reference
from andante.simulation.simulation import Simulation, simulate
from andante.simulation.truth import FallRule

from .choice import CONTROL_TIME, Library, SceneChoice
from .real import Mirror

if TYPE_CHECKING:
    from andante.mobile.driver import BaseDriver
    from andante.mobile.guarding import ScanGuard
    from andante.mobile.sensing import Localizer, Odometry

    MakeLocalizer = Callable[[Odometry, Array], Localizer]


MOST_FORCE, LONGEST_PUSH = 1000.0, 5.0  # [N], [s]
LIMP = 0.05  # joints with less of their strength hold nothing
POSE_SPEED = 0.4  # fraction of the joints' top speed on the way to a stance


class Stage(RobotView):
    """A robot in its scene, which is built unless `sim` is its body in that of others.

    `log` takes lines about what the robot does by itself; `beside` are robots that others bring to life; `ready` is the
    robot where it was made ready already; `start` says what a real robot must tell before it is driven.
    """

    def __init__(
        self,
        choice: SceneChoice,
        log: Callable[[str], None] = lambda line: None,
        library: Library | None = None,
        body: Callable[[Robot], Body] | None = None,
        falls: FallRules | None = None,
        *,
        beside: Sequence[Placement] = (),
        ready: Ready | None = None,
        sim: Simulation | None = None,
        start: StartSettings = START,
    ) -> None:
        self.choice, self.log, self._rules, self._start = choice, log, falls or FallRules(), start
        shelf = library or Library()
        self.ready = ready or make_ready(shelf.robot(choice.robot, choice.arguments), choice.gait)
        self.world = shelf.world(choice.world)
        x, y, yaw = choice.start
        self.sim = sim or simulate(
            self.ready.robot,
            self.world,
            choice.engine,
            dt=choice.dt,
            pose=choice.pose or dict(self.ready.pose),
            start=(x, y, yaw - self.ready.forward),
            drop=choice.drop,
            seed=choice.seed,
            sensors=True,
            others=(*choice.others, *beside),
            solver=choice.solver,
        )
        self.sim.fall_rule = FallRule(self._rules.lying, self._rules.height_fraction)
        try:
            if body is not None:
                real = body(self.ready.robot)
                self.sim = Mirror(self.sim, real)
                if (own := real.own_walk()) is not None:
                    self.ready = replace(self.ready, walker=own, gait="own", pose={})
            self._wire()
        except BaseException:
            self.sim.close()
            raise

    def _wire(self) -> None:
        sim, names = self.sim, self.sim.joint_names
        self.limits = MotionLimits.of(sim.robot)
        hold = np.array(sim.engine.commands[sim.model].targets, dtype=float)
        if isinstance(sim, Mirror):
            here = sim.read().position
            hold = np.where(np.isfinite(here), here, hold)
        self.wheels: BaseDriver | None = None
        if self.ready.walker is None:
            self.wheels = mobile.base_driver(sim.robot, hold)
            self.ready = replace(self.ready, walker=self.wheels)
        ready = self.ready
        super().__init__(
            sim, ready.walker, pose=ready.pose, forward=ready.forward, origin=np.array(self.choice.start, dtype=float)
        )
        modes = self.walker.modes
        self.speeds = np.zeros(len(names), dtype=bool) if modes is None else modes != Mode.POSITION
        lying = lying_side(self.choice.pose) is not None
        near = not lying and all(abs(hold[i] - self.ready.pose.get(n, hold[i])) < 0.2 for i, n in enumerate(names))
        near = near and not self.unheard
        first = Driving(self.walker, self.ready.gait) if near else Hold(hold, guarded=not lying)
        self.activities = ActivityManager(self.limits, hold, first, self.route, modes, lambda: self.position, self.log)
        self.balance = BalanceFilter(self.stand_filter, self._felt_up, self.log)
        self.activities.balance = self.balance
        self.supervisor: FallSupervisor | None = None
        if can_get_up(self.robot):
            self.supervisor = FallSupervisor(self.robot, self.activities, self._stood_up, self._fell, self._rules)
            self.supervisor.on = not isinstance(sim, Mirror)  # a real robot gets up when it is told to
        self._command = Command()
        behaviour = self.supervisor or self.activities
        self.moved: Body = self._own_body() or sim  # what the loop moves
        self.localizer: MakeLocalizer | None = None  # of a robot whose own computer tells where it is
        self.control: ControlLoop = ControlLoop(self.moved, behaviour, 1.0 / CONTROL_TIME, lambda _: self._command)
        self.control.targets = hold
        self.guard: ScanGuard | None = None  # the collision monitor of a base that sees
        if self.wheels is not None:
            from andante.mobile.guarding import ScanGuard

            made = ScanGuard(sim, self.wheels)
            if made.sees:
                self.guard = self.control.guard = made
        self.loop = self.control
        self._pushes: dict[str, float] = {}  # link -> when its push ends [s]
        self._noticed = ""  # what the walker said last of its own stop

    def _own_body(self) -> Body | None:
        """The electronics of a simulated robot, where its package has any."""
        reference = ROBOTS[self.robot.name].body if self.robot.name in ROBOTS else ""
        if not reference or isinstance(self.sim, Mirror):
            return None
        made = load_reference(reference)(self.sim)
        if made is not None and not isinstance(made, Body):
            raise BadInput(f"body {reference} of robot {self.robot.name!r} must give a Body")
        return made

    def _felt_up(self) -> Array | None:
        """The vertical in axes of the root (3,), by its IMU; None: nobody tells."""
        felt = None if self.supervisor is None else self.supervisor.balance
        return None if felt is None else felt.up

    def stand_filter(self) -> StandFilter | None:
        """A new filter that keeps this robot on its two feet; None: it has not two of them."""
        if isinstance(self.walker, BipedFigure):
            return StandFilter(self.walker.body)
        return StandFilter(BipedBody(self.robot, rig_for(self.robot))) if two_feet(self.robot) else None

    def stands_at(self, motion: Keyframes) -> bool:
        """Whether a robot on two feet stands on them at the end of a motion; if not, that it sits or lies is meant."""
        if not two_feet(self.robot):
            return True
        last = zip(motion.names, motion.evaluate(motion.round_duration).tolist(), strict=True)
        end = vector_of(self.robot, {**self.ready.pose, **dict(last)})
        return static_margin(Balance(self.robot), end) > 0.0

    # ---- what is known -----------------------------------------------------------------------------
    @property
    def upright(self) -> bool:
        """Whether the body is upright, as it feels; a robot that cannot tell counts as such."""
        return self.supervisor is None or self.supervisor.upright

    @property
    def unheard(self) -> str:
        """Why the walker cannot lead a real robot: it tells its joints too rarely; empty: it can."""
        try:
            require_rate(self.sim, self.walker.least_rate, f"gait {self.ready.gait!r}", self._start)
        except Unsupported as error:
            return str(error)
        return ""

    @property
    def targets(self) -> Array:
        """Joint targets (joints,) of the last control step."""
        return self.control.targets

    # ---- one control step --------------------------------------------------------------------------
    def step(self, command: Command) -> None:
        """One period of the control loop under a command."""
        self.decide(command)
        self.sim.advance(self.control.period)
        self.finish()

    def decide(self, command: Command) -> None:
        """Its first half, before time passes: targets are sent."""
        self._end_pushes()
        present = self.activities.present
        rises = isinstance(present, GettingUp) and present.finished
        stands = isinstance(present, Following) and present.resting and present.stands
        if (rises or stands) and not self.activities.waiting and not self.unheard:
            self.drive()
        self._command = command
        self.control.decide()

    def finish(self) -> None:
        """Its end, when time has passed."""
        self.control.finish()
        notice = self.walker.notice if self.walker.gave_up else ""
        if notice and notice != self._noticed:
            self.log(f"{self.name} {notice}")
        self._noticed = notice

    # ---- stiffness ---------------------------------------------------------------------------------
    def set_stiffness(self, fraction: float, joints: Sequence[str] = ()) -> list[str]:
        """Set the strength, 0 to 1, of joints that fit patterns; their names.

        Joints that were limp take hold where they are. A robot whose driving joints are limp is no concern of the fall
        manager: it does not fall by accident.
        """
        before = self.sim.servos.fraction
        chosen = self.sim.servos.set_stiffness(fraction, joints)
        carrying = np.array([name not in self.walker.free_joints for name in self.robot.joint_names])
        if self.supervisor is not None:
            self.supervisor.limp = bool((self.sim.servos.fraction[carrying] < LIMP).all())
        wakes = (before < LIMP) & (self.sim.servos.fraction >= LIMP) & ~self.speeds
        if wakes.any():
            self._take_hold(wakes, carrying)
        return chosen

    def _take_hold(self, wakes: np.ndarray, carrying: np.ndarray) -> None:
        """Command joints to be where they are measured, so that they do not snap back."""
        felt = self.sim.read().position
        here = np.where(wakes & np.isfinite(felt), felt, self.activities.sent)
        if (wakes & carrying).any():
            rest = np.where(self.speeds, 0.0, here)
            self.activities.replace(Hold(rest), here)
        elif self.activities.over is not None or isinstance(self.activities.present, Driving):
            over = JointMoves(self.robot, here)
            if self.activities.over is not None:
                over.adopt(self.activities.over)
            names = [name for name, woken in zip(self.robot.joint_names, wakes, strict=True) if woken]
            over.send(names, here[wakes].tolist())
            over.targets[wakes] = here[wakes]
            self.activities.over = over

    # ---- pushes ------------------------------------------------------------------------------------
    def push(self, link: str, force: Array, seconds: float, point: Array | None = None) -> None:
        """Push a link with a force [N] in world axes for some seconds, at a point of the link or its center of mass."""
        if isinstance(self.sim, Mirror):
            raise BadInput("a real robot is not pushed from here")
        link = link or self.robot.root
        self.robot.link(link)
        size = float(np.linalg.norm(force))
        if not size <= MOST_FORCE:
            raise BadInput(f"a push has up to {MOST_FORCE:g} N, got {size:g}")
        if not 0 < seconds <= LONGEST_PUSH:
            raise BadInput(f"a push lasts up to {LONGEST_PUSH:g} s, got {seconds:g}")
        self.sim.engine.push(self.sim.model, link, force, point=point)
        self._pushes[link] = self.sim.time + seconds

    def _end_pushes(self) -> None:
        for link in [link for link, end in self._pushes.items() if self.sim.time >= end - 1e-9]:
            self.sim.engine.push(self.sim.model, link, (0.0, 0.0, 0.0))
            del self._pushes[link]

    # ---- changes -----------------------------------------------------------------------------------
    def route(self, start: Array, pose: Mapping[str, float]) -> JointMotion:
        """The way from joint targets to a pose: over standing poses, by the folding route, or straight."""
        if two_feet(self.robot):
            try:
                return pose_route(self.robot, start, pose, POSE_SPEED)
            except BadInput:
                pass  # it does not stand: the straight way
        return transition(self.robot, start, pose, POSE_SPEED)

    def pose_motion(self, start: Array, pose: str, speed: float) -> JointMotion:
        """The way to a named pose; raises BadInput where a standing robot would fall on it."""
        fraction = min(1.0, POSE_SPEED * speed)
        own = pose_motion(self.robot, start, pose, fraction)
        if own is not None:
            return own
        if two_feet(self.robot) and self.upright:
            return pose_route(self.robot, start, pose, fraction)
        return transition(self.robot, start, self.robot.pose(pose), fraction)

    def drive(self, gait: str = "") -> None:
        """Ask for driving, with another gait if one is named; a robot that lies gets up first."""
        if not self.upright:
            if not isinstance(self.activities.present, GettingUp):
                self.activities.request(lambda here: GettingUp(self.robot), "drive after it got up")
            return
        changed = bool(gait) and gait != self.ready.gait
        if changed:
            fresh = make_ready(self.robot, gait)
            self.ready = replace(self.ready, walker=fresh.walker, gait=fresh.gait, pose=fresh.pose)
            self.pose = fresh.pose
        elif isinstance(self.activities.present, Driving) and not self.activities.waiting:
            return
        made = self.ready if changed or self.wheels is not None else None

        def start(here: Array) -> Driving:
            if not self.upright:
                raise BadInput(f"{self.name} lies and could not get up; play get_up tries again")
            return self._driving(made)

        if words := self.unheard:
            raise Unsupported(words)
        self.activities.request(start, f"drive ({self.ready.gait})", self.ready.pose)

    def _driving(self, ready: Ready | None) -> Driving:
        """Driving with the walker of a request, else one that starts anew where the robot believes to be."""
        self.ready = again(self.ready) if ready is None else ready
        assert self.ready.walker is not None
        if self.ready.walker is not self.walker:
            self.lead_by(self.ready.walker)
        return Driving(self.ready.walker, self.ready.gait)

    def lead_by(self, walker: Walker, start: Array | None = None) -> None:
        """Let another walker estimate on from here; `start` is where it believes to be, by default its origin."""
        here = self.position
        began = np.zeros(3) if start is None else np.asarray(start, dtype=float)
        self.walker = walker
        if walker is not self.wheels:
            self.wheels = None
        self.estimated_from = np.asarray(se2.compose(here, se2.inverse(began)), dtype=float)
        self.estimated_from[2] = here[2] - began[2]

    def _stood_up(self) -> None:
        """The fall manager has brought the robot to its feet: it drives again from there."""
        self.activities.replace(self._driving(None if self.wheels is None else self.ready))

    def _fell(self, event: FallEvent) -> None:
        where = f" ({event.where})" if event.where else ""
        self.log(f"fall manager: {event.what}{where}")

    def close(self) -> None:
        """Free engine and cameras."""
        if self.moved is not self.sim:
            self.moved.close()
        self.sim.close()


def placed(model: Robot, name: str, x: float, y: float, yaw: float) -> Placement:
    """A model standing at x, y, yaw on level ground."""
    from andante.description.solids import robot_bounds

    turn = so3.from_rpy((0.0, 0.0, yaw))
    box = robot_bounds(model, None, SE3.from_parts(turn, np.zeros(3)))
    lift = 0.0 if box is None else -float(box[0][2])
    return Placement(name, model, SE3.from_parts(turn, (x, y, lift)))
