"""`andante launch FILE [NAME:=VALUE ...]`: everything that a launch file names, until Ctrl-C."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json
from .output import console, print_json

if TYPE_CHECKING:
    from andante.session import LiveSession
    from andante.session.launch_file import ServerPlan


def launch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Launch file (.toml).")],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME:=VALUE]...", help="robot:=shell, server.port:=9000, /nao/pgain:=80 ..."),
    ] = None,
    json: Json = False,
) -> None:
    """Start robot, world, engine, behaviours and bridges of a launch file; Ctrl-C ends all of them."""
    from andante.session.launch_file import read_launch
    from andante.session.launch_run import run_launch

    plan = read_launch(file, overrides or [])
    if plan.server is not None:
        from andante.studio.open import check_address

        check_address(plan.server.port, plan.server.host, plan.server.token or None)

    def ready(session: LiveSession, url: str) -> None:
        if json:
            return
        out = console()
        where = f" at {url}" if url else ""
        out.print(
            f"{session.stage.name} in {session.choice.world_name} on {session.choice.engine}{where}", markup=False
        )
        if not plan.seconds:
            out.print("Ctrl-C stops it", style="dim")

    outcome = run_launch(plan, serve=_serve, ready=ready)
    if json:
        print_json(outcome.as_dict())
    else:
        x, y, _ = outcome.position
        console().print(
            f"{outcome.seconds:.2f} s, {outcome.behaviour}, estimated at x {x:.2f} m, y {y:.2f} m", markup=False
        )


def _serve(session: LiveSession, plan: ServerPlan) -> Any:
    """The web server with the page of the studio."""
    from andante.bridges.server.start import start_server
    from andante.studio.open import ROUTES, Studio, scene_arguments, studio_pages

    named = scene_arguments([session.choice.robot_name], [session.choice.world_name])
    token = plan.token or None
    server = start_server(session.bus, plan.port, plan.host, token, studio_pages(), routes=ROUTES, arguments=named)
    studio = Studio(session, server)
    if plan.browser:
        studio.browse()
    return studio
