"""Trials without physics for the tests: quick, seeded, and with known means."""

import math
import time

import numpy as np

from andante.experiments import Experiment, Measure, Variation


def toy(setup):
    """Goes `way` with an error of its engine, its model and its luck; `wait` takes time, `bad` fails."""
    rng = np.random.default_rng(setup.seed)
    way = float(setup.factors["way"])
    if setup.arguments.get("bad") == way:
        raise ValueError(f"no way of {way:g}")
    if setup.arguments.get("stuck") == way:
        time.sleep(60)
    time.sleep(setup.arguments.get("wait", 0.0))
    bias = {"mujoco": 0.0, "bullet": 0.2}.get(setup.engine, 0.0)
    gain = setup.model.get("gain", 1.0) + bias
    x = gain * way + 0.01 * rng.standard_normal()
    y = 0.02 * rng.standard_normal() + setup.draw.yaw * way
    path = [[0.1 * k, x * k / 10, y * k / 10, 0.0] for k in range(11)]
    fallen = setup.factors["pace"] == "fast" and rng.random() < 0.1
    return {"x": x, "y": y, "planar": math.hypot(x, y), "fallen": fallen, "path": path}


def turning(setup):
    """Turns a little too far on the spot; the heading of its path jumps at a half turn."""
    turned = 1.02 * float(setup.factors["angle"])
    yaw = np.radians(np.linspace(0.0, turned, 21))
    path = [[0.1 * k, 0.0, 0.0, math.atan2(math.sin(a), math.cos(a))] for k, a in enumerate(yaw)]
    return {"turned": turned, "path": path}


def few_measures(setup):
    return {"x": 1.0}


def not_a_number(setup):
    return {"x": "far", "y": 0.0, "planar": 0.0, "fallen": False}


NO_TRIAL = 3

MEASURES = {
    "planar": Measure("planar", "m", "distance in the plane", "way"),
    "x": Measure("x", "m", "distance ahead", "way"),
    "y": Measure("y", "m", "deviation"),
    "fallen": Measure("fallen"),
}
TOY = Experiment(
    "toy",
    "toys.py:toy",
    {"pace": ("slow", "fast"), "way": (1.0, 2.0)},
    MEASURES,
    engines=("mujoco", "bullet"),
    trials=5,
    seed=3,
    vary=Variation(yaw=0.1),
    fit={"compare": ["x"], "space": {"gain": {"low": 0.5, "high": 1.5}}, "hold_out": ["pace=fast way=2"]},
)


TURNING = Experiment(
    "turning", "toys.py:turning", {"angle": (90.0, 360.0)}, {"turned": Measure("turned", "deg", "turned", "angle")},
    engines=("mujoco",), trials=2,
)  # fmt: skip


def make_toy():
    return TOY


def fails():
    raise RuntimeError("no luck")
