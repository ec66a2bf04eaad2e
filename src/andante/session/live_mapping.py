"""`LiveMapping`: a robot of a session that makes its map while it is driven, carried, sent to goals, or explores."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.mapping import LiveMapper, MappingParameters, OccupancyGrid, Scan
from andante.mobile.explore import Exploration, Explored, Steps
from andante.mobile.explore_goals import Frontiers, decided
from andante.mobile.growing import Growing
from andante.mobile.sensing import Odometry, Sensed
from andante.navigation import Vehicle
from andante.navigation.layers import LayeredCostmap

from .navigating import LiveNavigation
from .stage import Stage

REFRESH = 0.5  # the navigator takes over the map so often [s] ...
CELLS_A_SECOND = 1e6  # ... and large maps less often, so that they cost the same
KEPT = 3  # scans that are laid over a fresh map
EXPLORING = 0.5  # speed limit while it explores [m/s]


class LiveMapping(LiveNavigation):
    """Maps what the lidar sees, tells where the robot is on that map, and leads it to goals there.

    Args:
        stage: the robot in its scene; it has a lidar.
        start: pose x, y, yaw of odom on the map.
        parameters: of the mapper; None: dense key scans.
    """

    def __init__(self, stage: Stage, start: Array, parameters: MappingParameters | None = None) -> None:
        if not (stage.sim.has_scans and any(spec.kind == "lidar" for spec in stage.robot.sensors)):
            raise BadInput(f"robot {stage.robot.name!r} has no lidar to map by; add a ray sensor to its file")

        def grow(odometry: Odometry, at: Array) -> Growing:
            return Growing(at, odometry, parameters)

        super().__init__(stage, None, grow, start)
        self.began = stage.sim.time  # [s]
        self.explored: Explored | None = None  # of the last exploration
        self._exploration: Exploration | None = None
        self._steps: Steps[Explored] | None = None
        self._own = self.navigator
        self._recent: list[tuple[Scan, Array, Array]] = []  # with pose and twist
        self._refreshed, self._keys = -math.inf, 0
        self._lost = False

    # ---- what is known -----------------------------------------------------------------------------
    @property
    def growing(self) -> Growing:
        """The map as a localizer."""
        assert isinstance(self.localizer, Growing)
        return self.localizer

    @property
    def mapper(self) -> LiveMapper | None:
        """Of the scans so far; None before the first."""
        return self.growing.mapper

    @property
    def localized(self) -> bool:
        """The map tells where it is from the first scan on."""
        return self.mapper is not None

    @property
    def root_pose(self) -> Array:
        """Where the root is on the map now (3,), as believed."""
        return np.asarray(se2.compose(self.pose, se2.inverse(self._reference)), dtype=float)

    def map(self) -> OccupancyGrid | None:
        """The map so far: free, occupied and unknown; None before the first scan."""
        return None if self.mapper is None else decided(self.mapper.occupancy())

    @property
    def exploring(self) -> bool:
        """Whether it looks for unknown places by itself."""
        return self._steps is not None

    @property
    def leads(self) -> bool:
        """Whether a goal or the exploration leads the robot."""
        return self.exploring or super().leads

    # ---- what is asked of it -----------------------------------------------------------------------
    def explore(self, speed: float = EXPLORING) -> None:
        """Drive to the borders of the map until none is left."""
        if self.exploring:
            raise BadInput("the robot explores already")
        if self.wheels is None:
            raise BadInput(f"robot {self.stage.robot.name!r} is not on wheels; it maps what it is led past")
        if self.mapper is None:
            raise BadInput("no scan has come yet; explore when the map has begun")
        super().cancel()
        self._exploration = made = Exploration(
            self.vehicle, self.growing, replace(self._sense(), sweeps=()), _frontiers, speed=speed,
            seed=self.stage.choice.seed,
        )  # fmt: skip
        self.navigator, self._steps, self.explored = made.navigator, made.work(), None
        self._velocity = np.asarray(next(self._steps))

    def stop_exploring(self, reason: str = "stopped") -> None:
        """Stand; the map stays."""
        if self._exploration is None:
            return
        done = self._exploration.done
        done.reason = done.reason or reason
        self.explored, self._exploration, self._steps = done, None, None
        self.navigator = self._own
        super().cancel()

    def set_goal(self, x: float, y: float, yaw: float) -> None:
        """Go to a pose of the root on the map so far [m, rad]; ends an exploration."""
        self.stop_exploring("another goal was set")
        self._show(math.inf)
        super().set_goal(x, y, yaw)

    def cancel(self) -> None:
        """Forget the goal and stop; an exploration ends."""
        self.stop_exploring()
        super().cancel()

    # ---- one control period ------------------------------------------------------------------------
    def _sense(self) -> Sensed:
        sensed = super()._sense()
        self.events += self.growing.words if self._exploration is None else []
        if self._exploration is None:
            self.growing.words.clear()
        self._recent = [*self._recent, *((s.scan, s.pose, s.twist) for s in sensed.sweeps)][-KEPT:]
        if self.growing.trusted == self._lost:
            self._lost = not self._lost
            self.events.append(
                "scans do not fit the map: go back to a place that it shows, or reset it" if self._lost
                else "scans fit the map again"
            )  # fmt: skip
        return sensed

    def _decide(self, sensed: Sensed) -> None:
        if self._exploration is None or self._steps is None:
            if self.goal is not None:
                self._show(sensed.time)
            super()._decide(sensed)
            return
        state = self._exploration.state
        try:
            self._velocity = np.asarray(self._steps.send(sensed))
        except StopIteration:
            self.stop_exploring()
            assert self.explored is not None
            self.events.append(f"exploration ended: {self.explored.reason}")
            return
        self.output, self.goal, self.grid = state.output, state.goal, state.grid
        events = self._exploration.done.events
        self.events += [words for _, words in events]
        events.clear()

    def _show(self, now: float) -> None:
        """Give the navigator the map as it is now, where it has grown and some time has passed [s]."""
        mapper = self.mapper
        if mapper is None or mapper.keys == self._keys:
            return
        size = 0 if self.grid is None else self.grid.cells.size
        if now - self._refreshed < max(REFRESH, size / CELLS_A_SECOND):
            return
        self._refreshed, self._keys = min(now, self.stage.sim.time), mapper.keys
        self.grid = self.map()
        zones = self.navigator.layers.zones
        layers = LayeredCostmap(self.vehicle, self.grid, self.navigator.settings.layers)
        layers.set_zones(zones)
        for scan, pose, twist in self._recent:
            layers.update(pose, scan, twist)
        self.navigator.layers = layers


def _frontiers(vehicle: Vehicle) -> Frontiers:
    return Frontiers(vehicle)
