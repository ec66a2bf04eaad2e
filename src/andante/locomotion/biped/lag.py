"""How late a robot does what it is told: servos, and the line to a robot somewhere else.

Joints are measured some time after they were told to go there. The time by which past targets have to be shifted so
that they fit the readings best is that lag: of all shifts k in control periods the squared misfits

    e_k <- (1 - a) e_k + a |q - target_k|²

are kept, and the smallest one, with its neighbors by a parabola, tells it.
"""

from __future__ import annotations

import numpy as np

from andante.compiling import njit
from andante.geometry import Array

LONGEST = 16  # shift that is looked at [control periods]
FORGETS = 0.02  # part of a misfit that the newest reading has
LEARNED = 40  # readings after which it is believed
MOST = 0.08  # beyond what servos need that is reckoned with: later lines count as this late [s]


class Lag:
    """The lag of joints behind their targets, learned while they move."""

    def __init__(self, joints: int, usual: float) -> None:
        self.usual = usual  # that of the servos [s]
        self.seconds = usual  # as it is known
        self.seen = 0  # readings so far
        self._told = np.zeros((LONGEST, joints))  # targets, the newest at `_at`
        self._at, self._kept = 0, 0
        self._misfits = np.zeros(LONGEST)

    @property
    def late(self) -> bool:
        """Whether there is more to it than servos."""
        return self.seconds > self.usual

    def told(self, targets: Array) -> None:
        """Targets that are sent now, without what servos give way."""
        self._at = (self._at + 1) % LONGEST
        self._told[self._at] = targets
        self._kept = min(self._kept + 1, LONGEST)

    def feel(self, joints: Array, dt: float) -> None:
        """Joints as they are measured, before the next targets are sent.

        What is less than a control period beyond the usual is no line.
        """
        if self._kept < LONGEST:
            return
        k, part = compare(self._told, self._at, joints, self._misfits, FORGETS)
        self.seen += 1
        if self.seen >= LEARNED:
            beyond = (k + 1 + part) * dt - self.usual
            self.seconds = self.usual + (min(beyond, MOST) if beyond > dt else 0.0)


@njit(nogil=True)
def compare(told: Array, newest: int, joints: Array, misfits: Array, part: float) -> tuple[int, float]:
    """Take readings (n,) into the misfits (shifts,) of past targets told (shifts, n), the newest in one row.

    Returns the shift that fits best, whole and the rest of it.
    """
    shifts, count = told.shape
    for k in range(shifts):
        row = (newest - k) % shifts
        whole = 0.0
        for j in range(count):
            off = joints[j] - told[row, j]
            whole += off * off
        misfits[k] += part * (whole - misfits[k])
    best = int(misfits.argmin())
    if best in (0, shifts - 1):
        return best, 0.0
    before, after = misfits[best - 1], misfits[best + 1]
    bend = before - 2.0 * misfits[best] + after
    return best, 0.5 * (before - after) / bend if bend > 0.0 else 0.0
