"""Description and meshes of the waffle."""

from pathlib import Path

from andante.description import RobotPackage

ROBOT = RobotPackage(Path(__file__).with_name("waffle.urdf.xacro"), meshes="andante.robots.waffle.meshes:MESHES")
