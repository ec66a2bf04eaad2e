"""How the rover is led to its goal over the line: a waypoint for the firmware's own law, or twists of the navigator."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from andante.control.body import Twist
from andante.geometry import Array
from andante.hardware import SerialBody
from andante.hardware import State as FirmwareState
from andante.mapping import Scan
from andante.navigation import GoalChecker, Navigator, NavigatorInput, NavigatorSettings, State, vehicle_of
from andante.navigation.layers import LayerSettings

from .onboard import RESTART, RESTARTED
from .scene import RoverScene

NAVIGATOR_PERIOD = 0.1  # [s]
NAVIGATOR_SPEED = 0.6  # [m/s]
NEAR = 0.06  # the navigator stops this near to the goal [m]


class Car(Protocol):
    """What a waypoint is named to."""

    twist: Twist | None  # that it is driven with; None: the firmware drives by itself

    @property
    def body(self) -> SerialBody:
        """Behind its line."""

    @property
    def time(self) -> float:
        """Of its clock [s]."""


class WaypointGuide:
    """Names the goal to the firmware, which drives there by its own law.

    A firmware that lost the line has forgotten the waypoint and stands; once it answers again, it is told anew. It is
    not started again after a fault of battery or sensors.
    """

    def __init__(self, scene: Car, goal: Array, seed: int = 0) -> None:
        self._scene, self._goal = scene, goal
        self._number = 0
        self._sent = -math.inf  # when waypoint and start were sent [s]

    def start(self) -> None:
        """Send waypoint and start."""
        self._scene.twist = None
        self._number = self._scene.body.go_to(float(self._goal[0]), float(self._goal[1]))
        self._scene.body.start()
        self._sent = self._scene.time

    def update(self) -> None:
        """See that the firmware has the waypoint."""
        told = self._scene.body.telemetry
        if told is None or self._scene.time - self._sent < RESTART:
            return
        stands = told.state in (FirmwareState.WAITING, FirmwareState.STOPPED) or told.waypoint != self._number
        if stands and told.fault in RESTARTED:
            self.start()

    @property
    def arrived(self) -> bool:
        """Whether the firmware says so."""
        return self._scene.body.arrived(self._number)

    @property
    def done(self) -> bool:
        """The firmware never gives up."""
        return self.arrived


class NavigatorGuide:
    """Plans on the map, drives around what scans show, plans anew when pushed off; its twists go down the line."""

    def __init__(self, scene: RoverScene, goal: Array, seed: int = 0) -> None:
        self._scene = scene
        vehicle = vehicle_of(scene.sim.robot, max_speed=NAVIGATOR_SPEED)
        settings = NavigatorSettings(
            stray=0.25, arrival=GoalChecker(distance=NEAR), layers=LayerSettings(), replan_every=2.0
        )
        self.navigator = Navigator(vehicle, scene.grid, settings=settings, speed=NAVIGATOR_SPEED, seed=seed)
        self._goal = np.array([goal[0], goal[1], math.nan])
        self._due = -math.inf
        self._scans: list[Scan] = []
        self.events: list[tuple[float, str]] = []

    def start(self) -> None:
        """Set the goal and let the motors turn."""
        self.navigator.set_goal(self._goal)
        self._scene.body.start()
        self._scene.twist = (0.0, 0.0, 0.0)

    def update(self) -> None:
        """Every 0.1 s a decision; the twist is repeated in between, so that the firmware never holds."""
        scene = self._scene
        self._scans += scene.scans
        if scene.time >= self._due - 1e-9:
            self._due = scene.time + NAVIGATOR_PERIOD
            computer = scene.computer
            reading = NavigatorInput(
                scene.time, computer.pose(scene.time), computer.twist, tuple(self._scans), not computer.blind
            )
            self._scans.clear()
            out = self.navigator.update(reading)
            self._scene.twist = (float(out.velocity[0]), 0.0, float(out.velocity[2]))
            self.events += [(scene.time, words) for words in out.events]
        if self.done:
            scene.twist = None
            scene.body.stop()

    @property
    def arrived(self) -> bool:
        """Whether the navigator says so."""
        return self.navigator.state is State.ARRIVED

    @property
    def done(self) -> bool:
        """Arrived or failed."""
        return self.navigator.state in (State.ARRIVED, State.FAILED)


GUIDES: dict[str, type[WaypointGuide | NavigatorGuide]] = {"waypoint": WaypointGuide, "navigator": NavigatorGuide}
