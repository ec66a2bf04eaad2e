"""An installation and a home that cannot be written to: kernels are compiled for the run, and that is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import andante
from andante.compiling import place as cache

SHOW = """
import os, andante, andante.physics.commands as made
from andante.compiling.place import kept_nowhere
from andante.tasks.catalog import _kernels
print(kept_nowhere(), os.environ["NUMBA_CACHE_DIR"], _kernels().advice)
"""


def sealed(folder: Path) -> Path:
    """The package by links, in folders whose place for compiled code is taken by a file."""
    source = Path(andante.__file__).parent
    for top, folders, files in os.walk(source):
        folders[:] = [name for name in folders if name not in ("__pycache__", "static", "meshes")]
        here = folder / "andante" / Path(top).relative_to(source)
        here.mkdir(parents=True)
        (here / "__pycache__").touch()
        for name in files:
            if name.endswith((".py", ".tsv")):
                (here / name).symlink_to(Path(top) / name)
    return folder


def test_kernels_are_made_where_nothing_can_be_kept(tmp_path: Path) -> None:
    """One process: numba looks for its place when it is imported."""
    kept = {name: value for name, value in os.environ.items() if name not in (cache.CHOSEN, cache.KEPT_NOWHERE)}
    home = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "PYTHONPATH": str(sealed(tmp_path))}
    words = [sys.executable, "-P", "-c", SHOW]
    ran = subprocess.run(words, env={**kept, **home}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    said, folder, advice = ran.stdout.split(maxsplit=2)
    assert said == "True"
    assert "compiled anew in every run" in advice
    assert not Path(folder).exists()  # gone with the process


def test_places_that_are_there_are_left_to_numba(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(cache.CHOSEN, raising=False)
    monkeypatch.delenv(cache.KEPT_NOWHERE, raising=False)
    for places, made in (([tmp_path / "new" / "folder"], False), ([tmp_path / "file" / "x"], True)):
        (tmp_path / "file").touch()
        monkeypatch.setattr(cache, "_usual", lambda places=places: iter(places))
        cache.find_place()
        assert (cache.CHOSEN in os.environ) == made == cache.kept_nowhere()
    monkeypatch.setenv(cache.CHOSEN, str(tmp_path))
    cache.find_place()
    assert os.environ[cache.CHOSEN] == str(tmp_path)
    assert not cache.kept_nowhere()
