"""The session of a studio, built while the server beside it answers already; with all that a session needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from andante.bridges.server.access import Page
from andante.bridges.server.start import ServerHandle
from andante.bus import Bus
from andante.compiling.ahead import compile_ahead
from andante.control.body import Body
from andante.control.joints.following import FollowSettings
from andante.control.teleop_mux import TeleopSettings
from andante.description.solver import SolverLike, solver_settings
from andante.errors import BadInput
from andante.physics import engine_class
from andante.physics.solver import check_settings
from andante.session import LiveSession
from andante.session.choice import Library
from andante.session.progress import Progress, watch_compiling
from andante.session.real import real_body
from andante.tasks.bodies import read_params

from .editing.node import SceneEditNode
from .gallery_node import GalleryNode
from .motions.node import MotionEditNode
from .scenes import SceneNode, Scenes


def build_session(
    server: ServerHandle,
    bus: Bus,
    robot: str | Path,
    world: str | Path,
    engine: str,
    *,
    seed: int,
    arguments: Mapping[str, str] | None,
    folder: Path | str | None,
    announce: Callable[[str], None] | None,
    body: Body | str,
    params: Path | str | None,
    solver: SolverLike | None,
    robots: Sequence[str],
) -> LiveSession:
    """The session that a server shows; its arguments are those of `open_studio`."""
    given = read_params(params)
    teleop, follow = given.settings("teleop", TeleopSettings()), given.settings("follow", FollowSettings())
    if given.rest or given.robot:
        taken = "[body], [falls], [follow], [start] and [teleop]"
        others = [*given.rest, *(["robot"] if given.robot else [])]
        raise BadInput(f"{params}: studio takes the tables {taken} only, got {', '.join(others)}")
    library, progress = Library(), Progress()
    tell_stages(progress, server)
    watch_compiling(progress)
    with progress.stage("reading the robot and the world"):
        library.robot(robot, arguments)  # what cannot be read is told before anybody looks at the page
        library.world(world)
    check_settings(engine_class(engine), solver_settings(solver))
    server.wait()
    if announce is not None:
        announce(server.url)
    compile_ahead()
    return LiveSession(
        robot, world, engine, seed=seed, arguments=arguments, folder=folder, bus=bus, library=library,
        body=real_body(body, given.body, bus), teleop=teleop, follow=follow,
        falls=given.falls, solver=solver, robots=robots, progress=progress, start_settings=given.start,
    )  # fmt: skip


def tell_stages(progress: Progress, server: ServerHandle) -> None:
    """Serve the present stage as /stage.json: the server answers while the loop is busy."""

    def told(words: str, since: float) -> None:
        content = json.dumps({"stage": words, "since": since}).encode()
        server.add_pages([Page("/stage.json", None, content, "application/json")])

    progress.on(told)


def add_nodes(session: LiveSession, server: ServerHandle) -> None:
    """Give a session what its page needs: recent files, scenes and motions to edit, robots and worlds to show."""
    session.nodes.append(GalleryNode(session))
    session.nodes.append(SceneEditNode(session))
    session.nodes.append(MotionEditNode(session))
    session.nodes.append(SceneNode(session, Scenes(), server.add_pages))
