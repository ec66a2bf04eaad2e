"""Plain values that engines give and take."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from andante._moved import renamed_attributes
from andante.description.solver import SolverSettings
from andante.errors import BadInput
from andante.geometry import Array


@dataclass(frozen=True)
class Settings(SolverSettings):
    """Step and solver of an engine with nothing open; None leaves the engine's own default (tuned for robots)."""

    dt: float = 0.002  # [s]
    friction: float = 1.0  # Coulomb coefficient where a shape names none

    def __post_init__(self) -> None:
        if not 1e-6 <= self.dt <= 0.1:
            raise BadInput(f"the step size must lie between 1e-6 and 0.1 s, got {self.dt}")
        super().__post_init__()


class Mode(IntEnum):
    """What a servo holds."""

    OFF = 0  # passive joint
    POSITION = 1
    VELOCITY = 2
    TORQUE = 3


@renamed_attributes(actor_a="model_a", actor_b="model_b")
@dataclass(frozen=True)
class Contacts:
    """Contact points of one step. Rows are points; `force` is what side A feels, in world axes."""

    model_a: np.ndarray  # (n,) index into engine.models
    link_a: np.ndarray  # (n,) index into that robot's links
    model_b: np.ndarray
    link_b: np.ndarray
    position: Array  # (n, 3) world [m]
    normal: Array  # (n, 3) from B towards A
    force: Array  # (n, 3) [N]
    depth: Array  # (n,) penetration [m]

    def __len__(self) -> int:
        return len(self.model_a)

    @staticmethod
    def of_rows(who: np.ndarray, what: Array) -> Contacts:
        """Contacts from rows (n, 4) model_a, link_a, model_b, link_b and (n, 10) position, normal, force, depth.

        Arrays of their own, in one piece: parts of a single row would count as such and parts of more rows would not,
        and a kernel that takes them would be compiled once more when a robot touches something in one point alone.
        """
        model_a, link_a, model_b, link_b = np.ascontiguousarray(who.T)
        position, normal, force = (np.ascontiguousarray(what[:, k : k + 3]) for k in (0, 3, 6))
        return Contacts(model_a, link_a, model_b, link_b, position, normal, force, np.ascontiguousarray(what[:, 9]))

    @staticmethod
    def of_parts(who: np.ndarray, vectors: Array, depth: Array) -> Contacts:
        """Contacts from indices (4, n), vectors (3, n, 3) position, normal, force, and depths (n,); for loops.

        The constructor of a frozen value takes as long as finding the contacts of two feet.
        """
        made = object.__new__(Contacts)
        model_a, link_a, model_b, link_b = who
        position, normal, force = vectors
        made.__dict__.update(
            model_a=model_a, link_a=link_a, model_b=model_b, link_b=link_b,
            position=position, normal=normal, force=force, depth=depth,
        )  # fmt: skip
        return made

    @staticmethod
    def empty() -> Contacts:
        """No contact at all."""
        return Contacts.of_rows(np.zeros((0, 4), dtype=int), np.zeros((0, 10)))

    def of(self, model: int) -> Contacts:
        """The contacts of one model, with it as side A (mirrored where it was side B).

        A contact between two links of that model appears once for each of them.
        """
        first, second = self.model_a == model, self.model_b == model
        if not second.any() and first.all():
            return self
        a, b = (self.model_a, self.link_a), (self.model_b, self.link_b)
        pairs = [*zip(a + b, b + a, strict=True), (self.position, self.position)]
        pairs += [(self.normal, -self.normal), (self.force, -self.force), (self.depth, self.depth)]
        return Contacts(*(np.concatenate([mine[first], other[second]]) for mine, other in pairs))


@renamed_attributes(actor="model")
@dataclass(frozen=True)
class RayHits:
    """What rays met: distance is inf and the indices are -1 where there was nothing within range."""

    distance: Array  # (n,) [m]
    model: np.ndarray  # (n,)
    link: np.ndarray  # (n,)
