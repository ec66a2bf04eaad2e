"""Does MuJoCo itself take an MJCF file? Elements and attributes that its schema lacks are errors there, not here.

MuJoCo is handed the text of what was read, an element per line, and no file; nothing is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

from andante.description.io.mjcf.spec import hushed, open_document
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput

LINE = re.compile(r",? *line (\d+)")


def schema_problems(root: Node, path: Path, resolver: Resolver) -> Iterator[Problem]:
    """One error with what MuJoCo says where it refuses the text of a file."""
    import mujoco

    try:
        whole = open_document(root, path, resolver).root
    except BadInput:  # the reader says it
        return
    lines: list[str] = []
    sources: list[Source] = []
    _write(whole, lines, sources)
    try:
        with hushed():
            mujoco.MjSpec.from_string("\n".join(lines))
    except (ValueError, mujoco.FatalError) as error:
        said = " ".join(str(error).split()).removeprefix("XML Error: ").removeprefix("Error: ")
        line = LINE.search(said)
        place = sources[min(int(line[1]), len(sources)) - 1] if line else root.source
        yield Problem(Severity.ERROR, f"MuJoCo refuses this file: {LINE.sub('', said)}", place)


def _write(node: Node, lines: list[str], sources: list[Source]) -> None:
    """An element as lines, each beside where it was read."""
    attributes = "".join(f" {key}={quoteattr(value)}" for key, value in node.attributes.items())
    lines.append(f"<{node.tag}{attributes}{'' if node.children else '/'}>")
    sources.append(node.source)
    for child in node.children:
        _write(child, lines, sources)
    if node.children:
        lines.append(f"</{node.tag}>")
        sources.append(node.source)
