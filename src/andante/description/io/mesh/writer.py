"""Writes triangle meshes: STL, OBJ, PLY, GLB, DAE; whole files or none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.errors import BadInput
from andante.files import write_bytes

from .files import face_colors, quiet

if TYPE_CHECKING:
    import trimesh

WRITABLE = (".stl", ".obj", ".ply", ".glb", ".dae")


def write_mesh(mesh: trimesh.Trimesh, path: Path) -> None:
    """Writes a mesh in the format of the suffix: first beside the target, then renamed onto it."""
    write_bytes(mesh_bytes(mesh, path.suffix), path)


def mesh_bytes(mesh: trimesh.Trimesh, suffix: str) -> bytes:
    """The file contents of a mesh in the format of a suffix such as '.stl' (binary)."""
    kind = suffix.lower()
    if kind not in WRITABLE:
        raise BadInput(f"meshes cannot be written as {suffix!r}; known: {', '.join(WRITABLE)}")
    if kind == ".dae":
        return _collada(mesh).encode()
    options: dict[str, Any] = {"include_normals": False} if kind == ".obj" else {}
    with quiet():
        data = mesh.export(file_type=kind[1:], **options)
    return data.encode() if isinstance(data, str) else bytes(data)


def _collada(mesh: trimesh.Trimesh) -> str:
    """A COLLADA 1.4.1 document in metres, z up, one material of the mesh's main colour."""
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    painted = face_colors(mesh)
    color = (204.0, 204.0, 204.0, 255.0) if painted is None else painted.mean(axis=0)
    rgba = " ".join(f"{value / 255:.6g}" for value in color)
    numbers = " ".join(np.char.mod("%.9g", vertices).ravel())
    indices = " ".join(map(str, faces.ravel()))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset>
    <created>2000-01-01T00:00:00</created>
    <modified>2000-01-01T00:00:00</modified>
    <unit name="meter" meter="1"/>
    <up_axis>Z_UP</up_axis>
  </asset>
  <library_effects>
    <effect id="effect"><profile_COMMON><technique sid="common"><lambert>
      <diffuse><color>{rgba}</color></diffuse>
    </lambert></technique></profile_COMMON></effect>
  </library_effects>
  <library_materials>
    <material id="material" name="material"><instance_effect url="#effect"/></material>
  </library_materials>
  <library_geometries>
    <geometry id="mesh" name="mesh"><mesh>
      <source id="positions">
        <float_array id="positions-array" count="{vertices.size}">{numbers}</float_array>
        <technique_common>
          <accessor source="#positions-array" count="{len(vertices)}" stride="3">
            <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
          </accessor>
        </technique_common>
      </source>
      <vertices id="vertices"><input semantic="POSITION" source="#positions"/></vertices>
      <triangles count="{len(faces)}" material="material">
        <input semantic="VERTEX" source="#vertices" offset="0"/>
        <p>{indices}</p>
      </triangles>
    </mesh></geometry>
  </library_geometries>
  <library_visual_scenes>
    <visual_scene id="scene"><node id="node" name="mesh">
      <instance_geometry url="#mesh"><bind_material><technique_common>
        <instance_material symbol="material" target="#material"/>
      </technique_common></bind_material></instance_geometry>
    </node></visual_scene>
  </library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
"""
