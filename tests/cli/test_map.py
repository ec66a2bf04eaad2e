"""`andante map`, and maps in `andante convert`."""

import json

import numpy as np
import pytest

from andante.mapping.io.carmen import write_carmen
from andante.mapping.io.map_files import load_map
from andante.mapping.io.trajectories import read_trajectory
from andante.mapping.records import Log
from andante.mapping.synthetic import drive, rooms, smooth_path


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A short drive through one room, as a CARMEN log."""
    walls = rooms([(0, 0), (6, 0), (6, 4), (0, 4)], (2.5, 1.5, 1, 1), (4, 0, 0.3, 0.8))
    made = drive(walls, smooth_path([(1, 1), (4.8, 1.2), (5, 3.2), (1.2, 3), (1, 1.2), (3, 0.8)], 0.1))
    path = tmp_path_factory.mktemp("log") / "drive.log.gz"
    write_carmen(made.log, path)
    return path


def test_map_and_trajectory(andante, log, tmp_path):
    code, out, err = andante("map", log, "-o", tmp_path / "m", "--trajectory", tmp_path / "t.txt", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["scans"] == len(read_trajectory(tmp_path / "t.txt"))
    assert told["rate"] > 0
    assert told["map"] == str(tmp_path / "m.yaml")
    assert told["trajectory"] == str(tmp_path / "t.txt")
    grid = load_map(told["map"])
    assert [grid.shape[1], grid.shape[0]] == told["size"]
    assert 6.0 <= max(grid.size) < 7.5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.pgm", "m.yaml", "t.txt"]


def test_words_and_options(andante, log, tmp_path):
    (tmp_path / "p.toml").write_text("resolution = 0.1\n")
    words = ["--no-odometry", "--no-loop-closure", "--params", tmp_path / "p.toml"]
    code, out, _ = andante("map", log, "-o", tmp_path / "m.yaml", *words)
    assert code == 0
    assert "0 loops closed" in out
    assert "cells of 0.1 m" in out
    assert load_map(tmp_path / "m.yaml").resolution == 0.1
    assert not (tmp_path / "m.yaml.yaml").exists()


def test_stamps_that_step_back_are_told_once(andante, log, tmp_path):
    from andante.mapping.io.logs import read_log

    whole = read_log(log)
    mixed = Log("x", (*whole.records[40:60], *whole.records[:40], *whole.records[60:100]))
    write_carmen(mixed, tmp_path / "mixed.clf")
    code, out, err = andante("map", tmp_path / "mixed.clf", "-o", tmp_path / "m", "--no-loop-closure", "--json")
    assert code == 0
    assert json.loads(out)["scans"] == 50
    assert err == "andante: mixed.clf: scan stamps step back 1 times; processed in file order\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["none.log", "-o", "m"], "none.log: no such log"),
        (["LOG", "-o", "nowhere/m"], "folder does not exist"),
        (["LOG", "-o", "m", "--trajectory", "t.jpg"], "trajectories are written as"),
        (["LOG", "-o", "m", "--params", "none.toml"], "no such parameter file"),
        (["LOG", "-o", "m", "--scan", "RLASER"], "no RLASER lines"),
        (["broken.mcap", "-o", "m"], "cut off or damaged"),
        (["broken.bag", "-o", "m"], "cut off or damaged"),
        (["broken.log", "-o", "m"], "no laser lines"),
        (["bad.toml", "-o", "m"], "logs are CARMEN"),
        (["LOG", "-o", "m", "--params", "bad.toml"], "no mapping parameter 'resolutoin'"),
        (["same.log", "-o", "m", "--trajectory", "same.log"], "would be overwritten"),
        (["LOG"], "-o"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(andante, log, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    for name in ("broken.mcap", "broken.bag", "broken.log", "same.log"):
        (tmp_path / name).write_bytes(b"\x00garbage\xff" * 20)
    (tmp_path / "bad.toml").write_text("resolutoin = 0.1\n")
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = andante("map", *[log if word == "LOG" else word for word in words])
    assert code == 2
    assert out == ""
    assert told in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_worlds_and_maps_are_converted(andante, tmp_path):
    assert andante("convert", "lab", tmp_path / "lab.yaml")[0] == 0
    assert andante("convert", tmp_path / "lab.yaml", tmp_path / "again.sdf", "--height", "0.5")[0] == 0
    assert andante("convert", tmp_path / "again.sdf", tmp_path / "back.yaml")[0] == 0
    one, other = load_map(tmp_path / "lab.yaml"), load_map(tmp_path / "back.yaml")
    places = one.point_of(np.argwhere(one.occupied()))
    assert (other.at(places) == 100).all()
    assert other.occupied().sum() == one.occupied().sum()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["lab", "x/lab.yaml"], "folder does not exist"),
        (["a.yaml", "b.yaml"], "both maps"),
        (["none.yaml", "b.sdf"], "no such map file"),
        (["none.yaml", "b.urdf"], "a map becomes a world as"),
        (["lab", "lab.yaml", "--height", "50"], "nothing stands 50 m above"),
    ],
)
def test_conversions_that_cannot_be(andante, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    code, _, err = andante("convert", *words)
    assert code == 2
    assert told in err
    assert list(tmp_path.iterdir()) == []
