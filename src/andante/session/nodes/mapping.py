"""Live mapping on the bus: the map grows while the robot is driven or carried, is saved, and is then navigated on."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from andante import mapping
from andante.bags import messages
from andante.errors import AndanteError, BadInput
from andante.geometry import Array, se2

from .navigation import NavigationNode, navigation_of
from .node import LiveNode, file_in

if TYPE_CHECKING:
    from andante.mapping import LiveMapper, MappingResult, OccupancyGrid
    from andante.session.live_mapping import LiveMapping
    from andante.session.session import LiveSession

MAP_PERIOD, STATE_PERIOD = 1.0, 1.0  # between two maps and two words on it at least [s]
CELLS_A_SECOND = 1e6  # larger maps come less often
LOOK_AROUND = 2.5  # standing before an exploration [s]
KNOWN = (0.1, 0.1, 0.05)  # deviations of the pose with which localization begins on the map [m, m, rad]


class MappingNode(LiveNode):
    """/mapping/start, stop, save, reset and /explore/start, stop; /mapping/state tells how it goes.

    While it maps, /map grows and /goal_pose leads over it. `stop` closes loops, beside the running session where that
    is paced, and the robot is localized on the result; `save` writes the newest map.
    """

    name = "mapping"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.live: LiveMapping | None = None  # while it maps
        self.grid: OccupancyGrid | None = None  # the newest map that was made here
        self.file = ""  # the newest that was saved
        self._closing: _Closing | None = None
        self._soon = False  # whether it explores once it has looked around
        self._told_at = self._shown_at = -1.0  # [s]
        self._shown = 0  # key scans on the map that was told
        self._words = ""  # the last state that was told
        self._state = self.advertise("/mapping/state", "std_msgs/msg/String", latched=True)
        self.advertise_service("/mapping/start", "std_srvs/srv/Trigger", lambda _: self.start())
        self.advertise_service("/mapping/stop", "std_srvs/srv/Trigger", lambda _: self.stop())
        self.advertise_service("/mapping/reset", "std_srvs/srv/Trigger", lambda _: self.reset())
        self.advertise_service("/mapping/save", "andante_msgs/srv/Choose", lambda request: self.save(str(request.name)))
        self.advertise_service("/explore/start", "std_srvs/srv/Trigger", lambda _: self.explore())
        self.advertise_service("/explore/stop", "std_srvs/srv/Trigger", lambda _: self.stop_exploring())

    @property
    def makes_map(self) -> bool:
        """Whether it maps."""
        return self.live is not None

    @property
    def _navigation(self) -> NavigationNode:
        return navigation_of(self.session)

    # ---- what is asked of it -----------------------------------------------------------------------
    def start(self) -> str:
        """Begin a map where the robot believes to be."""
        if self.live is not None:
            raise BadInput("the robot is mapping; /mapping/reset begins anew")
        known = self._navigation.live
        self._begin(self.stage.origin if known is None or known.stage is not self.stage else known.map_from_odom)
        return "mapping: drive or carry the robot"

    def reset(self) -> str:
        """Forget the map and begin another one where the robot is."""
        if self.live is None:
            self.grid, self._closing = None, None
            return self.start()
        self._begin(self.live.map_from_odom)
        return "the map begins anew"

    def _begin(self, odom: Array) -> None:
        from andante.session.live_mapping import LiveMapping

        made = LiveMapping(self.stage, np.asarray(odom, dtype=float))
        self.live, self._closing, self._shown, self._shown_at = made, None, 0, -1.0
        self._navigation.take(made)

    def stop(self) -> str:
        """End the map; the robot is localized on it from now on."""
        live = self.live
        if live is None:
            raise BadInput("the robot is not mapping; /mapping/start begins")
        live.cancel()
        self.live, self._soon = None, False
        if live.mapper is None:
            self._navigation.live = None
            return "no scan has come, so there is no map"
        self.grid = live.map()
        self._settle(live.root_pose)
        self._closing = _Closing(live.mapper, beside=self.session.paced)
        if not self.session.paced:
            self._close_loops()
        scans, keys = live.mapper.scans, live.mapper.keys
        return f"{scans} scans, {keys} of them drawn; the robot is localized on the map"

    def save(self, name: str = "") -> str:
        """Write the newest map as NAME.yaml and NAME.pgm into the folder of the session."""
        grid = self.grid if self.live is None else self.live.map()
        if grid is None:
            raise BadInput("there is no map to save; /mapping/start begins one")
        path = file_in(self.session.hub.folder, name, f"{self.stage.name}_map", ".yaml")
        mapping.save_map(grid, path.with_suffix(""))
        self.file = path.name
        self._told_at = -1.0
        return str(path)

    def explore(self) -> str:
        """Let the robot drive to unknown places by itself; it begins to map where it does not yet."""
        if self.live is None:
            self.start()
        assert self.live is not None
        if self.live.mapper is None or self.stage.sim.time - self.live.began < LOOK_AROUND:
            self.explore_soon()
            return "looks around, then explores"
        self._soon = False
        self.live.explore()
        self.session.teleop.release()
        return "explores"

    def explore_soon(self) -> None:
        """Explore once the robot has looked around: one scan alone is no map."""
        self._soon = True

    def stop_exploring(self) -> str:
        """Stand; mapping goes on."""
        self._soon = False
        if self.live is None or not self.live.exploring:
            return "the robot does not explore"
        self.live.stop_exploring()
        return "stands; mapping goes on"

    # ---- the end of a map --------------------------------------------------------------------------
    def _settle(self, pose: Array) -> None:
        """Localize the robot on the map, at a pose x, y, yaw of its root."""
        assert self.grid is not None
        node = self._navigation
        node.set_map(self.grid)
        try:
            live = node.ensure()
        except AndanteError as error:  # it maps, but cannot be led
            self.bus.log("warn", str(error), self.name)
            return
        x, y, yaw = (float(value) for value in pose)
        live.place(x, y, yaw, KNOWN)

    def _close_loops(self) -> None:
        """Take over the map with its loops closed once that is done."""
        closing = self._closing
        if closing is None or not closing.done:
            return
        self._closing, made = None, closing.made
        if made is None:
            self.bus.log("error", f"loops could not be closed: {closing.error}; the map stays as it was", self.name)
            return
        from andante.mobile.explore_goals import decided

        self.grid = decided(made.grid)
        live = self._navigation.live
        pose = self.stage.origin
        if live is not None and live.stage is self.stage:
            moved = se2.compose(made.poses[-1], se2.inverse(closing.pose))  # what the loops did to the newest scan
            pose = se2.compose(se2.compose(moved, live.pose), se2.inverse(live.vehicle.reference))
            if live.active:
                self.bus.log("warn", "the map has changed: the goal is canceled", self.name)
                live.cancel()
        self._settle(np.asarray(pose, dtype=float))
        self.bus.log("info", f"{made.loops} loops closed; the map is finished", self.name)

    # ---- what is told ------------------------------------------------------------------------------
    def rebuilt(self) -> None:
        """Another scene: the map ends here, and stays where it is of the same world."""
        if self.live is not None:
            self.grid = self.live.map() or self.grid
            self.bus.log("warn", "the scene was built anew, so mapping has ended; save keeps the map", self.name)
        self.live, self._closing, self._soon = None, None, False

    def update(self) -> None:
        """Tell the map and the state where they are due."""
        now = self.bus.clock.now
        self._close_loops()
        live = self.live
        if live is not None and self._navigation.live is not live:  # it failed, and begins anew
            live.cancel()
            self._navigation.take(live)
        mapper = None if live is None else live.mapper
        if self._soon and live is not None and mapper is not None and self.stage.sim.time - live.began >= LOOK_AROUND:
            self.bus.log("info", self.explore(), self.name)
        if live is not None and mapper is not None and mapper.keys != self._shown:
            size = 0 if self.grid is None else self.grid.cells.size
            due = not 0 <= now - self._shown_at < max(MAP_PERIOD, size / CELLS_A_SECOND)
            if due and self.bus.topic("/map").subscriptions:
                self._shown, self._shown_at = mapper.keys, now
                self.grid = live.map()
                assert self.grid is not None
                self._navigation.show_map(self.grid)
        if not 0 <= now - self._told_at < STATE_PERIOD or (live is not None) != ('"mapping": true' in self._words):
            self._tell(now)

    def _tell(self, now: float) -> None:
        self._told_at = now
        words = json.dumps(self.state())
        if words != self._words:
            self._words = words
            self._state.publish(messages.make("std_msgs/msg/String", data=words))

    def state(self) -> dict[str, Any]:
        """How it goes: mapping, exploring, closing, scans, keys, size [cells], resolution [m], seconds, lost, file."""
        live, grid = self.live, self.grid
        mapper = None if live is None else live.mapper
        return {
            "mapping": live is not None,
            "exploring": live is not None and (live.exploring or self._soon),
            "closing": self._closing is not None,
            "scans": 0 if mapper is None else mapper.scans,
            "keys": 0 if mapper is None else mapper.keys,
            "size": [0, 0] if grid is None else [int(grid.shape[1]), int(grid.shape[0])],
            "resolution": 0.0 if grid is None else float(grid.resolution),
            "seconds": 0.0 if live is None else round(self.stage.sim.time - live.began, 1),
            "lost": live is not None and not live.growing.trusted,
            "file": self.file,
        }


class _Closing:
    """Closes the loops of a map, beside the loop of the session where asked."""

    def __init__(self, mapper: LiveMapper, beside: bool) -> None:
        self.error = ""
        self.pose = mapper.pose  # of the newest scan, as tracked
        self._mapper = mapper
        self.made: MappingResult | None = None  # None: not yet, or there was an error
        self._thread: threading.Thread | None = None
        if beside:
            self._thread = threading.Thread(target=self._work, name="closing loops", daemon=True)
            self._thread.start()
        else:
            self._work()

    def _work(self) -> None:
        try:
            self.made = self._mapper.finish()
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._thread is None or not self._thread.is_alive()
