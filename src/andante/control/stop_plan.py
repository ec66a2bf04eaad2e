"""`StopPlanner`: while a robot walks, plans of how it comes to rest by itself if nobody tells it anything any more.

A robot on two legs must not freeze in the middle of a step. So every `EVERY` seconds a copy of what moves it runs
ahead, under the present command until the next plan will have come, then under none until it stands. The robot keeps
the newest plan and plays it from the right instant on when its targets cease.
"""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Walker

from .body import BodyState, StopPlan

EVERY, LEAD = 0.2, 0.3  # between two plans; how long each goes on under the present command [s]
PERIOD = 0.02  # between two rows of a plan [s]
ROWS = 10  # that are planned in one control period at most, so that no period takes long
LONGEST = 3.0  # of a plan [s]


class StopPlanner:
    """Plans for one behaviour, some rows in every control period."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._ahead: Behaviour | None = None  # the copy that runs ahead
        self._rows: list[Array] = []
        self._begun = -math.inf  # when the present plan begins, of the body's clock [s]

    def step(self, state: BodyState, command: Command, targets: Array) -> StopPlan | None:
        """Plan on, after a control period has given its targets; a plan when one is ready."""
        if self._ahead is None:
            if state.time < self._begun + EVERY - 1e-9:
                return None
            self._ahead, self._begun, self._rows = self._behaviour.ahead(), state.time, [np.array(targets)]
        ahead = self._ahead
        if ahead is None:
            return None
        for _ in range(ROWS):
            passed = PERIOD * len(self._rows)
            going = passed < LEAD
            self._rows.append(np.array(ahead.update(state, command if going else Command(), PERIOD)))
            if passed >= LONGEST or (not going and isinstance(ahead, Walker) and ahead.standing):
                self._ahead = None
                return StopPlan(self._begun, PERIOD, np.array(self._rows))
        return None
