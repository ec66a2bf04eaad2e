"""Names that topics had in 0.1.0, told on for one version to those who still listen to them, with a warning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

RENAMED = {  # old -> new
    "/contacts": "/ground_truth/contacts",
    "/com": "/ground_truth/com",
    "/support_polygon": "/ground_truth/support_polygon",
}


class AliasNode(LiveNode):
    """Relays topics under their old names while somebody listens."""

    name = "aliases"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        types = self.bus.topics()
        known = {old: new for old, new in RENAMED.items() if new in types}
        self._old = {old: self.advertise(old, types[new]) for old, new in known.items()}
        self._relayed: set[str] = set()

    def update(self) -> None:
        """Begin to relay what somebody has begun to listen to."""
        for old, publisher in self._old.items():
            if old not in self._relayed and publisher.wanted():
                self._relayed.add(old)
                new = RENAMED[old]
                self.bus.log("warn", f"topic {old} is now {new}; the old name goes in the next version", self.name)

                def relay(message: Any, to: Any = publisher) -> None:
                    if to.wanted():
                        to.publish(message)

                self.subscribe(new, self.bus.topics()[new], relay)
