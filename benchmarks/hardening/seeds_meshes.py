"""Seeds: meshes of every format, and a picture of heights."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from .seeds import Seed, words

ASCII = """solid wedge
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
facet normal -1 0 0
outer loop
vertex 0 0 0
vertex 0 0 1
vertex 0 1 0
endloop
endfacet
facet normal 1 1 1
outer loop
vertex 1 0 0
vertex 0 1 0
vertex 0 0 1
endloop
endfacet
endsolid wedge
"""


@cache
def cube(kind: str) -> bytes:
    """A cube of 20 cm as a file of a kind."""
    import trimesh

    from andante.description.mesh.tools import mesh_bytes

    return mesh_bytes(trimesh.creation.box((0.2, 0.2, 0.2)), f".{kind}")


@cache
def height_png() -> bytes:
    """A gray picture of a hill, 33 x 33."""
    from PIL import Image

    row = np.hanning(33)
    out = io.BytesIO()
    Image.fromarray((np.outer(row, row) * 255).astype(np.uint8)).save(out, "PNG")
    return out.getvalue()


def seeds() -> Iterator[Seed]:
    """One seed per format."""
    files: dict[str, dict[str, bytes]] = {
        f"cube.{kind}": {f"cube.{kind}": cube(kind)} for kind in ("stl", "ply", "dae", "glb")
    }
    files["wedge_ascii.stl"] = {"wedge_ascii.stl": ASCII.encode()}
    obj = b"mtllib cube.mtl\no cube\nusemtl red\n" + b"".join(
        line + b"\n" for line in cube("obj").splitlines() if line[:2] in (b"v ", b"f ", b"vn")
    )
    files["cube.obj"] = {"cube.obj": obj, "cube.mtl": b"newmtl red\nKd 1 0 0\nmap_Kd ../canary/secret.txt\n"}
    files["cube.gltf"] = _gltf()
    for name, each in files.items():
        commands = words(
            f"mesh {{in}}/{name} {{out}}/x.stl --json", f"mesh {{in}}/{name} {{out}}/x.dae --scale 0.5 --center",
            f"mesh {{in}}/{name} {{out}}/x.obj --hull --json", f"mesh {{in}}/{name} {{out}}/x.ply --split",
            f"mesh {{in}}/{name} {{out}}/x.glb --box --rotate 0~1~0",
        )  # fmt: skip
        yield Seed("mesh", name, each, commands)


def _gltf() -> dict[str, bytes]:
    """glTF with its buffer in a file of its own."""
    import trimesh

    with tempfile.TemporaryDirectory() as folder:
        made = trimesh.Scene([trimesh.creation.box((0.2, 0.2, 0.2))]).export(file_type="gltf")
        assert isinstance(made, dict)
        for name, data in made.items():
            (Path(folder) / name).write_bytes(data)
        return {"cube.gltf" if name.endswith(".gltf") else name: data for name, data in made.items()}
