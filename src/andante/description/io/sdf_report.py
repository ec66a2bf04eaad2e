"""Collects what a reader has to say: one finding per kind of element, with the first place and how many more."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from andante.description.source import Problem, Severity, Source

from .xmltree import Node


@dataclass
class Report:
    """Problems in the order found; findings with the same text are told once and counted."""

    _found: dict[tuple[Severity, str], list[Source]] = field(default_factory=dict)

    def add(self, severity: Severity, message: str, source: Source) -> None:
        """One finding."""
        self._found.setdefault((severity, message), []).append(source)

    def info(self, node: Node, message: str) -> None:
        """Something the user should know."""
        self.add(Severity.INFO, message, node.source)

    def warn(self, node: Node, message: str) -> None:
        """Something that changes what the file means."""
        self.add(Severity.WARNING, message, node.source)

    def leftovers(self, node: Node, known: Collection[str], harmless: Collection[str] = ()) -> None:
        """Report the children that nobody reads: harmless ones as info, unknown ones as warning."""
        for child in node.children:
            if child.tag in known or child.tag.startswith("andante:"):
                continue
            if child.tag in harmless:
                self.info(child, f"<{child.tag}> in <{node.tag}> is not used")
            elif ":" in child.tag and not child.tag.startswith("experimental:"):
                self.info(child, f"<{child.tag}> in <{node.tag}> is an extension of another program and is not used")
            else:
                self.warn(child, f"<{child.tag}> in <{node.tag}> is not understood and is left out")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The findings as problems."""
        return tuple(
            Problem(severity, message + (f" ({len(places)} places)" if len(places) > 1 else ""), places[0])
            for (severity, message), places in self._found.items()
        )
