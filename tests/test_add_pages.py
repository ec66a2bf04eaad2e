"""How to add a robot, an engine, a gait, a planner, an experiment: the shell lines of these pages run as they stand."""

import json
import re
import shlex
from pathlib import Path

import pytest

from andante.cli.main import app
from andante.description.load import load_robot
from andante.errors import AndanteError, BadInput

PAGES = sorted((Path(__file__).parents[1] / "docs").glob("add_*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINE = re.compile(r"^    andante (.*)$", re.MULTILINE)
FILES = re.compile(
    r"^(?:from pathlib import Path[^\n]*\n|(?:Path|File)\(\"[^\n]*\.write_text\('''.*?'''\)\n)",
    re.DOTALL | re.MULTILINE,
)


def test_there_is_a_page_for_each():
    assert [page.stem for page in PAGES] == ["add_engine", "add_experiment", "add_gait", "add_planner", "add_robot"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_shell_lines_of_the_page_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    exec("".join(FILES.findall("".join(BLOCK.findall(text)))), {"__name__": "page"})  # what the page writes, no more
    lines = LINE.findall(text)
    assert lines
    for line in lines:
        app(shlex.split(line), standalone_mode=False)
        said = capsys.readouterr()
        assert said.err == ""
        if "--json" in line:
            report = json.loads(said.out)
            assert report.get("converged", True)
            assert report.get("success", True)
            assert report.get("stood", True)
            assert not report.get("fallen", False)


OWN = """
from andante.description import Inertia, Link, Robot
from andante.errors import BadInput

def made(mass="1"):
    if float(mass) > 9:
        raise BadInput("too heavy")
    return Robot("own", links=(Link("a", Inertia(float(mass), moments=(1, 0, 0, 1, 0, 1))),))

ready = made()
number = 7
def other():
    return 3
"""


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("number", {}, "own.py:number should be a Robot or a function that returns one, got int"),
        ("other", {}, "should be a Robot or a function that returns one, got int"),
        ("made", {"size": "2"}, "own.py:made fails: TypeError: .*size"),
        ("made", {"mass": "x"}, "own.py:made fails: ValueError"),
        ("made", {"mass": "10"}, "too heavy"),
        ("ready", {"mass": "2"}, "own.py:ready is no function and takes no arguments, got mass"),
        ("nothing", {}, "no name 'nothing'.*made"),
    ],
)
def test_robots_of_own_code_that_are_none(name, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    assert load_robot("own.py:ready").mass == 1
    assert load_robot("own.py:made", {"mass": "2.5"}).mass == 2.5
    with pytest.raises(AndanteError, match=words):
        load_robot(f"own.py:{name}", arguments)


def test_a_missing_file_of_own_code_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"none\.py: no such file"):
        load_robot("none.py:robot")
