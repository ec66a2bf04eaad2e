"""Visuals as geoms of the scene: shapes with their materials, meshes in pieces, each with a color or a picture."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from andante.description.link import Visual
from andante.description.looks import WHITE, Piece, picture_of, pieces
from andante.description.mesh.textures import Texture
from andante.description.shapes import RGBA, Heightmap, Mesh, Plane
from andante.errors import AndanteError
from andante.geometry import SE3, Array
from andante.physics.mujoco.geoms import Forms, quaternion

from . import GROUND, PLAIN

ENDLESS = 50.0  # a plane at least this wide is shown to the horizon [m]
TILE = 1.0  # edge of the ground pattern [m]
TILES = "tiles"
MOST_TEXTURES = 900  # MuJoCo draws up to 1000; what comes later is shown in one color
SMALLEST = 1e-14  # triangles without area are left out [m^2]
FINEST = 4096  # colors of one painted piece; more are made coarser


def add_tiles(spec: Any) -> None:
    """The pattern of grounds that state no picture."""
    tiles = spec.add_texture()
    tiles.name, tiles.type = TILES, mujoco.mjtTexture.mjTEXTURE_2D
    tiles.builtin, tiles.mark = mujoco.mjtBuiltin.mjBUILTIN_CHECKER, mujoco.mjtMark.mjMARK_EDGE
    tiles.rgb1, tiles.rgb2, tiles.markrgb = [0.97] * 3, [0.93] * 3, [0.86] * 3
    tiles.width = tiles.height = 512


class Surfaces(Forms):
    """Adds visuals to bodies, sharing meshes, materials and pictures."""

    field_thickness = 0.02
    mesh_inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # open surfaces are welcome

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        self._materials: dict[tuple[object, ...], str] = {}
        self._textures: dict[str, str] = {}
        self._pieces: dict[tuple[object, ...], list[tuple[str, str, RGBA]]] = {}

    def add(self, body: Any, visual: Visual) -> None:
        """All geoms of a visual; a shape without a picture is one of MuJoCo's own."""
        picture = picture_of(visual.material)
        if isinstance(visual.geometry, Mesh) or (picture and not isinstance(visual.geometry, Plane | Heightmap)):
            for asset, material, rgba in self._drawn(visual):
                geom = body.add_geom()
                geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_MESH, asset
                self._finish(geom, visual.pose, material, rgba)
            return
        geom = body.add_geom()
        pose = self.set(geom, visual.geometry, visual.pose)
        ground = isinstance(visual.geometry, Plane)
        usual = GROUND if ground else PLAIN
        if picture is not None:
            rgba = visual.material.rgba or WHITE
            material = self._material(rgba, self._texture(picture), *self._repeats(visual))
        else:
            rgba = visual.material.rgba or usual
            material = self._material(rgba, TILES, (1 / (2 * TILE),) * 2, True) if ground else self._material(rgba)
        self._finish(geom, pose, material, rgba)

    def _finish(self, geom: Any, pose: SE3, material: str, rgba: RGBA) -> None:
        geom.pos, geom.quat = pose.translation, quaternion(pose)
        geom.contype = geom.conaffinity = 0
        geom.material, geom.rgba = material, rgba

    def _repeats(self, visual: Visual) -> tuple[tuple[float, float], bool]:
        """How often a picture lies on a plane, and whether that counts for one meter (endless planes) or for all."""
        if not isinstance(visual.geometry, Plane):
            return (1.0, 1.0), False
        (width, depth), (x, y) = visual.geometry.size, visual.material.tile or visual.geometry.size
        endless = max(width, depth) >= ENDLESS
        return ((1 / x, 1 / y) if endless else (width / x, depth / y)), endless

    def _drawn(self, visual: Visual) -> list[tuple[str, str, RGBA]]:
        """Mesh, material and color of every piece of a visual."""
        key = (visual.geometry, visual.material, visual.material.path)
        if key not in self._pieces:
            try:
                found = [self._piece(piece) for piece in pieces(visual)]
            except AndanteError:  # a broken mesh, which `check` tells: the rest is still shown
                found = []
            self._pieces[key] = [each for each in found if each is not None]
        return self._pieces[key]

    def _piece(self, piece: Piece) -> tuple[str, str, RGBA] | None:
        a, b, c = (piece.vertices[piece.faces[:, k]] for k in range(3))
        whole = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 2 * SMALLEST
        if not whole.any():
            return None
        used, faces = np.unique(piece.faces[whole], return_inverse=True)
        texture, uv = piece.texture, piece.uv
        if piece.corner_colors is not None:
            texture, uv = palette(piece.corner_colors)
        name = self._texture(texture) if texture is not None and uv is not None else ""
        asset = self.asset(piece.vertices[used], faces.reshape(-1, 3))
        if name and uv is not None:
            made = self.spec.meshes[-1]
            places = uv[whole].reshape(-1, 2) * [1.0, -1.0] + [0.0, 1.0]  # MuJoCo counts from the upper left corner
            made.usertexcoord = places.astype(float).ravel()
            made.userfacetexcoord = np.arange(len(places))
            rgba = piece.rgba or WHITE
        else:
            rgba = piece.flat or PLAIN
        return asset, self._material(rgba, name), rgba

    def _texture(self, texture: Texture) -> str:
        """Name of a picture in the scene; empty when there are too many."""
        if texture.key not in self._textures:
            if len(self._textures) >= MOST_TEXTURES:
                return ""
            item = self.spec.add_texture()
            item.name = self._textures[texture.key] = f"texture{len(self._textures)}"
            item.type = mujoco.mjtTexture.mjTEXTURE_2D
            pixels = texture.pixels if texture.transparent else texture.pixels[..., :3]
            item.height, item.width, item.nchannel = pixels.shape
            item.data = np.ascontiguousarray(pixels).tobytes()
        return self._textures[texture.key]

    def _material(
        self, rgba: RGBA, texture: str = "", repeats: tuple[float, float] = (1.0, 1.0), uniform: bool = False
    ) -> str:
        key = (rgba, texture, repeats, uniform)
        if key not in self._materials:
            item = self.spec.add_material()
            item.name = self._materials[key] = f"material{len(self._materials)}"
            item.rgba = rgba
            ground = texture == TILES
            item.specular, item.shininess = (0.1, 0.1) if texture else (0.35, 0.4)
            item.reflectance = 0.04 if ground else 0.0
            if texture:
                item.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture
                item.texrepeat, item.texuniform = repeats, uniform
        return self._materials[key]

    def plane_size(self, plane: Plane) -> list[float]:
        """A wide plane is shown to the horizon."""
        return [*(0.0 if side >= ENDLESS else side / 2 for side in plane.size), 1.0]


def palette(corner_colors: np.ndarray) -> tuple[Texture, Array]:
    """A picture of one pixel per color and the place (m, 3, 2) of every face in it; a face has its corners' mean.

    MuJoCo draws no colors of vertices, but a face that lies on one pixel has its color everywhere.
    """
    faces = corner_colors.astype(float).mean(axis=1)
    step = 1
    while True:
        coarse = np.clip(np.round(faces / step) * step, 0, 255).astype(np.uint8)
        colors, which = np.unique(coarse, axis=0, return_inverse=True)
        if len(colors) <= FINEST or step >= 128:
            break
        step *= 2
    side = 1 << math.ceil(math.log2(max(1, math.ceil(math.sqrt(len(colors))))))
    pixels = np.zeros((side, side, 4), dtype=np.uint8)
    pixels.reshape(-1, 4)[: len(colors)] = colors
    row, column = np.divmod(which.reshape(-1), side)
    middle = np.stack([(column + 0.5) / side, 1.0 - (row + 0.5) / side], axis=-1)
    return Texture(f"palette:{hash(pixels.tobytes())}:{side}", pixels), np.repeat(middle[:, None], 3, axis=1)
