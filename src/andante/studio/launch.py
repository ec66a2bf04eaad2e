"""`an.launch`: everything that a launch file names, with the page of the studio."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from andante.bridges.server.start import start_server
from andante.session import LiveSession
from andante.session.choice import robot_choice
from andante.session.launch_file import RobotPlan, ServerPlan, read_launch
from andante.session.launch_run import LaunchOutcome, run_launch

from .building import tell_stages
from .open import ROUTES, Studio, check_address, scene_arguments, studio_pages


def launch(
    file: Path | str,
    *words: str,
    robots: Sequence[str] = (),
    say: Callable[[str], None] = lambda text: None,
    **arguments: Any,
) -> LaunchOutcome:
    """Start robot, world, engine, behaviours and bridges of a launch file, until its time is over or Ctrl-C.

    Args:
        file: the launch file (.toml).
        words: what to replace in it, as on the command line: "server.port:=9000", "/nao/pgain:=80".
        robots: more robots than it names, each as ROBOT@x,y[,yaw][:name] in m and degrees.
        say: callback for messages, one line each.
        arguments: what to replace whose name is plain, such as robot="shell".

    Returns:
        State of the robot at the end of the session.
    """
    plan = read_launch(file, [*words, *(f"{name}:={_word(value)}" for name, value in arguments.items())])
    plan = replace(plan, robots=(*plan.robots, *(robot_plan(each) for each in robots)))
    if plan.server is not None:
        check_address(plan.server.port, plan.server.host, plan.server.token or None)

    def ready(session: LiveSession, url: str) -> None:
        where = f" at {url}" if url else ""
        say(f"{session.stage.name} in {session.choice.world_name} on {session.choice.engine}{where}")
        if not plan.seconds:
            say("Ctrl-C ends it")

    return run_launch(plan, serve=_serve, ready=ready, say=say)


def robot_plan(word: str) -> RobotPlan:
    """A word like waffle@1,0.5,90:helper as a section [[robots]]."""
    chosen = robot_choice(word)
    x, y, yaw = chosen.start
    return RobotPlan(str(chosen.robot), chosen.name, (x, y, math.degrees(yaw)))


def _word(value: Any) -> str:
    """A value as a launch file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _serve(session: LiveSession, plan: ServerPlan) -> Studio:
    """The web server with the page of the studio."""
    named = scene_arguments([session.choice.robot_name], [session.choice.world_name], session.folder)
    token = plan.token or None
    server = start_server(session.bus, plan.port, plan.host, token, studio_pages(), routes=ROUTES, arguments=named)
    tell_stages(session.progress, server)
    studio = Studio(session, server)
    if plan.browser:
        studio.browse()
    return studio
