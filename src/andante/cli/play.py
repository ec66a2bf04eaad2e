"""`andante play ROBOT MOTION`: a pose, a key-frame motion or an action, checked first and then played under physics."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .bodies import BodyAddress, BodyParameters, DryRun, Yes, allow, print_lines, refuse_simulated
from .options import Arguments, EngineName, Json, Picture, Pose, Record, RobotName, Seed, Video, WorldName
from .output import console, print_json, print_written, warn
from .words import arguments_of, texts_of


def play(
    robot: RobotName,
    motion: Annotated[
        str,
        typer.Argument(
            metavar="MOTION",
            help="Pose, built-in motion, get-up, or .toml, .csv, .action file (FILE:ACTION picks), or a recording.",
        ),
    ],
    arguments: Arguments = None,
    world: WorldName = "empty",
    engine: EngineName = "mujoco",
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="Simulated time; default: until it has finished.")
    ] = None,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="1 as written, 2 twice as fast.")] = 1.0,
    loop: Annotated[
        int | None, typer.Option("--loop", metavar="N", help="Repetitions; 0: until the time limit.")
    ] = None,
    joints: Annotated[
        list[str] | None,
        typer.Option("--joints", metavar="PATTERN", help="Only these joints of a recording (?Shoulder*); repeat it."),
    ] = None,
    values: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Parameter of an action; repeat it.")
    ] = None,
    pose: Pose = None,
    seed: Seed = 0,
    record: Record = None,
    video: Video = None,
    picture: Picture = None,
    check: Annotated[bool, typer.Option("--check", help="Only check it and print problems.")] = False,
    anyway: Annotated[bool, typer.Option("--anyway", help="Play although the check found errors.")] = False,
    body: BodyAddress = "sim",
    params: BodyParameters = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Play a motion on a robot and tell how well it followed; get-up lets it lie first and stand up."""
    from andante.tasks.play import check_play
    from andante.tasks.play import play as run

    given: dict[str, Any] = {
        "arguments": arguments_of(arguments),
        "parameters": texts_of(values),
        "pose": pose,
        "speed": speed,
        "loop": loop,
        "joints": tuple(joints or ()),
    }
    out = console() if not json else None
    if check:
        checked = check_play(robot, motion, **given)
        if out is None:
            told = {"robot": checked.robot.name, "motion": motion, "kind": checked.kind, "ok": checked.ok}
            print_json({**told, "problems": [problem.as_dict() for problem in checked.problems]})
            return
        for problem in checked.problems:
            out.print(str(problem), markup=False)
        out.print(
            f"{motion} ({checked.kind}) for {checked.robot.name}: {'ok' if checked.ok else 'not ok'}", markup=False
        )
        return
    if dry_run:
        from andante.tasks.dry_run import dry_play

        refuse_simulated(body)
        print_lines(dry_play(robot, motion, body, params, **given))
        return
    allow(body, robot, yes)
    result = run(
        robot,
        motion,
        **given,
        world=world,
        engine=engine,
        seconds=seconds,
        seed=seed,
        record=record,
        video=video,
        picture=picture,
        anyway=anyway,
        body=body,
        params=params,
        progress=not json,
    )
    recorded = result.kind == "recording"
    for problem in result.problems if recorded else ():
        warn(problem.message)
    if out is None:
        print_json(result.as_dict())
        return
    for problem in () if recorded else result.problems:
        out.print(str(problem), markup=False, style="dim")
    out.print(str(result), markup=False)
    print_written(record, video, picture)
