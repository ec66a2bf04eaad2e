"""Quick jobs for the kill drill to interrupt: an objective and a trial, the same numbers each time."""

from __future__ import annotations

import time
from typing import Any

from andante.search import Real, Space


class Hill:
    """-(sum (x_i - 0.3)^2) over four parameters."""

    def __init__(self, wait: float = 0.02) -> None:
        self.wait = wait  # [s]
        self.space = Space({f"x{k}": Real(-2.0, 2.0) for k in range(4)})

    def evaluate(self, parameters: dict[str, Any], seed: int) -> dict[str, Any]:
        """Fitness, and a figure by which a wrong seed would show."""
        time.sleep(self.wait * (1 + seed % 7) / 4)
        return {"fitness": -sum((x - 0.3) ** 2 for x in parameters.values()), "luck": seed % 1009}

    def stamp(self) -> dict[str, Any]:
        """What the figures depend on."""
        return {"wait": self.wait}


def stroll(setup: Any) -> dict[str, Any]:
    """A way with an error that depends on the seed alone."""
    time.sleep(setup.arguments.get("wait", 0.02) * (1 + setup.seed % 5) / 3)
    luck = (setup.seed % 10007) / 10007 - 0.5
    return {"x": float(setup.factors["way"]) * (1 + 0.1 * luck) + setup.draw.yaw, "fallen": luck > 0.45}
