"""Six snippets of at most six lines each, from `import andante as an` to a result; the notebook shows the same."""

import json
from pathlib import Path

import pytest

from andante.mapping.io.carmen import write_carmen
from andante.mapping.synthetic import drive, rooms, smooth_path

SNIPPETS = {
    "ik": """
import andante as an
nao = an.robot("nao")
free = float("nan")
result = an.ik(nao, base="torso", tip="l_sole", target=(0.02, 0.05, -0.28, free, free, free))
""",
    "walk": """
import andante as an
result = an.walk("nao", distance=0.2, engine="mujoco")
""",
    "map a log": """
import andante as an
result = an.map_log("drive.log.gz", "room")
grid, way = result.grid, result.trajectory
""",
    "explore": """
import andante as an
result = an.explore("waffle", world="lab", timeout=10.0, seed=1)
grid = result.grid
""",
    "navigate": """
import andante as an
lab = an.world("lab")
result = an.navigate("waffle", world=lab, goal=(0.8, 0.2, 0.0), timeout=20.0)
""",
    "experiment": """
import andante as an
levels = {"speed": [80], "distance": [0.5]}
result = an.experiment.run("straight-walk", "run", engines=["mujoco", "bullet"], factors=levels, trials=2, workers=0)
print(an.experiment.report("run"))
""",
}
NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebooks" / "andante_in_six.ipynb"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a snippet in a folder that has a log; its result, which prints, plots and shows itself."""
    monkeypatch.chdir(tmp_path)

    def run(name):
        lines = SNIPPETS[name].strip().splitlines()
        assert lines[0] == "import andante as an"
        assert len(lines) <= 6
        names = {}
        exec(compile("\n".join(lines), name, "exec"), names)
        result = names["result"]
        assert str(result)
        assert result.plot().axes
        assert "<img" in result._repr_html_()
        return names

    return run


def test_inverse_kinematics(run):
    result = run("ik")["result"]
    assert result.converged
    assert result.error < 1e-4


def test_walk(run):
    result = run("walk")["result"]
    assert result.distance == pytest.approx(0.2, abs=0.03)
    assert not result.fallen


def test_map_a_log(run, tmp_path):
    walls = rooms([(0, 0), (6, 0), (6, 4), (0, 4)], (2.5, 1.5, 1, 1), (4, 0, 0.3, 0.8))
    write_carmen(drive(walls, smooth_path([(1, 1), (4.8, 1.2), (5, 3.2)], 0.1)).log, tmp_path / "drive.log.gz")
    made = run("map a log")
    assert made["grid"].shape[0] > 50
    assert len(made["way"]) == made["result"].scans
    assert (tmp_path / "room.yaml").exists()


def test_explore_and_keep_the_grid(run):
    made = run("explore")
    assert made["grid"].shape[0] > 50
    assert made["result"].scans > 20


def test_navigate(run):
    assert run("navigate")["result"].success


def test_experiment_on_two_engines(run, tmp_path):
    result = run("experiment")["result"]
    assert (result.trials, result.failed) == (4, 0)
    assert (tmp_path / "run" / "report" / "report.html").exists()


def test_the_notebook_has_the_same_snippets():
    cells = [
        "".join(each["source"]) for each in json.loads(NOTEBOOK.read_text())["cells"] if each["cell_type"] == "code"
    ]
    shown = [cell.removesuffix("\nresult") for cell in cells]
    assert all(snippet.strip() in shown for snippet in SNIPPETS.values())
