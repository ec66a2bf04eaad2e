"""Sound files to start from, by kind, each with the commands that read it. `all_seeds` makes them once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

FRACTIONS = {
    "urdf": 12, "xacro": 10, "sdf": 11, "mjcf": 10, "mesh": 14, "sidecar": 4, "map": 7, "bag": 6, "log": 2, "uwb": 2,
    "launch": 3, "experiment": 4, "store": 5, "rig": 2, "motion": 4, "parameters": 2, "table": 2,
}  # fmt: skip
KINDS = tuple(FRACTIONS)
CODE = ("launch", "experiment", "store", "parameters")  # kinds whose files may name a user's Python by design


@dataclass(frozen=True)
class Seed:
    """Files, those of them that are mutated, and commands; {in} and {out} stand for the two folders of a case."""

    kind: str
    name: str
    files: dict[str, bytes]
    commands: tuple[tuple[str, ...], ...]
    mutated: tuple[str, ...] = ()  # by default all
    rare: tuple[tuple[str, ...], ...] = field(default=())  # commands that take long, taken seldom

    @property
    def targets(self) -> tuple[str, ...]:
        """The files that are mutated."""
        return self.mutated or tuple(self.files)


def all_seeds() -> list[Seed]:
    """Every seed, in a fixed order."""
    return list(_seeds())


def _seeds() -> Iterator[Seed]:
    from . import seeds_bags, seeds_description, seeds_maps, seeds_meshes, seeds_motion, seeds_studies

    for module in (seeds_description, seeds_meshes, seeds_maps, seeds_bags, seeds_motion, seeds_studies):
        yield from module.seeds()


def words(*lines: str) -> tuple[tuple[str, ...], ...]:
    """Commands written as lines; words that hold blanks are written with ~ for them."""
    return tuple(tuple(word.replace("~", " ") for word in line.split()) for line in lines)
