"""The Python API: every command has its function, packages that are also functions, nothing heavy at the start."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import andante as an
from andante.cli.main import app
from andante.lazy import callable_package

SOURCE = Path(an.__file__).parent
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


def public_calls():
    """All functions of `an`, and the methods of its classes, by name."""
    for name in an.__all__:
        made = getattr(an, name)
        if inspect.isfunction(made):
            yield name, made, made.__doc__
        elif inspect.isclass(made) and not issubclass(made, Exception):
            for each, method in inspect.getmembers(made, inspect.isfunction):
                if not each.startswith("_"):
                    texts = [vars(base)[each].__doc__ for base in made.__mro__ if each in vars(base)]
                    yield f"{name}.{each}", method, "\n".join(texts)
    for group in GROUPS:
        for command in GROUPS[group]:
            name = NAMES.get(command, command)
            made = getattr(getattr(an, group), name)
            yield f"{group}.{name}", made, made.__doc__


@pytest.mark.parametrize(("call", "text"), [pytest.param(*rest, id=name) for name, *rest in public_calls()])
def test_every_public_call_says_what_it_takes_and_returns(call, text):
    """A method that keeps what a base class promises says it there."""
    signature = inspect.signature(call)
    told = text.partition("Args:")[2]
    named = {name for line in told.splitlines() for name in line.partition(":")[0].replace(" ", "").split(",")}
    assert set(signature.parameters) - {"self"} <= named
    if signature.return_annotation not in (None, "None"):
        assert "Returns:" in text


def test_the_chains_of_a_robot_are_typed():
    """By a stub: kinematics stand above descriptions, which may not import them."""
    assert inspect.signature(an.Robot.chain).return_annotation == "Chain"
    assert (SOURCE / "description" / "_above.pyi").read_text() == "from andante.kinematics import Chain as Chain\n"


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


def test_tasks_speak_of_arguments_not_of_flags():
    """They are functions of Python first: what is wrong is told in words that fit both doors."""
    found = []
    for path in (each for each in (SOURCE / "tasks").rglob("*.py") if "zoo" not in each.parts):
        tree = ast.parse(path.read_text())
        documented = (node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
        told = {id(node.body[0].value) for node in documented if ast.get_docstring(node)}
        texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
        found += [f"{path.name}:{node.lineno}" for node in texts
                  if id(node) not in told and re.search(r"(^|[\s(])--[a-z]", node.value)]  # fmt: skip
    assert found == []


def test_importing_andante_reads_nothing_heavy():
    heavy = "('numpy', 'numba', 'scipy', 'mujoco', 'matplotlib', 'trimesh', 'starlette', 'andante.description')"
    lines = (
        f"import sys, time; begin = time.process_time(); import andante; spent = time.process_time() - begin; "
        f"sys.exit(any(name in sys.modules for name in {heavy}) or spent > 0.2)"
    )
    assert subprocess.run([sys.executable, "-c", lines], check=False, cwd=Path(__file__).parent).returncode == 0
