"""`Model`: a placed robot inside an engine."""

from __future__ import annotations

from dataclasses import dataclass

from andante.description.world import Placement

from .tree import BodyTree


@dataclass(frozen=True)
class Model:
    """A placed robot inside an engine."""

    index: int
    placement: Placement
    tree: BodyTree

    @property
    def name(self) -> str:
        """Name of the placement, unique in the engine."""
        return self.placement.name

    @property
    def fixed(self) -> bool:
        """Whether the root is welded to the world."""
        return self.placement.fixed or self.tree.robot.fixed_base

    @property
    def still(self) -> bool:
        """Whether it is one body that never moves by itself."""
        return self.fixed and len(self.tree.bodies) == 1 and self.placement.motion is None
