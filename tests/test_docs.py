"""Every Python block of the README and the pages runs as it stands, and every picture and page they name exists."""

import os
import re
from pathlib import Path

import pytest

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
