"""The folding hexapod Shell: description, meshes, and how it folds, rolls and is driven."""

from pathlib import Path
from typing import TYPE_CHECKING

from andante.description import RobotPackage
from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .controller import ShellController, ShellMode

__all__ = ["ROBOT", "ShellController", "ShellMode"]

ROBOT = RobotPackage(
    Path(__file__).with_name("shell.urdf.xacro"),
    meshes="andante.robots.shell.meshes:MESHES",
    motions=Path(__file__).with_name("motions"),
    experiments=Path(__file__).with_name("experiments"),
    walkers="andante.robots.shell.driver:WALKERS",
)

__getattr__ = lazy_names(__name__)
