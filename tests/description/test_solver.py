"""Solver settings as values, and in the files of the field: read, written, read again."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from sdf_samples import messages, world
from test_sdf_writer import check_with_gazebo

from andante.description import (
    Collision,
    Link,
    Placement,
    Robot,
    SolverSettings,
    Surface,
    World,
    load_robot,
    load_world,
)
from andante.description.io.mjcf.writer import write_mjcf
from andante.description.io.sdf.writer import write_sdf
from andante.description.io.urdf.writer import write_urdf
from andante.description.shapes import Box
from andante.description.solver import KNOWN, parse_settings, solver_settings
from andante.errors import BadInput, UnknownName

GAZEBO = """<physics type="ode"><max_step_size>0.001</max_step_size><ode>
  <solver><type>quick</type><iters>70</iters><sor>1.4</sor><min_step_size>1e-4</min_step_size></solver>
  <constraints><cfm>1e-5</cfm><erp>0.3</erp><contact_max_correcting_vel>5</contact_max_correcting_vel>
    <contact_surface_layer>0.002</contact_surface_layer></constraints></ode></physics>"""
FULL = SolverSettings(
    dt=0.0015, iterations=77, cfm=1e-6, erp=0.25, friction=0.7, method="pgs", tolerance=1e-6, sor=1.2,
    max_correcting_velocity=3.0, surface_layer=1e-3, cone="pyramidal", impratio=4.0, integrator="rk4",
    ls_iterations=9, ls_tolerance=0.02, noslip_iterations=3,
)  # fmt: skip


# ---- values ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"iteration": 5}, UnknownName, "no setting 'iteration'; did you mean solver.iterations?"),
        ({"solver.epr": 5}, UnknownName, "did you mean solver.erp?"),
        ({"zzz": 5}, UnknownName, "no setting 'zzz'; choices: solver.dt, solver.iterations"),
        ({"iterations": "many"}, BadInput, "solver.iterations is a whole number, got 'many'"),
        ({"iterations": 2.5}, BadInput, "solver.iterations is a whole number, got 2.5"),
        ({"iterations": 0}, BadInput, "solver.iterations must lie between 1 and 100000, got 0"),
        ({"iterations": True}, BadInput, "solver.iterations is a whole number, got True"),
        ({"erp": "x"}, BadInput, "solver.erp is a number, got 'x'"),
        ({"erp": 1.5}, BadInput, "solver.erp must lie between 0 and 1, got 1.5"),
        ({"cfm": float("nan")}, BadInput, "solver.cfm must lie between"),
        ({"dt": float("inf")}, BadInput, "solver.dt must lie between 1e-06 and 1 s, got inf"),
        ({"cone": "round"}, BadInput, "solver.cone is one of elliptic, pyramidal, got 'round'"),
        ({"method": 3}, BadInput, "solver.method is one of"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(given: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as told:
        solver_settings(given)
    assert words in str(told.value)


def test_settings_are_typed_and_laid_over_each_other() -> None:
    made = solver_settings({"solver.iterations": 50.0, "method": "Newton", "erp": 1})
    assert made == SolverSettings(iterations=50, method="newton", erp=1.0)
    assert isinstance(made.iterations, int)
    assert isinstance(made.erp, float)
    assert made.over(SolverSettings(iterations=9, cfm=0.1)) == replace(made, cfm=0.1)
    assert solver_settings(None).stated == {}
    assert solver_settings(made) is made


def test_a_line_of_settings() -> None:
    assert parse_settings("") == SolverSettings()
    assert parse_settings("erp=0.3, solver.method=cg ,iterations=20") == SolverSettings(None, 20, erp=0.3, method="cg")
    with pytest.raises(BadInput, match="settings look like"):
        parse_settings("erp 0.3")


def test_every_setting_says_what_it_is() -> None:
    assert {each.name for each in fields(SolverSettings)} == set(KNOWN)
    assert all(known["about"] for known in KNOWN.values())


# ---- SDF ---------------------------------------------------------------------------------------------------------
def test_all_that_a_gazebo_world_says_of_ode_is_read() -> None:
    assert world(GAZEBO).physics == SolverSettings(
        0.001, 70, 1e-5, 0.3, method="quick", sor=1.4, max_correcting_velocity=5.0, surface_layer=0.002
    )


def test_the_block_of_the_stated_engine_comes_first() -> None:
    bullet = "<bullet><solver><iters>20</iters></solver><constraints><erp>0.1</erp></constraints></bullet>"
    ode = "<ode><solver><iters>90</iters></solver><constraints><cfm>0.5</cfm></constraints></ode>"
    dart = "<dart><solver><solver_type>pgs</solver_type></solver></dart>"
    both = f"{ode}{bullet}{dart}</physics>"
    assert world(f'<physics type="bullet">{both}').physics == SolverSettings(None, 20, 0.5, 0.1, method="pgs")
    assert world(f'<physics type="ode">{both}').physics == SolverSettings(None, 90, 0.5, 0.1, method="pgs")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "<ode><constraints><erp>3</erp></constraints></ode>",
            "<erp> is not used: solver.erp must lie between 0 and 1",
        ),
        ("<ode><solver><iters>-1</iters></solver></ode>", "<iters> is not used"),
        ("<ode><solver><type>magic</type></solver></ode>", "<type> is not used: solver.method is one of"),
    ],
)
def test_a_value_that_cannot_be_is_told_and_left_out(body: str, words: str) -> None:
    made = world(f"<physics>{body}</physics>")
    assert made.physics == SolverSettings()
    assert words in messages(made)


@pytest.mark.parametrize("method", ["pgs", "quick", "world", "dantzig", "newton", "cg"])
@pytest.mark.parametrize("suffix", [".sdf", ".xml"])
def test_every_setting_survives_a_file(tmp_path: Path, suffix: str, method: str) -> None:
    settings = replace(FULL, method=method)
    box = Robot("box", (Link("box", collisions=(Collision(Box((1.0, 1.0, 1.0))),)),))
    made = World("w", (Placement("box", box, fixed=True),), physics=settings)
    path = tmp_path / f"w{suffix}"
    if suffix == ".sdf":
        path.write_text(write_sdf(made, path))
        check_with_gazebo(path)
    else:
        path.write_text(write_mjcf(made, path))
    assert load_world(path).physics == settings


# ---- MJCF --------------------------------------------------------------------------------------------------------
def mjcf(tmp_path: Path, option: str) -> Path:
    path = tmp_path / "w.xml"
    path.write_text(
        f"<mujoco>{option}<worldbody><geom type='plane' size='1 1 1'/><body name='b'><joint type='hinge' name='j'/>"
        "<geom size='.1'/></body></worldbody></mujoco>"
    )
    return path


def test_options_of_mujoco_are_read(tmp_path: Path) -> None:
    option = (
        "<option timestep='0.001' iterations='40' tolerance='1e-6' solver='CG' cone='pyramidal' integrator='RK4' "
        "impratio='5' ls_iterations='7' ls_tolerance='0.02' noslip_iterations='2'/>"
    )
    assert load_world(mjcf(tmp_path, option)).physics == SolverSettings(
        0.001, 40, method="cg", tolerance=1e-6, cone="pyramidal", impratio=5.0, integrator="rk4", ls_iterations=7,
        ls_tolerance=0.02, noslip_iterations=2,
    )  # fmt: skip


def test_a_robot_of_a_file_with_options_is_told_that_they_are_the_world_s(tmp_path: Path) -> None:
    made = load_robot(mjcf(tmp_path, "<option timestep='0.001' solver='CG'/>"))
    assert "asks for solver.dt=0.001, solver.method=cg" in messages(made)


# ---- surfaces ----------------------------------------------------------------------------------------------------
def test_every_contact_parameter_survives_every_format(tmp_path: Path) -> None:
    of_mujoco = ((0.03, 0.9), (0.8, 0.9, 0.002, 0.4, 3.0), 0.003, 0.001)
    surface = Surface(0.5, 0.2, 0.01, 0.001, 0.3, 1e5, 10.0, 0.4, 0.002, (0.0, 1.0, 0.0), 3, 0.1, 0.2, *of_mujoco)
    assert None not in vars(surface).values()
    inertia = load_robot("waffle").link("base_link").inertia
    box = Robot("box", (Link("box", inertia, collisions=(Collision(Box((1.0, 1.0, 1.0)), surface=surface),)),))
    for name, write in (("b.sdf", write_sdf), ("b.urdf", write_urdf), ("b.xml", write_mjcf)):
        path = tmp_path / name
        path.write_text(write(box, path))  # type: ignore[operator]
        assert load_robot(path).links[-1].collisions[0].surface == surface, name
