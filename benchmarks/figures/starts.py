"""Figures of first starts: commands of a new user with empty caches beside the same commands right after."""

from __future__ import annotations

from .model import Asked, Figure, Run
from .readers import over

COMMANDS = (
    "walk nao", "walk shell", "sim nao, mujoco", "sim nao, bullet", "sim nao, dart", "sim nao, ode", "map",
    "navigate waffle", "studio",
)  # fmt: skip

COLD = Run(
    "cold-start", 2, ("python", "benchmarks/cold_start.py", "--json"), 3.0,
    (
        *(
            Figure(f"cold-{command.replace(', ', '-').replace(' ', '-')}", "speed",
                   f"first start above the second, processor time: {command}", Asked("<=", 2.0, "s"),
                   over("rows", "above", max, command=command))
            for command in COMMANDS
        ),
        Figure("cold-compiled", "speed", "kernels that first starts compile", Asked("=", 0.0),
               over("rows", lambda row: row["cold"]["compiled"], sum)),
    ),
    long=True,
)  # fmt: skip

RUNS = (COLD,)
