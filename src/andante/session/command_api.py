"""What a user can ask a live robot for: motions, poses, joints, trajectories, driving, waves, pushes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed
from andante.control.activities import Acting, Driving, GettingUp, Hold, Playing, Waving, lying_pose, plain_name
from andante.control.body import StopPlan
from andante.control.drivers import drive_names
from andante.control.joints.following import Following, FollowSettings
from andante.control.joints.joint_moves import JointMoves
from andante.control.joints.timed_moves import JointPoints, TimedMove
from andante.control.joints.trajectory import trajectory
from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import Array
from andante.locomotion.gaits import Request, prepare
from andante.locomotion.io.fall_library import can_get_up
from andante.locomotion.wave.gait import WaveGait
from andante.locomotion.wave.model import WaveParameters, waves
from andante.motion import ActionRunner, Keyframes, play_from
from andante.motion.io.library import ActionChoice, Choice, PoseChoice, find_motion, library_motions
from andante.motion.keyframes import fit
from andante.simulation.walk_watch import WalkWatch

from .stage import Stage

ALL_JOINTS = "Body"
BEYOND = 5e-3  # a target so far outside the limits is told [rad or m]
FOLLOW = "targets"  # what waits for its turn is called so
BEHAVIOURS = {
    "drive": "follow velocities; stand and balance without one",
    "balance": "stand and balance",
    "hold": "keep all joints where they are",
    "get_up": "get up from however it lies",
    "wave": "walk by the wave gait",
}


class CommandApi:
    """Requests to the robot of one stage. Everything raises an AndanteError that says why where it cannot be done."""

    def __init__(self, stage: Stage, follow: FollowSettings | None = None, own: Path | None = None) -> None:
        """own: a folder with motions of the user's own."""
        self.stage, self.follow_settings, self.own = stage, follow or FollowSettings(), own
        self.wave: WaveGait | None = None
        self.watch: WalkWatch | None = None
        self._queued: list[Callable[[JointMoves], None]] = []
        self._streamed_at = -math.inf  # when targets last came [s]
        self._refusals: dict[str, str] | None = None  # of poses, from standing
        self._refused = False  # the stream of targets that comes now was cut off; it must cease before a new one

    # ---- what there is -----------------------------------------------------------------------------
    @property
    def poses(self) -> list[str]:
        """Names of poses."""
        return list(self.stage.robot.poses)

    def pose_refusals(self) -> dict[str, str]:
        """Every pose with the reason why it is not taken from where driving begins, empty: it is."""
        if self._refusals is None:
            self._refusals = {name: self._refusal(name) for name in self.poses}
        return self._refusals

    def _refusal(self, pose: str) -> str:
        stage = self.stage
        if lying_pose(stage.robot, pose):
            return ""
        whole = stage.robot.complete(stage.ready.pose)
        start = np.array([whole[name] for name in stage.robot.joint_names])
        try:
            self._activity(find_motion(stage.robot, pose), start, 1.0, 0)
        except AndanteError as error:
            return str(error)
        return ""

    @property
    def motions(self) -> list[str]:
        """Names of motions, getting up included."""
        rising = ["get_up"] if can_get_up(self.stage.robot) else []
        return [*library_motions(self.stage.robot, self.own), *rising]

    @property
    def gaits(self) -> list[str]:
        """Ways to drive."""
        return list(drive_names(self.stage.robot))

    @property
    def behaviours(self) -> list[str]:
        """Names for `behave`."""
        lacking = set() if can_get_up(self.stage.robot) else {"get_up"}
        lacking |= set() if waves(self.stage.robot) else {"wave"}
        return [name for name in BEHAVIOURS if name not in lacking]

    # ---- behaviours --------------------------------------------------------------------------------
    def behave(self, name: str) -> None:
        """Change to a behaviour by its name."""
        if name not in self.behaviours:
            raise UnknownName.among("behaviour", name, self.behaviours)
        manager = self.stage.activities
        if name in ("drive", "balance"):
            self.stage.drive()
        elif name == "hold":
            manager.request(lambda here: Hold(np.where(self.stage.speeds, 0.0, here)), "hold")
        elif name == "wave":
            self.start_wave()
        else:
            self.play("get_up")

    def set_gait(self, name: str) -> None:
        """Drive in another way from now on."""
        if name not in self.gaits:
            raise UnknownName.among("gait", name, self.gaits, f"robot {self.stage.robot.name!r}")
        if not (isinstance(self.stage.activities.present, Driving) and self.stage.walker.change_gait(name)):
            self.stage.drive(name)

    def button(self, name: str) -> None:
        """Press one of the buttons that the robot has while it drives."""
        walker = self.stage.walker
        if name not in walker.buttons:
            raise UnknownName.among("button", name, walker.buttons, f"robot {self.stage.robot.name!r}")
        self.stage.drive()
        walker.press(name)

    # ---- motions -----------------------------------------------------------------------------------
    def play(self, name: str, speed: float = 1.0, rounds: int = 0, files: bool = False) -> float:
        """Play a pose, a motion, an action or get_up once the robot rests; how long it takes [s], 0: not known ahead.

        rounds: of a motion, 0 as written, -1 without end. files: names of files are taken too.
        """
        speed = speed or 1.0
        if not (math.isfinite(speed) and 0.05 <= speed <= 5):
            raise BadInput(f"playback speed must lie between 0.05 and 5, got {speed}")
        stage, plain = self.stage, plain_name(name)
        if lying_pose(stage.robot, name):
            return self._get_up(speed)
        if not files and plain not in {m.casefold() for m in (*self.poses, *self.motions)} and ":" not in name:
            raise UnknownName.among("pose or motion", name, (*self.poses, *self.motions), f"robot {stage.robot.name!r}")
        if not files and ("/" in name or "\\" in name or "." in name):
            raise BadInput(f"{name!r}: only poses and motions by name are played here, no files")
        choice = find_motion(stage.robot, name, self.own)
        drives = isinstance(stage.activities.present, Driving)
        if isinstance(choice, PoseChoice) and drives and stage.walker.take_pose(choice.name):
            return 0.0
        return self.play_choice(choice, speed, rounds)

    def play_choice(self, choice: Choice, speed: float = 1.0, rounds: int = 0) -> float:
        """Play what was found or made, once the robot rests; how long it takes [s], 0: not known ahead."""
        stage, start = self.stage, self.motion_start()
        planned = self._activity(choice, start, speed, rounds)  # raises now what would raise later
        label = planned.detail
        stage.activities.request(lambda here: self._activity(choice, here, speed, rounds), f"motion {label}")
        duration = planned.motion.duration / speed if isinstance(planned, Playing) else 0.0
        return duration if math.isfinite(duration) else 0.0

    def motion_start(self) -> Array:
        """Targets from which a motion will start as far as can be told now."""
        stage = self.stage
        if isinstance(stage.activities.present, Driving) and not stage.activities.present.resting:
            whole = stage.robot.complete(stage.ready.pose)
            return np.array([whole[name] for name in stage.robot.joint_names])
        return stage.activities.sent

    def _activity(self, choice: Choice, here: Array, speed: float, rounds: int) -> Playing | Acting:
        robot, names = self.stage.robot, self.stage.robot.joint_names
        if isinstance(choice, PoseChoice):
            motion = self.stage.pose_motion(here, choice.name, speed)
            return Playing(motion, names, here, choice.name, kind="pose")
        if isinstance(choice, Keyframes):
            whole = fit(choice, robot).motion
            if rounds:
                whole = replace(whole, loop=math.inf if rounds < 0 else rounds)
            played = play_from(whole, robot, dict(zip(names, here.tolist(), strict=True)))
            return Playing(played, names, here, choice.name, speed=speed, guarded=self.stage.stands_at(whole))
        return self._acting(choice, here, speed, rounds)

    def _acting(self, choice: ActionChoice, here: Array, speed: float, rounds: int) -> Acting:
        robot, actions = self.stage.robot, choice.actions
        if rounds:
            chosen = replace(actions.action(choice.name), loop=math.inf if rounds < 0 else rounds)
            actions = replace(actions, actions={**actions.actions, choice.name: chosen})
        runner = ActionRunner(robot, actions)
        runner.start(choice.name)
        return Acting(runner, robot.joint_names, here, choice.name, speed)

    def _get_up(self, speed: float) -> float:
        stage = self.stage
        if stage.supervisor is not None and stage.supervisor.busy:
            if not stage.supervisor.try_again():
                raise BadInput("the robot is getting up already")
            return 0.0
        stage.activities.request(lambda here: GettingUp(stage.robot, speed), "get up")
        return 0.0

    # ---- joints ------------------------------------------------------------------------------------
    @renamed(share="fraction")
    def joint_angles(
        self, names: Sequence[str], values: Sequence[float], fraction: float = 1.0, relative: bool = False
    ) -> str:
        """Send joints to positions at a fraction of their speed: beside the driving where it does not need them.

        Returns which of them are stopped at their limits, in words; empty: none.
        """
        stage = self.stage
        if list(names) == [ALL_JOINTS] and ALL_JOINTS not in stage.robot.joint_names:
            names = stage.robot.joint_names
        for name in names:
            self._check_joint(name)
        JointMoves(stage.robot, stage.activities.sent).send(names, values, fraction, relative)
        order = (tuple(names), tuple(float(v) for v in values), fraction, relative)
        self._move_joints(names, lambda moves: moves.send(*order))
        return "" if relative else self._beyond(names, values)

    def _beyond(self, names: Sequence[str], values: Sequence[float]) -> str:
        """Joints that are asked to go beyond their limits, with where they stop."""
        limits, order = self.stage.limits, self.stage.robot.joint_names
        told = []
        for name, value in zip(names, values, strict=True):
            k = order.index(name)
            stop = float(np.clip(value, limits.lower[k], limits.upper[k]))
            if abs(stop - value) > BEYOND:
                told.append(f"{name} stops at {stop:.2f}, its limit")
        return ", ".join(told)

    def interpolate(self, points: Mapping[str, JointPoints], relative: bool = False) -> TimedMove:
        """Move joints along curves in time: beside the driving where it does not need them. The handle to wait by."""
        if not points:
            raise BadInput("a move names at least one joint")
        for name in points:
            self._check_joint(name)
        move = TimedMove(dict(points), relative)
        self._move_joints(list(points), lambda moves: moves.follow(move))
        return move

    def cancel_move(self, move: TimedMove) -> None:
        """Let the joints of a move stop where they are."""
        manager = self.stage.activities
        for holder in (manager.present, manager.over):
            if isinstance(holder, JointMoves):
                holder.cancel(move)
        if not move.begun:
            move.begun = move.interrupted = True

    def move_lives(self, move: TimedMove) -> bool:
        """Whether a move waits for its turn or is under way; a fall or another activity ends it."""
        manager = self.stage.activities
        if not move.begun:
            return manager.waiting == "joints"
        return any(
            isinstance(holder, JointMoves) and holder.follows(move) for holder in (manager.present, manager.over)
        )

    def _check_joint(self, name: str) -> None:
        robot = self.stage.robot
        if name not in robot.joint_names:
            raise UnknownName.among("joint", name, robot.joint_names, f"robot {robot.name!r}")
        if self.stage.speeds[robot.joint_names.index(name)]:
            raise BadInput(f"joint {name!r} is driven by speed; drive it by /cmd_vel")

    def _move_joints(self, names: Sequence[str], order: Callable[[JointMoves], None]) -> None:
        """Give an order to the joint moves that run, beside the driving if it can do without; else they begin."""
        stage, manager = self.stage, self.stage.activities
        if (
            isinstance(manager.present, Driving | Waving)
            and not manager.waiting
            and set(names) <= stage.walker.free_joints
        ):
            manager.over = manager.over or JointMoves(stage.robot, manager.sent)
            order(manager.over)
        elif isinstance(manager.present, JointMoves) and not manager.waiting:
            order(manager.present)
        else:
            if manager.waiting != "joints":
                self._queued = []
            self._queued.append(order)
            manager.request(self._joint_moves, "joints")

    def _joint_moves(self, here: Array) -> JointMoves:
        moves, beside = JointMoves(self.stage.robot, here), self.stage.activities.over
        if beside is not None:
            moves.adopt(beside)
        for order in self._queued:
            order(moves)
        self._queued = []
        return moves

    def follow(
        self,
        names: Sequence[str],
        times: Sequence[float],
        positions: Sequence[ArrayLike],
        velocities: Sequence[ArrayLike] | None = None,
    ) -> float:
        """Follow a trajectory of joints once the robot rests; how long it takes [s]."""
        stage, given = self.stage, None if velocities is None else np.array(velocities)
        made = trajectory(stage.robot, self.motion_start(), names, times, np.array(positions), given)

        def start(here: Array) -> Playing:
            motion = trajectory(stage.robot, here, names, times, np.array(positions), given)
            return Playing(motion, stage.robot.joint_names, here, f"{len(times)} points", kind="trajectory")

        stage.activities.request(start, "trajectory")
        return made.duration

    # ---- targets that somebody else finds ----------------------------------------------------------
    def follow_targets(self, targets: Mapping[str, float], stamp: float, stiffness: Mapping[str, float]) -> bool:
        """Follow a stream of joint targets from its first message on, once the robot rests; whether that is the first.

        A stream that was cut off (it paused, the robot fell, something else was asked for) is heeded again after it has
        ceased for a while: it may go on from where the robot is not.
        """
        stage = self.stage
        manager, names, now = stage.activities, stage.robot.joint_names, stage.sim.time
        for name, value in targets.items():
            if name not in names:
                raise UnknownName.among("joint", name, names, f"robot {stage.robot.name!r}")
            if stage.speeds[names.index(name)]:
                raise BadInput(f"joint {name!r} is driven by speed; drive it by /cmd_vel")
            if not math.isfinite(value):
                raise BadInput(f"the target of joint {name!r} must be finite, got {value}")
        paused, self._streamed_at = now - self._streamed_at > self.follow_settings.timeout, now
        strength = np.array([stiffness.get(name, 1.0) for name in names]) if stiffness else None
        busy = stage.supervisor is not None and stage.supervisor.busy
        if isinstance(manager.present, Following) and not busy and not manager.waiting:
            self._refused = not manager.present.take(targets, stamp, strength)
        elif manager.waiting != FOLLOW:
            self._refused = not paused or busy
            if not self._refused:
                manager.request(lambda here: Following(stage.limits, here, self.follow_settings), FOLLOW)
                return True
        if self._refused:
            raise BadInput("the stream of targets was cut off; it is heeded again after a pause")
        return False

    def stop_plan(self, plan: StopPlan) -> None:
        """How the robot comes to rest when the targets cease."""
        if isinstance(self.stage.activities.present, Following):
            self.stage.activities.present.take_plan(plan)

    # ---- the wave walker ---------------------------------------------------------------------------
    def walker_gait(self) -> WaveGait:
        """The wave gait of the walker service, made when it is first asked for."""
        if self.wave is None:
            robot = self.stage.robot
            if "wave" not in self.behaviours:
                raise BadInput(f"robot {robot.name!r} has no wave gait")
            made = prepare(robot, Request("wave"))
            assert isinstance(made.walker, WaveGait)
            self.wave = made.walker
        return self.wave

    def start_wave(self) -> None:
        """Walk by waves from StandInit on."""
        gait, stage = self.walker_gait(), self.stage
        pose = dict(prepare(stage.robot, Request("wave")).pose)

        def start(here: Array) -> Waving:
            self.watch = WalkWatch(stage.sim, gait.parameters.period)
            stage.sim.observers[:] = [o for o in stage.sim.observers if not isinstance(o, WalkWatch)] + [self.watch]
            stage.lead_by(gait, gait.position)
            return Waving(gait)

        stage.activities.request(start, "wave", pose)

    def stop_wave(self) -> None:
        """Let the waves die and balance again."""
        if isinstance(self.stage.activities.present, Waving) or self.stage.activities.waiting == "wave":
            self.stage.drive()

    def set_wave(self, values: Mapping[str, float], variant: str = "") -> dict[str, float]:
        """New numbers of the wave gait by their symbols, also while it walks; all of them as they are now."""
        gait = self.walker_gait()
        if variant and variant != gait.variant:
            if isinstance(self.stage.activities.present, Waving):
                raise BadInput("stop the walk before you change its variant")
            first = prepare(self.stage.robot, Request("wave", parameters={"variant": variant})).walker
            assert isinstance(first, WaveGait)
            self.wave = gait = first
        gait.set_parameters(WaveParameters.of(dict(values), gait.parameters))
        return gait.parameters.symbols()
