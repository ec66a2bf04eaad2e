"""The scene of a live session, built from a choice: the simulation, its servos, and the robot's activities."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description import Placement, Robot
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.locomotion import Command
from andante.locomotion.fall import FallEvent
from andante.locomotion.fold_motion import fold_motion, folds
from andante.locomotion.gaits import Walker
from andante.locomotion.io.fall_library import can_get_up
from andante.locomotion.pose_routes import pose_route, two_feet
from andante.motion import JointMotion, transition
from andante.motion.limits import MotionLimits
from andante.physics import Mode
from andante.runtime.behave import Wiring
from andante.runtime.simulation import simulate
from andante.runtime.spawn import lying_side

from .activity import Hold
from .board import Board
from .choice import CONTROL_TIME, SceneChoice
from .drivers import Ready, again, make_ready
from .driving import Driving
from .guard import Guard
from .library import Library
from .rising import Rising
from .servos import LiveServos

if TYPE_CHECKING:
    from .wheel_driver import WheelDriver

MOST_FORCE, LONGEST_PUSH = 1000.0, 5.0  # [N], [s]
POSE_SPEED = 0.4  # share of the joints' top speed on the way to a stance


class Stage:
    """One built scene. `tell` hears in words what the robot does by itself."""

    def __init__(
        self, choice: SceneChoice, tell: Callable[[str], None] = lambda line: None, library: Library | None = None
    ) -> None:
        self.choice, self.tell = choice, tell
        shelf = library or Library()
        self.ready = make_ready(shelf.robot(choice.robot, choice.arguments), choice.gait)
        self.robot = self.ready.robot
        self.world = shelf.world(choice.world)
        x, y, yaw = choice.place
        self.sim = simulate(
            self.robot,
            self.world,
            choice.engine,
            dt=choice.dt,
            pose=choice.pose or dict(self.ready.pose),
            place=(x, y, yaw - self.ready.forward),
            drop=choice.drop,
            seed=choice.seed,
            sensors=True,
            others=choice.others,
        )
        try:
            self._wire()
        except BaseException:
            self.sim.close()
            raise

    def _wire(self) -> None:
        sim, names = self.sim, self.robot.joint_names
        assert sim.sensors is not None
        self.wiring = Wiring(sim.sensors)
        self.servos = LiveServos(sim.engine, sim.actor, names)
        self.limits = MotionLimits.of(self.robot)
        hold = np.array(sim.engine.commands[sim.actor].targets, dtype=float)
        modes = np.full(len(names), Mode.POSITION, dtype=np.int8)
        self.wheels: WheelDriver | None = None
        if self.ready.walker is None:
            from .wheel_driver import WheelDriver  # and with it the estimators

            self.wheels = WheelDriver(sim, hold)
            modes = self.wheels.modes
            self.ready = replace(self.ready, walker=self.wheels)
        self._index = {mode: np.flatnonzero(modes == mode) for mode in (Mode.POSITION, Mode.VELOCITY)}
        free = np.flatnonzero(modes == Mode.OFF)
        if len(free):
            sim.engine.command(sim.actor, np.zeros(len(free)), Mode.OFF, free)
        self.speeds = modes != Mode.POSITION
        self._all_positions = not self.speeds.any()
        self.origin = np.array(self.choice.place, dtype=float)  # of the odom frame in the world
        self.reckoned_from = np.zeros(3)  # where the present walker started, x, y [m], heading [rad]
        lying = lying_side(self.choice.pose) is not None
        near = not lying and all(abs(hold[i] - self.ready.pose.get(n, hold[i])) < 0.2 for i, n in enumerate(names))
        assert self.ready.walker is not None
        first = Driving(self.ready.walker, self.ready.gait) if near else Hold(hold, guarded=not lying)
        self.walker: Walker = self.ready.walker
        self.board = Board(self.limits, hold, first, self.route, self.speeds, self.tell)
        self.guard: Guard | None = None
        if can_get_up(self.robot):
            self.guard = Guard(self.robot, self.board, self._stood_up, lambda: self.position, self._fell)
        self.readings = self.wiring.readings(sim.time, sim.time - CONTROL_TIME)
        self.targets = hold
        self._pushes: dict[str, float] = {}  # link -> when its push ends [s]

    # ---- what is known -----------------------------------------------------------------------------
    @property
    def name(self) -> str:
        """Name of the robot, by which its topics are called."""
        return self.robot.name

    @property
    def position(self) -> Array:
        """x, y [m] and heading, unwrapped [rad], of straight ahead in the frame of the start, by its own reckoning."""
        here = np.asarray(self.walker.position, dtype=float)
        c, s = math.cos(self.reckoned_from[2]), math.sin(self.reckoned_from[2])
        return self.reckoned_from + np.array([c * here[0] - s * here[1], s * here[0] + c * here[1], here[2]])

    @property
    def upright(self) -> bool:
        """Whether the body is upright, as it feels; a robot that cannot tell counts as such."""
        return self.guard is None or self.guard.upright

    @property
    def free_joints(self) -> frozenset[str]:
        """Joints that driving does not need: they may be moved meanwhile."""
        busy = {name for name, speed in zip(self.robot.joint_names, self.speeds, strict=True) if speed}
        if self.wheels is not None:
            busy.update(self.wheels.drive.steering_joints)
            return frozenset(self.robot.joint_names) - busy
        rig = getattr(getattr(self.walker, "body", None), "rig", None) or getattr(self.walker, "rig", None)
        if rig is None:
            return frozenset()
        for leg in rig.legs:
            joint = self.robot.parent_joint(leg.foot)
            while joint is not None:
                busy.add(joint.name)
                joint = self.robot.parent_joint(joint.parent)
        return frozenset(self.robot.joint_names) - busy

    # ---- one control step --------------------------------------------------------------------------
    def control(self, command: Command) -> Array:
        """Read the sensors, ask the activity, send its targets; they are returned."""
        sim = self.sim
        self._end_pushes()
        readings = self.wiring.readings(sim.time, sim.time - CONTROL_TIME)
        self.readings = readings
        risen = self.board.present
        if isinstance(risen, Rising) and risen.succeeded and not self.board.waiting:
            self.drive()
        runner: Any = self.guard or self.board
        targets: Array = runner.update(readings, command, CONTROL_TIME)
        if not np.isfinite(targets).all():
            raise BadInput(f"activity {self.board.present.name!r} gave targets that are not finite")
        self.servos.follow(runner.stiffness)
        self.targets = targets
        engine, actor = sim.engine, sim.actor
        if self._all_positions:
            engine.command(actor, targets, Mode.POSITION)
        else:
            for mode, index in self._index.items():
                if len(index):
                    engine.command(actor, targets[index], mode, index)
        return targets

    def advance(self) -> None:
        """Let a control period of physics and sensors pass."""
        self.sim.run(CONTROL_TIME)

    # ---- pushes ------------------------------------------------------------------------------------
    def push(self, link: str, force: Array, seconds: float, point: Array | None = None) -> None:
        """Push a link with a force [N] in world axes for some seconds, at a point of the link or its centre of mass."""
        link = link or self.robot.root
        self.robot.link(link)
        size = float(np.linalg.norm(force))
        if not size <= MOST_FORCE:
            raise BadInput(f"a push has up to {MOST_FORCE:g} N, got {size:g}")
        if not 0 < seconds <= LONGEST_PUSH:
            raise BadInput(f"a push lasts up to {LONGEST_PUSH:g} s, got {seconds:g}")
        self.sim.engine.push(self.sim.actor, link, force, point=point)
        self._pushes[link] = self.sim.time + seconds

    def _end_pushes(self) -> None:
        for link in [link for link, end in self._pushes.items() if self.sim.time >= end - 1e-9]:
            self.sim.engine.push(self.sim.actor, link, (0.0, 0.0, 0.0))
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
        share = min(1.0, POSE_SPEED * speed)
        if folds(self.robot, pose):
            return fold_motion(self.robot, start, pose, share)
        if two_feet(self.robot) and self.upright:
            return pose_route(self.robot, start, pose, share)
        return transition(self.robot, start, self.robot.pose(pose), share)

    def drive(self, gait: str = "") -> None:
        """Ask for driving, with another gait if one is named; a robot that lies gets up first."""
        if not self.upright:
            if not isinstance(self.board.present, Rising):
                self.board.request(lambda here: Rising(self.robot), "drive after it got up")
            return
        changed = bool(gait) and gait != self.ready.gait
        if changed:
            fresh = make_ready(self.robot, gait)
            self.ready = replace(self.ready, walker=fresh.walker, gait=fresh.gait, pose=fresh.pose)
        elif isinstance(self.board.present, Driving) and not self.board.waiting:
            return
        made = self.ready if changed or self.wheels is not None else None

        def start(here: Array) -> Driving:
            if not self.upright:
                raise BadInput(f"{self.name} lies and could not get up; play get_up tries again")
            return self._driving(made)

        self.board.request(start, f"drive ({self.ready.gait})", self.ready.pose)

    def _driving(self, ready: Ready | None) -> Driving:
        """Driving with the walker of a request, else one that starts anew where the robot believes to be."""
        self.ready = again(self.ready) if ready is None else ready
        assert self.ready.walker is not None
        if self.ready.walker is not self.walker:
            self.lead_by(self.ready.walker)
        return Driving(self.ready.walker, self.ready.gait)

    def lead_by(self, walker: Walker, start: Array | None = None) -> None:
        """Let another walker reckon on from here; `start` is where it believes to be, by default its origin."""
        here = self.position
        began = np.zeros(3) if start is None else np.asarray(start, dtype=float)
        self.walker = walker
        if walker is not self.wheels:
            self.wheels = None
        self.reckoned_from = np.asarray(se2.compose(here, se2.inverse(began)), dtype=float)
        self.reckoned_from[2] = here[2] - began[2]

    def _stood_up(self) -> None:
        """The fall manager has brought the robot to its feet: it drives again from there."""
        self.board.replace(self._driving(None if self.wheels is None else self.ready))

    def _fell(self, event: FallEvent) -> None:
        where = f" ({event.where})" if event.where else ""
        self.tell(f"fall manager: {event.what}{where}")

    def close(self) -> None:
        """Free engine and cameras."""
        self.sim.close()


def placed(model: Robot, name: str, x: float, y: float, yaw: float) -> Placement:
    """A model standing at x, y, yaw on level ground."""
    from andante.description.extent import robot_bounds
    from andante.geometry import SE3, so3

    turn = so3.from_rpy((0.0, 0.0, yaw))
    box = robot_bounds(model, None, SE3.from_parts(turn, np.zeros(3)))
    lift = 0.0 if box is None else -float(box[0][2])
    return Placement(name, model, SE3.from_parts(turn, (x, y, lift)))
