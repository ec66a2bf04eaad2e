"""The wheel: every file of the package, the built page, nothing else. Built without Node, as from an sdist."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from andante import __version__

ROOT = Path(__file__).parents[1]
pytest.importorskip("hatchling", reason="hatchling is not installed")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel from a copy without web/: the page in it was built before, here two files stand for it."""
    folder = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, folder)
    (folder / "tools").mkdir()
    for name in ("hatch_build.py", "build_web.py"):
        shutil.copy(ROOT / "tools" / name, folder / "tools")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("static", "__pycache__"))
    page = folder / "src" / "andante" / "studio" / "static"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("page")
    (page / "assets" / "main.js").write_text("start();")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    done = subprocess.run(command, cwd=folder, env={"PATH": ""}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next((folder / "dist").glob("*.whl"))) as archive:
        yield archive


def test_every_file_of_the_package_is_in_the_wheel(wheel):
    inside = {name for name in wheel.namelist() if name.startswith("andante/") and "/static/" not in name}
    source = ROOT / "src"
    files = (path for path in source.joinpath("andante").rglob("*") if path.is_file())
    wanted = {p.relative_to(source).as_posix() for p in files if {"__pycache__", "static"}.isdisjoint(p.parts)}
    assert inside == wanted


def test_the_built_page_is_in_the_wheel_although_git_ignores_it(wheel):
    page = {name for name in wheel.namelist() if "/static/" in name}
    assert page == {"andante/studio/static/index.html", "andante/studio/static/assets/main.js"}


def test_nothing_else_is_in_the_wheel(wheel):
    about = f"andante-{__version__}.dist-info"
    others = {name for name in wheel.namelist() if not name.startswith("andante/")}
    wanted = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    assert others == {f"{about}/{name}" for name in wanted}
    assert "andante = andante.cli.main:main" in wheel.read(f"{about}/entry_points.txt").decode()
    assert "Root-Is-Purelib: true" in wheel.read(f"{about}/WHEEL").decode()
