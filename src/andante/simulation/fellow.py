"""Several robots in one running world: each is a body of its own, one of them lets time pass for all.

`Entrant` says what comes in; its `placement` is one of the `others` of `simulate`, and `Fellow(sim, entrant)` its body.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from andante.control.start import first_positions
from andante.description import Placement, Robot
from andante.description.closure import close_loops
from andante.description.stand_ins import made_solid
from andante.errors import BadInput
from andante.geometry import SE3
from andante.physics import Engine

from .rollers import with_plain_wheels
from .simulation import NEAR, Simulation
from .spawn import put_to_stand


@dataclass(frozen=True)
class Entrant:
    """A robot that shall stand in a scene beside others."""

    name: str  # in the scene, unique
    robot: Robot
    pose: str | Mapping[str, float] | None = None  # first pose; None: its usual one
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)  # x, y [m], yaw [rad]
    drop: float = 0.0  # over the ground [m]
    seed: int = 0
    model: Robot = field(init=False)  # as it is simulated

    def __post_init__(self) -> None:
        robot = made_solid(self.robot)
        positions = first_positions(robot, self.pose)
        if robot.loops:
            robot = close_loops(robot, positions, positions).robot
        object.__setattr__(self, "model", with_plain_wheels(robot))

    @property
    def placement(self) -> Placement:
        """Its place in the scene before it is put on the ground."""
        x, y, _ = self.start
        return Placement(self.name, self.model, SE3.from_parts(np.eye(3), (x, y, 0.0)))


class Fellow(Simulation):
    """A robot in the scene of another simulation, which lets time pass for both.

    It is the observer of the other: its sensors are sampled and its own observers called at their instants, whichever
    loop advances the scene. `advance` itself does nothing.
    """

    def __init__(self, lead: Simulation, entrant: Entrant, sensors: bool = True) -> None:
        engine = lead.engine
        model = engine.model_index(entrant.name)
        ground, stood = put_to_stand(engine, model, entrant.model, entrant.pose, entrant.start, entrant.drop)
        super().__init__(engine, model, entrant.seed, sensors, ground, stood)
        self.lead = lead
        lead.observers.append(self)

    @property
    def next_time(self) -> float:
        """The next instant that its sensors or observers wait for [s]."""
        due = self.sensors.next_time if self.sensors is not None else math.inf
        return min([due, *(observer.next_time for observer in self.observers)])

    def update(self, sim: Simulation) -> None:
        """An instant has come that it waited for."""
        now = (self.engine.steps + NEAR) * self.engine.dt
        if self.sensors is not None and self.sensors.next_time <= now:
            self.sensors.update()
        if self.observers:
            self._tell_observers(now)

    def advance(self, seconds: float) -> None:
        """Time passes with the simulation that leads."""

    def run(self, seconds: float, realtime: bool = False) -> None:
        """Only the simulation that leads lets time pass."""
        raise BadInput(f"{self.name!r} shares its scene with {self.lead.name!r}, which lets time pass; run that one")

    def close(self) -> None:
        """Leave the scene, which stays; a second time does nothing."""
        if self._closed:
            return
        self._closed = True
        if self in self.lead.observers:
            self.lead.observers.remove(self)
        if self.sensors is not None:
            self.sensors.close()


def carry_over(old: Engine, new: Engine) -> None:
    """Bring everything of the models that both scenes have into the new one: time, places, speeds, servos, pushes.

    So a scene can be built anew with one model more or less while all others go on.
    """
    new.steps = old.steps
    known = {model.name: model.index for model in new.models}
    for model in old.models:
        index = known.get(model.name)
        if index is None or new.models[index].tree.robot.joint_names != model.tree.robot.joint_names:
            continue
        if model.tree.robot.movable:
            new.set_joints(index, old.joint_positions(model.index), old.joint_velocities(model.index))
        if not model.fixed:
            new.set_base(index, old.base_pose(model.index), old.base_velocity(model.index))
        new.take_servos(index, old, model.index)


def move_into(sims: Sequence[Simulation], engine: Engine) -> None:
    """Let simulations that share a scene go on in another one, which `carry_over` has filled."""
    for sim in sims:
        sim.engine, sim.model = engine, engine.model_index(sim.name)
        sim.servos.move(engine, sim.model)
        if sim.sensors is not None:
            sim.sensors.move(engine, sim.model)
