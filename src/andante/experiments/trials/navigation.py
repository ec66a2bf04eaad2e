"""A drive to a goal as a trial: worlds, planners and controllers as factors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from andante.errors import BadInput
from andante.experiments.setup import Setup, Terms, default_robot
from andante.tasks.navigate import navigate

TERMS = Terms(
    "navigation",
    settings=("robot", "world", "planner", "controller", "map", "max_speed", "timeout", "tolerance", "start", "goal",
              "routes", "solver"),
    measures=("arrived", "collided", "time", "path_length", "final_error", "estimate_error", "replans"),
)  # fmt: skip


def navigation_trial(setup: Setup) -> dict[str, Any]:
    """Drive from `start` to `goal` (x, y, yaw) in a `world`; `routes` may give both by world: {lab = [start, goal]}.

    The start is moved by what was drawn. Measures: time, path_length, final_error, collided, estimate_error, success.
    """
    values = TERMS.values(setup)
    world, draw = str(values.get("world", "lab")), setup.draw
    start, goal = values.get("routes", {}).get(world, (values.get("start"), values.get("goal")))
    if start is None or goal is None:
        raise BadInput(f"navigation needs `start` and `goal`, x y yaw, or `routes` with {world!r}")
    more = {
        name: values[name]
        for name in ("planner", "controller", "max_speed", "timeout", "tolerance", "solver")
        if name in values
    }
    outcome = navigate(
        str(values.get("robot") or default_robot("navigation")),
        world=world,
        start=(float(start[0]) + draw.x, float(start[1]) + draw.y, float(start[2]) + draw.yaw),
        goal=(float(goal[0]), float(goal[1]), float(goal[2])),
        map=Path(values["map"]) if "map" in values else None,
        engine=setup.engine,
        seed=setup.seed,
        record=setup.record,
        **more,
    )
    return {
        "success": outcome.success,
        "arrived": outcome.success,
        "collided": outcome.collided,
        "time": outcome.time,
        "path_length": outcome.path_length,
        "final_error": outcome.final_error,
        "estimate_error": outcome.estimate_error.get("mean", float("nan")),
        "replans": outcome.replans,
    }
