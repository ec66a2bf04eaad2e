"""`BalanceFilter`: the joint commands of anyone pass a `StandFilter` while a robot on two legs stands."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from andante.control.activities import Activity
from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import Array
from andante.locomotion.biped.standing import LEFT, RIGHT, StandFilter

SUPPORTS: Mapping[str, tuple[int, ...]] = {
    "both": (LEFT, RIGHT), "left": (LEFT,), "right": (RIGHT,), "left_alone": (LEFT,), "right_alone": (RIGHT,),
}  # fmt: skip
SETTLED = 1.0  # that a command has not changed before what is refused is told [s]
STILL = 1e-5  # change of a command in a period that counts as none [rad]
MOST_TOLD = 6
FALLS = math.radians(20.0)  # of the trunk beyond what its joints tell: the feet no longer stand flat
LEANS = math.radians(20.0)  # of a trunk that stands in whatever was commanded


class BalanceFilter:
    """Limits targets of activities that ask for it (`Activity.balanced`) from where the robot stands in them.

    Motions, gaits and streams of targets have a balance of their own and are left alone.

    Args:
        make: the filter of this robot, made when it is first needed; None: it does not stand on two legs.
        up: the vertical in axes of the root (3,), as the robot feels it; None where it cannot tell.
        log: is told what is refused, in a line.
    """

    def __init__(
        self, make: Callable[[], StandFilter | None], up: Callable[[], Array | None], log: Callable[[str], None]
    ) -> None:
        self._make, self._up, self._log = make, up, log
        self._filter: StandFilter | None = None
        self._made = False
        self._on = True
        self._still = 0.0  # how long the same has been commanded [s]
        self._refused_to_begin: Activity | None = None

    @property
    def filter(self) -> StandFilter | None:
        """Of this robot; None: it has none."""
        if not self._made:
            self._made = True
            try:
                self._filter = self._make()
            except AndanteError:  # legs that it does not understand
                self._filter = None
        return self._filter

    @property
    def on(self) -> bool:
        """Whether commands are limited."""
        return self._on

    @on.setter
    def on(self, on: bool) -> None:
        if on and self.filter is None:
            raise BadInput("this robot does not stand on two legs with soles: there is nothing to balance")
        self._on, self._refused_to_begin = on, None
        if not on and self._filter is not None:
            self._filter.end()

    def rest_on(self, name: str) -> None:
        """Keep the center of mass over both feet or one of them; the other may leave the ground where one is alone."""
        if name not in SUPPORTS:
            raise UnknownName.among("support", name, SUPPORTS)
        if self.filter is None or not self.filter.engaged:
            raise BadInput("a support is chosen while joints are commanded and the robot stands")
        self.filter.rest_on(*SUPPORTS[name], alone=name.endswith("alone"))

    @property
    def engaged(self) -> bool:
        """Whether commands are limited now."""
        return self._filter is not None and self._filter.engaged

    @property
    def refused(self) -> dict[str, float]:
        """Joints that are held away from their commands, and by how much [rad]."""
        return self._filter.refused if self._filter is not None else {}

    @property
    def lagging(self) -> np.ndarray | None:
        """Which joints (joints,) are still on their way to their commands; None: nothing is limited."""
        return self._filter.lagging if self._filter is not None and self.engaged else None

    # ---- one period --------------------------------------------------------------------------------
    def limit(self, activity: Activity, targets: Array, sent: Array, felt: Array, dt: float) -> Array:
        """Targets (joints,) as they may be sent after `sent`; felt (joints,): measured positions."""
        if not (self._on and activity.balanced):
            if self.engaged and self._filter is not None:
                self._filter.end()
            return targets
        made = self.filter
        if made is None:
            return targets
        if not made.engaged and not self._begin(made, activity, sent):
            return targets
        up = self._up()
        if made.tilt(up) > made.lean + FALLS:  # who commands may save it
            made.end()
            self._refused_to_begin = activity
            return targets
        out = made.limit(targets, dt, felt, up)
        self._tell(made, dt)
        return out

    def _begin(self, made: StandFilter, activity: Activity, sent: Array) -> bool:
        """Whether the robot stands in what was sent; asked once for each activity."""
        if self._refused_to_begin is activity:
            return False
        self._still = 0.0
        if made.tilt(self._up()) < FALLS + LEANS and made.begin(sent):
            return True
        self._refused_to_begin = activity
        return False

    def _tell(self, made: StandFilter, dt: float) -> None:
        """Say once of every command what is refused, when there was time to follow it."""
        if float(np.abs(made.wanted - made.before).max()) > STILL:
            self._still = 0.0
            return
        told, self._still = self._still > SETTLED, self._still + dt
        refused = made.refused
        if told or self._still <= SETTLED or not refused:
            return
        words = ", ".join(
            f"{name} at {math.degrees(wanted + gap):.0f} instead of {math.degrees(wanted):.0f}"
            for name, gap in list(refused.items())[:MOST_TOLD]
            for wanted in (made.wanted_of(name),)
        )
        more = f" and {len(refused) - MOST_TOLD} more" if len(refused) > MOST_TOLD else ""
        self._log(f"balance filter: to stay on its feet the robot holds {words} deg{more}; /set_balance turns it off")
