"""/gallery/open and /gallery/remove: what the user has brought, put into the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from andante.errors import BadInput
from andante.session.nodes.node import LiveNode

from .gallery import Gallery

if TYPE_CHECKING:
    from andante.session.session import LiveSession


class GalleryNode(LiveNode):
    """Services by the key of an entry; the list `gallery` has all of them."""

    name = "gallery"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.gallery = Gallery(session.folder)
        self.advertise_service("/gallery/open", "andante_msgs/srv/Choose", self._open)
        self.advertise_service("/gallery/remove", "andante_msgs/srv/Choose", self._remove)
        self.lists = {"gallery": lambda: {e.key: f"{e.kind} {e.name}".strip() for e in self.gallery.entries()}}

    def _open(self, request: Any) -> str:
        entry = self.gallery.entry(str(request.name))
        if not entry.usable:
            raise BadInput(f"{entry.key} cannot be used: {entry.problems[0]['message']}")
        file = str(self.gallery.file(entry))
        self.session.select(robot=file if entry.kind == "robot" else "", world=file if entry.kind == "world" else "")
        return f"{entry.name} is there"

    def _remove(self, request: Any) -> str:
        entry = self.gallery.entry(str(request.name))
        if str(self.gallery.folder / entry.key) in f"{self.session.choice.robot} {self.session.choice.world}":
            raise BadInput(f"{entry.name} is in use; choose another {entry.kind} first")
        self.gallery.remove(entry.key)
        return f"{entry.key} is gone"
