"""`andante navigate | explore | map | localize`: to a goal by sensors, maps, and where the robot of a log was."""

from __future__ import annotations

from functools import partial

from andante.errors import BadInput

from .command import Command
from .options import POSE, Take
from .words import pose_of


def _goal(text: str) -> tuple[float, float, float]:
    if not text:
        raise BadInput('no goal is given: --goal "x y yaw"')
    return pose_of("--goal", text, free_yaw=True)


navigate = Command(
    "andante.tasks.navigate:navigate",
    "Let a robot on wheels or two legs find its way to a goal and tell how it went.",
    {"goal": Take(POSE, _goal), "map_pose": Take(POSE, partial(pose_of, "--map-pose"))},
    warned=lambda made: made.warnings,
    dry="andante.tasks.dry_run:dry_drive",
)
tune = Command(
    "andante.tasks.tune:tune",
    "Learn latency, braking, scrub and straying of a wheeled base by a short drive in free space.",
    {"out": Take("FILE", flags="-o --out")},
    written=lambda made: (made.file,),
    dry="andante.tasks.dry_run:dry_drive",
)
explore = Command(
    "andante.tasks.explore:explore",
    "Let a robot map a world by itself, or along waypoints. Ctrl-C keeps the map made so far.",
    {
        "out": Take("MAP", flags="-o --out", about="Writes MAP.pgm, MAP.yaml and MAP.tum.", required=True),
        "world": Take("W", about="To simulate: built-in name or an SDF or MJCF file."),
        "waypoints": Take("FILE", about="Lines 'x y [yaw]' in the world to drive along."),
    },
    warned=lambda made: made.warnings,
    written=lambda made: (made.map, made.trajectory),
    dry="andante.tasks.dry_run:dry_drive",
)
map = Command(
    "andante.tasks.maps.map_space:make_map",
    "Make a map from a log of laser scans, or of a world; with --3d an octree. Ctrl-C keeps the map made so far.",
    {
        "log": Take("LOG", about="rosbag1, rosbag2 or CARMEN.", argument=True, default=None),
        "out": Take("MAP", flags="-o --out", about="Writes MAP.pgm and MAP.yaml, or MAP.bt.", required=True),
        "from_world": Take("W", about="Built-in name or an SDF or MJCF file, in place of a log."),
        "space": Take(flags="--3d"),
    },
    name="map",
    warned=lambda made: made.warnings,
    written=lambda made: (made.map, made.trajectory_file),
    code=lambda made: 130 if made.stopped else 0,
)
localize = Command(
    "andante.tasks.maps.localize:localize",
    "Localize the robot of a log on a map, or by UWB ranges.",
    {
        "initial_pose": Take(POSE, partial(pose_of, "--initial-pose")),
        "anywhere": Take(flags="--global"),
        "uwb": Take("ANCHORS"),
    },
    warned=lambda made: made.warnings,
    written=lambda made: (made.trajectory_file,),
)
