"""`an.play`: play a pose, a key-frame motion, an action, a recording or getting up on a robot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from andante import viz
from andante.control.activities import Acting, GettingUp, Playing, checked_speed, lying_pose, plain_name
from andante.control.body import Body, LinkState
from andante.control.loop import ControlLoop
from andante.control.start import first_positions, lying_side, require_rate
from andante.control.tracking import Tracking
from andante.control.view import RobotView
from andante.control.walking import LyingSense
from andante.description import Problem, Robot
from andante.description.solver import SolverLike
from andante.description.source import Severity
from andante.errors import BadInput, LostBody
from andante.geometry import Array
from andante.locomotion.falls.get_up import GetUp, Phase
from andante.locomotion.falls.pose_routes import pose_route, two_feet
from andante.locomotion.gaits import pose_motion
from andante.motion import ActionRunner, JointMotion, Keyframes, check_action, check_keyframes, check_motion, transition
from andante.motion.actions.model import Value
from andante.motion.io.library import ActionChoice, Choice, PoseChoice, find_motion, library_motions
from andante.motion.io.recordings import is_recording, read_recording, recorded_motion
from andante.motion.joint_motion import vector_of, within_limits
from andante.motion.keyframes import fit, play_from
from andante.simulation.simulation import Simulation, simulate

from .bodies import BodyLike, is_simulated, judge_falls, opened, read_params, report_log
from .inputs import RobotLike, WorldLike, as_robot, as_world
from .outputs import RunFiles, kept
from .result import HIDDEN, REAL, Result

LONGEST = 3600.0  # [s]
POSE_SPEED = 0.4  # fraction of the joints' top speed at which poses are taken


@dataclass(frozen=True)
class PlaySettings:
    """How long motions are played; table [play] of `--params`."""

    settle: float = 1.0  # played on after the end of a motion [s]
    endless: float = 10.0  # how long a motion without end is played when nothing else is said [s]
    get_up_timeout: float = 60.0  # getting up [s]
    least_rate: float = 10.0  # at which a real robot must tell its joints [Hz]


@dataclass(frozen=True)
class PlayResult(Result):
    """How a motion went."""

    robot: str
    motion: str
    kind: str  # pose, keyframes, action, recording, get up
    engine: str  # or the address of a real robot
    seconds: float  # simulated, or of the robot's clock
    time: float  # until the motion was over; NaN: it was not
    finished: bool
    fallen: bool  # of a real robot: as its IMU feels at the end
    tracking: Mapping[str, float | str | None]  # max [rad or m], joint, rms
    base: Array  # x y z qx qy qz qw of the root at the end; NaN of a real robot
    problems: tuple[Problem, ...]
    path: Array = field(metadata=HIDDEN, repr=False)  # (n, 1 + joints) time [s] and joint targets
    joints: tuple[str, ...] = field(metadata=HIDDEN, repr=False)
    reason: str | None = field(default=None, metadata=REAL)  # why it ended early
    link: LinkState | None = field(default=None, metadata=REAL)  # how well the robot was heard

    def __str__(self) -> str:
        end = f"finished after {self.time:.2f} s" if self.finished else "not finished"
        follow = ""
        if self.tracking["joint"]:
            follow = (
                f"; joints follow within {self.tracking['rms']:.4f} rad rms "
                f"(at most {self.tracking['max']:.4f} at {self.tracking['joint']})"
            )
        told = f"{self.robot} played {self.motion} ({self.kind}) on {self.engine}: {end}, {self.seconds:.2f} s"
        if self.link is None:
            return f"{told} simulated{follow}; {'fallen' if self.fallen else 'up'}"
        ended = self.reason or ("fallen" if self.fallen else "up")
        return f"{told}{follow}; {ended}; {self.link}"

    def plot(self) -> viz.Figure:
        """Targets of the joints that moved over time."""
        return viz.plot_joints(self.path[:, 0], self.path[:, 1:], self.joints, str(self))


@dataclass(frozen=True)
class CheckedMotion:
    """A motion found for a robot, with what the check says; nothing has moved yet."""

    asked: str  # the motion in the user's words
    robot: Robot
    choice: Choice | None  # None: getting up
    name: str
    kind: str
    pose: str | None  # that it starts in
    start: Mapping[str, float]
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether there are no errors."""
        return all(problem.severity is not Severity.ERROR for problem in self.problems)

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        told = {"robot": self.robot.name, "motion": self.asked, "kind": self.kind, "ok": self.ok}
        return {**told, "problems": [problem.as_dict() for problem in self.problems]}

    def __str__(self) -> str:
        state = f"{self.asked} ({self.kind}) for {self.robot.name}: {'ok' if self.ok else 'not ok'}"
        return "\n".join([*map(str, self.problems), state])


def check_play(
    robot: RobotLike,
    motion: str,
    *,
    parameters: Mapping[str, Value] | None = None,
    pose: str | None = None,
    speed: float = 1.0,
    loop: int | None = None,
    joints: Sequence[str] = (),
    arguments: Mapping[str, str] | None = None,
    start: Mapping[str, float] | None = None,
) -> CheckedMotion:
    """Find a motion and say what would go wrong; see `play` for the arguments.

    start: joint positions that it starts from, as a real robot tells them; None: those of the pose.
    """
    made = as_robot(robot, arguments)
    lying = lying_pose(made, motion)
    pose = pose or (lying if start is None else None)
    start = first_positions(made, pose) if start is None else dict(start)
    named = motion.casefold() in {name.casefold() for name in (*made.poses, *library_motions(made))}
    recording = read_recording(Path(motion)) if lying is None and not named and is_recording(Path(motion)) else None
    choice: Choice | None = None
    if lying is None:
        choice = recorded_motion(recording, made, tuple(joints)) if recording else find_motion(made, motion)
    if parameters and not isinstance(choice, ActionChoice):
        raise BadInput(f"{motion} is not an action and has no parameters, got {', '.join(parameters)}")
    if joints and not recording:
        raise BadInput(f"{motion} is not a recording; joints are picked from recordings only")
    if choice is None or isinstance(choice, PoseChoice):
        if loop is not None:
            raise BadInput(f"{motion} is played once; loop is for motions and actions")
        _pose_speed(speed)
    if choice is None:
        return CheckedMotion(motion, made, None, plain_name(motion), "get up", pose, start, ())
    if isinstance(choice, PoseChoice):
        kind, problems = "pose", _check_pose(made, choice.name, pose, start, speed)
    elif isinstance(choice, Keyframes):
        kind = "recording" if recording else "keyframes"
        if recording:  # what was recorded has been possible
            problems = tuple(Problem(Severity.WARNING, note) for note in recording.notes)
        else:
            problems = check_keyframes(made, choice, start)
    else:
        kind, problems = "action", check_action(made, choice.actions, choice.name, start, parameters or {})
    return CheckedMotion(motion, made, choice, choice.name, kind, pose, start, problems)


def _check_pose(
    robot: Robot, pose: str, first: str | None, start: Mapping[str, float], speed: float
) -> tuple[Problem, ...]:
    """Limits and collisions on the way to a pose; for who stands on two feet, also that it keeps standing."""
    _, told = within_limits(robot, robot.pose(pose))
    move: JointMotion = _to_pose(robot, vector_of(robot, start), pose, _pose_speed(speed))
    if two_feet(robot) and lying_side(first) is None:
        try:
            move = pose_route(robot, start, pose, _pose_speed(speed))
        except BadInput as error:
            told = (*told, Problem(Severity.ERROR, str(error)))
    return (*told, *check_motion(robot, move, start))


def play(
    robot: RobotLike,
    motion: str,
    *,
    parameters: Mapping[str, Value] | None = None,
    pose: str | None = None,
    seconds: float | None = None,
    speed: float = 1.0,
    loop: int | None = None,
    joints: Sequence[str] = (),
    anyway: bool = False,
    world: WorldLike = "empty",
    engine: str = "mujoco",
    solver: SolverLike | None = None,
    arguments: Mapping[str, str] | None = None,
    seed: int = 0,
    record: Path | str | None = None,
    video: Path | str | None = None,
    picture: Path | str | None = None,
    body: BodyLike = "sim",
    params: Path | str | None = None,
    progress: bool = False,
) -> PlayResult:
    """Play a motion on a robot and tell how well it followed. Errors of the check stop it unless told otherwise.

    Args:
        robot: a `Robot`, a name or a path.
        motion: a pose, a motion of the robot's library, a key-frame or action file, a recording, or get-up.
        parameters: arguments of an action.
        pose: named pose to start in.
        seconds: how long it is played [s]; None: until it is over, and a second more.
        speed: 1 as written, 2 twice as fast.
        loop: rounds of a motion or action; 0: until the time is over.
        joints: patterns of the joints of a recording that are played; none: all.
        anyway: play even if the check found errors.
        world: a `World`, a name or a path.
        engine: mujoco, bullet, dart, ode, or `file.py:Name`.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        arguments: `name:=value` arguments of the robot's file.
        seed: random seed of all noise.
        record: recording to write (.mcap, .csv).
        video: film to write (.mp4, .gif, .webp).
        picture: picture of the end to write (.png, .jpg, .webp).
        body: sim, or a real robot: a `Body`, ws://HOST:9090, http://HOST:11311, naoqi://HOST:9559, or
            `file.py:Name`. It moves at once, from where its joints are.
        params: a TOML file with tables [play] (`PlaySettings`), [falls] (`FallRules`) and [robot] (`RobotParameters`,
            of a simulated robot), and [body] and [start] for a real robot.
        progress: print the state of the connection to a real robot on stderr.

    Returns:
        How it went. Files are complete or absent, also when it is interrupted.
    """
    files = RunFiles.of(record, video, picture)
    if seconds is not None and not 0 <= seconds <= LONGEST:
        raise BadInput(f"seconds must lie between 0 and {LONGEST:g}, got {seconds}")
    if loop is not None and loop < 0:
        raise BadInput(f"loop is a number of rounds, or 0 for no end, got {loop}")
    asked: dict[str, Any] = {"parameters": parameters, "speed": speed, "loop": loop, "joints": joints}
    given = read_params(params)
    settings = given.settings("play", PlaySettings())
    if given.rest:
        taken = "[body], [falls], [play], [robot] and [start]"
        raise BadInput(f"{params}: play takes the tables {taken} only, got {', '.join(given.rest)}")
    if not is_simulated(body):
        if pose is not None or picture is not None:
            raise BadInput("a real robot starts where it is and is not drawn; leave pose and picture out")
        made = as_robot(robot, arguments)
        with opened(body, made, given.body, report_log(progress)) as real:
            here = real.read().position
            require_rate(real, settings.least_rate, f"motion {motion!r}", given.start)
            checked = check_play(made, motion, **asked, start=_known(real, here))
            activity = _checked_activity(checked, anyway, speed, loop, parameters or {})
            view = RobotView(real, pose=checked.start)
            with kept(real, files, view):
                return _play(view, real, checked, activity, seconds, loop == 0, settings, given.falls.lying)
    checked = check_play(robot, motion, **asked, pose=pose, arguments=arguments)
    activity = _checked_activity(checked, anyway, speed, loop, parameters or {})
    sim = simulate(
        given.robot.on(checked.robot),
        as_world(world),
        engine,
        pose=checked.pose,
        seed=seed,
        sensors=True,
        solver=solver,
    )
    try:
        judge_falls(sim, given.falls)
        view = RobotView(sim, pose=checked.start)
        with kept(sim, files, view):
            return _play(view, sim, checked, activity, seconds, loop == 0, settings, given.falls.lying)
    finally:
        sim.close()


def _known(body: Body, here: Array) -> dict[str, float]:
    """Where the joints of a real robot are, by name."""
    unknown = [name for name, value in zip(body.joint_names, here, strict=True) if not math.isfinite(value)]
    if unknown:
        raise BadInput(f"{body.name} does not tell where {', '.join(unknown)} are; nothing was moved")
    return dict(zip(body.joint_names, here.tolist(), strict=True))


def _checked_activity(
    checked: CheckedMotion, anyway: bool, speed: float, loop: int | None, parameters: Mapping[str, Value]
) -> Playing | Acting | GettingUp:
    """What plays a motion whose check found no errors, or is played anyway."""
    errors = [problem for problem in checked.problems if problem.severity is Severity.ERROR]
    if errors and not anyway:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise BadInput(f"{errors[0]}{more}; nothing was moved, anyway plays it nevertheless")
    return activity_of(checked, speed, loop, parameters)


def activity_of(
    checked: CheckedMotion, speed: float, loop: int | None, parameters: Mapping[str, Value]
) -> Playing | Acting | GettingUp:
    """What plays a checked motion from its start on."""
    robot, choice, names = checked.robot, checked.choice, checked.robot.joint_names
    start = vector_of(robot, checked.start)
    rounds = None if loop is None else (math.inf if loop == 0 else loop)
    if choice is None:
        return GettingUp(robot, checked_speed(speed))
    if isinstance(choice, PoseChoice):
        motion: JointMotion
        if checked.ok and two_feet(robot) and lying_side(checked.pose) is None:
            motion = pose_route(robot, start, choice.name, _pose_speed(speed))
        else:
            motion = _to_pose(robot, start, choice.name, _pose_speed(speed))
        return Playing(motion, names, start, choice.name, kind="pose")
    if isinstance(choice, Keyframes):
        whole = fit(choice, robot).motion
        if rounds is not None:
            whole = replace(whole, loop=rounds)
        return Playing(play_from(whole, robot, dict(checked.start)), names, start, choice.name, speed=speed)
    actions = choice.actions
    if rounds is not None:
        chosen = replace(actions.action(choice.name), loop=rounds)
        actions = replace(actions, actions={**actions.actions, choice.name: chosen})
    runner = ActionRunner(robot, actions)
    runner.start(choice.name, parameters)
    return Acting(runner, names, start, choice.name, speed)


def _play(
    view: RobotView,
    body: Body,
    checked: CheckedMotion,
    activity: Playing | Acting | GettingUp,
    seconds: float | None,
    endless: bool,
    settings: PlaySettings,
    lying: float,
) -> PlayResult:
    """Up to the given time, else until the motion is over and the robot has settled."""
    names, rows, ended, reason, began = body.joint_names, list[Array](), math.nan, "", body.time
    moved = [names.index(name) for name in activity.motion.names] if isinstance(activity, Playing) else None
    tracking, sense = Tracking(names, moved), LyingSense(body.robot, lying)
    loop = ControlLoop(body, activity)
    view.run_by(loop)
    longest = settings.get_up_timeout if isinstance(activity, GettingUp) else LONGEST
    if isinstance(activity, Playing):
        endless = endless or math.isinf(activity.motion.duration)
    elif isinstance(activity, Acting):
        endless = endless or activity.runner.endless
    end = round((seconds if seconds is not None else settings.endless if endless else longest) * loop.rate)
    while loop.periods < end:
        try:
            state = loop.step()
        except LostBody as error:
            reason = str(error)
            break
        rows.append(np.array([state.time, *loop.targets]))
        if not body.simulated:
            sense.feel(state)
        if not isinstance(activity, GettingUp):
            tracking.measure(state, loop.targets)
        if activity.finished and math.isnan(ended):
            ended = loop.periods * loop.period
        if seconds is None and activity.over and end > loop.periods + settings.settle * loop.rate:
            end = loop.periods + round(settings.settle * loop.rate)
    problems = checked.problems
    if isinstance(activity, GettingUp):
        problems = (*problems, *_failures(activity.behaviour))
    elif isinstance(activity, Acting):
        problems = (*problems, *(problem for problem in activity.runner.problems if problem not in problems))
    return PlayResult(
        robot=checked.robot.name,
        motion=checked.name,
        kind=checked.kind,
        engine=body.address,
        seconds=body.time - began,
        time=ended,
        finished=not math.isnan(ended),
        fallen=body.fallen if isinstance(body, Simulation) else sense(),
        tracking=tracking.summary(),
        base=body.base_pose if isinstance(body, Simulation) else np.full(7, math.nan),
        problems=problems,
        path=np.array(rows).reshape(-1, 1 + len(names)),
        joints=names,
        reason=None if body.simulated else reason,
        link=None if body.simulated else body.link,
    )


def _failures(rising: GetUp) -> tuple[Problem, ...]:
    """A word on every failed try to get up."""
    if rising.failures == 0:
        return ()
    level = Severity.ERROR if rising.phase is Phase.FAILED else Severity.WARNING
    return (Problem(level, f"{rising.failures} of the tries failed: {', then '.join(rising.story)}"),)


def _to_pose(robot: Robot, start: Array, pose: str, speed: float) -> JointMotion:
    """Straight to a pose, or by the way that robots of its kind take there."""
    return pose_motion(robot, start, pose, speed) or transition(robot, start, pose, speed)


def _pose_speed(speed: float) -> float:
    return min(1.0, POSE_SPEED * checked_speed(speed))
