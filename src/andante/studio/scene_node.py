"""A node of the live session that tells the page which models were added, and hands over files it cannot know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from andante.bags import messages
from andante.bridges.pages import Page
from andante.description import Robot, World

from .scenes import Scenes, Source

if TYPE_CHECKING:
    from andante.runtime.live.session import LiveSession

NODE = "studio"


class SceneNode:
    """/scene/models (latched), and pages for robots and worlds that came into the session by file."""

    def __init__(self, session: LiveSession, known: Scenes, add_pages: Callable[[Sequence[Page]], None]) -> None:
        self.session, self.known, self._add_pages = session, known, add_pages
        self._topic = session.bus.advertise("/scene/models", "andante_msgs/msg/Models", latched=True, node=NODE)
        self.rebuilt()

    def update(self) -> None:
        """Nothing happens between rebuilds."""

    def rebuilt(self) -> None:
        """Tell the models of the new scene; serve what is new."""
        session = self.session
        robots, worlds = sources_of(session)
        fresh = Scenes(
            {name: source for name, source in robots.items() if name not in self.known.robots},
            {name: source for name, source in worlds.items() if name not in self.known.worlds},
        )
        new = [("robot", name) for name in fresh.robots if name not in self.known.robots]
        new += [("world", name) for name in fresh.worlds if name not in self.known.worlds]
        for kind, name in new:
            files = fresh.all(kind, name)
            self._add_pages([Page(f"/{path}", None, file.data, file.media_type) for path, file in files])
        self.known.robots.update(fresh.robots)
        self.known.worlds.update(fresh.worlds)
        others = session.choice.others
        names, kinds = [placed.name for placed in others], [placed.robot.name for placed in others]
        self._topic.publish(messages.make("andante_msgs/msg/Models", scene=session.scene, names=names, robots=kinds))

    def close(self) -> None:
        """The session ends."""
        self._topic.close()


def sources_of(session: LiveSession) -> tuple[dict[str, Source], dict[str, Source]]:
    """Robots and worlds of a session that have a file, by the names that /status uses."""
    choice = session.choice
    robots: dict[str, Source] = {}
    if (file := _file(choice.robot)) is not None:
        robots[session.stage.name] = Source(file, dict(choice.arguments))
    for placed in choice.others:
        if (file := placed.robot.source.file) and Path(file).is_file():
            robots.setdefault(placed.robot.name, Source(str(file)))
    worlds = {choice.world_name: Source(file)} if (file := _file(choice.world)) is not None else {}
    return robots, worlds


def _file(thing: Robot | World | str | Path) -> str | None:
    """A name or file that the loaders take."""
    if isinstance(thing, Robot | World):
        return str(thing.source.file) if thing.source.file else None
    return str(thing)
