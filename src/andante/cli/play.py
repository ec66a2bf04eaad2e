"""`andante play ROBOT MOTION`: a pose, a key-frame motion or an action, checked first and then played under physics."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Arguments, EngineName, Json, Picture, Pose, Record, RobotName, Seed, Video, WorldName
from .output import console, print_json, tell_written, warn
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
        float | None, typer.Option("--seconds", metavar="S", help="Simulated time; default: until it is over.")
    ] = None,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="1 as written, 2 twice as fast.")] = 1.0,
    loop: Annotated[int | None, typer.Option("--loop", metavar="N", help="Rounds; 0 until the time is over.")] = None,
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
    check: Annotated[bool, typer.Option("--check", help="Only say what would go wrong.")] = False,
    anyway: Annotated[bool, typer.Option("--anyway", help="Play although the check found errors.")] = False,
    json: Json = False,
) -> None:
    """Play a motion on a robot and tell how well it followed; get-up lets it lie first and stand up."""
    from andante.runtime.play_job import PlayJob, check_play, run_play

    job = PlayJob(
        robot=robot,
        motion=motion,
        arguments=arguments_of(arguments),
        parameters=texts_of(values),
        world=world,
        engine=engine,
        pose=pose,
        seconds=seconds,
        speed=speed,
        loop=loop,
        joints=tuple(joints or ()),
        seed=seed,
        record=record,
        video=video,
        picture=picture,
        anyway=anyway,
    )
    out = console() if not json else None
    if check:
        checked = check_play(job)
        if out is None:
            rows = [problem.as_dict() for problem in checked.problems]
            print_json(
                {
                    "robot": checked.robot.name,
                    "motion": motion,
                    "kind": checked.kind,
                    "ok": checked.ok,
                    "problems": rows,
                }
            )
            return
        for problem in checked.problems:
            out.print(str(problem), markup=False)
        out.print(
            f"{motion} ({checked.kind}) for {checked.robot.name}: {'ok' if checked.ok else 'not ok'}", markup=False
        )
        return
    outcome = run_play(job)
    if outcome.kind == "recording":
        for problem in outcome.problems:
            warn(problem.message)
    if out is None:
        print_json(outcome.as_dict())
        return
    for problem in outcome.problems if outcome.kind != "recording" else ():
        out.print(str(problem), markup=False, style="dim")
    end = f"over after {outcome.time:.2f} s" if outcome.finished else "not over"
    out.print(
        f"{outcome.robot} played {outcome.motion} ({outcome.kind}) on {outcome.engine}: {end}, "
        f"{outcome.seconds:.2f} s simulated",
        markup=False,
    )
    tracking = outcome.tracking
    where = f" (at most {tracking['max']:.4f} at {tracking['joint']})" if tracking["joint"] else ""
    if tracking["joint"]:
        out.print(f"joints follow within {tracking['rms']:.4f} rad rms{where}", markup=False)
    out.print("[red]fallen[/red]" if outcome.fallen else "[green]up[/green]")
    tell_written(record, video, picture)
