"""The build of the page: by hash, with clear words where Node is missing."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "build_web.py"


@pytest.fixture
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_web", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def web(tmp_path: Path) -> Path:
    folder = tmp_path / "web"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "main.ts").write_text("start();")
    return folder


def test_the_hash_follows_names_and_contents_of_the_sources_only(tool: ModuleType, web: Path) -> None:
    before = tool.source_hash(web)
    (web / "node_modules").mkdir()
    (web / "node_modules" / "x.js").write_text("1")
    (web / "tests").mkdir()
    (web / "tests" / "a.test.ts").write_text("1")
    assert tool.source_hash(web) == before
    (web / "src" / "main.ts").write_text("start(2);")
    changed = tool.source_hash(web)
    assert changed != before
    (web / "src" / "main.ts").rename(web / "src" / "other.ts")
    assert tool.source_hash(web) not in (before, changed)


def test_nothing_is_built_when_it_is_up_to_date(tool: ModuleType, web: Path, tmp_path: Path) -> None:
    static = tmp_path / "static"
    static.mkdir()
    (static / "index.html").write_text("page")
    assert not tool.up_to_date(web, static)
    (static / tool.STAMP).write_text(tool.source_hash(web) + "\n")
    assert tool.up_to_date(web, static)
    assert tool.build(web, static) is False


def test_a_missing_node_is_said_clearly(
    tool: ModuleType, web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tool.importlib.util, "find_spec", lambda name: None)  # nor is it installed by pip
    with pytest.raises(tool.CannotBuild, match="Node 20 or newer"):
        tool.build(web, tmp_path / "static")


def test_an_old_node_is_refused(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("shell scripts stand in for programs here")
    for name in ("node", "npm"):
        (tmp_path / name).write_text("#!/bin/sh\necho v12.1.0\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(tool.CannotBuild, match=r"v12\.1\.0"):
        tool.npm()


LICENCES = "# Licenses\n\n## a - 1.0 (MIT)\n\nMay be used.\n\n## b - 2.0 (Apache-2.0)\n\nApache words.\n"


def test_a_package_without_a_text_of_its_licence_gets_that_of_the_same_one(tool: ModuleType) -> None:
    assert tool.complete_licences(LICENCES) == LICENCES
    completed = tool.complete_licences(LICENCES + "\n## c - 3.0 (Apache-2.0)\n")
    assert completed.count("Apache words.") == 2
    assert "that of b - 2.0" in completed


@pytest.mark.parametrize("title", ["c - 3.0 (ISC)", "c - 3.0 (MIT)", "c - 3.0"])
def test_a_licence_without_any_text_stops_the_build(tool: ModuleType, title: str) -> None:
    with pytest.raises(tool.CannotBuild, match=r"licences\.txt: .*c"):
        tool.complete_licences(f"{LICENCES}\n## {title}\n")
