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


STORES = [f"x86-64-{level}-cpython-311-numba-0.1" for level in ("v3", "v4", "some-cpu")]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy without web/: the page in it was built before, here two files stand for it."""
    folder = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, folder)
    (folder / "tools").mkdir()
    for name in ("hatch_build.py", "build_kernels.py", "build_web.py"):
        shutil.copy(ROOT / "tools" / name, folder / "tools")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("static", "stores", "__pycache__"))
    page = folder / "src" / "andante" / "studio" / "static"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("page")
    (page / "assets" / "main.js").write_text("start();")
    return folder


def build(folder, out, **variables):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out]
    environment = {"PATH": "", **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next((folder / out).glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(source):
    with zipfile.ZipFile(build(source, "dist")) as archive:
        yield archive


def test_every_file_of_the_package_is_in_the_wheel(wheel):
    inside = {name for name in wheel.namelist() if name.startswith("andante/") and "/static/" not in name}
    source = ROOT / "src"
    files = (path for path in source.joinpath("andante").rglob("*") if path.is_file())
    kept = {"__pycache__", "static", "stores"}
    wanted = {p.relative_to(source).as_posix() for p in files if kept.isdisjoint(p.parts)}
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


def test_kernels_of_these_sources_make_a_wheel_for_one_python(source):
    """Without the packages that the kernels were compiled with, as in an environment that only builds."""
    stores = [source / "src/andante/compiling/stores" / name for name in STORES]
    show = "import sys; sys.path.insert(0, 'tools'); import build_kernels; print(build_kernels.store.sources(), end='')"
    mark = subprocess.run([sys.executable, "-I", "-S", "-c", show], cwd=source, capture_output=True, text=True)
    assert mark.returncode == 0, mark.stderr
    for store in stores:
        store.mkdir(parents=True)
        (store / "walk.1.nbc").write_bytes(b"code")
        (store / "sources.sha256").write_text(mark.stdout)
    made = build(source, "fresh")
    assert made.name.endswith("-cp311-none-manylinux_2_17_x86_64.whl")
    with zipfile.ZipFile(made) as archive:
        kernels = {name for name in archive.namelist() if name.endswith("walk.1.nbc")}
    assert kernels == {f"andante/compiling/stores/{name}/walk.1.nbc" for name in STORES[:2]}  # of portable levels
    for out, words in (("pure", {"ANDANTE_PURE_WHEEL": "1"}), ("stale", {})):
        if out == "stale":
            for store in stores:
                (store / "sources.sha256").write_text("other sources")
        made = build(source, out, **words)
        assert made.name.endswith("-py3-none-any.whl")
        with zipfile.ZipFile(made) as archive:
            assert not any("/stores/" in name for name in archive.namelist())
