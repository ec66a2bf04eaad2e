"""What an identification gives: estimates with intervals, warnings, curves, and the parameters as a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.description import Robot
from andante.files import write_whole
from andante.geometry import Array
from andante.parsing import toml_text
from andante.physics import RobotParameters
from andante.physics.tree import body_tree
from andante.tasks.result import HIDDEN, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = {"stiffness": ("servos", "kp"), "damping": ("servos", "kd"), "velocity_gain": ("servos", "kv"),
        "delay": ("servos", "delay"), "backlash": ("servos", "backlash"), "friction": ("joints", "friction"),
        "viscous": ("joints", "damping"), "armature": ("joints", "armature")}  # fmt: skip
MOST_DRAWN = 6
HEAD = (
    "# Identified by `andante experiment fit`; `--params` of sim, walk and play and `experiment run --model` take it.\n"
)


@dataclass(frozen=True)
class Estimate:
    """One parameter with its interval of 95 %."""

    kind: str
    of: tuple[str, ...]  # joints that share it, or a link
    unit: str
    value: float
    low: float
    high: float
    start: float  # before the fit
    determined: bool  # whether the recording says what it is
    remark: str = ""

    @property
    def name(self) -> str:
        """Kind and owners in words."""
        return f"{self.kind} of {', '.join(self.of)}"


@dataclass(frozen=True, eq=False)
class Curves:
    """One joint over time, (n,) arrays; errors are root mean squares of what is compared."""

    joint: str
    times: Array
    targets: Array
    measured: Array
    simulated: Array
    error_before: float  # with the robot's file [rad or m]
    error_after: float
    effort_error: float  # [N m or N]; NaN: efforts were not compared
    velocity: bool  # whether the targets are velocities


@dataclass(frozen=True)
class Identification(Result):
    """Parameters of a robot found in recordings of its joints."""

    robot: str
    recordings: tuple[str, ...]
    joints: tuple[str, ...]
    seconds: float  # of recordings
    torques: tuple[str, ...]  # joints whose torques or currents were compared
    estimates: tuple[Estimate, ...]
    warnings: tuple[str, ...]  # what the recordings do not tell
    notes: tuple[str, ...]
    engine: str  # of the replay
    error_before: float  # rms of the joints replayed on the engine with the robot's file [rad or m]
    error_after: float  # ... with what was found
    parameters: RobotParameters = field(metadata=HIDDEN)
    curves: tuple[Curves, ...] = field(metadata=HIDDEN, repr=False)
    out: Path | None = None

    def __getitem__(self, name: tuple[str, str]) -> Estimate:
        """The estimate of a kind and a joint or link."""
        return next(each for each in self.estimates if each.kind == name[0] and name[1] in each.of)

    @property
    def file(self) -> Path | None:
        """The parameter file, where one was written."""
        return None if self.out is None else self.out / "robot.toml"

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command line."""
        errors = {
            curve.joint: {"before": curve.error_before, "after": curve.error_after, "effort": curve.effort_error}
            for curve in self.curves
        }
        out = None if self.out is None else str(self.out)
        return {**super().as_dict(), "out": out, "errors": errors, "parameters": self.parameters.as_dict()}

    def rows(self) -> list[list[str]]:
        """A line of words per estimate: whose, what, value, interval, before, remark."""
        return [
            [
                ", ".join(each.of), each.kind, f"{each.value:.4g} {each.unit}", f"{each.low:.4g} to {each.high:.4g}",
                f"{each.start:.4g}", each.remark or ("" if each.determined else "not determined"),
            ]
            for each in self.estimates
        ]  # fmt: skip

    def __str__(self) -> str:
        lines = [
            f"{self.robot}: {len(self.estimates)} parameters from {self.seconds:.1f} s of {len(self.joints)} joints"
        ]
        rows = self.rows()
        widths = [max(len(row[k]) for row in rows) for k in range(6)]
        lines += ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        lines += [
            f"{curve.joint}: {curve.error_before:.3g} before, {curve.error_after:.3g} after" for curve in self.curves
        ]
        if self.engine:
            lines.append(f"replayed on {self.engine}: {self.error_before:.3g} before, {self.error_after:.3g} after")
        return "\n".join([*lines, *(f"warning: {each}" for each in self.warnings)])

    def plot(self) -> Figure:
        """Measured and simulated positions of the joints, and what is left between them."""
        from matplotlib.figure import Figure

        shown = self.curves[:MOST_DRAWN]
        figure = Figure(figsize=(10, 2.2 * max(1, len(shown))), layout="constrained")
        axes = figure.subplots(max(1, len(shown)), 2, sharex=True, squeeze=False)
        for (left, right), curve in zip(axes, shown, strict=False):
            if not curve.velocity:
                left.plot(curve.times, curve.targets, color="0.75", linewidth=0.8, label="target")
            left.plot(curve.times, curve.measured, color="C0", linewidth=1.0, label="measured")
            left.plot(curve.times, curve.simulated, color="C1", linewidth=1.0, linestyle="--", label="simulated")
            right.plot(curve.times, 1e3 * (curve.measured - curve.simulated), color="C3", linewidth=0.7)
            left.set(ylabel=curve.joint)
            right.set(ylabel="left [mrad, mm]")
        axes[0][0].legend(fontsize=8, frameon=False, ncols=3)
        for each in axes[-1]:
            each.set(xlabel="time [s]")
        return figure


def robot_parameters(robot: Robot, estimates: Sequence[Estimate]) -> RobotParameters:
    """What was found, as changes of the robot; what was not determined stays as the file has it."""
    tables: dict[str, dict[str, dict[str, float]]] = {"servos": {}, "joints": {}}
    masses: dict[str, float] = {}
    tree = body_tree(robot, fixed=True)
    for each in estimates:
        if not each.determined:
            continue
        if each.kind in FILE:
            section, key = FILE[each.kind]
            for joint in each.of:
                tables[section].setdefault(joint, {})[key] = _rounded(each.value)
        elif each.kind == "mass":
            body = next(i for i, one in enumerate(tree.bodies) if one.name == each.of[0])
            factor = each.value / tree.bodies[body].inertia.mass
            for link, at in zip(robot.links, tree.link_body, strict=True):
                if at == body and link.inertia is not None and link.inertia.mass > 0:
                    masses[link.name] = _rounded(factor * link.inertia.mass)
    return RobotParameters(tables["servos"], tables["joints"], masses)


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def parameter_text(found: Identification) -> str:
    """The parameters as a TOML text, with how sure they are in remarks."""
    lines = [HEAD, f"# {found.robot}, {found.seconds:.1f} s of {', '.join(Path(r).name for r in found.recordings)}\n"]
    for each in found.estimates:
        why = each.remark or "not determined"
        sure = f"{each.low:.4g} to {each.high:.4g}" if each.determined else f"{why}, left out"
        lines.append(f"# {each.name}: {each.value:.4g} {each.unit} ({sure})\n")
    lines += [f"# warning: {each}\n" for each in found.warnings]
    return "".join(lines) + "\n" + toml_text({"robot": found.parameters.as_dict()})


def write_parameters(path: Path, found: Identification) -> None:
    """Write the parameter file; it is whole or absent."""
    write_whole(path, parameter_text(found))
