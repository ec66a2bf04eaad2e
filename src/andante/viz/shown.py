"""What pictures of drives and walks are drawn from; made by every run, so that it needs no package for plots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.description import World
from andante.geometry import Array, se2
from andante.mapping import OccupancyGrid
from andante.mobile.navigate import DriveResult
from andante.mobile.robot import MobileRobot
from andante.navigation import Vehicle
from andante.navigation.footsteps import FootstepPlan


@dataclass(frozen=True)
class Shown:
    """What the picture of a drive needs; poses are those of the root link in the world."""

    world: World
    grid: OccupancyGrid | None
    map_pose: tuple[float, float, float]
    vehicle: Vehicle
    height: float  # at which the world is cut [m]
    true: Array  # (n, 4) t, x, y, yaw
    believed: Array  # (m, 4)
    planned: tuple[Array, ...]  # paths (k, 3) on the map
    collision: Array | None  # (3,)
    begun: float  # time of the first decision [s]

    @staticmethod
    def of(
        world: World,
        robot: MobileRobot,
        drive: DriveResult,
        map_pose: tuple[float, float, float] = (0.0, 0.0, 0.0),
        grid: OccupancyGrid | None = None,
    ) -> Shown:
        """Of a robot at the end of its drive."""
        believed = np.array(drive.believed).reshape(-1, 4)
        if len(believed):
            believed[:, 1:] = se2.compose(np.array(map_pose), robot.to_root(believed[:, 1:]))
        hit = robot.measure.collision
        scan = robot.scans.last.scan if robot.scans.last is not None else None
        height = robot.ground + (scan.height if scan is not None and scan.height > 0 else 0.2)
        return Shown(
            world, grid, map_pose, robot.vehicle, height, robot.measure.path, believed, tuple(drive.planned),
            None if hit is None else hit.place, drive.begun,
        )  # fmt: skip


@dataclass(frozen=True)
class FootShown:
    """What a walk by footsteps was."""

    grid: OccupancyGrid  # what stands in the way of the body
    sole: tuple[float, float, float, float]  # heel, toe, right, left of the left sole [m]
    plans: tuple[FootstepPlan, ...]
    believed: Array  # (n, 3) time [s], x, y [m]
    truth: Array  # (n, 4) time [s], x, y [m], error of the believed place [m]
    goal: tuple[float, float, float]
    seen: Array  # (n, 2) middles of cells in which something was seen that is not on the map [m]
