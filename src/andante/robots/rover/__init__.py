"""The rover: a 1:10 car with lidar and UWB tags; its description, meshes, computer, courses and plots."""

from pathlib import Path

from andante.description import RobotPackage

ROBOT = RobotPackage(
    Path(__file__).with_name("rover.urdf.xacro"),
    meshes="andante.robots.rover.meshes:MESHES",
    experiments=Path(__file__).with_name("experiments"),
    trials={"rover": "andante.robots.rover.trials:course_trial"},
)
