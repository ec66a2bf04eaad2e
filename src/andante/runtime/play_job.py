"""A motion played from start to end as one value in, one value out: what `andante play` does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from andante.description import Problem, Robot, load_robot, load_world
from andante.description.source import Severity
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.fold_motion import fold_motion, folds
from andante.locomotion.pose_routes import pose_route, two_feet
from andante.motion import ActionRunner, JointMotion, Keyframes, check_action, check_keyframes, check_motion, transition
from andante.motion.actions import Value
from andante.motion.io.library import ActionChoice, Choice, PoseChoice, find_motion, library_motions
from andante.motion.io.recordings import is_recording, read_recording, recorded_motion
from andante.motion.keyframe_check import fit
from andante.motion.keyframe_play import play_from
from andante.motion.poses import vector_of, within_limits

from .get_up_job import GetUpChoice, Rising, get_up_choice
from .outputs import PICTURES, RECORDINGS, VIDEOS, check_outputs, kept
from .player import Player
from .simulation import Simulation, simulate
from .spawn import first_positions, lying_side

SETTLE = 1.0  # played on after the end of a motion [s]
ENDLESS = 10.0  # how long a motion without end is played when nothing else is said [s]
LONGEST = 3600.0
POSE_SPEED = 0.4  # share of the joints' top speed at which poses are taken


@dataclass(frozen=True)
class PlayJob:
    """What to play on whom, and what to keep of it."""

    robot: str
    motion: str  # a pose, a built-in motion, a key-frame or action file
    arguments: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Value] = field(default_factory=dict)  # of an action
    world: str = "empty"
    engine: str = "mujoco"
    pose: str | None = None  # where it starts
    seconds: float | None = None
    speed: float = 1.0
    loop: int | None = None  # rounds; 0: until the time is over
    joints: tuple[str, ...] = ()  # patterns of the joints of a recording that are played; none: all
    seed: int = 0
    record: Path | None = None
    video: Path | None = None
    picture: Path | None = None
    anyway: bool = False  # play although the check found errors


@dataclass(frozen=True)
class PlayOutcome:
    """How it went."""

    robot: str
    motion: str
    kind: str  # pose, keyframes, action, recording, get up
    engine: str
    seconds: float  # simulated
    time: float  # until the motion was over; NaN: it was not
    finished: bool
    fallen: bool
    tracking: Mapping[str, float | str | None]
    base: Array
    problems: tuple[Problem, ...]

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        return {
            "robot": self.robot,
            "motion": self.motion,
            "kind": self.kind,
            "engine": self.engine,
            "seconds": self.seconds,
            "time": self.time,
            "finished": self.finished,
            "fallen": self.fallen,
            "tracking": dict(self.tracking),
            "base": self.base,
            "problems": [problem.as_dict() for problem in self.problems],
        }


@dataclass(frozen=True)
class CheckedMotion:
    """A motion found for a robot, with what the check says; nothing has moved yet."""

    robot: Robot
    choice: Choice | GetUpChoice
    kind: str
    start: Mapping[str, float]
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether there are no errors."""
        return all(problem.severity is not Severity.ERROR for problem in self.problems)


def check_play(job: PlayJob) -> CheckedMotion:
    """Find the motion and say what would go wrong."""
    robot = load_robot(job.robot, job.arguments)
    rising = get_up_choice(robot, job.motion)
    start = first_positions(robot, job.pose or (rising.pose if rising else None))
    named = job.motion.casefold() in {name.casefold() for name in (*robot.poses, *library_motions(robot))}
    recording = read_recording(Path(job.motion)) if not named and is_recording(Path(job.motion)) else None
    choice = rising or (recorded_motion(recording, robot, job.joints) if recording else find_motion(robot, job.motion))
    if job.parameters and not isinstance(choice, ActionChoice):
        raise BadInput(f"{job.motion} is no action and has no parameters, got {', '.join(job.parameters)}")
    if job.joints and not recording:
        raise BadInput(f"{job.motion} is no recording; --joints picks from the joints of one")
    if isinstance(choice, GetUpChoice):
        if job.loop is not None:
            raise BadInput("a robot gets up once; --loop is for motions and actions")
        _pose_speed(job.speed)
        return CheckedMotion(robot, choice, "get up", start, ())
    if isinstance(choice, PoseChoice):
        if job.loop is not None:
            raise BadInput("a pose is taken once; --loop is for motions and actions")
        return CheckedMotion(robot, choice, "pose", start, _check_pose(robot, job, choice.name, start))
    if isinstance(choice, Keyframes):
        if recording:  # what was recorded has been possible
            problems = tuple(Problem(Severity.WARNING, note) for note in recording.notes)
        else:
            problems = check_keyframes(robot, choice, start)
        return CheckedMotion(robot, choice, "recording" if recording else "keyframes", start, problems)
    problems = check_action(robot, choice.actions, choice.name, start, job.parameters)
    return CheckedMotion(robot, choice, "action", start, problems)


def _check_pose(robot: Robot, job: PlayJob, pose: str, start: Mapping[str, float]) -> tuple[Problem, ...]:
    """Limits and collisions on the way to a pose; for who stands on two feet, also that it keeps standing."""
    _, told = within_limits(robot, robot.pose(pose))
    move: JointMotion = _to_pose(robot, vector_of(robot, start), pose, _pose_speed(job.speed))
    if two_feet(robot) and lying_side(job.pose) is None:
        try:
            move = pose_route(robot, start, pose, _pose_speed(job.speed))
        except BadInput as error:
            told = (*told, Problem(Severity.ERROR, str(error)))
    return (*told, *check_motion(robot, move, start))


def run_play(job: PlayJob) -> PlayOutcome:
    """Check, then play. Errors of the check stop it unless the job says anyway."""
    check_outputs(
        {
            "recordings": (job.record, RECORDINGS),
            "videos": (job.video, VIDEOS),
            "pictures": (job.picture, PICTURES),
        }
    )
    if job.seconds is not None and not 0 <= job.seconds <= LONGEST:
        raise BadInput(f"seconds must lie between 0 and {LONGEST:g}, got {job.seconds}")
    if job.loop is not None and job.loop < 0:
        raise BadInput(f"loop is a number of rounds, or 0 for no end, got {job.loop}")
    checked = check_play(job)
    errors = [problem for problem in checked.problems if problem.severity is Severity.ERROR]
    if errors and not job.anyway:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise BadInput(f"{errors[0]}{more}; nothing was moved, --anyway plays it nevertheless")
    sim = simulate(
        checked.robot,
        load_world(job.world),
        job.engine,
        pose=job.pose or (checked.choice.pose if isinstance(checked.choice, GetUpChoice) else None),
        seed=job.seed,
        sensors=job.record is not None or isinstance(checked.choice, GetUpChoice),
    )
    try:
        return _play(sim, job, checked)
    finally:
        sim.close()


def _play(sim: Simulation, job: PlayJob, checked: CheckedMotion) -> PlayOutcome:
    with ExitStack() as stack:
        if isinstance(checked.choice, GetUpChoice):
            rising = Rising(sim, job.speed)
            stack.enter_context(kept(sim, job.record, job.video))
            rising.run(sim, job.seconds)
            ended, tracking = rising.ended_at, dict[str, float | str | None](max=0.0, joint=None, rms=0.0)
            told = rising.problems
        else:
            player = Player(sim, *_motion(sim, job, checked))
            sim.observers.append(player)
            stack.enter_context(kept(sim, job.record, job.video))
            _run(sim, job, player)
            ended, tracking, told = player.ended_at, player.tracking(), checked.problems
            if isinstance(player.motion, ActionRunner):
                told = (*told, *(problem for problem in player.motion.problems if problem not in told))
        if job.picture is not None:
            from .film import save_picture

            save_picture(sim, job.picture)
    return PlayOutcome(
        robot=checked.robot.name,
        motion=checked.choice.name,
        kind=checked.kind,
        engine=sim.engine.name,
        seconds=sim.time,
        time=ended,
        finished=not math.isnan(ended),
        fallen=sim.fallen,
        tracking=tracking,
        base=sim.base_pose,
        problems=told,
    )


def _motion(sim: Simulation, job: PlayJob, checked: CheckedMotion) -> tuple[JointMotion | ActionRunner, float]:
    """What the player plays, and at which speed."""
    choice, robot = checked.choice, checked.robot
    assert not isinstance(choice, GetUpChoice)
    if isinstance(choice, PoseChoice):
        if checked.ok and two_feet(robot) and lying_side(job.pose) is None:
            return pose_route(robot, sim.joints.position, choice.name, _pose_speed(job.speed)), 1.0
        return _to_pose(robot, sim.joints.position, choice.name, _pose_speed(job.speed)), 1.0
    rounds = None if job.loop is None else (math.inf if job.loop == 0 else job.loop)
    if isinstance(choice, Keyframes):
        motion = fit(choice, robot).motion
        if rounds is not None:
            motion = replace(motion, loop=rounds)
        here = dict(zip(robot.joint_names, sim.joints.position.tolist(), strict=True))
        return play_from(motion, robot, here), job.speed
    actions = choice.actions
    if rounds is not None:
        chosen = replace(actions.action(choice.name), loop=rounds)
        actions = replace(actions, actions={**actions.actions, choice.name: chosen})
    runner = ActionRunner(robot, actions)
    runner.start(choice.name, job.parameters)
    return runner, job.speed


def _run(sim: Simulation, job: PlayJob, player: Player) -> None:
    """Up to the given time, else until the motion is over and the robot has settled."""
    if job.seconds is not None:
        sim.run(job.seconds)
        return
    endless = job.loop == 0 or (not isinstance(player.motion, ActionRunner) and math.isinf(player.motion.duration))
    limit = ENDLESS if endless else LONGEST
    if isinstance(player.motion, ActionRunner) and player.motion.endless:
        limit = ENDLESS
    while not player.finished and sim.time < limit:
        sim.run(0.1)
    sim.run(SETTLE)


def _to_pose(robot: Robot, start: Array, pose: str, speed: float) -> JointMotion:
    """Straight to a pose; a robot that folds goes by its folding route, for the straight way would run into itself."""
    return fold_motion(robot, start, pose, speed) if folds(robot, pose) else transition(robot, start, pose, speed)


def _pose_speed(speed: float) -> float:
    if not (math.isfinite(speed) and speed > 0):
        raise BadInput(f"the speed of playing must be > 0, got {speed}")
    return min(1.0, POSE_SPEED * speed)
