"""Ways of a car to places where its heading does not matter."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.navigation import Costmap, GlobalPlanner, Plan

TURNS = (0.0, math.pi / 2, -math.pi / 2, math.pi)  # tried headings, from that of the straight way [rad]


@dataclass(frozen=True)
class AnyHeading:
    """Tries several headings at a goal without one, that of the straight way first, until there is a path.

    Planners that end at a pose take the bearing of the goal for its heading, which a wall beside it may forbid.
    """

    planner: GlobalPlanner

    def plan(self, start: ArrayLike, goal: ArrayLike, costmap: Costmap) -> Plan:
        """The first path found; where there is none, the reason of the first search."""
        begin, end = np.asarray(start, dtype=float), np.asarray(goal, dtype=float)
        if len(end) == 3 and not math.isnan(end[2]):
            return self.planner.plan(begin, end, costmap)
        bearing = math.atan2(end[1] - begin[1], end[0] - begin[0])
        plans = []
        for turn in TURNS:
            plan = self.planner.plan(begin, (end[0], end[1], bearing + turn), costmap)
            if plan.success:
                return plan
            plans.append(plan)
        return plans[0]
