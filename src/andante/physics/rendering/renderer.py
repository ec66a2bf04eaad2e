"""The one renderer: pictures, depth and segmentation of a scene, whichever engine moves it.

The scene is a MuJoCo model made only of visuals; the links are put where the engine says they are. It is drawn in an
OpenGL context without a window: EGL, else OSMesa, else (with a display) GLFW; MUJOCO_GL (egl, osmesa, glfw) is
respected when it is set.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from andante.description.robot import Robot
from andante.description.world import Light, Placement, World
from andante.errors import BadInput, MissingExtra
from andante.extras import how_to_get
from andante.geometry import SE3, Array
from andante.physics.engine import Engine
from andante.physics.model import Model
from andante.physics.mujoco.geoms import compiled, new_spec

from . import Camera, shown
from .surfaces import Surfaces, add_tiles

HORIZON = 500.0  # how far endless planes reach [m]


@dataclass(frozen=True)
class VisualScene:
    """The compiled model, and which model and link each of its bodies and geoms shows."""

    mj_model: Any
    mocaps: np.ndarray  # (shown, 2) model and link of each mocap body
    geom_model: np.ndarray  # (ngeom,) -1: none
    geom_link: np.ndarray


def build_visual_scene(
    placements: Sequence[Placement], world: World, width: int, height: int, shadows: int, samples: int
) -> VisualScene:
    """The model of everything that can be seen."""
    spec = new_spec()
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE  # flat sheets are welcome
    _set_look(spec, world, width, height, shadows, samples)
    for light in world.lights or DEFAULT_LIGHTS:
        _add_light(spec, light, len(world.lights))
    eye = spec.worldbody.add_body()
    eye.name, eye.mocap = "eye", True
    eye.add_camera().name = "eye"
    maker = Surfaces(spec)
    mocaps: list[tuple[int, int]] = []
    owners: dict[str, tuple[int, int]] = {}
    for model, placement in enumerate(placements):
        for index, link in enumerate(placement.robot.links):
            visuals = shown(link, placement.robot)
            if not visuals:
                continue
            body = spec.worldbody.add_body()
            body.name, body.mocap = f"{model}:{index}", True
            owners[body.name] = (model, index)
            mocaps.append((model, index))
            for visual in visuals:
                maker.add(body, visual)
    mj_model = compiled(spec, f"the scene {world.name!r} cannot be shown")
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


def _set_look(spec: Any, world: World, width: int, height: int, shadows: int, samples: int) -> None:
    visual = spec.visual
    spec.stat.extent = HORIZON / visual.map.zfar  # how far endless planes reach is settled when the model is loaded
    visual.global_.offwidth, visual.global_.offheight = width, height
    visual.quality.offsamples, visual.quality.shadowsize = samples, shadows
    visual.quality.numslices, visual.quality.numstacks = 48, 24
    visual.headlight.ambient = [0.85 * c for c in world.ambient[:3]]
    sunny = not world.lights or any(light.kind == "directional" for light in world.lights)
    visual.headlight.diffuse, visual.headlight.specular = [0.18 if sunny else 0.5] * 3, [0.0] * 3
    visual.map.haze = 0.35
    sky = np.clip(np.asarray(world.background[:3]), 0.0, 1.0)
    pale = 0.45 * sky + 0.55
    visual.rgba.haze = [*pale, 1.0]
    texture = spec.add_texture()
    texture.name, texture.type = "sky", mujoco.mjtTexture.mjTEXTURE_SKYBOX
    texture.builtin = mujoco.mjtBuiltin.mjBUILTIN_GRADIENT
    texture.rgb1, texture.rgb2 = pale, 0.75 * sky
    texture.width = texture.height = 256
    add_tiles(spec)


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


def backends() -> tuple[str, ...]:
    """Names of the back ends to try on this machine, in order."""
    stated = os.environ.get("MUJOCO_GL", "").casefold()
    if stated in ("egl", "osmesa", "glfw"):
        return (stated,)
    if sys.platform in ("win32", "darwin"):
        return ("glfw",)
    return ("egl", "osmesa", "glfw") if os.environ.get("DISPLAY") else ("egl", "osmesa")


def make_context(width: int, height: int) -> Any:
    """A GL context with `make_current` and `free`; one clear line when the machine has none."""
    if "OpenGL" not in sys.modules and importlib.util.find_spec("OpenGL") is None:
        raise MissingExtra(f"pictures need the package pyopengl: {how_to_get('pictures')}")
    reasons = []
    for name in backends():
        try:
            if name in ("egl", "osmesa") and "OpenGL" not in sys.modules:
                os.environ["PYOPENGL_PLATFORM"] = name
            elif name == "glfw" and "OpenGL" not in sys.modules:
                os.environ.pop("PYOPENGL_PLATFORM", None)
            context = importlib.import_module(f"mujoco.{name}").GLContext(width, height)
            context.make_current()
            return context
        except Exception as error:
            reasons.append(f"{name}: {' '.join(str(error).split())[:80] or type(error).__name__}")
            _forget_opengl(name)
    raise MissingExtra(
        f"pictures need OpenGL, and none works here ({'; '.join(reasons)}); install libegl1 or libosmesa6 "
        "and set MUJOCO_GL to egl or osmesa"
    )


def _forget_opengl(backend: str) -> None:
    """PyOpenGL keeps the platform it was first imported for; the next back end needs it afresh."""
    for module in [m for m in sys.modules if m.split(".")[0] == "OpenGL" or m.startswith(f"mujoco.{backend}")]:
        del sys.modules[module]


MAX_PIXELS = 4096  # largest edge of a picture
LIGHT_REACH = 1.0  # half edge of the shadowed square, in distances of the camera


class Renderer:
    """Pictures of placed robots; `render` takes the link poses of every model, in order.

    shadows: side of the shadow map [texels]; without a graphics card 4096 takes half as long again as 2048.
    samples: of a pixel, for smooth edges; without a graphics card a picture with 0 takes half as long as with 8.
    Holds an OpenGL context: use it as a context manager or call `close`, and from one thread only.
    """

    def __init__(
        self,
        models: Sequence[Model | Placement],
        world: World,
        width: int = 960,
        height: int = 720,
        shadows: int = 2048,
        samples: int = 8,
        reflections: bool = True,
    ) -> None:
        if not (1 <= width <= MAX_PIXELS and 1 <= height <= MAX_PIXELS):
            raise BadInput(f"pictures are between 1 and {MAX_PIXELS} pixels wide and high, got {width} x {height}")
        self.width, self.height = width, height
        self.placements = tuple(a.placement if isinstance(a, Model) else a for a in models)
        self._scene = build_visual_scene(self.placements, world, width, height, shadows, samples)
        self._mj_model = self._scene.mj_model
        self._data = mujoco.MjData(self._mj_model)
        self._gl: Any = make_context(width, height)
        self._context: Any = mujoco.MjrContext(self._mj_model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._view = mujoco.MjvScene(self._mj_model, maxgeom=self._mj_model.ngeom + 100)
        self._view.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = reflections
        self._option, self._camera = mujoco.MjvOption(), mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = self._mj_model.camera("eye").id
        self._eye = int(self._mj_model.body("eye").mocapid[0])

    @staticmethod
    def of(engine: Engine, width: int = 960, height: int = 720) -> Renderer:
        """A renderer of everything in an engine."""
        return Renderer(engine.models, engine.world, width, height)

    @staticmethod
    def quick(engine: Engine, width: int, height: int) -> Renderer:
        """One that draws in half the time where there is no graphics card: for cameras that take many pictures."""
        return Renderer(engine.models, engine.world, width, height, shadows=1024, samples=0, reflections=False)

    # ---- pictures --------------------------------------------------------------------------------
    def render(self, link_poses: Sequence[Array] | None, camera: Camera) -> np.ndarray:
        """Picture (height, width, 3) uint8; poses are (links, 7) per model, None: as placed, joints at 0."""
        self._prepare(link_poses, camera)
        self._draw()
        pixels = np.empty((self.height, self.width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, self._rectangle, self._context)
        return np.ascontiguousarray(np.flipud(pixels))

    def shoot(self, engine: Engine, camera: Camera) -> np.ndarray:
        """Picture of the present instant of an engine."""
        return self.render([engine.link_poses(model.index) for model in engine.models], camera)

    def depth(self, link_poses: Sequence[Array] | None, camera: Camera) -> Array:
        """Distance along the viewing direction (height, width) [m]; inf where there is nothing."""
        self._prepare(link_poses, camera)
        sky = mujoco.mjtRndFlag.mjRND_SKYBOX
        self._view.flags[sky] = 0
        self._draw()
        self._view.flags[sky] = 1
        raw = np.empty((self.height, self.width), dtype=np.float32)
        mujoco.mjr_readPixels(None, raw, self._rectangle, self._context)
        near = self._mj_model.vis.map.znear * self._mj_model.stat.extent
        far = self._mj_model.vis.map.zfar * self._mj_model.stat.extent
        value = np.flipud(raw).astype(float)
        if self._context.readDepthMap == mujoco.mjtDepthMap.mjDEPTH_ZERONEAR:
            value = 1.0 - value
        distance = near / (near / far + np.maximum(value, 0.0) * (1.0 - near / far))
        return np.where(distance >= 0.999 * far, np.inf, distance)

    def segmentation(self, link_poses: Sequence[Array] | None, camera: Camera) -> tuple[np.ndarray, np.ndarray]:
        """Model and link that each pixel shows, two (height, width) arrays; -1: background."""
        self._prepare(link_poses, camera)
        flags = self._view.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 1
        self._draw()
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 0
        pixels = np.empty((self.height, self.width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, self._rectangle, self._context)
        color = np.flipud(pixels).astype(np.int64)
        segment = color[..., 0] + 256 * color[..., 1] + 65536 * color[..., 2] - 1
        geoms = np.full(self._view.ngeom + 1, -1)
        for item in self._view.geoms[: self._view.ngeom]:
            if item.objtype == mujoco.mjtObj.mjOBJ_GEOM and 0 <= item.segid < len(geoms):
                geoms[item.segid] = item.objid
        shown = geoms[np.where((segment >= 0) & (segment < self._view.ngeom), segment, -1)]
        none = shown < 0
        return (np.where(none, -1, self._scene.geom_model[shown]), np.where(none, -1, self._scene.geom_link[shown]))

    def points(self, link_poses: Sequence[Array] | None = None, models: Sequence[int] | None = None) -> Array:
        """Corners of the boxes around all visuals (n, 3) [m], planes and height maps left out; to frame a camera."""
        self._place(link_poses)
        kinds = self._mj_model.geom_type
        chosen = (kinds != mujoco.mjtGeom.mjGEOM_PLANE) & (kinds != mujoco.mjtGeom.mjGEOM_HFIELD)
        chosen &= np.isin(self._scene.geom_model, range(len(self.placements)) if models is None else list(models))
        rows = np.flatnonzero(chosen)
        signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
        box = self._mj_model.geom_aabb[rows]
        local = box[:, None, :3] + signs * box[:, None, 3:]
        turned = np.einsum("nij,nkj->nki", self._data.geom_xmat[rows].reshape(-1, 3, 3), local)
        return np.asarray((turned + self._data.geom_xpos[rows][:, None]).reshape(-1, 3))

    # ---- inside ----------------------------------------------------------------------------------
    @property
    def _rectangle(self) -> Any:
        return mujoco.MjrRect(0, 0, self.width, self.height)

    def _place(self, link_poses: Sequence[Array] | None) -> None:
        if link_poses is None:
            link_poses = [rest_poses(placement) for placement in self.placements]
        if len(link_poses) != len(self.placements):
            raise BadInput(f"link poses of {len(self.placements)} models are wanted, got {len(link_poses)}")
        for slot, (model, link) in enumerate(self._scene.mocaps):
            if model < 0:
                continue
            x, y, z, qx, qy, qz, qw = link_poses[model][link]
            self._data.mocap_pos[slot] = x, y, z
            self._data.mocap_quat[slot] = qw, qx, qy, qz
        mujoco.mj_kinematics(self._mj_model, self._data)

    def _prepare(self, link_poses: Sequence[Array] | None, camera: Camera) -> None:
        if self._context is None:
            raise BadInput("this renderer was closed")
        self._gl.make_current()
        pose = camera.pose
        x, y, z, w = pose.quaternion
        self._data.mocap_pos[self._eye], self._data.mocap_quat[self._eye] = pose.translation, [w, x, y, z]
        self._mj_model.cam_fovy[self._camera.fixedcamid] = np.degrees(camera.fov)
        self._place(link_poses)
        mujoco.mj_camlight(self._mj_model, self._data)
        # near and far planes and the shadowed square follow what is looked at
        self._mj_model.stat.extent = max(camera.distance, 0.2)
        self._mj_model.stat.center = camera.lookat
        self._context.shadowClip = LIGHT_REACH * self._mj_model.stat.extent
        mujoco.mjv_updateScene(
            self._mj_model, self._data, self._option, None, self._camera, mujoco.mjtCatBit.mjCAT_ALL, self._view
        )
        for light in self._view.lights[: self._view.nlight]:
            if light.type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL and not light.headlight:
                light.pos = np.asarray(camera.lookat) - 4 * self._mj_model.stat.extent * np.asarray(light.dir)

    def _draw(self) -> None:
        mujoco.mjr_render(self._rectangle, self._view, self._context)

    def close(self) -> None:
        """Give the OpenGL context back."""
        if self._context is not None:
            self._gl.make_current()
            self._context.free()
            self._context = None
            self._gl.free()

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def rest_poses(placement: Placement, positions: dict[str, float] | None = None) -> Array:
    """World poses (links, 7) of a placed robot at joint positions (the rest at 0)."""
    robot: Robot = placement.robot
    poses = robot.link_poses(positions)
    return SE3(np.stack([(placement.pose @ poses[link.name]).matrix for link in robot.links])).vector
