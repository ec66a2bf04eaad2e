"""`an.rig`: what gaits must know about a legged robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante import viz
from andante.description import Robot
from andante.description.stand_ins import solid_or_same
from andante.locomotion.io.rig_file import read_stance, rig_text, write_rig
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import Rig, weak_joints, weak_told
from andante.tasks.inputs import RobotLike, as_robot, told_of_legs
from andante.tasks.result import Result


@dataclass(frozen=True)
class RigResult(Result):
    """What gaits must know about a legged robot."""

    rig: Rig = field(repr=False)
    weak: Mapping[str, tuple[float, float]]  # joint to load and effort limit [N m, N], the weakest first
    file: Path | None
    robot: Robot = field(repr=False)

    @property
    def text(self) -> str:
        """The rig as the text of a rig file."""
        return rig_text(self.rig)

    @property
    def warning(self) -> str:
        """What to do about joints that are too weak; empty where all are strong enough."""
        return weak_told(self.weak)

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        made = self.rig
        return {
            "robot": made.robot,
            "body": made.body,
            "forward": made.forward,
            "height": made.height,
            "legs": [
                {"name": leg.name, "joints": leg.joints, "foot": leg.foot, "reach": leg.reach} for leg in made.legs
            ],
            "weak": {name: {"load": load, "effort": effort} for name, (load, effort) in self.weak.items()},
            "file": self.file,
        }

    def __str__(self) -> str:
        names = ", ".join(leg.name for leg in self.rig.legs)
        wrote = "" if self.file is None else f"; wrote {self.file}"
        return f"{len(self.rig.legs)} legs ({names}), body {self.rig.height:.3f} m high{wrote}"

    def plot(self) -> viz.Figure:
        """The robot in the stance of the rig."""
        return viz.preview_robot(self.robot, self.rig.stance, frames=[leg.foot for leg in self.rig.legs])


def rig(
    robot: RobotLike,
    out: Path | str | None = None,
    *,
    knees: str = "same",
    height: float | None = None,
    stance: Path | str | None = None,
    arguments: Mapping[str, str] | None = None,
) -> RigResult:
    """Infer a rig: legs, feet, stance, steps and gains of a legged robot.

    Args:
        robot: a `Robot`, a name or a path.
        out: rig file to write (.toml).
        knees: same, back, front, in, out or up.
        height: height of the body over the ground [m]; None: found.
        stance: a TOML file with a table [stance], joint = position, of a pose in which it stands; None: found.
        arguments: `name:=value` arguments of the robot's file.

    Returns:
        The rig, and the joints that are too weak for it.
    """
    model = solid_or_same(as_robot(robot, arguments))
    stated = None if stance is None else read_stance(Path(stance))
    with told_of_legs(model, stated is None):
        made = infer_rig(model, knees, height, stated)
    weak, file = weak_joints(model, made), None if out is None else Path(out)
    if file is not None:
        write_rig(made, file)
    return RigResult(rig=made, weak=weak, file=file, robot=model)
