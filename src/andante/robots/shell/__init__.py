"""The folding hexapod Shell: description, meshes, and how it folds, rolls and is driven."""

from pathlib import Path

from andante.description import RobotPackage

ROBOT = RobotPackage(
    Path(__file__).with_name("shell.urdf.xacro"),
    meshes="andante.robots.shell.meshes:MESHES",
    motions=Path(__file__).with_name("motions"),
    experiments=Path(__file__).with_name("experiments"),
    walkers="andante.robots.shell.driver:WALKERS",
)
