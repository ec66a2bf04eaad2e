"""How many particles a posterior needs (Fox, 2003)."""

from __future__ import annotations

import math


def kld_particles(bins: int, error: float, z: float) -> int:
    """Particles with which the Kullback-Leibler distance to the true posterior stays below `error`.

    n = (k - 1) / (2 e) (1 - 2 / (9 (k - 1)) + sqrt(2 / (9 (k - 1))) z)³ for k bins with support; z: normal quantile.
    """
    if bins <= 1:
        return 1
    part = 2.0 / (9.0 * (bins - 1))
    return math.ceil((bins - 1) / (2.0 * error) * (1.0 - part + math.sqrt(part) * z) ** 3)
