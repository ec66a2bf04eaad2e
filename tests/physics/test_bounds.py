"""Scenes that have left all bounds are told with the engine, the model and the time."""

from __future__ import annotations

import numpy as np
import pytest

import andante as an
from andante.errors import Diverged
from andante.physics.bounds import FARTHEST, check_bounds


@pytest.mark.parametrize("engine", ["mujoco", "bullet", "ode"])  # DART refuses such a place itself
def test_a_body_beyond_all_bounds_is_told(engine: str) -> None:
    sim = an.simulate("waffle", engine=engine)
    check_bounds(sim.engine)
    sim.engine.set_base(sim.model, np.array([3 * FARTHEST, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    with pytest.raises(Diverged, match=rf"engine '{engine}': model '.*' flew apart or away before 0.000 s"):
        check_bounds(sim.engine)
    sim.close()
