"""The rover: a 1:10 car with lidar and UWB tags; its description, meshes, computer, courses and plots."""

from pathlib import Path
from typing import TYPE_CHECKING

from andante.description import RobotPackage
from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .plots import plot_rover_study, plot_rover_trial
    from .trials import COURSES, RoverTrial, rover_trial

__all__ = ["COURSES", "ROBOT", "RoverTrial", "plot_rover_study", "plot_rover_trial", "rover_trial"]

ROBOT = RobotPackage(
    Path(__file__).with_name("rover.urdf.xacro"),
    meshes="andante.robots.rover.meshes:MESHES",
    experiments=Path(__file__).with_name("experiments"),
    trials={"rover": "andante.robots.rover.trials:course_trial"},
    body="andante.robots.rover.onboard:session_car",
    nodes="andante.robots.rover.live:NODES",
)

__getattr__ = lazy_names(__name__)
