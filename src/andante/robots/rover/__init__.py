"""Description and meshes of the rover."""

from pathlib import Path

from andante.description import RobotPackage

ROBOT = RobotPackage(
    Path(__file__).with_name("rover.urdf.xacro"),
    meshes="andante.robots.rover.meshes:MESHES",
)
