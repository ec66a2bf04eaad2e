"""What a walker is unless it says otherwise, and walkers around walkers."""

from __future__ import annotations

import numpy as np
import pytest

from andante import locomotion
from andante.errors import UnknownName
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings, Walker, WalkerWrapper

FELT = Readings(0.0, np.zeros(2), np.zeros(2))


class Still(Walker):
    """The least that a walker can be."""

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        return np.zeros(2)


class Rich(Walker):
    """A walker that says everything."""

    least_rate, buttons, moves_body = 80.0, ("wave",), True
    approach, max_speed, max_turn, stopping_time = 0.5, 1.0, 2.0, 3.0
    standing, tumbles, shape, free_joints = False, True, "ball", frozenset({"head"})
    position, orientation = np.array([1.0, 2.0, 3.0]), np.eye(3)
    footsteps = ({"left": np.ones(3)}, {"right": np.zeros(3)})

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.modes = np.array([0, 1])

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        self.stiffness, self.base_twist = np.array([0.5, command.vx]), (command.vx, 0.0, 0.0)
        return np.array([command.vx, dt])

    def reset(self) -> None:
        self.calls.append(("reset",))

    def settle(self) -> None:
        self.calls.append(("settle",))

    def press(self, button: str) -> None:
        self.calls.append(("press", button))

    def take_pose(self, pose: str) -> bool:
        return pose == "sit"

    def change_gait(self, gait: str) -> bool:
        return gait == "trot"


class Wrapped(WalkerWrapper):
    """Nothing but a wrapper."""


def test_a_behaviour_gives_update_and_a_walker_no_more() -> None:
    for kind in (Behaviour, Walker):
        with pytest.raises(TypeError, match="update"):
            kind()  # type: ignore[abstract]
    assert Still().update(FELT, Command(), 0.01).tolist() == [0.0, 0.0]


def test_a_walker_stands_and_goes_nowhere_by_default() -> None:
    walker = Still()
    assert walker.standing
    assert not walker.tumbles
    assert (walker.max_speed, walker.max_turn, walker.stopping_time) == (0.0, 0.0, 0.0)
    assert walker.position.tolist() == [0.0, 0.0, 0.0]
    assert (walker.approach, walker.orientation) == (None, None)
    assert (walker.stiffness, walker.modes, walker.base_twist) == (None, None, None)
    assert (walker.shape, dict(walker.buttons), walker.free_joints) == ("", {}, frozenset())
    assert walker.footsteps == ({}, {})
    assert not walker.moves_body
    walker.reset()
    walker.settle()
    assert not walker.take_pose("sit")
    assert not walker.change_gait("trot")
    with pytest.raises(UnknownName, match="no button 'wave'"):
        walker.press("wave")


def test_a_wrapper_is_the_walker_inside() -> None:
    inner = Rich()
    outer = Wrapped(inner)
    for name in (
        "least_rate", "buttons", "moves_body", "approach", "max_speed", "max_turn", "stopping_time", "standing",
        "tumbles", "shape", "free_joints", "position", "orientation", "footsteps", "modes",
    ):  # fmt: skip
        assert getattr(outer, name) is getattr(inner, name), name
    outer.reset()
    outer.settle()
    outer.press("wave")
    assert inner.calls == [("reset",), ("settle",), ("press", "wave")]
    assert outer.take_pose("sit")
    assert not outer.take_pose("stand")
    assert outer.change_gait("trot")
    assert not outer.change_gait("crawl")


def test_a_wrapper_passes_on_targets_stiffness_and_twist_of_every_step() -> None:
    inner = Rich()
    outer = Wrapped(inner)
    for speed in (0.1, 0.2):
        assert outer.update(FELT, Command(vx=speed), 0.01).tolist() == [speed, 0.01]
        assert outer.stiffness is inner.stiffness
        assert outer.base_twist == (speed, 0.0, 0.0)
        assert outer.modes is inner.modes


OLD_NAMES = {"top_speed", "top_turn"}  # of max_speed and max_turn


def test_every_public_member_of_a_walker_is_wrapped() -> None:
    """Whoever adds one to `Walker` shall not forget the wrapper."""
    kept_in_init = {"least_rate", "buttons", "moves_body", "stiffness", "modes", "base_twist", "last_step", "slowest"}
    kept_in_init |= {"pose", "forward"}
    public = {name for name in dir(Walker) if not name.startswith("_")}
    assert public - kept_in_init - OLD_NAMES <= set(vars(WalkerWrapper))


def test_every_name_of_the_room_is_there() -> None:
    assert all(getattr(locomotion, name) for name in locomotion.__all__)
