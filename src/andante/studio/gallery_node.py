"""/gallery/open, /gallery/spawn and /gallery/remove: what the user has brought, put into the session."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from andante.errors import BadInput
from andante.session.nodes.node import LiveNode

from .gallery import Entry, Gallery

if TYPE_CHECKING:
    from andante.session.session import LiveSession


class GalleryNode(LiveNode):
    """Services by the key of an entry; the list `gallery` has all of them."""

    name = "gallery"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.gallery = Gallery(session.folder)
        self.advertise_service("/gallery/open", "andante_msgs/srv/Choose", self._open)
        self.advertise_service("/gallery/spawn", "andante_msgs/srv/Spawn", self._spawn)
        self.advertise_service("/gallery/remove", "andante_msgs/srv/Choose", self._remove)
        self.lists = {"gallery": lambda: {e.key: f"{e.kind} {e.name}".strip() for e in self.gallery.entries()}}

    def _entry(self, key: str) -> Entry:
        entry = self.gallery.entry(key)
        if not entry.usable:
            raise BadInput(f"{entry.key} cannot be used: {entry.problems[0]['message']}")
        return entry

    def _spawn(self, request: Any) -> str:
        """One more robot, by its key."""
        entry = self._entry(str(request.model))
        if entry.kind != "robot":
            raise BadInput(f"{entry.name} is a {entry.kind}, no robot that could be added")
        place = [float(v) for v in (request.x, request.y, request.yaw)]
        if not all(math.isfinite(v) for v in place):
            raise BadInput(f"a place has finite numbers, got {', '.join(str(v) for v in place)}")
        name = self.session.spawn(self.gallery.file(entry), str(request.name), *place)
        return f"{name} at {place[0]:.2f}, {place[1]:.2f}"

    def _open(self, request: Any) -> str:
        entry = self._entry(str(request.name))
        file = str(self.gallery.file(entry))
        self.session.select(robot=file if entry.kind == "robot" else "", world=file if entry.kind == "world" else "")
        return f"{entry.name} is there"

    def _remove(self, request: Any) -> str:
        entry = self.gallery.entry(str(request.name))
        if str(self.gallery.folder / entry.key) in f"{self.session.choice.robot} {self.session.choice.world}":
            raise BadInput(f"{entry.name} is in use; choose another {entry.kind} first")
        self.gallery.remove(entry.key)
        return f"{entry.key} is gone"
