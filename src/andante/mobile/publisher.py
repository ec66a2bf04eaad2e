"""Navigation as messages: the map, the believed pose, particles, plans and costs.

A live session and the recording of every navigated drive use the same publisher, so that both have the same topics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.bus import Bus
from andante.control.publishers import MAP, Point, Pose, Quaternion, RobotPublisher, StatePublisher, stamp
from andante.control.view import RobotView
from andante.geometry import Array, se2

if TYPE_CHECKING:
    from andante.mapping import OccupancyGrid
    from andante.navigation import Navigator, NavigatorOutput

    from .sensing import Localizer, OnMap, Sensed

SHOWN = 400  # particles at most
PREVIEW, PARTS = 1.5, 15  # of the local plan [s], poses
UNLOCALIZED = np.diag([0.01, 0.01, 0.01])  # covariance of a pose that no particles tell [m², m², rad²]

PoseStamped = messages.cls("geometry_msgs/msg/PoseStamped")
PathMessage = messages.cls("nav_msgs/msg/Path")
PoseArray = messages.cls("geometry_msgs/msg/PoseArray")


class NavigationState:
    """What a navigated drive can show of itself.

    Args:
        navigator: that leads the robot.
        reference: pose x, y, yaw of the drive's reference point in the root.
        start: believed pose x, y, yaw of the reference point on the map.
        grid: the map; None: there is none.
    """

    def __init__(self, navigator: Navigator, reference: Any, start: Any, grid: OccupancyGrid | None) -> None:
        self.navigator, self.grid = navigator, grid
        self._reference = np.asarray(reference, dtype=float)
        self.pose = np.asarray(start, dtype=float)  # believed, of the reference point on the map
        self.goal: Array | None = None  # of the root on the map, yaw NaN: any; None: it is not led
        self.output: NavigatorOutput | None = None  # the newest decision
        self._velocity = np.zeros(3)

    @property
    def localizer(self) -> Localizer:
        """What tells where odom lies on the map."""
        raise NotImplementedError

    @property
    def active(self) -> bool:
        """Whether it leads the robot to a goal."""
        return self.goal is not None

    @property
    def localized(self) -> bool:
        """Whether particles tell where the robot is."""
        return self._on_map is not None

    @property
    def _on_map(self) -> OnMap | None:
        from .sensing import OnMap  # with all of localization

        localizer = self.localizer
        return localizer if isinstance(localizer, OnMap) else None

    @property
    def map_from_odom(self) -> Array:
        """Pose (3,) of the odom frame (of the root) on the map."""
        return np.asarray(se2.compose(self.localizer.map_from_odom, se2.inverse(self._reference)), dtype=float)

    @property
    def particles(self) -> Array:
        """Particles (n, 3) of the localizer, none without one."""
        localizer = self._on_map
        return np.zeros((0, 3)) if localizer is None else localizer.mcl.particles

    @property
    def covariance(self) -> Array:
        """(3, 3) of the believed pose."""
        localizer = self._on_map
        if localizer is None or not len(localizer.mcl.particles):
            return UNLOCALIZED
        return np.asarray(localizer.mcl.estimate.covariance, dtype=float)

    def preview(self) -> Array:
        """Poses (n, 3) that the present velocity leads to: the local plan."""
        times = np.linspace(0.0, PREVIEW, PARTS)
        return np.array([se2.compose(self.pose, se2.exp(self._velocity * t)) for t in times])

    def take(self, sensed: Sensed, output: NavigatorOutput) -> None:
        """Note what was sensed and decided."""
        self.pose, self.output, self._velocity = sensed.pose, output, np.array(output.velocity)


class NavigationPublisher(RobotPublisher):
    """/map /amcl_pose /particlecloud /plan /local_plan /costmap, in the frame of the map.

    Args:
        bus: where they are published.
        view: the robot of the present scene.
        source: the navigation as it is now; None: there is none yet.
    """

    name = "navigation"

    def __init__(self, bus: Bus, view: Callable[[], RobotView], source: Callable[[], NavigationState | None]) -> None:
        super().__init__(bus, view)
        self._source = source
        self._map = self.advertise("/map", "nav_msgs/msg/OccupancyGrid", latched=True)
        self._amcl = self.advertise("/amcl_pose", "geometry_msgs/msg/PoseWithCovarianceStamped", 10.0)
        self._particles = self.advertise("/particlecloud", "geometry_msgs/msg/PoseArray", 5.0)
        self._plan = self.advertise("/plan", "nav_msgs/msg/Path", 2.0)
        self._local = self.advertise("/local_plan", "nav_msgs/msg/Path", 5.0)
        self._costs = self.advertise("/costmap", "nav_msgs/msg/OccupancyGrid", 1.0)

    @property
    def wanted(self) -> bool:
        """Whether somebody is due to hear where the robot believes to be."""
        return self._particles.wanted() or self._amcl.wanted()

    def show_map(self, grid: OccupancyGrid) -> None:
        """Publish the map, latched."""
        self._map.publish(self._grid(grid.resolution, grid.origin, grid.cells))

    def update(self) -> None:
        """What is due and wanted."""
        live = self._source()
        if live is None:
            return
        if self._amcl.wanted():
            self._amcl.publish(self._believed(live))
        if self._particles.wanted() and len(live.particles):
            step = max(1, len(live.particles) // SHOWN)
            poses = [flat_message(row) for row in live.particles[::step][:SHOWN].tolist()]
            self._particles.publish(PoseArray(self.header(MAP), poses))
        path = None if live.output is None else live.output.path
        if self._plan.wanted() and (path is not None or not live.active):
            self._plan.publish(self._path(path.poses if path is not None and live.active else np.zeros((0, 3))))
        if self._local.wanted() and live.active:
            self._local.publish(self._path(live.preview()))
        if self._costs.wanted():
            costs = live.navigator.layers.costmap
            cells = np.where(costs.cost == 255, -1, np.minimum(costs.cost.astype(int) * 100 // 254, 100))
            self._costs.publish(self._grid(costs.resolution, costs.origin, cells.astype(np.int8)))

    def stamped(self, pose: Array) -> Any:
        """geometry_msgs/PoseStamped of x, y, yaw on the map; a yaw of NaN is told as no orientation."""
        return PoseStamped(self.header(MAP), flat_message(pose.tolist()))

    def _believed(self, live: NavigationState) -> Any:
        covariance = np.zeros((6, 6))
        index = [0, 1, 5]
        covariance[np.ix_(index, index)] = live.covariance
        return messages.make(
            "geometry_msgs/msg/PoseWithCovarianceStamped",
            header=self.header(MAP),
            pose={"pose": flat_message(live.pose.tolist()), "covariance": covariance.ravel()},
        )

    def _path(self, poses: Array) -> Any:
        header = self.header(MAP)
        return PathMessage(header, [PoseStamped(header, flat_message(row)) for row in poses.tolist()])

    def _grid(self, resolution: float, origin: tuple[float, float, float], cells: Any) -> Any:
        info = messages.make(
            "nav_msgs/msg/MapMetaData",
            map_load_time=stamp(self.bus.clock.now),
            resolution=float(resolution),
            width=int(cells.shape[1]),
            height=int(cells.shape[0]),
            origin=flat_message([float(v) for v in origin]),
        )
        kind = messages.cls("nav_msgs/msg/OccupancyGrid")
        return kind(self.header(MAP), info, np.ascontiguousarray(cells, dtype=np.int8).ravel())


class RecordedNavigation(NavigationPublisher):
    """The same of a drive that is recorded, with its map as it is and /goal_pose for every goal."""

    def __init__(
        self,
        bus: Bus,
        view: Callable[[], RobotView],
        state: StatePublisher,
        source: Callable[[], NavigationState | None],
    ) -> None:
        super().__init__(bus, view, source)
        self._state = state
        self._goals = self.advertise("/goal_pose", "geometry_msgs/msg/PoseStamped")
        self._shown: tuple[OccupancyGrid | None, Array | None] = (None, None)

    def update(self) -> None:
        """What is new, due and wanted; map -> odom is that of the localizer."""
        live = self._source()
        if live is None:
            return
        grid, goal = self._shown
        if live.grid is not None and live.grid is not grid:
            self.show_map(live.grid)
        if live.goal is not None and live.goal is not goal:
            self._goals.publish(self.stamped(live.goal))
        self._shown = live.grid, live.goal
        self._state.map_from_odom, self._state.localized = live.map_from_odom, live.localized
        super().update()


def flat_message(values: Any) -> Any:
    """geometry_msgs/Pose of x, y, yaw; without orientation where the yaw is NaN."""
    x, y, yaw = values
    if math.isnan(yaw):
        return Pose(Point(x, y, 0.0), Quaternion(0.0, 0.0, 0.0, 0.0))
    return Pose(Point(x, y, 0.0), Quaternion(0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)))
