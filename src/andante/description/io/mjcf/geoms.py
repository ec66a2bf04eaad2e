"""Geoms of MJCF and the assets they use: shape, pose, contact surface, color, meshes, height fields.

Masses are MuJoCo's to compute.
"""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description.io.xmltree import Node, number, read_bytes, vector
from andante.description.link import IDENTITY, Collision, Material, Surface, Visual
from andante.description.mesh.triangles import taken_remedy, triangles
from andante.description.shapes import RGBA, Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .pairs import touching
from .spec import Document, file_stem, integer, pose_of
from .textures import read_texture

if TYPE_CHECKING:
    import mujoco

MAX_CELLS = 4_000_000
VISIBLE_GROUPS = range(3)  # the groups that MuJoCo's viewer shows at first
MIXING = ("priority", "solmix")  # which of two geoms MuJoCo asks
SOFTNESS = {"solref": 2, "solimp": 5, "margin": 1, "gap": 1}  # how it solves the contact, and by how many numbers
UNBOUNDED_PLANE = 50.0  # half size of a plane that states none [m]


@dataclass
class Assets:
    """Assets by name; a mesh has the pose of its frame in the geom's, one that cannot be represented is None."""

    meshes: dict[str, tuple[Mesh, SE3] | None] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    heights: dict[str, Heightmap] = field(default_factory=dict)
    repeats: dict[str, tuple[tuple[float, ...], bool]] = field(default_factory=dict)  # of a picture; True: per meter


def read_assets(document: Document, spec: mujoco.MjSpec) -> Assets:
    """All assets of a document; unknown kinds are told."""
    assets = Assets()
    pictures: dict[str, tuple[RGBA | None, str, Path | None]] = {}
    for node in document.section("asset"):
        if node.tag == "texture":
            pictures[file_stem(node)] = read_texture(document, spec, node)
        elif node.tag == "hfield":
            _heights(document, spec, assets, node)
        elif node.tag not in ("mesh", "material"):
            document.warn(f"asset <{node.tag}> is not understood and was left out", node.source, f"asset {node.tag}")
    for mesh in spec.meshes:
        assets.meshes[mesh.name] = _mesh(document, spec, mesh)
    for material in spec.materials:
        shade, file, path = pictures.get(next(filter(None, material.textures), ""), (None, "", None))
        rgba = color(material.rgba) or (shade if path is None else None)
        assets.materials[material.name] = Material(material.name, rgba, file, path)
        assets.repeats[material.name] = (tuple(map(float, material.texrepeat)), bool(material.texuniform))
    return assets


def color(rgba: Array) -> RGBA | None:
    """A color of MjSpec (single precision) cut to 0..1, None where it was not given."""
    r, g, b, a = (float(str(np.float32(v))) for v in rgba)
    return None if a == -1 else (_unit(r), _unit(g), _unit(b), _unit(a))


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _mesh(document: Document, spec: mujoco.MjSpec, mesh: Any) -> tuple[Mesh, SE3] | None:
    node = document.node(mesh)
    uri = node.get("file")
    if not uri:
        document.warn(
            f"mesh {mesh.name!r} has its vertices in the file or is built in; save it as an STL or OBJ file",
            node.source,
        )
        return None
    path, uri = find_file(document, spec, uri)
    x, y, z = scale = (float(mesh.scale[0]), float(mesh.scale[1]), float(mesh.scale[2]))
    if 0.0 in scale:
        raise node.error("scale must not be 0")
    turn = pose_of(np.zeros(3), mesh.refquat).rotation.T
    if not np.allclose(turn, np.eye(3)) and not x == y == z > 0:
        document.warn("refquat together with uneven scale is not represented; the turn is left out", node.source)
        turn = np.eye(3)
    return Mesh(uri, path, scale), SE3.from_parts(turn, -(turn @ (mesh.refpos * np.array(scale))))


def find_file(document: Document, spec: mujoco.MjSpec, uri: str) -> tuple[Path | None, str]:
    """Path of an asset file (None: not found) and the text that names it, folder included."""
    folder = spec.compiler.meshdir
    if spec.strippath:
        uri = PurePosixPath(uri.replace("\\", "/")).name
    joined = uri if not folder or Path(uri).is_absolute() else str(PurePosixPath(folder) / uri)
    found = document.resolver.resolve(joined, document.path) or document.resolver.resolve(uri, document.path)
    if found is None and (found := document.resolver.beside(joined, document.path)) is not None:
        said = f"file {joined[:200]!r} {taken_remedy(found, document.path)}"
        document.warn(said, document.root.source, f"beside {joined}")
    return found, joined


def _heights(document: Document, spec: mujoco.MjSpec, assets: Assets, node: Node) -> None:
    file, name = node.get("file") or "", file_stem(node)
    x, y, rise, base = vector(node, node.get("size"), 4, "size")
    if min(x, y, rise, base) <= 0:
        raise node.error("size needs four positive numbers")
    if file:
        path, _ = find_file(document, spec, file)
        if path is None:
            document.warn(f"height field file {file!r} was not found; it is left out", node.source)
            return
        grid = _height_file(node, path)
    else:
        rows, columns = integer(node, node.get("nrow"), "nrow", 0), integer(node, node.get("ncol"), "ncol", 0)
        if rows < 2 or columns < 2 or rows * columns > MAX_CELLS:
            raise node.error(f"nrow and ncol should be at least 2 and at most {MAX_CELLS} together")
        text = (node.get("elevation") or "").split()
        if text and len(text) != rows * columns:
            raise node.error(f"elevation needs {rows * columns} numbers, got {len(text)}")
        flat = np.array([number(node, t, "elevation") for t in text]) if text else np.zeros(rows * columns)
        grid = flat.reshape(rows, columns)[::-1]  # the text runs from the top row (+y) down
    spread = float(np.ptp(grid))
    unit = (grid - grid.min()) / spread if spread > 0 else np.zeros_like(grid)
    heights = tuple(tuple(float(v) for v in row) for row in unit * rise)
    assets.heights[name] = Heightmap(heights, (2 * x, 2 * y), file or name)


def _height_file(node: Node, path: Path) -> Array:
    """Grid of a PNG (top row at +y) or of MuJoCo's own binary form: rows, columns, float32 values."""
    data = read_bytes(path)
    if path.suffix.lower() == ".png":
        from PIL import Image

        try:
            with Image.open(io.BytesIO(data), formats=("PNG",)) as image:
                if image.width * image.height > MAX_CELLS or min(image.size) < 2:
                    raise BadInput(f"{path} should have 2 x 2 to {MAX_CELLS} pixels, has {image.size}")
                return np.asarray(image.convert("L"), dtype=float)[::-1]
        except BadInput:
            raise
        except Exception as error:  # Pillow raises many types for broken pictures
            raise node.error(f"{path} is not a readable PNG: {' '.join(str(error).split())[:80]}") from None
    if len(data) < 8:
        raise node.error(f"{path} is not a height field file")
    rows, columns = struct.unpack_from("<ii", data)
    if min(rows, columns) < 2 or rows * columns > MAX_CELLS or len(data) != 8 + 4 * rows * columns:
        raise node.error(f"{path} is not a height field file: {rows} x {columns} values in {len(data)} bytes")
    grid = np.frombuffer(data, dtype="<f4", offset=8).reshape(rows, columns).astype(float)
    if not np.isfinite(grid).all():
        raise node.error(f"{path} holds heights that are not finite")
    return grid


@dataclass(frozen=True)
class Geom:
    """One geom told in the frame of its body; before the model is compiled without a pose of its own."""

    name: str
    geometry: Geometry | None  # None: a plain solid, whose size the compiled model tells
    pose: SE3  # geom_from_shape before, body_from_shape after compiling
    contype: int
    conaffinity: int
    visible: bool
    surface: Surface
    material: Material
    element: Any  # MjsGeom

    @property
    def collides(self) -> bool:
        """Whether anything can touch it."""
        return bool(self.contype or self.conaffinity)

    def visual(self) -> Visual:
        """As a visual of its link."""
        assert self.geometry is not None
        return Visual(self.geometry, self.pose, self.material, self.name)

    def collision(self) -> Collision:
        """As a collision of its link."""
        assert self.geometry is not None
        return Collision(self.geometry, self.pose, self.surface, self.name)


class Geoms:
    """The geoms of a document, made ready for MuJoCo's compiler and put together after it."""

    def __init__(self, document: Document, spec: mujoco.MjSpec, assets: Assets) -> None:
        import mujoco

        self.document, self.spec, self.assets = document, spec, assets
        self.kinds = mujoco.mjtGeom
        self.plain = mujoco.MjSpec().default.geom
        self.paired = touching(document)
        self.loaded: set[str] = set()  # meshes that MuJoCo was given for the mass of their geoms
        self.found = [geom for element in list(spec.geoms) if (geom := self._draft(element)) is not None]
        for mesh in list(spec.meshes):
            if mesh.name not in self.loaded:
                spec.delete(mesh)
        for material in list(spec.materials):
            spec.delete(material)

    def _draft(self, element: Any) -> Geom | None:
        """What is known before compiling; the element is left such that MuJoCo can compile it without any asset."""
        document, node = self.document, self.document.node(element)
        kind, contype, conaffinity = element.type, int(element.contype), int(element.conaffinity)
        name = node.get("name") or ""
        if name in self.paired and not (contype or conaffinity):
            contype = conaffinity = 1
            if (friction := self.paired[name]) is not None:
                element.friction = (friction, *element.friction[1:])
        geometry: Geometry | None = None
        pose = IDENTITY
        if kind == self.kinds.mjGEOM_SDF:
            document.warn("<geom type='sdf'> needs a MuJoCo plugin and was left out", node.source)
            self.spec.delete(element)
            return None
        if kind == self.kinds.mjGEOM_MESH or element.meshname:
            asset = self.assets.meshes.get(element.meshname)
            if asset is None:
                self._no_mesh(node, element)
                return None
            if kind != self.kinds.mjGEOM_MESH:
                fitted = f"MuJoCo fits a {_word(kind)} to mesh {element.meshname!r}; the mesh itself stands in for it"
                document.warn(fitted, node.source, f"fit {element.meshname}")
            geometry, pose = asset
        elif kind == self.kinds.mjGEOM_HFIELD:
            geometry = self.assets.heights.get(element.hfieldname)
            if geometry is None:
                raise node.error(f"height field {element.hfieldname!r} does not exist or could not be read")
        elif kind == self.kinds.mjGEOM_PLANE:
            x, y = (float(v) if v > 0 else UNBOUNDED_PLANE for v in element.size[:2])
            geometry = Plane((0.0, 0.0, 1.0), (2 * x, 2 * y))
        self._tell(node, element)
        geom = Geom(
            name=name,
            geometry=geometry,
            pose=pose,
            contype=contype,
            conaffinity=conaffinity,
            visible=element.group in VISIBLE_GROUPS,
            surface=replace(_surface(element, contype | conaffinity), **self._softness(element)),  # hidden: a mask of 0
            material=self._material(node, element),
            element=element,
        )
        element.contype = element.conaffinity = 0  # spares the hulls of meshes
        element.material, element.friction = "", (1.0, 0.0, 0.0)
        if isinstance(geometry, Mesh) and self._massive(element) and self._load(node, element.meshname, geometry):
            element.type = self.kinds.mjGEOM_MESH
        elif geometry is not None:
            self._stand_in(element)
        return geom

    def _no_mesh(self, node: Node, element: Any) -> None:
        name, known = element.meshname, self.assets.meshes
        if name not in known:
            raise node.error(f"mesh {name!r} does not exist; meshes: {', '.join(known) or 'none'}")
        self.document.warn(f"geom of mesh {name!r} was left out, as the mesh itself", node.source)
        self.spec.delete(element)

    def _stand_in(self, element: Any) -> None:
        """Makes the geom a sphere without mass, of which the compiled model tells the pose."""
        element.type, element.size = self.kinds.mjGEOM_SPHERE, (1.0, 0.0, 0.0)
        element.mass, element.density = 0.0, 0.0
        element.meshname = element.hfieldname = ""

    def _tell(self, node: Node, element: Any) -> None:
        for key in self._changed(element, MIXING):
            message = f"<geom {key}> chooses between two geoms and is not carried over: the smaller friction does"
            self.document.info(message, node.source, key)
        if element.fluid_ellipsoid:
            self.document.warn("<geom fluidshape> is not represented and has no effect", node.source, "fluidshape")

    def _changed(self, element: Any, keys: Iterable[str]) -> list[str]:
        """Those of the attributes that are not as MuJoCo has them by itself."""
        return [key for key in keys if np.any(getattr(element, key) != getattr(self.plain, key))]

    def _softness(self, element: Any) -> dict[str, Any]:
        """Stated solref, solimp, margin and gap."""
        stated = {key: np.ravel(getattr(element, key)).tolist() for key in self._changed(element, SOFTNESS)}
        return {key: tuple(value) if SOFTNESS[key] > 1 else value[0] for key, value in stated.items()}

    def _massive(self, element: Any) -> bool:
        """Whether the geom counts for the mass of its body; spares reading meshes for nothing."""
        rules, body = self.spec.compiler, element.parent
        low, high = rules.inertiagrouprange
        counted = rules.inertiafromgeom == 1 or (rules.inertiafromgeom == 2 and not body.explicitinertial)
        weighs = element.density != 0 if math.isnan(element.mass) else element.mass != 0
        return bool(body.name != "world" and counted and weighs and low <= element.group <= high)

    def _load(self, node: Node, name: str, mesh: Mesh) -> bool:
        """Hands the triangles of a mesh to MuJoCo; False and told when there are none."""
        if name in self.loaded:
            return True
        try:
            vertices, faces = triangles(replace(mesh, scale=(1.0, 1.0, 1.0)))
        except BadInput as error:
            self.document.warn(f"no mass could be computed for this geom: {error}", node.source)
            return False
        element = self.spec.mesh(name)
        element.uservert, element.userface = vertices.ravel(), faces.ravel()
        self.loaded.add(name)
        return True

    def without(self, node: Node, reason: str) -> None:
        """Takes a mesh away again that MuJoCo finds no mass for."""
        mesh = next(mesh for mesh in self.spec.meshes if self.document.node(mesh) is node)
        for geom in self.found:
            if geom.element.meshname == mesh.name:
                self._stand_in(geom.element)
        self.document.warn(f"no mass could be computed for geoms of this mesh: {reason}", node.source)
        self.spec.delete(mesh)

    def compiled(self, model: mujoco.MjModel) -> list[tuple[int, Geom]]:
        """Body index and geom of every geom, with pose and size as the model has them."""
        out = []
        for geom in self.found:
            i = geom.element.id
            pose = pose_of(model.geom_pos[i], model.geom_quat[i])
            if (mesh := int(model.geom_dataid[i])) >= 0:  # MuJoCo puts meshes into their principal axes
                pose = pose @ pose_of(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse()
            geometry = geom.geometry or _solid(_word(geom.element.type), [float(v) for v in model.geom_size[i]])
            out.append((int(model.geom_bodyid[i]), replace(geom, geometry=geometry, pose=pose @ geom.pose)))
        return out

    def _material(self, node: Node, element: Any) -> Material:
        rgba, name = color(element.rgba), element.material
        if not name:
            return Material("", rgba)
        if name not in self.assets.materials:
            self.document.warn(f"material {name!r} does not exist", node.source, f"material {name}")
            return Material(name, rgba)
        found = self.assets.materials[name]
        return replace(found, rgba=rgba or found.rgba, tile=self._tile(element, name) if found.path else None)

    def _tile(self, element: Any, name: str) -> tuple[float, float] | None:
        """Sides of one repetition of a plane's picture [m]."""
        if _word(element.type) != "plane":
            return None
        (x, y), uniform = self.assets.repeats[name]
        width, depth = (1.0, 1.0) if uniform else (2 * (float(v) or UNBOUNDED_PLANE) for v in element.size[:2])
        return (width / x, depth / y) if x > 0 and y > 0 else None


def _word(kind: Any) -> str:
    return str(kind.name.removeprefix("mjGEOM_").lower())


def _solid(kind: str, size: list[float]) -> Geometry:
    x, y, z = size
    solids: dict[str, Callable[[], Geometry]] = {
        "sphere": lambda: Sphere(x),
        "capsule": lambda: Capsule(x, 2 * y),
        "cylinder": lambda: Cylinder(x, 2 * y),
        "box": lambda: Box((2 * x, 2 * y, 2 * z)),
        "ellipsoid": lambda: Ellipsoid((x, y, z)),
    }
    return solids[kind]()


def _surface(element: Any, mask: int) -> Surface:
    """Friction as MuJoCo uses it: sliding, torsion from condim 4, rolling for 6.

    Two geoms touch with the larger condim of the two, and of equal priority with the larger friction: one of condim 1
    (cheap contacts between the limbs of a robot) rubs on every floor of 3. Priority alone may leave it none.
    """
    sliding, torsional, rolling = (float(v) for v in element.friction)
    mask_or_none = None if mask == 1 else mask
    if element.condim == 1 and element.priority > 0:
        return Surface(mu=0.0, collide_bitmask=mask_or_none)
    return Surface(
        mu=None if sliding == -1 else sliding,
        torsional=torsional if element.condim >= 4 else None,
        rolling=rolling if element.condim >= 6 else None,
        collide_bitmask=mask_or_none,
    )
