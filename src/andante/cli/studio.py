"""`andante studio [ROBOT]`: the page in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .bodies import BodyAddress, BodyParameters, DryRun, Yes, allow, print_lines, refuse_simulated
from .options import Arguments, EngineName, Json, Seed
from .output import console, print_json
from .words import arguments_of


def studio(
    robot: Annotated[
        str, typer.Argument(metavar="[ROBOT]", help="Built-in name or a URDF, xacro, SDF or MJCF file.")
    ] = "nao",
    arguments: Arguments = None,
    world: Annotated[str, typer.Option("--world", metavar="W", help="Built-in name or an SDF or MJCF file.")] = "lab",
    engine: EngineName = "mujoco",
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
    seed: Seed = 0,
    body: BodyAddress = "sim",
    params: BodyParameters = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Open the studio: watch, drive, push and measure a robot in the browser. Ctrl-C stops it."""
    if dry_run:
        from andante.tasks.dry_run import dry_studio

        refuse_simulated(body)
        print_lines(dry_studio(robot, body, params, arguments_of(arguments)))
        return
    if body != "sim":
        allow(body, robot, yes)
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
