"""`andante robots | worlds | engines`: what there is."""

from __future__ import annotations

from .options import Json
from .output import print_json, table


def robots(json: Json = False) -> None:
    """List the built-in robots."""
    from andante.description import load_robot, robot_names

    rows = []
    for name in robot_names():
        robot = load_robot(name)
        kinds = sorted({sensor.kind for sensor in robot.sensors})
        rows.append(
            {
                "name": name,
                "links": len(robot.links),
                "joints": len(robot.movable),
                "independent": len(robot.independent),
                "mass": robot.mass,
                "poses": list(robot.poses),
                "sensors": kinds,
            }
        )
    if json:
        print_json({"robots": rows})
        return
    table(
        "",
        ["robot", "links", "joints", "mass [kg]", "poses", "sensors"],
        [
            [
                str(row["name"]),
                str(row["links"]),
                f"{row['joints']}" + (f" ({row['independent']} free)" if row["independent"] != row["joints"] else ""),
                f"{row['mass']:.3f}",
                ", ".join(row["poses"]),  # type: ignore[arg-type]
                ", ".join(row["sensors"]),  # type: ignore[arg-type]
            ]
            for row in rows
        ],
    )


def worlds(json: Json = False) -> None:
    """List the built-in worlds."""
    from andante.description import load_world, world_names

    rows = []
    for name in world_names():
        world = load_world(name)
        shapes = sum(len(link.collisions) for model in world.models for link in model.robot.links)
        rows.append({"name": name, "models": len(world.models), "shapes": shapes, "gravity": list(world.gravity)})
    if json:
        print_json({"worlds": rows})
        return
    table(
        "",
        ["world", "models", "collision shapes"],
        [[str(r["name"]), str(r["models"]), str(r["shapes"])] for r in rows],
    )


def engines(json: Json = False) -> None:
    """List the physics engines and whether they are installed."""
    from andante.extras import how_to_get
    from andante.physics.registry import ENGINES, installed, version

    rows = [
        {
            "name": entry.name,
            "installed": installed(entry),
            "version": version(entry),
            "extra": entry.extra,
            "summary": entry.summary,
        }
        for entry in ENGINES.values()
    ]
    if json:
        print_json({"engines": rows})
        return
    table(
        "",
        ["engine", "version", "", ""],
        [
            [
                str(r["name"]),
                str(r["version"] or "-"),
                "ready" if r["installed"] else how_to_get(str(r["extra"])),
                str(r["summary"]),
            ]
            for r in rows
        ],
    )
