"""`andante explore` as a program: its JSON, its words and its errors."""

import json

import pytest


@pytest.fixture(scope="module")
def way(tmp_path_factory):
    path = tmp_path_factory.mktemp("way") / "way.txt"
    path.write_text("0.6 0.2\n")
    return path


def test_json_holds_the_contract(andante, tmp_path, way):
    code, out, err = andante(
        "explore", "rover", "--world", "lab", "-o", tmp_path / "map", "--waypoints", way, "--controller", "pursuit",
        "--json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert set(told) >= {"scans", "rate", "map", "trajectory", "coverage", "time", "distance", "reason", "missed"}
    assert told["map"] == str(tmp_path / "map.yaml")
    assert told["reason"] == "all waypoints were visited"
    assert told["walls"]["true_walls"] > 0.98
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.pgm", "map.tum", "map.yaml"]


def test_words_for_people(andante, tmp_path, way):
    code, out, err = andante(
        "explore", "rover", "--world", "lab", "-o", tmp_path / "map", "--waypoints", way, "--controller", "pursuit",
        "--timeout", "0.5",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "timed out after 0.5 s; 1 waypoints are left" in out
    assert "by the truth: 100 % of the map's walls are true within 0.1 m" in out
    assert f"wrote {tmp_path / 'map.yaml'}" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--start", "here"), "--start is \"x y yaw\" in meters and radians, got 'here'"),
        (("--waypoints", "none.txt"), "none.txt: no such file of waypoints"),
        (("--timeout", "-1"), "timeout must lie above 0"),
    ],
)
def test_bad_input_is_one_line(andante, tmp_path, words, told):
    code, out, err = andante("explore", "waffle", "--world", "lab", "-o", tmp_path / "map", *words)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_only_a_simulated_robot_needs_a_world(andante, tmp_path):
    code, _, err = andante("explore", "waffle", "-o", tmp_path / "map")
    assert code == 2
    assert "explore needs a world to simulate, or a body" in err
    code, _, err = andante("explore", "waffle", "-o", tmp_path / "map", "--body", "ws://127.0.0.1:1", "--yes")
    assert code == 2
    assert "no connection to ws://127.0.0.1:1" in err
