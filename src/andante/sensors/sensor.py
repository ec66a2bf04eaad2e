"""What every sensor model is: something that looks at one instant of an engine and says what a perfect part would read.

A model gives one method, `measure`; `Channel` adds rate, noise and latency. Estimators and behaviours read channels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from andante.geometry import Array
from andante.physics import Contacts, Engine

from .ray_scene import RayScene


@dataclass(frozen=True)
class Reading:
    """One measurement: when it was taken [s, simulated], and its values."""

    time: float
    values: Array


class Scene:
    """What sensors may look at during one instant; each array is fetched from the engine once, when first asked for."""

    __slots__ = ("_contacts", "_effort", "_links", "_poses", "_q", "_rays", "_velocities", "actor", "engine", "time")

    def __init__(self, engine: Engine, actor: int) -> None:
        self.engine, self.actor = engine, actor
        self._rays: RayScene | None = None
        self.renew()

    def renew(self) -> None:
        """The engine has gone on: forget what was fetched."""
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
        """The engine was put elsewhere, things that never move included: forget all."""
        self.renew()
        if self._rays is not None:
            self._rays.forget()

    @property
    def joint_positions(self) -> Array:
        """True joint positions, (joints,)."""
        if self._q is None:
            self._q = self.engine.joint_positions(self.actor)
        return self._q

    @property
    def joint_velocities(self) -> Array:
        """True joint velocities, (joints,)."""
        return self.engine.joint_velocities(self.actor)

    @property
    def joint_efforts(self) -> Array:
        """Efforts of the servos, (joints,)."""
        if self._effort is None:
            self._effort = self.engine.joint_efforts(self.actor)
        return self._effort

    @property
    def body_poses(self) -> Array:
        """True poses of the bodies of the tree, (bodies, 7)."""
        if self._poses is None:
            self._poses = self.engine.body_poses(self.actor)
        return self._poses

    @property
    def body_velocities(self) -> Array:
        """True velocities of the bodies of the tree, (bodies, 6)."""
        if self._velocities is None:
            self._velocities = self.engine.body_velocities(self.actor)
        return self._velocities

    def body_motion(self, body: int) -> tuple[Array, Array]:
        """True pose (7,) and velocity (6,) of one body of the tree."""
        return self.engine.body_motion(self.actor, body)

    @property
    def link_poses(self) -> Array:
        """True link poses, (links, 7)."""
        if self._links is None:
            self._links = self.engine.link_poses(self.actor)
        return self._links

    @property
    def link_velocities(self) -> Array:
        """True link velocities, (links, 6)."""
        return self.engine.link_velocities(self.actor)

    @property
    def rays(self) -> RayScene:
        """Rays against all collision shapes as they are at this instant."""
        if self._rays is None:
            self._rays = RayScene(self.engine, self._poses_of)
        return self._rays

    def _poses_of(self, actor: int) -> Array:
        """Poses of an actor's bodies (bodies, 7), its own ones fetched once."""
        return self.body_poses if actor == self.actor else self.engine.body_poses(actor)

    @property
    def contacts(self) -> Contacts:
        """Contacts of this actor, it being side A."""
        if self._contacts is None:
            self._contacts = self.engine.contacts_of(self.actor)
        return self._contacts


class Sensor(Protocol):
    """A model of a sensor: its name, how many values it gives, and the true values of an instant.

    A model with memory also has `save` and `load`. A class may offer `together(sensors, places)`, which returns a
    `Measure` for many of its sensors at once.
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
class Erring(Protocol):
    """A sensor that makes its own errors, since they are not just added to its values."""

    def draw_from(self, generator: np.random.Generator) -> None:
        """Take random numbers from this generator."""


@runtime_checkable
class Watching(Protocol):
    """A sensor that looks on between its samples."""

    name: str
    watch_rate: float  # [Hz]

    def watch(self, scene: Scene) -> None:
        """Look at this instant."""


class Watcher:
    """Lets a sensor look on: a sensor without values of its own, sampled at the watch rate."""

    labels: tuple[str, ...] = ()

    def __init__(self, sensor: Watching) -> None:
        self.name = f"{sensor.name}/watch"
        self._watch = sensor.watch
        self._nothing = np.zeros(0)

    def measure(self, scene: Scene) -> Array:
        """Let the sensor look; no values."""
        self._watch(scene)
        return self._nothing


Measure = Callable[[Scene, Array], None]  # writes true values into their places of a vector


def measures(sensors: Sequence[Sensor], places: Sequence[slice]) -> list[Measure]:
    """Functions that write the true values of all sensors, those of one class together where it knows how."""
    out: list[Measure] = []
    kinds: dict[type, list[int]] = {}
    for i, sensor in enumerate(sensors):
        if hasattr(type(sensor), "together"):
            kinds.setdefault(type(sensor), []).append(i)
        else:
            out.append(_alone(sensor, places[i]))
    for kind, rows in kinds.items():
        out.append(kind.together([sensors[i] for i in rows], [places[i] for i in rows]))  # type: ignore[attr-defined]
    return out


def _alone(sensor: Sensor, place: slice) -> Measure:
    measure = sensor.measure

    def write(scene: Scene, out: Array) -> None:
        out[place] = measure(scene)

    return write
