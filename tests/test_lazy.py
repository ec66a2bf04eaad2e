"""Names that are imported when they are first used."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import andante
from andante.lazy import lazy_names


def test_a_name_is_imported_once():
    get = lazy_names("andante")
    from andante.control import Body
    from andante.description import load_robot

    assert get("Body") is Body
    assert get("robot") is load_robot
    assert get("gait") is importlib.import_module("andante.tasks.gait")  # a module of a room
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        get("Nothing")


ROOMS = (
    "bridges control experiments locomotion mapping mobile motion physics session simulation studio tasks viz "
    "robots.nao robots.rover robots.shell"
)


@pytest.mark.parametrize("room", ROOMS.split())
def test_every_exported_name_is_there(room):
    package = importlib.import_module(f"andante.{room}")
    assert all(getattr(package, name) is not None for name in package.__all__)


def test_the_web_server_s_packages_are_not_read_with_the_room():
    lines = "import sys, andante.bridges; sys.exit(any(name in sys.modules for name in ('starlette', 'uvicorn')))"
    assert subprocess.run([sys.executable, "-c", lines], check=False).returncode == 0


def test_few_own_imports_stand_inside_functions():
    """They hide what a module needs; lazy packages serve where an import takes long (0.1.0 had 144)."""
    root = Path(andante.__file__).parent
    found, functions = [], (ast.FunctionDef, ast.AsyncFunctionDef)
    for path in (path for path in root.rglob("*.py") if "cli" not in path.parts):
        open_nodes = [(node, False) for node in ast.parse(path.read_text()).body]
        while open_nodes:
            node, inside = open_nodes.pop()
            if (
                inside
                and isinstance(node, ast.ImportFrom)
                and (node.level or (node.module or "").startswith("andante"))
            ):
                found.append(f"{path.relative_to(root)}:{node.lineno}")
            if isinstance(node, ast.stmt):
                deeper = inside or isinstance(node, functions)
                open_nodes += [(each, deeper) for each in ast.iter_child_nodes(node) if not isinstance(each, ast.expr)]
            elif isinstance(node, ast.ExceptHandler | ast.match_case):
                open_nodes += [(each, inside) for each in node.body]
    assert len(found) <= 72, sorted(found)
