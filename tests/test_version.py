"""The version stands in src/andante/_version.py; every other file that names it agrees."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

from andante import __version__

ROOT = Path(__file__).parents[1]


def test_the_version_is_a_release_or_a_pre_release():
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc|\.dev)\d+)?", __version__)


def test_pyproject_reads_the_version_from_the_package():
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in table["project"]
    assert table["project"]["dynamic"] == ["version"]
    assert (ROOT / table["tool"]["hatch"]["version"]["path"]).read_text().count(f'"{__version__}"') == 1


def test_citation_has_the_version():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == __version__


def test_the_page_has_the_version():
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    assert json.loads((ROOT / "web" / "package.json").read_text())["version"] == __version__
    assert lock["version"] == lock["packages"][""]["version"] == __version__


def test_the_command_line_says_the_version():
    done = subprocess.run([sys.executable, "-m", "andante", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"andante {__version__}\n"
