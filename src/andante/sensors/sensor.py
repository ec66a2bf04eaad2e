"""The contract of a sensor model, and the scene it measures: one instant of an engine, with rays against all of it.

A model has one method, `measure`; `Channel` adds rate, noise and latency. Estimators and behaviors read channels.

The engines' own batch rays start from one point (MuJoCo), err by millimeters on round shapes (Bullet) or do not exist
(ODE); a spinning lidar on a moving robot sends every beam from a place of its own. So sensors share one compiled caster
over the collision shapes: moving bodies are read once per instant, standing ones every `LOOK` seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from andante._moved import renamed_attributes
from andante.description.link import SensorSpec
from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.physics import Contacts, Engine
from andante.physics.rays import Raycaster

T = TypeVar("T")
LOOK = 2.0  # how often the poses of things that stand are read again, as a user may have moved them [s]


class RayScene:
    """Collision shapes of all models, placed for one instant after the other."""

    def __init__(self, engine: Engine, body_poses: Callable[[int], Array] | None = None) -> None:
        """body_poses: gives the poses (bodies, 7) of a model, by default the engine's own function."""
        self.engine = engine
        self._body_poses = body_poses or engine.body_poses
        self._caster = Raycaster(engine.models)
        ends = np.cumsum([0, *(len(model.tree.bodies) for model in engine.models)])
        self._rows = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self._poses = np.zeros((int(ends[-1]), 7))
        self._moving = [a.index for a in engine.models if not a.still]
        self._standing = [a.index for a in engine.models if a.still]
        self._looked = -math.inf
        self._placed = False

    def renew(self) -> None:
        """The engine has advanced."""
        self._placed = False

    def forget(self) -> None:
        """The state of the engine was replaced: read everything anew."""
        self._placed, self._looked = False, -math.inf

    def hidden(self, model: int, body: int) -> np.ndarray:
        """Mask (shapes,) of the shapes on one body: those a sensor on it does not see."""
        return np.asarray(self._caster.shape_bodies == self._rows[model].start + body)

    def nearest(self, origins: Array, directions: Array, reach: float, hidden: np.ndarray) -> Array:
        """Distances (n,) along rays (n, 3) of unit length to the first shape that is not hidden; inf beyond `reach`."""
        self._place()
        if not len(origins):
            return np.zeros(0)
        skip = hidden | ~self._caster.reachable(origins, directions, reach)
        return self._caster.nearest(origins, directions, reach, skip)[0]

    def depths(
        self, pose: SE3, focal: float, size: tuple[int, int], far: float, hidden: np.ndarray
    ) -> NDArray[np.float32]:
        """Depths (height, width) [m] seen from a pose that looks along its x axis with z up; inf beyond `far` [m].

        focal: length [px], size: width and height [px].
        """
        self._place()
        eye = pose.translation
        skip = hidden | ~self._caster.within(eye, far * math.hypot(1.0, *(0.5 * n / focal for n in size)))
        return self._caster.depths(eye, pose.rotation.T, focal, size, far, skip)

    def _place(self) -> None:
        if self._placed:
            return
        now = self.engine.time
        for model in self._moving:
            self._poses[self._rows[model]] = self._body_poses(model)
        if not self._looked <= now < self._looked + LOOK:
            for model in self._standing:
                self._poses[self._rows[model]] = self._body_poses(model)
            self._looked = now
        self._caster.place(self._poses)
        self._placed = True


@dataclass(frozen=True)
class Place:
    """A mounted sensor in a scene."""

    body: int  # row of the model's `body_poses`
    body_from_sensor: Array  # (4, 4)
    hidden: np.ndarray  # (shapes,) of bool: shapes of that body


class Mount:
    """A frame on a link (link_from_sensor), found in the scene when first asked for."""

    def __init__(self, robot: Robot, link: str, pose: SE3) -> None:
        self._link = [each.name for each in robot.links].index(robot.link(link).name)
        self._pose = pose
        self._place: Place | None = None
        self._rays: RayScene | None = None  # of the scene that the place was found in

    def on(self, scene: Scene) -> Place:
        """The place of the frame on the model of a scene."""
        if self._place is None or self._rays is not scene.rays:
            self._rays = scene.rays
            tree = scene.engine.models[scene.model].tree
            body = int(tree.link_body[self._link])
            frame = np.ascontiguousarray(tree.link_pose[self._link] @ self._pose.matrix)
            self._place = Place(body, frame, scene.rays.hidden(scene.model, body))
        return self._place

    def pose(self, scene: Scene) -> SE3:
        """World pose of the frame at this instant."""
        place = self.on(scene)
        return SE3.from_vector(scene.body_poses[place.body]) @ SE3(place.body_from_sensor)


@dataclass(frozen=True)
class Reading:
    """One measurement: when it was taken [s, simulated], and its values."""

    time: float
    values: Array


@renamed_attributes(actor="model")
class Scene:
    """What sensors may look at during one instant; each array is fetched from the engine once, when first asked for."""

    __slots__ = ("_contacts", "_effort", "_links", "_poses", "_q", "_rays", "_velocities", "engine", "model", "time")

    def __init__(self, engine: Engine, model: int) -> None:
        self.engine, self.model = engine, model
        self._rays: RayScene | None = None
        self.renew()

    def renew(self) -> None:
        """The engine has advanced: forget what was fetched."""
        self.time: float = self.engine.time
        self._q: Array | None = None
        self._effort: Array | None = None
        self._poses: Array | None = None
        self._velocities: Array | None = None
        self._links: Array | None = None
        self._contacts: Contacts | None = None
        if self._rays is not None:
            self._rays.renew()

    def forget(self) -> None:
        """The state of the engine was replaced, things that never move included: forget all."""
        self.renew()
        if self._rays is not None:
            self._rays.forget()

    @property
    def joint_positions(self) -> Array:
        """True joint positions, (joints,)."""
        if self._q is None:
            self._q = self.engine.joint_positions(self.model)
        return self._q

    @property
    def joint_velocities(self) -> Array:
        """True joint velocities, (joints,)."""
        return self.engine.joint_velocities(self.model)

    @property
    def joint_efforts(self) -> Array:
        """Efforts of the servos, (joints,)."""
        if self._effort is None:
            self._effort = self.engine.joint_efforts(self.model)
        return self._effort

    @property
    def body_poses(self) -> Array:
        """True poses of the bodies of the tree, (bodies, 7)."""
        if self._poses is None:
            self._poses = self.engine.body_poses(self.model)
        return self._poses

    @property
    def body_velocities(self) -> Array:
        """True velocities of the bodies of the tree, (bodies, 6)."""
        if self._velocities is None:
            self._velocities = self.engine.body_velocities(self.model)
        return self._velocities

    def body_motion(self, body: int) -> tuple[Array, Array]:
        """True pose (7,) and velocity (6,) of one body of the tree."""
        return self.engine.body_motion(self.model, body)

    @property
    def link_poses(self) -> Array:
        """True link poses, (links, 7)."""
        if self._links is None:
            self._links = self.engine.link_poses(self.model)
        return self._links

    @property
    def link_velocities(self) -> Array:
        """True link velocities, (links, 6)."""
        return self.engine.link_velocities(self.model)

    @property
    def rays(self) -> RayScene:
        """Rays against all collision shapes as they are at this instant."""
        if self._rays is None:
            self._rays = RayScene(self.engine, self._poses_of)
        return self._rays

    def _poses_of(self, model: int) -> Array:
        """Poses of a model's bodies (bodies, 7), its own ones fetched once."""
        return self.body_poses if model == self.model else self.engine.body_poses(model)

    @property
    def contacts(self) -> Contacts:
        """Contacts of this model, it being side A."""
        if self._contacts is None:
            self._contacts = self.engine.contacts_of(self.model)
        return self._contacts


class Sensor(Protocol):
    """A model of a sensor: its name, how many values it gives, and the true values of an instant.

    A model with memory is also `Stateful`; a class may be `Batched`.
    """

    @property
    def name(self) -> str:
        """Unique name on its robot."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each value, for tables and plots."""

    def measure(self, scene: Scene) -> Array:
        """True values at this instant, (len(labels),)."""


@runtime_checkable
class Stateful(Protocol):
    """A sensor with memory."""

    def save(self) -> Any:
        """The memory as a value."""

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""


@runtime_checkable
class Batched(Protocol):
    """A class that measures many of its sensors at once."""

    @staticmethod
    def together(sensors: Sequence[Any], places: Sequence[slice]) -> Measure:
        """A function that writes the values of the sensors into their places of a vector."""


@runtime_checkable
class Erring(Protocol):
    """A sensor that makes its own errors, since they are not just added to its values."""

    def draw_from(self, generator: np.random.Generator) -> None:
        """Take random numbers from this generator."""


@runtime_checkable
class Watching(Protocol):
    """A sensor that observes the scene between its samples too."""

    name: str
    watch_rate: float  # [Hz]

    def watch(self, scene: Scene) -> None:
        """Observe this instant."""


class Watcher:
    """Lets a sensor observe: a sensor without values of its own, sampled at the watch rate."""

    labels: tuple[str, ...] = ()

    def __init__(self, sensor: Watching) -> None:
        self.name = f"{sensor.name}/watch"
        self._watch = sensor.watch
        self._nothing = np.zeros(0)

    def measure(self, scene: Scene) -> Array:
        """Let the sensor observe; no values."""
        self._watch(scene)
        return self._nothing


def stated(
    spec: SensorSpec,
    usual: T,
    names: Mapping[str, str] = MappingProxyType({}),
    derived: Callable[[Callable[[str, float], float]], Mapping[str, Any]] = lambda number: {},
) -> T:
    """A model of a sensor as its description states it: `usual`, a dataclass of numbers, with what it says.

    Args:
        spec: the description; a parameter with the name of a field is its value.
        usual: what holds where it says nothing.
        names: parameters that are not called like their fields, by field.
        derived: gives the fields that follow from other parameters; it is given a function that reads a parameter.
    """

    def number(name: str, default: float) -> float:
        try:
            return float(spec.parameters.get(name, default))
        except ValueError:
            raise BadInput(f"{name} should be a number, got {spec.parameters[name]!r}") from None

    try:
        values = {**derived(number)}
        for each in fields(usual):  # type: ignore[arg-type]
            name, default = names.get(each.name, each.name), getattr(usual, each.name)
            if each.name not in values and name in spec.parameters:
                values[each.name] = type(default)(number(name, default))
        return replace(usual, **values)  # type: ignore[type-var]
    except (ValueError, OverflowError) as error:
        where = f"{spec.source}: " if spec.source.file else ""
        raise BadInput(f"{where}sensor {spec.name!r}: {error}") from None


Measure = Callable[[Scene, Array], None]  # writes true values into their places of a vector


def measures(sensors: Sequence[Sensor], places: Sequence[slice]) -> list[Measure]:
    """Functions that write the true values of all sensors, those of one class together where it knows how."""
    out: list[Measure] = []
    kinds: dict[type[Batched], list[int]] = {}
    for i, sensor in enumerate(sensors):
        if isinstance(sensor, Batched):
            kinds.setdefault(type(sensor), []).append(i)
        else:
            out.append(_alone(sensor, places[i]))
    for kind, rows in kinds.items():
        out.append(kind.together([sensors[i] for i in rows], [places[i] for i in rows]))
    return out


def _alone(sensor: Sensor, place: slice) -> Measure:
    measure = sensor.measure

    def write(scene: Scene, out: Array) -> None:
        out[place] = measure(scene)

    return write
