"""A navigated robot among others: it tells its intent on the bus, hears theirs, and yields where they meet.

The rules are those of `andante.navigation.right_of_way`. Nothing but what the robots tell and believe is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from andante.bags import messages
from andante.control.publishers import Pose2D
from andante.geometry import Array
from andante.mapping import OccupancyGrid
from andante.navigation import Costmap, Path
from andante.navigation.right_of_way import (
    Intent,
    RoomMap,
    WaySettings,
    off_the_way,
    siding,
    way_of,
    yields_to,
)

FRESH = 1.5  # intents that are older do not count [s]
LOOK = 1.0  # between two searches for a place aside [s]
KIND = "andante_msgs/msg/Intent"
IntentMessage = messages.cls(KIND)


@dataclass(frozen=True)
class Manners:
    """What a robot does about the others: nothing (empty), stand where it is, or go aside."""

    words: str = ""
    aside: Array | None = None  # (2,) on the map [m]


FREE = Manners()


class Yielding:
    """Right of way of one robot.

    Args:
        name: of the robot.
        radius: that holds its footprint about the reference point [m].
        grid: the map that all share; None: there are no narrow places known.
        tell: publishes a message of an intent, whose header is its own affair.
        settings: when to yield.
    """

    def __init__(
        self,
        name: str,
        radius: float,
        grid: OccupancyGrid | None,
        tell: Callable[[Any], None],
        settings: WaySettings | None = None,
    ) -> None:
        self.name, self.radius, self.settings, self._tell = name, radius, settings or WaySettings(), tell
        self._room = RoomMap(grid)
        self._others: dict[str, tuple[float, Intent]] = {}
        self._told: Intent | None = None
        self._wish: Path | None = None
        self._yields = False
        self._free_since = self._looked = -np.inf
        self._aside: Array | None = None

    def hear_message(self, now: float, message: Any) -> None:
        """A message of another robot; one whose numbers are none is left alone."""
        intent = intent_of(message)
        if intent is not None:
            self.hear(now, intent)

    def hear(self, now: float, intent: Intent) -> None:
        """Another robot has told its intent."""
        if intent.name != self.name:
            self._others[intent.name] = now, intent

    def wish(self, path: Path | None) -> None:
        """The way that it wants to go, whatever it does at present; None: none."""
        self._wish = path
        if path is None:
            self._yields, self._aside = False, None

    def update(self, now: float, pose: Array, costmap: Costmap, failed: bool = False) -> Manners:
        """What to do now at a believed pose; `failed`: it could not get to the place aside."""
        others = {name: intent for name, (when, intent) in self._others.items() if 0 <= now - when < FRESH}
        all_told = [*others.values(), *([self._told] if self._told is not None else [])]
        lets = yields_to(sorted(all_told, key=lambda intent: intent.name), self.settings)
        goes_before = tuple(sorted(name for name, first in lets.items() if self.name in first))
        made = self._manners(now, pose, costmap, others, lets.get(self.name, {}), goes_before, failed)
        way = np.zeros((0, 3)) if self._wish is None else way_of(self._wish, pose, self._room, self.settings)
        stuck = made.aside is None and made.words.startswith(NOWHERE)
        self._told = Intent(self.name, np.array(pose, dtype=float), self.radius, way, goes_before, stuck)
        self._tell(message_of(self._told))
        return made

    def _manners(
        self, now: float, pose: Array, costmap: Costmap, others: dict[str, Intent], first: dict[str, float],
        goes_before: tuple[str, ...], failed: bool,
    ) -> Manners:  # fmt: skip
        s = self.settings
        if first:
            self._free_since = np.inf
        elif np.isinf(self._free_since):
            self._free_since = now
        if self._yields and not first and now - self._free_since < s.linger:
            return Manners("waits a moment until the way is free", self._aside)
        near = {name: others[name] for name, gap in first.items() if name in others and gap < s.hold + self.radius}
        self._yields = bool(near) or (self._yields and bool(first))
        if not first or not self._yields:
            self._yields, self._aside = False, None
            return self._lets_clear(pose, [others[name] for name in goes_before if name in others])
        leading = list(near.values()) or [others[name] for name in first if name in others]
        whom = " and ".join(sorted(intent.name for intent in leading))
        if off_the_way(pose, self.radius, leading, s) and self._aside is None:
            return Manners(f"yields to {whom}")
        if self._aside is None or failed or now - self._looked > LOOK:
            keeps = self._aside is not None and not failed and self._clear(self._aside, leading)
            if not keeps:
                rest = [intent for name, intent in others.items() if intent not in leading]
                self._aside = siding(pose, self.radius, leading, rest, costmap, s)
            self._looked = now
        if self._aside is None:
            return Manners(f"{NOWHERE} {whom}")
        return Manners(f"steps aside for {whom}", self._aside)

    def _clear(self, place: Array, leading: list[Intent]) -> bool:
        return off_the_way(place, self.radius, leading, self.settings)

    def _lets_clear(self, pose: Array, behind: list[Intent]) -> Manners:
        """Who goes first waits while somebody who yields is still right ahead on its way."""
        if self._told is None or not len(self._told.way):
            return FREE
        me = replace(self._told, pose=np.array(pose, dtype=float))
        for other in behind:
            gap = float(np.linalg.norm(other.pose[:2] - me.pose[:2])) - other.radius - self.radius
            if not other.stuck and gap < self.settings.near and not self._passed(me, other):
                return Manners(f"waits until {other.name} is out of the way")
        return FREE

    def _passed(self, me: Intent, other: Intent) -> bool:
        """Whether another robot stands beside or behind my way."""
        gaps = np.linalg.norm(me.way[:, :2] - other.pose[:2], axis=1)
        return bool(gaps.min() > self.radius + other.radius)


NOWHERE = "has nowhere to go for"


def message_of(intent: Intent) -> Any:
    """An intent as a message without a header."""
    x, y, yaw = intent.pose.tolist()
    return IntentMessage(
        messages.header(0.0), intent.name, Pose2D(x, y, yaw), float(intent.radius), intent.way[:, 0].copy(),
        intent.way[:, 1].copy(), np.minimum(intent.way[:, 2], 1e6), list(intent.before), intent.stuck,
    )  # fmt: skip


def intent_of(message: Any) -> Intent | None:
    """The intent of a message; None where its numbers are none."""
    way = [np.asarray(column, dtype=float) for column in (message.x, message.y, message.room)]
    pose = np.array([message.pose.x, message.pose.y, message.pose.theta], dtype=float)
    if len({len(column) for column in way}) != 1 or not np.isfinite(pose).all() or not message.radius >= 0:
        return None
    table = np.column_stack(way)
    if not np.isfinite(table).all():
        return None
    before = tuple(str(name) for name in message.before)
    return Intent(str(message.name), pose, float(message.radius), table, before, bool(message.stuck))
