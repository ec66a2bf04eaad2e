"""A two-wheeled robot with a nodding head, and a yard to drive in."""

from pathlib import Path

from andante.description import RobotPackage

_HERE = Path(__file__).parent

ROBOT = RobotPackage(_HERE / "minibot.urdf", motions=_HERE / "motions", experiments=_HERE / "experiments")
YARD = _HERE / "yard.sdf"
