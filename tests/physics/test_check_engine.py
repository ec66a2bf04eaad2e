"""Every installed engine against every check, and that the checks can fail."""

from __future__ import annotations

import numpy as np
import pytest

from andante.errors import UnknownName
from andante.physics import CHECKS, ENGINES, CheckResult, check_engine, engine_class, installed
from andante.physics.checks.result import Findings
from andante.physics.engine import Engine
from andante.physics.mujoco.engine import MujocoEngine


@pytest.mark.parametrize("check", list(CHECKS))
@pytest.mark.parametrize("name", list(ENGINES))
def test_engine_keeps_the_contract(name: str, check: str) -> None:
    if not installed(ENGINES[name]):
        pytest.skip(f"the package {ENGINES[name].package} of engine {name} is not installed")
    (result,) = check_engine(name, check)
    assert result.passed, str(result)


# ---- engines with one mistake each, and the check that must find it --------------------------------------------------
class Hasty(MujocoEngine):
    """Steps twice."""

    def _advance(self, n: int) -> None:
        super()._advance(2 * n)


class Strong(MujocoEngine):
    """Forgets the effort limit."""

    def _apply_servos(self, model: int) -> None:
        super()._apply_servos(model)
        self.mj_model.actuator_forcerange[:] = (-1e9, 1e9)


class Slippery(MujocoEngine):
    """Halves the friction."""

    def _build(self) -> None:
        super()._build()
        self.mj_model.geom_friction[:, 0] /= 2


class Loose(MujocoEngine):
    """Forgets joint limits, mimic joints and loops."""

    def _build(self) -> None:
        super()._build()
        self.mj_model.jnt_limited[:] = 0
        self.data.eq_active[:] = 0


class Light(MujocoEngine):
    """Forgets armature, damping, dry friction and springs."""

    def _build(self) -> None:
        super()._build()
        for array in (self.mj_model.dof_armature, self.mj_model.dof_damping, self.mj_model.dof_frictionloss):
            array[:] = 0
        self.mj_model.jnt_stiffness[:] = 0


class Forgetful(MujocoEngine):
    """Does not put velocities back."""

    def _load(self, state: object) -> None:
        super()._load(state)  # type: ignore[arg-type]
        self.data.qvel[:] = 0


class Mirrored(MujocoEngine):
    """Tells contact forces with the wrong sign."""

    def contacts(self):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        found = super().contacts()
        return replace(found, force=-found.force)


class Blind(MujocoEngine):
    """Ignores whom a ray should ignore."""

    def cast_rays(self, origins, directions, max_range, ignore=None):  # type: ignore[no-untyped-def]
        return super().cast_rays(origins, directions, max_range)


class Shifted(MujocoEngine):
    """Puts bodies 1 mm beside where they are."""

    def body_poses(self, model: int):  # type: ignore[no-untyped-def]
        return super().body_poses(model) + np.array([0.001, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("engine", "check"),
    [
        (Hasty, "free_fall"),
        (Hasty, "pendulum"),
        (Hasty, "torque_mode"),
        (Strong, "effort_limit"),
        (Strong, "velocity_servo"),
        (Slippery, "friction_angle"),
        (Loose, "joint_limits"),
        (Loose, "mimic"),
        (Loose, "mimic_passive"),
        (Loose, "loop"),
        (Loose, "crank_rocker"),
        (Light, "armature"),
        (Light, "joint_damping"),
        (Light, "dry_friction"),
        (Light, "joint_spring"),
        (Forgetful, "snapshot"),
        (Mirrored, "resting_block"),
        (Mirrored, "stack"),
        (Blind, "rays"),
        (Shifted, "forward_kinematics"),
    ],
)
def test_a_mistake_is_found(engine: type[Engine], check: str) -> None:
    (result,) = check_engine(engine, check)
    assert not result.passed, str(result)
    assert result.name == check
    assert result.message


def test_an_exception_is_a_failed_check() -> None:
    class Broken(MujocoEngine):
        def _advance(self, n: int) -> None:
            raise RuntimeError("no gears")

    (result,) = check_engine(Broken, "free_fall")
    assert result == CheckResult("free_fall", False, "RuntimeError: no gears", *(result.measured,) * 3)


def test_engines_are_given_by_name_class_or_instance() -> None:
    from andante.physics.checks.specimens import world

    for engine in ("mujoco", MujocoEngine, MujocoEngine(world())):
        assert all(r.passed for r in check_engine(engine, ["free_fall", "torque_mode"]))


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match="free_fall"):
        check_engine("mujoco", "nonsense")
    with pytest.raises(UnknownName, match="mujoco"):
        check_engine("havok")
    with pytest.raises(UnknownName):
        engine_class("havok")


def test_findings_tell_the_first_failure_or_the_tightest() -> None:
    found = Findings("x")
    found.close("easy", 1.0, 1.0, 0.1)
    found.close("tight", 1.09, 1.0, 0.1)
    assert found.result().passed
    assert found.result().message.startswith("tight")
    found.at_most("broken", float("nan"), 1.0)
    found.at_most("worse", 5.0, 1.0)
    assert not found.result().passed
    assert found.result().message.startswith("broken")
    assert str(found.result()).startswith("FAIL x: broken")
