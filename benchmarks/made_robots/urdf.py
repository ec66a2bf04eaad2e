"""Small URDF files, written link by link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

Vec = Sequence[float]


def text(values: Vec) -> str:
    return " ".join(f"{value:.6g}" for value in values)


@dataclass
class File:
    """A URDF that is being written."""

    name: str
    parts: list[str] = field(default_factory=list)

    def link(
        self,
        name: str,
        shape: str = "",
        at: Vec = (0, 0, 0),
        rpy: Vec = (0, 0, 0),
        mass: float = 0.1,
        inertia: Vec = (1e-3, 1e-3, 1e-3),
        collision: bool = True,
        visual: bool = True,
    ) -> None:
        """A link with one shape that is both seen and touched."""
        origin = f'<origin xyz="{text(at)}" rpy="{text(rpy)}"/>'
        shapes = "".join(
            f"<{kind}>{origin}<geometry>{shape}</geometry></{kind}>"
            for kind, wanted in (("visual", visual), ("collision", collision))
            if shape and wanted
        )
        weight = (
            f'<inertial>{origin}<mass value="{mass:.6g}"/><inertia ixx="{inertia[0]:.6g}" iyy="{inertia[1]:.6g}" '
            f'izz="{inertia[2]:.6g}" ixy="0" ixz="0" iyz="0"/></inertial>'
            if mass
            else ""
        )
        self.parts.append(f'<link name="{name}">{shapes}{weight}</link>')

    def joint(
        self,
        name: str,
        parent: str,
        child: str,
        at: Vec = (0, 0, 0),
        axis: Vec = (0, 1, 0),
        kind: str = "revolute",
        rpy: Vec = (0, 0, 0),
        limits: str = 'lower="-1.5" upper="1.5" effort="40" velocity="12"',
    ) -> None:
        """A joint."""
        limit = f"<limit {limits}/>" if limits and kind != "fixed" else ""
        turn = "" if kind == "fixed" else f'<axis xyz="{text(axis)}"/>'
        self.parts.append(
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{text(at)}" rpy="{text(rpy)}"/>{turn}{limit}</joint>'
        )

    def raw(self, text: str) -> None:
        """Anything else."""
        self.parts.append(text)

    def write(self, folder: Path) -> None:
        """Into a folder."""
        body = "\n".join(self.parts)
        (folder / f"{self.name}.urdf").write_text(f'<robot name="{self.name}">\n{body}\n</robot>\n', encoding="utf-8")


def box(x: float, y: float, z: float) -> str:
    """A box."""
    return f'<box size="{text((x, y, z))}"/>'


def cylinder(radius: float, length: float) -> str:
    """A cylinder along z."""
    return f'<cylinder radius="{radius:.6g}" length="{length:.6g}"/>'


def ball(radius: float) -> str:
    """A sphere."""
    return f'<sphere radius="{radius:.6g}"/>'


def box_inertia(mass: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """m (b² + c²) / 12 about each axis."""
    return mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12


def rod_inertia(mass: float, length: float, radius: float) -> tuple[float, float, float]:
    """A cylinder along z."""
    across = mass * (3 * radius**2 + length**2) / 12
    return across, across, mass * radius**2 / 2
