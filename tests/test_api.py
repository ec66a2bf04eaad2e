"""The Python API: every command has its function, packages that are also functions, nothing heavy at the start."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import andante as an
from andante.cli.main import app
from andante.lazy import callable_package

NAMES = {"map": "map_log", "eval": "evaluate", "list": "names", "import": "import_trials"}
COMMANDS = typer.main.get_command(app).commands
GROUPS = {name: each.commands for name, each in COMMANDS.items() if isinstance(each, typer.core.TyperGroup)}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_its_function(command):
    name = NAMES.get(command, command)
    assert name in an.__all__
    made = getattr(an, name)
    assert callable(made) or command in GROUPS


@pytest.mark.parametrize(("group", "command"), [(group, each) for group in GROUPS for each in GROUPS[group]])
def test_every_command_of_a_group_has_its_function(group, command):
    made = getattr(getattr(an, group), NAMES.get(command, command))
    assert inspect.isfunction(made)
    assert made.__doc__
    assert all(each.annotation is not each.empty for each in inspect.signature(made).parameters.values())


def test_all_names_are_there():
    assert an.__all__ == sorted(an.__all__)
    assert all(getattr(an, name) is not None for name in (*an.__all__, *an.ROOMS))
    assert set(dir(an)) >= {"walk", "gait", "studio", "mapping"}
    with pytest.raises(AttributeError, match="no attribute 'fly'"):
        _ = an.fly


def test_packages_that_are_functions_too():
    an.robot("nao")  # imports andante.robots, which must not hide the function
    assert "nao" in [each.name for each in an.robots()]
    assert "lab" in [each.name for each in an.worlds()]
    assert an.studio.show is an.show
    with pytest.raises(an.AndanteError, match="no benchmark 'nothing'"):
        an.bench("nothing")
    with pytest.raises(an.AndanteError, match="port 99999"):
        an.studio("nao", port=99999, browser=False)


def test_a_callable_package_calls_its_function(monkeypatch):
    made = type(sys)("made_for_this_test")
    monkeypatch.setitem(sys.modules, "made_for_this_test", made)
    callable_package("made_for_this_test", "math:hypot")
    assert made(3.0, 4.0) == 5.0


def test_importing_andante_reads_nothing_heavy():
    heavy = "('numpy', 'numba', 'scipy', 'mujoco', 'matplotlib', 'trimesh', 'starlette', 'andante.description')"
    lines = (
        f"import sys, time; begin = time.process_time(); import andante; spent = time.process_time() - begin; "
        f"sys.exit(any(name in sys.modules for name in {heavy}) or spent > 0.2)"
    )
    assert subprocess.run([sys.executable, "-c", lines], check=False, cwd=Path(__file__).parent).returncode == 0
