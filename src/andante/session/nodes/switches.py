"""Bumpers, touch pads and buttons: what they feel on /switches, and /press_switch, a finger on one of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from andante.control.publishers import SwitchPublisher
from andante.errors import BadInput, UnknownName

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

LONGEST = 60.0  # that a finger stays [s]


class _Publisher(SwitchPublisher):
    """Tells fingers too."""

    def __init__(self, session: LiveSession) -> None:
        self._session = session
        self.held: dict[str, float] = {}  # switch -> when the finger leaves it [s]
        super().__init__(session.bus, lambda: session.stage)

    def pressed(self) -> list[bool]:
        """As felt, or held by a finger."""
        now = self._session.time
        felt = super().pressed()
        return [on or self.held.get(name, -1.0) > now for name, on in zip(self.names, felt, strict=True)]


class SwitchNode(LiveNode):
    """/switches, /press_switch."""

    name = "switches"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._publisher = _Publisher(session)
        self.advertise_service("/press_switch", "andante_msgs/srv/PressSwitch", self._press)

    def rebuilt(self) -> None:
        """Another robot has other switches."""
        self._publisher.held.clear()
        self._publisher.rebuilt()

    @property
    def pressed(self) -> dict[str, bool]:
        """Every switch, as felt or held by a finger."""
        return dict(zip(self._publisher.names, self._publisher.pressed(), strict=True))

    def update(self) -> None:
        """What all of them feel now."""
        self._publisher.update()

    def close(self) -> None:
        """Leave the bus."""
        self._publisher.close()
        super().close()

    def _press(self, request: Any) -> str:
        name, seconds = str(request.name), float(request.seconds)
        if name not in self._publisher.names:
            raise UnknownName.among("switch", name, self._publisher.names, f"robot {self.stage.robot.name!r}")
        if not (math.isfinite(seconds) and 0 <= seconds <= LONGEST):
            raise BadInput(f"a switch is pressed for 0 to {LONGEST:g} s, got {seconds}")
        self._publisher.held[name] = self.session.time + seconds
        return f"{name} is pressed for {seconds:g} s" if seconds else f"{name} is let go"
