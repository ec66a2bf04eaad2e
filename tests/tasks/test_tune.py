"""A base is learned by a short drive, and the drive after it goes by what was learned."""

import shutil
from pathlib import Path

import pytest

import andante as an
from andante.errors import BadInput
from andante.tasks.navigate import Request, prepare
from andante.tasks.tune import tune

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_base_without_a_gyro_is_learned_and_driven_by_it(tmp_path):
    file = tmp_path / "porter.urdf.xacro"
    shutil.copy(EXAMPLES / "porter.urdf.xacro", file)
    plot = tmp_path / "tuned.png"
    made = tune(file, room=0.6, plot=plot)
    assert made.gain == pytest.approx(1.0, abs=0.05)
    assert 0.7 < made.scrub < 1.15
    assert 1.0 < made.max_deceleration <= 3.0
    assert made.latency < 0.2
    assert plot.stat().st_size > 10_000
    kept = tmp_path / "porter.tune.toml"
    assert made.file == str(kept)
    robot = an.robot(file)
    request = Request((0, 0, 0), (1, 0, 0), (0, 0, 0), 0.25, 10.0, None, "auto", "mppi", 0)
    ready = prepare(request, robot, an.world("empty"), None, {})
    assert ready.vehicle.max_turn_acceleration == pytest.approx(made.max_turn_acceleration, rel=1e-3)
    assert ready.vehicle.stray == pytest.approx(made.stray, rel=1e-3)
    changed = prepare(request, robot, an.world("empty"), None, {"vehicle": {"stray": 0.2}})
    assert changed.vehicle.stray == 0.2  # what is asked for goes before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"room": 0.0}, "room must lie from 0.3 to 100 m"),
        ({"out": "here.txt"}, "written as .toml"),
        ({"robot": "nao"}, "wheels"),
    ],
)
def test_mistakes_are_told(tmp_path, options, words):
    with pytest.raises(BadInput, match=words):
        tune(**{"robot": "waffle", "out": tmp_path / "w.toml", **options})
    assert list(tmp_path.iterdir()) == []


def test_limits_of_the_parameter_file_count_and_other_tables_are_refused(tmp_path, monkeypatch):
    file, driven = tmp_path / "params.toml", []

    def note(robot, room):
        driven.append(robot.vehicle)
        raise BadInput("enough")

    monkeypatch.setattr("andante.tasks.tune._drive", note)
    file.write_text("[vehicle]\nmax_speed = 0.11\n")
    with pytest.raises(BadInput, match="enough"):
        tune("waffle", out=tmp_path / "w.toml", params=file)
    assert driven[0].max_speed == 0.11
    file.write_text("[mppi]\nsamples = 100\n")
    with pytest.raises(BadInput, match=r"tune takes the tables .* only, got mppi"):
        tune("waffle", out=tmp_path / "w.toml", params=file)
