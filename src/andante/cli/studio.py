"""`andante studio [ROBOT]` and `andante launch FILE`: the page in the browser, and all that a launch file names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .output import console, print_json, print_lines, show
from .words import arguments_of


def studio(
    robot: Annotated[
        str, typer.Argument(metavar="[ROBOT]", help="Built-in name or a URDF, xacro, SDF or MJCF file.")
    ] = "nao",
    arguments: options.Arguments = None,
    world: Annotated[str, typer.Option("--world", metavar="W", help="Built-in name or an SDF or MJCF file.")] = "lab",
    engine: options.EngineName = "mujoco",
    port: Annotated[int, typer.Option("--port", metavar="P", help="Port of the page; 0 takes a free one.")] = 8642,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    host: Annotated[
        str, typer.Option("--host", metavar="A", help="Address to bind; beyond this machine needs --token.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option("--token", metavar="T", help="Secret that clients must give (8 letters or more).")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Recordings and clips; by default ./andante_sessions."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="Stop after this simulated time.")
    ] = None,
    seed: options.Seed = 0,
    body: options.BodyAddress = "sim",
    params: options.BodyParameters = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Open the studio: watch, drive, push and measure a robot in the browser. Ctrl-C stops it."""
    if dry_run:
        from andante.tasks.dry_run import dry_studio

        options.refuse_simulated(body)
        print_lines(dry_studio(robot, body, params, arguments_of(arguments)))
        return
    if body != "sim":
        options.allow(body, robot, yes)
    from andante.studio.open import built
    from andante.studio.open import studio as run

    def announce(url: str) -> None:
        if json:
            print_json({"url": url, "robot": robot, "engine": engine, "page": built()})
            return
        out = console()
        out.print(f"studio at {url}", markup=False, highlight=False)
        if not built():
            out.print("the page is not built: python tools/build_web.py", markup=False, style="yellow")
        out.print("Ctrl-C stops it", style="dim")

    run(
        robot,
        world=world,
        engine=engine,
        arguments=arguments_of(arguments),
        port=port,
        host=host,
        token=token,
        browser=not no_browser,
        folder=folder,
        seconds=seconds,
        seed=seed,
        announce=announce,
        body=body,
        params=params,
    )


def launch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Launch file (.toml).")],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME:=VALUE]...", help="robot:=shell, server.port:=9000, /nao/pgain:=80 ..."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Start robot, world, engine, behaviours and bridges of a launch file; Ctrl-C ends all of them."""
    from andante.studio.launch import launch as run

    def say(text: str) -> None:
        if not json:
            console().print(text, markup=False)

    outcome = run(file, *(overrides or ()), say=say)
    show(outcome, json)
