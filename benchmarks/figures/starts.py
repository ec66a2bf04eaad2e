"""Figures of first starts (a new user, empty caches) and of loops and pages that must not stand still."""

from __future__ import annotations

from .model import Asked, Figure, Run
from .readers import at, over

COMMANDS = (
    "walk nao", "walk shell", "sim nao, mujoco", "sim nao, bullet", "sim nao, dart", "sim nao, ode", "map",
    "navigate waffle", "studio",
)  # fmt: skip


def starts(name: str, where: str) -> tuple[Figure, ...]:
    """What each command's first start costs above its second one, and the kernels that were compiled."""
    return (
        *(
            Figure(f"{name}-{command.replace(', ', '-').replace(' ', '-')}", "speed",
                   f"first start above the second, processor time{where}: {command}", Asked("<=", 2.0, "s"),
                   over("rows", "above", max, command=command))
            for command in COMMANDS
        ),
        Figure(f"{name}-compiled", "speed", f"kernels that first starts compile{where}", Asked("=", 0.0),
               over("rows", lambda row: row["cold"]["compiled"], sum)),
    )  # fmt: skip


COLD = Run(
    "cold-start", 2, ("python", "benchmarks/cold_start.py", "--json"), 3.0, starts("cold", ""), long=True,
)  # fmt: skip

WHEEL = Run(
    "wheel-start", 2, ("python", "benchmarks/wheel_start.py", "--json"), 6.0,
    (
        Figure("lean-megabytes", "speed", "what the wheel brings to an empty environment", Asked("<=", 600.0, "MB"),
               at("megabytes")),
        Figure("lean-unnamed", "speed", "commands that need an extra and do not name it", Asked("=", 0.0),
               lambda output: float(len(output["unnamed"]))),
        *starts("wheel", ", wheel in an empty environment"),
    ),
    long=True,
)  # fmt: skip

TOUR = Run(
    "blocking-tour", 6, ("python", "benchmarks/blocking_tour.py", "--json"), 6.0,
    (
        Figure("tour-loop", "speed", "longest silence of the control loop in a cold tour of the studio",
               Asked("<=", 0.2, "s"), at("loop_worst")),
        Figure("tour-stage", "speed", "longest silence in it that a stage explains (engines, robots, worlds, cameras)",
               read=at("stage_worst"), unit="s"),
        Figure("tour-page", "speed", "longest gap of the page's timer in it, without a graphics card",
               Asked("<=", 0.2, "s"), at("page_worst")),
        Figure("tour-compiled", "speed", "kernels that are compiled in it", Asked("=", 0.0),
               lambda output: float(len(output["compiled"]))),
        Figure("tour-shown", "speed", "until another engine, robot or world shows its stage", Asked("<=", 0.1, "s"),
               at("shown_worst")),
    ),
    long=True,
)  # fmt: skip

RUNS = (COLD, WHEEL, TOUR)
