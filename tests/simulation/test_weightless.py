"""A robot whose file gives no masses: an arm is bolted down on every engine, what stands on feet is left free."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.description import load_robot
from andante.physics import ENGINES
from andante.simulation.simulation import simulate

LINK = (
    '<link name="{name}"><collision><origin xyz="0 0 {z}"/><geometry><box size="{size}"/></geometry></collision></link>'
)
JOINT = (
    '<joint name="{child}_joint" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/>'
    '<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="2"/></joint>'
)


def arm(folder: Path) -> Path:
    """Two links that lean out far over a small base."""
    links = [("base", "0.1 0.1 0.1", 0.05), ("upper", "0.6 0.06 0.06", 0.0), ("lower", "0.6 0.05 0.05", 0.0)]
    parts = [LINK.format(name=name, size=size, z=z) for name, size, z in links]
    parts += [JOINT.format(parent="base", child="upper", xyz="0.3 0 0.15")]
    parts += [JOINT.format(parent="upper", child="lower", xyz="0.6 0 0")]
    file = folder / "arm.urdf"
    file.write_text(f'<robot name="arm">{"".join(parts)}</robot>')
    return file


def table(folder: Path) -> Path:
    """A body on four legs."""
    parts = [LINK.format(name="body", size="0.5 0.3 0.1", z=0.0)]
    for k, (x, y) in enumerate(((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1))):
        parts.append(LINK.format(name=f"leg{k}", size="0.05 0.05 0.3", z=-0.15))
        parts.append(JOINT.format(parent="body", child=f"leg{k}", xyz=f"{x} {y} 0"))
    file = folder / "table.urdf"
    file.write_text(f'<robot name="table">{"".join(parts)}</robot>')
    return file


@pytest.mark.parametrize("engine", [pytest.param(name, marks=pytest.mark.engine(name)) for name in ENGINES])
def test_an_arm_without_any_mass_stays_where_it_stands(engine: str, tmp_path: Path) -> None:
    scene = simulate(arm(tmp_path), engine=engine)
    start = scene.engine.base_pose(scene.model)
    scene.run(1.0)
    assert scene.engine.base_pose(scene.model) == pytest.approx(start, abs=1e-6)
    assert not scene.fallen
    told = [problem.message for problem in scene.problems if "bolted down" in problem.message]
    assert told == ["robot 'arm' weighs nothing: its root link 'base' is bolted down; give its links <inertial>"]


def test_what_stands_on_its_legs_or_has_a_mass_is_left_free(tmp_path: Path) -> None:
    standing = simulate(table(tmp_path))
    assert not standing.engine.models[standing.model].fixed
    mass = '<inertial><mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    for heavy, bolted in (("base", False), ("lower", True)):  # an arm whose base weighs nothing cannot stand on it
        text = arm(tmp_path).read_text()
        path = tmp_path / f"{heavy}.urdf"
        path.write_text(text.replace(f'<link name="{heavy}">', f'<link name="{heavy}">{mass.format(1)}'))
        loaded = simulate(load_robot(path))
        assert loaded.robot.fixed_base is bolted
        assert any("carries all else by one joint" in problem.message for problem in loaded.problems) is bolted


def test_servos_of_a_robot_without_any_mass_are_not_as_stiff_as_its_efforts(tmp_path: Path) -> None:
    """Stand-in masses of a microgram under servos that reach 50 N m at 0.05 rad tore fingers apart on ODE."""
    sim = simulate(load_robot(arm(tmp_path)))
    gains = sim.engine.gains[sim.model]
    assert float(gains.kp.max()) < 1.0
    assert float(gains.effort.max()) == 50.0
    sim.close()
