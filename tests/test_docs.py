"""Every Python block of the README and the pages runs as it stands, and every picture and page they name exists."""

import os
import re
from pathlib import Path

import pytest

import andante as an
from andante.errors import MissingExtra

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MADE = ("reference/", "examples.md", "changelog.md", "contributing.md")  # pages that the site makes (test_docs_site.py)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [(page, i, code) for page in PAGES for i, code in enumerate(BLOCK.findall(page.read_text()))]


@pytest.mark.parametrize(("page", "number", "code"), BLOCKS, ids=[f"{p.stem}-{i}" for p, i, _ in BLOCKS])
def test_block_runs(page, number, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        exec(compile(code, f"{page.name} block {number}", "exec"), {"__name__": "page"})
    except MissingExtra as missing:
        if os.environ.get("CI") == "true" and "no wheel" not in str(missing):
            raise
        pytest.skip(str(missing))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert target.startswith(MADE) or (page.parent / target).exists(), target


EXTENDS = {  # what pages import that lies deeper than a room: to write a machine or an object of one's own
    "andante.control.machines", "andante.control.machines.author", "andante.userfile",
    "andante.physics.checks.specimens",  # a linkage to show
}  # fmt: skip


def test_pages_and_examples_use_the_rooms_as_they_are_offered():
    """Deep imports are for those who extend Andante; everything else is `an.ROOM.NAME`."""
    found = set()
    examples = [(path, path.read_text()) for path in (PAGES[0].parents[1] / "examples").rglob("*.py")]
    for page, code in [*((page, code) for page, _, code in BLOCKS), *examples]:
        for module in re.findall(r"^\s*(?:from|import) (andante\.[\w.]+)", code, re.MULTILINE):
            if module not in EXTENDS and (module.count(".") > 1 or module.split(".")[1] not in an.ROOMS):
                found.add(f"{page.name}: {module}")
    assert not found
