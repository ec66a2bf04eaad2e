"""Does MuJoCo itself take an MJCF file? What its schema lacks and what it does not compile are errors there, not here.

MuJoCo is handed the text of what was read, an element per line, and no file: small solids and plain colors stand in for
meshes, height maps and pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from andante.description.io.mjcf.spec import hushed, open_document
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node, quoted
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput

if TYPE_CHECKING:
    import mujoco

LINE = re.compile(r",? *line (\d+)")
ASSET = re.compile(r"file|mesh|texture|hfield|skin|flex|plugin", re.IGNORECASE)
NAMED = re.compile(r" ?Element name '(?P<name>[^']*)', id \d+")
CORNERS = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]  # of a tetrahedron [m]
FACES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]


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
    parsed = False
    try:
        with hushed():
            spec = mujoco.MjSpec.from_string("\n".join(lines))
            parsed = True
            _without_files(spec)
            spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        said = " ".join(str(error).split()).removeprefix("XML Error: ").removeprefix("Error: ")
        line = LINE.search(said)
        if parsed and ASSET.search(said):
            return  # of a file that MuJoCo was not handed
        place = sources[min(int(line[1]), len(sources)) - 1] if line else root.source
        yield Problem(Severity.ERROR, f"MuJoCo refuses this file: {_plain(said)}", place)


def _plain(said: str) -> str:
    """What MuJoCo says, with the name of an element instead of its number among others."""
    return NAMED.sub(lambda found: f" ({found['name']!r})" if found["name"] else "", LINE.sub("", said)).strip()


def _without_files(spec: mujoco.MjSpec) -> None:
    """Put stand-ins in the place of everything that is read from files."""
    import mujoco

    for mesh in spec.meshes:
        if mesh.file:
            mesh.file, mesh.content_type = "", ""
            mesh.uservert, mesh.userface = CORNERS, FACES
            mesh.usernormal, mesh.usertexcoord = [], []
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    for texture in spec.textures:
        if texture.file or any(texture.cubefiles):
            texture.file, texture.content_type, texture.cubefiles = "", "", [""] * 6
            texture.builtin, texture.width, texture.height = int(mujoco.mjtBuiltin.mjBUILTIN_FLAT), 2, 12
    for field in spec.hfields:
        if field.file:
            field.file, field.content_type = "", ""
            field.nrow = field.ncol = 2
            field.userdata = [0.0] * 4
    spec.compiler.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)


def _write(node: Node, lines: list[str], sources: list[Source]) -> None:
    """An element as lines, each beside where it was read."""
    attributes = "".join(f" {key}={quoted(value)}" for key, value in node.attributes.items())
    lines.append(f"<{node.tag}{attributes}{'' if node.children else '/'}>")
    sources.append(node.source)
    for child in node.children:
        _write(child, lines, sources)
    if node.children:
        lines.append(f"</{node.tag}>")
        sources.append(node.source)
