"""Navigation on the bus: map, goal, initial pose, particles, plans and costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from andante import mapping, mobile
from andante.bags import messages
from andante.bus import Cancelled, GoalFailed, Publisher
from andante.control.publishers import MAP
from andante.errors import AndanteError, BadInput
from andante.locomotion import Command
from andante.mobile.publisher import NavigationPublisher

from .node import LiveNode
from .robot import RobotStateNode

if TYPE_CHECKING:
    from andante.mapping import OccupancyGrid
    from andante.navigation.zones import Zone
    from andante.session.navigating import LiveNavigation
    from andante.session.session import LiveSession

LIDAR_HEIGHT = 0.2  # at which a world is cut where the robot has no lidar [m]
FARTHEST = 1e4  # poses farther off are refused [m]
STATE_PERIOD = 0.5  # between two messages about the way to a goal [s]
ENDED = ("idle", "arrived", "failed")  # states of a goal before the present one
INTENT = "andante_msgs/msg/Intent"
HAND = (0.3, 0.3, 0.2)  # deviations of an initial pose without a covariance [m, m, rad]


class NavigationNode(LiveNode):
    """/map /amcl_pose /particlecloud /plan /local_plan /costmap out; /initialpose /goal_pose in; /navigate_to_pose.

    Nothing is computed before somebody wants the map, the particles or a goal.
    """

    name = "navigation"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.publisher = NavigationPublisher(session.bus, lambda: session.stage, lambda: self.live)
        self._intents: Publisher | None = None  # once there are several robots
        self.subscribe("/goal_pose", "geometry_msgs/msg/PoseStamped", self._goal)
        self.subscribe("/initialpose", "geometry_msgs/msg/PoseWithCovarianceStamped", self._initial)
        self.advertise_service("/navigation/cancel", "std_srvs/srv/Trigger", self._cancel)
        self.advertise_service("/navigation/set_zones", "andante_msgs/srv/SetZones", self._set_zones)
        self.advertise_service("/navigation/edit_map", "andante_msgs/srv/EditMap", self._edit_map)
        self._zones: Publisher | None = None  # once there are any
        self.zones: tuple[Zone, ...] = ()
        self._handles.append(
            self.bus.provide_action("/navigate_to_pose", "nav2_msgs/action/NavigateToPose", self._work, self.name)
        )
        self._state = self.advertise("/navigation/state", "andante_msgs/msg/NavigationState", latched=True)
        self._told_state: tuple[Any, ...] = ()
        self._told_at = -math.inf  # [s]
        self._told_scene = -1
        self.grid: OccupancyGrid | None = None  # of the user; None: cut from the world
        self.rebuilt()

    def repopulated(self) -> None:
        """There may be others now."""
        self._mind_others()

    def rebuilt(self) -> None:
        """Another scene: everything is known anew when it is wanted."""
        self.live: LiveNavigation | None = None
        self._drawn = False
        self._cut: OccupancyGrid | None = None
        self._followed = -1.0  # until when the robot was followed on the map [s]
        self.session.teleop.navigate = self._lead

    # ---- what is asked of it -----------------------------------------------------------------------
    def ensure(self) -> LiveNavigation:
        """The navigation of this scene, made when it is first wanted; BadInput where the robot cannot."""
        if self.live is None or self.live.stage is not self.stage:  # other wheels, or a walker of another speed
            from andante.session.navigating import LiveNavigation

            with self.session.hub.progress.stage("preparing map and navigation"):
                self.live = LiveNavigation(self.stage, self.the_map(), self.stage.localizer)
            self.live.navigator.layers.set_zones(self.zones)
            self._mind_others()
        return self.live

    def _mind_others(self) -> None:
        """Where there are several robots, what they intend is told and heard."""
        if self.live is None or len(self.session.hub.robots) < 2:
            return
        from andante.session.yielding import Yielding

        if self._intents is None:
            self._intents = self.advertise("/fleet/intent", INTENT)
            self.subscribe("/fleet/intent", INTENT, self._hear, queue=100)
        if self.live.yielding is None:
            radius, grid = self.live.vehicle.circumscribed, self.live.grid
            self.live.yielding = Yielding(self.session.name, radius, grid, self._tell)

    def _tell(self, message: Any) -> None:
        assert self._intents is not None
        message.header = self.header(MAP)
        self._intents.publish(message)

    def _hear(self, message: Any) -> None:
        if self.live is not None and self.live.yielding is not None:
            self.live.yielding.hear_message(self.stage.sim.time, message)

    def the_map(self) -> OccupancyGrid | None:
        """The map of the user, else a cut through the world; None in a world without walls."""
        if self.grid is not None:
            return self.grid
        hub = self.session.hub
        first = next((n for n in hub.nodes if isinstance(n, NavigationNode)), self)
        if first is not self:  # all robots of a session have one map, unless one is given another
            return first.the_map()
        if self._cut is None:
            try:
                self._cut = mapping.map_of_world(self.stage.world, height=LIDAR_HEIGHT)
            except BadInput:
                return None
        return self._cut

    def set_map(self, grid: OccupancyGrid) -> None:
        """Use a map of the user from now on."""
        self.grid, self.live, self._drawn = grid, None, False

    def set_zones(self, zones: tuple[Zone, ...]) -> None:
        """Zones of the map from now on, also for a robot that is on its way; they are told on /zones."""
        if zones and self.the_map() is None:
            raise BadInput("zones are drawn on a map, and this world has no walls to make one of; give a map")
        self.zones = zones
        if self.live is not None:
            self.live.navigator.layers.set_zones(zones)
            self.live.navigator.replan()
        if self._zones is None:
            self._zones = self.advertise("/zones", "std_msgs/msg/String", latched=True)
        self._zones.publish(messages.make("std_msgs/msg/String", data=mobile.zones_text(zones)))

    def _set_zones(self, request: Any) -> str:
        zones = mobile.read_zones(str(request.text))
        self.set_zones(zones)
        kinds = [zone.kind.replace("_", "-") for zone in zones]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        return f"zones: {counts or 'none'}"

    def _edit_map(self, request: Any) -> str:
        grid, to = self.the_map(), str(request.to) or "free"
        if grid is None:
            raise BadInput("there is no map to edit")
        if len(request.x) != len(request.y):
            raise BadInput(f"{len(request.x)} x need as many y, got {len(request.y)}")
        goal = None if self.live is None else self.live.goal
        self.set_map(mapping.repaint(grid, np.column_stack([request.x, request.y]), to))
        if goal is not None:
            self.ensure().set_goal(*goal.tolist())
        return f"an area of {len(request.x)} corners is {to} now"

    def take(self, live: LiveNavigation) -> None:
        """Another navigation of this scene leads the robot from now on, such as one that makes its map."""
        if self.live is not None:
            self.live.cancel()
        self.live = live
        self._mind_others()
        self._place_odom(live)

    def show_map(self, grid: OccupancyGrid) -> None:
        """Tell the map as it is now, until the next one."""
        self._drawn = True
        self.publisher.show_map(grid)

    def _follow(self) -> None:
        """Where somebody else leads the robot, it is followed on the map."""
        now = self.stage.sim.time
        if self.live is not None and now > self._followed and self.live.stage is self.stage:
            self._try(self.live, self.live.watch)
        self._followed = now

    def _lead(self, now: float) -> Command | None:
        live = self.live
        if live is None:
            return None
        self._followed = math.inf  # until the period is over
        return self._try(live, lambda: live.command(now))

    def _try(self, live: LiveNavigation, work: Callable[[], Command | None]) -> Command | None:
        """A part of a control period of the navigation, whose failure does not end the session."""
        try:
            led = work()
        except Exception as error:  # a belief far off the map, say: the session goes on without it
            self.live = None
            told = str(error) if isinstance(error, AndanteError) else f"{type(error).__name__}: {error}"
            self.bus.log("error", f"navigation failed and begins anew: {told}", self.name)
            return None
        for event in live.events:
            self.bus.log("info", event, self.name)
        live.events.clear()
        state = next((n for n in self.session.nodes if isinstance(n, RobotStateNode)), None)
        if state is not None and live.localized:
            state.map_from_odom, state.localized = live.map_from_odom, True
        return led

    def _goal(self, message: Any) -> str:
        x, y, yaw = flat_pose(message.pose)
        live = self.ensure()
        live.set_goal(x, y, yaw)
        self.session.teleop.release()
        heading = f"yaw {math.degrees(yaw):.0f} deg" if math.isfinite(yaw) else "any heading"
        return f"goal x {x:.2f} m, y {y:.2f} m, {heading}"

    def _initial(self, message: Any) -> str:
        x, y, yaw = flat_pose(message.pose.pose)
        yaw = yaw if math.isfinite(yaw) else 0.0
        spread = np.asarray(message.pose.covariance, dtype=float).reshape(6, 6)
        a, b, c = (float(v) for v in np.sqrt(np.maximum(np.diag(spread)[[0, 1, 5]], 0.0)))
        deviation = (a, b, c) if all(0 < v <= FARTHEST for v in (a, b, c)) else HAND
        live = self.ensure()
        live.place(x, y, yaw, deviation)
        self._place_odom(live)
        return f"stands at x {x:.2f} m, y {y:.2f} m, yaw {math.degrees(yaw):.0f} deg"

    def _place_odom(self, live: LiveNavigation) -> None:
        for node in self.session.nodes:
            if isinstance(node, RobotStateNode):
                node.map_from_odom = live.map_from_odom

    def _cancel(self, _: Any) -> str:
        if self.live is None or not self.live.active:
            return "there is no goal"
        self.live.cancel()
        return "goal canceled"

    def _work(self, goal: Any) -> Generator[Any, None, Any]:
        x, y, yaw = flat_pose(goal.pose.pose)
        self.bus.log("info", f"/navigate_to_pose: x {x:.2f} m, y {y:.2f} m", self.name)
        yield from self.go(x, y, yaw)

    def go(self, x: float, y: float, yaw: float) -> Generator[Any, None, Any]:
        """Find the way to a place of the map [m, rad], NaN: any heading; tells how far it is."""
        live = self.ensure()
        live.set_goal(x, y, yaw)
        self.session.teleop.release()
        began, wanted = self.bus.clock.now, live.goal
        try:
            while live.goal is wanted:
                if self.live is not live:
                    raise GoalFailed("the scene was rebuilt")
                left = math.hypot(x - live.pose[0], y - live.pose[1])
                spent = messages.duration(self.bus.clock.now - began)
                yield {
                    "current_pose": self.publisher.stamped(live.pose),
                    "navigation_time": spent,
                    "distance_remaining": left,
                }
        except (Cancelled, GeneratorExit):
            live.cancel()
            raise
        out = live.output
        if live.goal is not None or out is None or out.state != "arrived":
            raise GoalFailed(out.reason if out is not None and out.reason else "preempted by another goal")
        return None

    # ---- what is told ------------------------------------------------------------------------------
    def update(self) -> None:
        """What is due and wanted."""
        topics = self.bus
        self._follow()
        self._tell_state()
        if not self._drawn and topics.topic("/map").subscriptions:
            self._drawn = True
            grid = self.the_map()
            if grid is not None:
                self.publisher.show_map(grid)
        if self.publisher.wanted and self.live is None and not self._refused():
            return
        self.publisher.update()

    def _tell_state(self) -> None:
        """How the way goes, when that changes and twice a second on the way."""
        live, now = self.live, self.bus.clock.now
        active = live is not None and live.goal is not None
        out = None if live is None else live.output
        known = ("idle", "") if out is None else (str(out.state), out.reason)
        told = (active, *(("driving", "") if active and known[0] in ENDED else known))
        if told == self._told_state and not (active and now - self._told_at >= STATE_PERIOD):
            return
        self._told_state, self._told_at = told, now
        x, y = (0.0, 0.0) if live is None or live.goal is None else (float(live.goal[0]), float(live.goal[1]))
        left = 0.0 if not active or live is None else math.hypot(x - live.pose[0], y - live.pose[1])
        self._state.publish(messages.make("andante_msgs/msg/NavigationState", active=active, state=told[1],
                                          reason=told[2], x=x, y=y, distance=left))  # fmt: skip

    def _refused(self) -> bool:
        """Make the navigation for those who watch; False where the robot cannot, which is told once."""
        if self._told_scene == self.session.scene:
            return False
        try:
            self.ensure()
        except AndanteError as error:
            self._told_scene = self.session.scene
            self.bus.log("warn", str(error), self.name)
            return False
        return True

    def close(self) -> None:
        """Leave the bus."""
        self.publisher.close()
        super().close()


def flat_pose(pose: Any) -> tuple[float, float, float]:
    """x, y, yaw of a Pose message, yaw NaN where its orientation is all zeros; BadInput where its numbers are none."""
    p, q = pose.position, pose.orientation
    values = (float(p.x), float(p.y), float(q.x), float(q.y), float(q.z), float(q.w))
    if not all(math.isfinite(v) and abs(v) <= FARTHEST for v in values):
        raise BadInput(f"a pose has finite numbers up to {FARTHEST:g}, got {values}")
    x, y, qx, qy, qz, qw = values
    if math.hypot(qx, qy, qz, qw) < 1e-6:
        return x, y, math.nan
    return x, y, math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz))
