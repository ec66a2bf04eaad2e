"""NAO H25 V4.0."""

from pathlib import Path

from andante.description import RobotPackage

ROBOT = RobotPackage(
    Path(__file__).with_name("nao.urdf.xacro"),
    meshes="andante.robots.nao.meshes:MESHES",
    motions=Path(__file__).with_name("motions"),
    gaits=Path(__file__).with_name("gaits"),
    walkers="andante.locomotion.wave.gait:WALKERS",
)
