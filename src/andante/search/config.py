"""What a study is, as one readable file (study.toml)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from andante.errors import AndanteError, BadInput
from andante.files import read_text
from andante.parsing import parse_toml, toml_text

from .objective import ObjectiveSpec
from .samplers import Sampler, Shard, make_sampler
from .space import Space

FORMAT = 1
MOST_CANDIDATES = 10**9
HEAD = (
    "# A study of Andante: what is searched, and how. `budget` may be changed, and the study resumed;\n"
    "# all else belongs to the results in results.jsonl.\n"
)
ENTRIES = ("format", "budget", "seed", "shard", "islands", "sampler", "objective", "space")


@dataclass(frozen=True)
class StudyConfig:
    """Objective, space, sampler and seed; they decide which candidates there are and what becomes of them.

    budget: number of candidates of all shards together.
    islands: of how many shards with a learning sampler it was merged (1: of none).
    """

    objective: ObjectiveSpec
    space: Space
    sampler: str = "cmaes"
    batch: int = 0  # candidates that are asked for together; 0: the sampler's choice
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    budget: int = 1000
    shard: Shard = field(default_factory=Shard)
    islands: int = 1

    def __post_init__(self) -> None:
        check_budget(self.budget)
        if not 0 <= self.seed < 2**63:
            raise BadInput(f"a seed is a whole number from 0 to 2^63 - 1, got {self.seed}")
        if self.batch < 0:
            raise BadInput(f"a batch holds at least one candidate, got {self.batch}")

    def make_sampler(self) -> Sampler:
        """The sampler, as it was before the first candidate."""
        return make_sampler(self.sampler, self.space, self.seed, self.batch, self.shard, self.options)

    def settled(self) -> StudyConfig:
        """The same study with the sampler's own batch size written down; BadInput when there is no such sampler."""
        return replace(self, batch=self.make_sampler().batch)

    @property
    def fingerprint(self) -> str:
        """A word that is the same for all shards and budgets of one study and differs between studies."""
        table = self.as_dict()
        for entry in ("budget", "shard", "islands"):
            table.pop(entry, None)
        return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]

    def as_dict(self) -> dict[str, Any]:
        """The study as a table."""
        return {
            "format": FORMAT,
            "budget": self.budget,
            "seed": self.seed,
            "shard": str(self.shard),
            "islands": self.islands,
            "sampler": {"name": self.sampler, "batch": self.batch, "options": _without_none(self.options)},
            "objective": {"factory": self.objective.factory, "arguments": _without_none(self.objective.arguments)},
            "space": self.space.as_dict(),
        }

    def text(self) -> str:
        """The study as the text of its file."""
        return HEAD + toml_text(self.as_dict())

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> StudyConfig:
        """The study of a table as `as_dict` gives it."""
        if table.get("format") != FORMAT:
            raise BadInput(f"format {table.get('format')!r} is not known; this version reads format {FORMAT}")
        for name in table:
            if name not in ENTRIES:
                raise BadInput(f"entry {name!r} is not known; entries: {', '.join(ENTRIES)}")
        sampler = _table(table, "sampler")
        for name, kind in (("budget", int), ("seed", int), ("shard", str), ("islands", int)):
            if not isinstance(table.get(name), kind) or isinstance(table.get(name), bool):
                raise BadInput(f"{name} is missing or no {'number' if kind is int else 'word'}")
        if not isinstance(sampler.get("name"), str) or not isinstance(sampler.get("batch", 0), int):
            raise BadInput("sampler needs a name, and a whole number as batch")
        return cls(
            objective=ObjectiveSpec.from_dict(_table(table, "objective")),
            space=Space.from_dict(_table(table, "space")),
            sampler=sampler["name"],
            batch=sampler.get("batch", 0),
            options=dict(sampler.get("options", {})),
            seed=table["seed"],
            budget=table["budget"],
            shard=Shard.parse(table["shard"]),
            islands=table["islands"],
        )


def read_config(path: Path) -> StudyConfig:
    """The study of a file; BadInput names the file and what is wrong."""
    text = read_text(path)
    try:
        return StudyConfig.from_dict(parse_toml(text))
    except (AndanteError, ValueError) as error:
        raise BadInput(f"{path}: {' '.join(str(error).split())}") from None


def check_budget(budget: int) -> None:
    """BadInput when a budget is no sensible number of candidates."""
    if not 1 <= budget <= MOST_CANDIDATES:
        raise BadInput(f"a budget is a number of candidates from 1 to {MOST_CANDIDATES}, got {budget}")


def _table(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    entry = table.get(name)
    if not isinstance(entry, Mapping):
        raise BadInput(f"the table {name} is missing")
    return entry


def _without_none(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _without_none(value) if isinstance(value, Mapping) else value
        for name, value in table.items()
        if value is not None
    }
