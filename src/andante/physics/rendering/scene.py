"""A MuJoCo model that only shows: one mocap body per visible link, made from the visuals of robots and worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from andante.description.link import Visual
from andante.description.mesh import triangles as meshes
from andante.description.shapes import (
    RGBA,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
)
from andante.description.world import Light, Placement, World
from andante.errors import BadInput
from andante.geometry import SE3, so3
from andante.physics.mujoco.geoms import add_field, field_pose, quaternion, set_solid

from . import GROUND, PLAIN, shown

ENDLESS = 50.0  # a plane at least this wide is shown to the horizon [m]
HORIZON = 500.0  # how far endless planes reach [m]
TILE = 1.0  # edge of the ground pattern [m]


@dataclass(frozen=True)
class VisualScene:
    """The compiled model, and which model and link each of its bodies and geoms shows."""

    mj_model: Any
    mocaps: np.ndarray  # (shown, 2) model and link of each mocap body
    geom_model: np.ndarray  # (ngeom,) -1: none
    geom_link: np.ndarray


def build_visual_scene(
    placements: Sequence[Placement], world: World, width: int, height: int, shadows: int
) -> VisualScene:
    """The model of everything that can be seen."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.autolimits = False
    _set_look(spec, world, width, height, shadows)
    for light in world.lights or DEFAULT_LIGHTS:
        _add_light(spec, light, len(world.lights))
    eye = spec.worldbody.add_body()
    eye.name, eye.mocap = "eye", True
    eye.add_camera().name = "eye"
    maker = _Maker(spec)
    mocaps: list[tuple[int, int]] = []
    owners: dict[str, tuple[int, int]] = {}
    for model, placement in enumerate(placements):
        for index, link in enumerate(placement.robot.links):
            visuals = shown(link)
            if not visuals:
                continue
            body = spec.worldbody.add_body()
            body.name, body.mocap = f"{model}:{index}", True
            owners[body.name] = (model, index)
            mocaps.append((model, index))
            for visual in visuals:
                maker.add(body, visual)
    try:
        mj_model = spec.compile()
    except ValueError as error:
        raise BadInput(f"the scene {world.name!r} cannot be shown: {' '.join(str(error).split())}") from error
    table = [owners.get(mj_model.body(i).name, (-1, -1)) for i in range(mj_model.nbody)]
    who = np.array(table, dtype=int).reshape(-1, 2)[mj_model.geom_bodyid]
    order = np.array([mj_model.body(f"{a}:{i}").mocapid[0] for a, i in mocaps], dtype=int)
    pairs = np.zeros((mj_model.nmocap, 2), dtype=int) - 1
    pairs[order] = np.array(mocaps, dtype=int).reshape(-1, 2)
    return VisualScene(mj_model, pairs, who[:, 0], who[:, 1])


DEFAULT_LIGHTS = (
    Light("key", direction=(-0.5, 0.15, -1.0), diffuse=(0.64, 0.63, 0.6, 1.0), specular=(0.25, 0.25, 0.25, 1.0)),
    Light(
        "fill",
        direction=(0.3, -0.9, -0.5),
        diffuse=(0.2, 0.22, 0.25, 1.0),
        specular=(0.0, 0.0, 0.0, 1.0),
        cast_shadows=False,
    ),
)


def _set_look(spec: Any, world: World, width: int, height: int, shadows: int) -> None:
    visual = spec.visual
    spec.stat.extent = HORIZON / visual.map.zfar  # how far endless planes reach is settled when the model is loaded
    visual.global_.offwidth, visual.global_.offheight = width, height
    visual.quality.offsamples, visual.quality.shadowsize = 8, shadows
    visual.quality.numslices, visual.quality.numstacks = 48, 24
    visual.headlight.ambient = [0.85 * c for c in world.ambient[:3]]
    visual.headlight.diffuse, visual.headlight.specular = [0.18] * 3, [0.0] * 3
    visual.map.haze = 0.35
    sky = np.clip(np.asarray(world.background[:3]), 0.0, 1.0)
    pale = 0.45 * sky + 0.55
    visual.rgba.haze = [*pale, 1.0]
    texture = spec.add_texture()
    texture.name, texture.type = "sky", mujoco.mjtTexture.mjTEXTURE_SKYBOX
    texture.builtin = mujoco.mjtBuiltin.mjBUILTIN_GRADIENT
    texture.rgb1, texture.rgb2 = pale, 0.75 * sky
    texture.width = texture.height = 256
    tiles = spec.add_texture()
    tiles.name, tiles.type = "tiles", mujoco.mjtTexture.mjTEXTURE_2D
    tiles.builtin, tiles.mark = mujoco.mjtBuiltin.mjBUILTIN_CHECKER, mujoco.mjtMark.mjMARK_EDGE
    tiles.rgb1, tiles.rgb2, tiles.markrgb = [0.97] * 3, [0.93] * 3, [0.86] * 3
    tiles.width = tiles.height = 512


def _add_light(spec: Any, light: Light, stated: int) -> None:
    """A light; several stated ones share the brightness, so that no scene is burnt out."""
    item = spec.worldbody.add_light()
    kinds = mujoco.mjtLightType
    item.type = {"point": kinds.mjLIGHT_POINT, "spot": kinds.mjLIGHT_SPOT}.get(light.kind, kinds.mjLIGHT_DIRECTIONAL)
    item.pos, item.dir = light.pose.translation, light.pose.rotation @ np.asarray(light.direction)
    dim = 0.75 / max(1.0, stated**0.5) if stated else 1.0
    item.diffuse = [dim * c for c in light.diffuse[:3]]
    item.specular = [dim * c for c in light.specular[:3]]
    item.castshadow = light.cast_shadows


class _Maker:
    """Adds visuals to bodies, sharing meshes, height fields and materials."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self._assets: dict[Geometry, str] = {}
        self._materials: dict[tuple[RGBA, bool], str] = {}

    def add(self, body: Any, visual: Visual) -> None:
        geom = body.add_geom()
        pose = self._form(geom, visual)
        geom.pos = pose.translation
        geom.quat = quaternion(pose)
        geom.contype = geom.conaffinity = 0
        ground = isinstance(visual.geometry, Plane)
        stated = visual.material.rgba
        if stated is None and isinstance(visual.geometry, Mesh):
            stated = meshes.mesh_color(visual.geometry)
        rgba = stated or (GROUND if ground else PLAIN)
        geom.material = self._material(rgba, ground)
        geom.rgba = rgba

    def _material(self, rgba: RGBA, ground: bool) -> str:
        key = (rgba, ground)
        if key not in self._materials:
            item = self.spec.add_material()
            item.name = self._materials[key] = f"material{len(self._materials)}"
            item.rgba = rgba
            item.specular, item.shininess = (0.1, 0.1) if ground else (0.35, 0.4)
            if ground:
                item.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "tiles"
                item.texrepeat, item.texuniform = [1 / (2 * TILE)] * 2, True
                item.reflectance = 0.04
        return self._materials[key]

    def _form(self, geom: Any, visual: Visual) -> SE3:
        kinds = mujoco.mjtGeom
        match visual.geometry:
            case Plane(normal, size):
                x, y = (0.0 if side >= ENDLESS else side / 2 for side in size)
                geom.type, geom.size = kinds.mjGEOM_PLANE, [x, y, 1.0]
                return visual.pose @ SE3.from_parts(so3.between([0, 0, 1], normal), np.zeros(3))
            case Mesh() as mesh:
                geom.type, geom.meshname = kinds.mjGEOM_MESH, self._mesh(mesh)
            case Heightmap() as field:
                geom.type, geom.hfieldname = kinds.mjGEOM_HFIELD, self._field(field)
                return field_pose(visual.pose, field)
            case solid:
                set_solid(geom, solid)
        return visual.pose

    def _mesh(self, mesh: Mesh) -> str:
        if mesh not in self._assets:
            vertices, faces = meshes.triangles(mesh)
            asset = self.spec.add_mesh()
            asset.name = self._assets[mesh] = f"mesh{len(self._assets)}"
            asset.uservert, asset.userface = np.asarray(vertices, dtype=float).ravel(), np.asarray(faces).ravel()
            asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # open surfaces are welcome
        return self._assets[mesh]

    def _field(self, field: Heightmap) -> str:
        if field not in self._assets:
            self._assets[field] = f"field{len(self._assets)}"
            add_field(self.spec, self._assets[field], field, thickness=0.02)
        return self._assets[field]
