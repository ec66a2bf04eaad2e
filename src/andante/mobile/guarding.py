"""`ScanGuard`: the collision monitor of a wheeled base on a body, under whoever leads it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from andante.control.body import Body, BodyState
from andante.geometry import Array, se2, so3
from andante.locomotion import Command
from andante.navigation.collision_monitor import STILL, CollisionMonitor, MonitorSettings, Verdict
from andante.sensors.sonar import SonarModel

from .driver import BaseDriver

CLEAR = Verdict(np.zeros(3))


class ScanGuard:
    """Limits every command of a control loop by what the body's lidar and sonars see; `on` switches it.

    Args:
        body: whose sensors they are.
        driver: of its base, which knows footprint, braking and odometry.
        settings: the zones.
    """

    def __init__(self, body: Body, driver: BaseDriver, settings: MonitorSettings | None = None) -> None:
        self.body, self.driver, self.on = body, driver, True
        usual = MonitorSettings()
        slow = replace(usual, latency=max(usual.latency, driver.vehicle.latency))
        self.monitor = CollisionMonitor(driver.vehicle, settings or slow)
        self.verdict = CLEAR  # the latest
        self._mount = np.asarray(se2.inverse(driver.drive.reference), dtype=float)
        self._taken = body.read().time - 1e-6
        self._cones: dict[str, tuple[Array, Array]] = {}  # of sonars: place (3,) and angles across the cone
        self._bumpers: dict[str, Array] = {}  # where they are on the edge of the footprint (2,)
        links = body.robot.link_poses()
        for spec in body.robot.sensors:
            if spec.kind not in ("sonar", "bumper"):
                continue
            place = links[spec.link] @ spec.pose
            yaw = float(so3.to_rpy(place.rotation)[2])
            at = np.asarray(se2.compose(self._mount, np.array([*place.translation[:2], yaw])), dtype=float)
            if spec.kind == "sonar":
                half = 0.5 * SonarModel.of(spec).cone
                self._cones[spec.name] = at, np.linspace(-half, half, 5)
            else:
                self._bumpers[spec.name] = self.monitor.on_edge(at[:2])

    @property
    def action(self) -> str:
        """What was done last: clear, slow, approach, stop or blind."""
        return self.verdict.action

    @property
    def words(self) -> str:
        """Why."""
        return self.verdict.words

    @property
    def sees(self) -> bool:
        """Whether there is a sensor to guard by."""
        return self.body.has_scans or bool(self._cones) or bool(self._bumpers)

    def limit(self, state: BodyState, command: Command) -> Command:
        """The command as it may be followed."""
        self._look(state)
        if not self.on:
            self.verdict = CLEAR
            return command
        if max(abs(command.vx), abs(command.vy), abs(command.wz)) < STILL:
            self.verdict = CLEAR
            return command
        asked = np.array([command.vx, command.vy, command.wz])
        self.verdict = verdict = self.monitor.check(state.time, self.driver.odometry.at(state.time), asked)
        if verdict.action == "clear":
            return command
        vx, vy, wz = (float(value) for value in verdict.twist)
        return replace(command, vx=vx, vy=vy, wz=wz)

    def _look(self, state: BodyState) -> None:
        odometry = self.driver.odometry
        for scan in self.body.scans(self._taken):
            self._taken = scan.time
            lasted = scan.time_increment * (len(scan.ranges) - 1)
            begin = odometry.at(scan.time)
            twist = se2.log(se2.between(begin, odometry.at(scan.time + lasted))) / lasted if lasted > 0 else np.zeros(3)
            x, y, yaw = (float(value) for value in se2.compose(self._mount, scan.sensor))
            self.monitor.see("the lidar", scan.time, begin, replace(scan, sensor=(x, y, yaw)).points(twist))
        if not self._cones and not self._bumpers:
            return
        here = odometry.at(state.time)
        for name, (place, across) in self._cones.items():
            told = state.ranges.get(name)
            distance = float(told[0]) if told is not None and len(told) else float("inf")
            ends = distance * np.stack([np.cos(across), np.sin(across)], axis=1)
            near = se2.transform(place, ends) if np.isfinite(distance) else np.zeros((0, 2))
            self.monitor.see(name, state.time, here, near)
        for name, edge in self._bumpers.items():
            self.monitor.see(name, state.time, here, edge[None] if state.pressed.get(name) else np.zeros((0, 2)))
