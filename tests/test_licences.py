"""docs/licences.md lists every package that users get, with the licence that its metadata tell."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("licences", ROOT / "tools" / "licences.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["licences"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["licences"]


def test_every_dependency_of_pyproject_is_listed(tool):
    asked = {canonicalize_name(each.name) for lines in tool.direct().values() for each in lines}
    assert asked <= set(tool.listed(PAGE))


def test_every_installed_runtime_dependency_is_listed_with_its_licence(tool):
    assert tool.differences(PAGE) == []


def test_every_package_of_the_page_is_listed(tool):
    asked = json.loads((ROOT / "web" / "package.json").read_text())["dependencies"]
    assert set(asked) <= set(tool.listed(PAGE))


def test_a_missing_package_and_another_licence_are_told(tool):
    without = "\n".join(line for line in PAGE.splitlines() if not line.startswith("| scipy |"))
    assert tool.differences(without) == ["scipy is not listed"]
    row = next(line for line in PAGE.splitlines() if line.startswith("| three |"))
    assert tool.differences(PAGE.replace(row, row.replace("MIT", "GPL-3.0"))) == [
        "three is under MIT, the page says GPL-3.0"
    ]


def test_copyleft_is_told_above_the_tables(tool):
    packages, _ = tool.python_packages()
    above = PAGE.partition("## Python packages")[0]
    for package in tool.copyleft(packages):
        assert f"| {package.name} | {package.licence} |" in above
    for name, licence, _ in tool.binaries(packages):
        assert name in above, (name, licence)


@pytest.mark.parametrize(
    ("licence", "asks"),
    [("GPL-2.0-or-later", True), ("LGPL-2.1", True), ("AGPL-3.0", True), ("MPL-2.0 AND MIT", True), ("MIT", False)],
)
def test_what_counts_as_copyleft(tool, licence, asks):
    package = tool.Package("x", "1", licence, "", "core")
    assert tool.copyleft([package]) == ([package] if asks else [])
