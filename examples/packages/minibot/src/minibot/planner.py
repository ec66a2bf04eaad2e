"""A planner with a single bend, for rooms without much in them."""

import numpy as np

from andante.navigation import Costmap, Path, Plan


class Elbow:
    """Straight to the goal, or by one bend: along x first, or along y first."""

    def plan(self, start: np.ndarray, goal: np.ndarray, costmap: Costmap) -> Plan:
        """A path between two poses x, y, yaw; a goal yaw of NaN is free."""
        a, b = np.asarray(start, dtype=float)[:2], np.asarray(goal, dtype=float)[:2]
        for bend in ([], [(b[0], a[1])], [(a[0], b[1])]):
            points = np.array([a, *bend, b])
            path = Path.through(points[np.insert(np.any(np.diff(points, axis=0), axis=1), 0, True)], goal[2])
            cells = [costmap.cell_of(pose) for pose in path.resampled(costmap.resolution / 2).poses]
            if all(costmap.inside(cell) and costmap.cost[cell] < 253 for cell in cells):
                return Plan(path, price=path.length)
        return Plan(None, "no way with a single bend is free")
