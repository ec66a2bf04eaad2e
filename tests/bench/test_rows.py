"""The benchmarks: rows with sound numbers, both sides alike, errors that say what went wrong. No times are judged."""

from __future__ import annotations

import gc
import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from andante.bench import physics as bench_physics
from andante.bench import startup as bench_startup
from andante.bench.bare import BARE, Play
from andante.bench.physics import CASES, Case, Unequal, command_table
from andante.bench.rows import Row, run_benchmarks
from andante.cli.main import app
from andante.description import load_robot
from andante.errors import UnknownName
from andante.physics.registry import ENGINES, installed
from andante.simulation.simulation import simulate

HERE = [name for name, entry in ENGINES.items() if installed(entry)]


def test_a_ratio_is_andante_by_baseline() -> None:
    assert Row("a", 3.0, 4.0, "s").ratio == 0.75
    assert math.isnan(Row("a", 3.0, 0.0, "s").ratio)


def test_an_unknown_benchmark_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="physics"):
        run_benchmarks("phisics", 0.2)


def test_physics_has_a_row_per_engine(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_physics, "PERIOD", 0.1)  # ten commands
    rows = bench_physics.run(0.2, True)
    assert capsys.readouterr() == ("", "")
    cases = [row.case for row in rows]
    assert [case for case in cases if case.startswith("nao")] == [f"nao standing ({name})" for name in HERE]
    for row in rows:
        assert row.unit == "x real time"
        assert all(math.isfinite(value) and value > 0 for value in (row.andante, row.baseline, row.ratio))


def test_what_is_left_out_is_told_unless_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = (Case("centaur (mujoco)", "no-such-robot", None, "mujoco"), Case("nao (dart)", "nao", None, "dart"))
    monkeypatch.setattr(bench_physics, "CASES", absent)
    monkeypatch.setattr(bench_physics, "installed", lambda entry: entry.name != "dart")
    assert bench_physics.run(0.2, True) == ()
    assert capsys.readouterr().err == ""
    assert bench_physics.run(0.2, False) == ()
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("left out: centaur (mujoco): ")
    assert "no-such-robot" in first
    assert second == "left out: nao (dart): the package dartpy is not installed"


def test_every_engine_has_a_bare_loop() -> None:
    assert set(BARE) == set(ENGINES)
    assert {case.engine for case in CASES} == set(ENGINES)


@pytest.mark.parametrize("engine", [name for name in HERE if name in ("mujoco", "bullet")])
def test_the_bare_loop_goes_the_same_way_to_the_last_bit(engine: str) -> None:
    ours, bare = simulate("nao", engine=engine), simulate("nao", engine=engine)
    targets = command_table(ours.robot, ours.joints.position)
    bench_physics.play(ours, targets)
    BARE[engine](bare.engine, bare.model, 5)(targets)
    bench_physics.read_anew(bare)
    np.testing.assert_array_equal(ours.joints.position, bare.joints.position)
    assert np.abs(ours.joints.position - targets[0]).max() > 1e-4
    ours.close()
    bare.close()


def test_sides_that_part_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def lazy(engine: object, model: int, steps: int) -> Play:
        return lambda targets: None

    monkeypatch.setitem(BARE, "mujoco", lazy)
    monkeypatch.setattr(bench_physics, "SAME_HEIGHT", 1e-5)
    with pytest.raises(Unequal, match=r"nao standing \(mujoco\): the sides differ"):
        bench_physics.measure(CASES[0], 0.2)


def test_commands_swing_knees_and_arms_about_the_pose() -> None:
    robot = load_robot("nao")
    rest = np.linspace(-0.1, 0.1, len(robot.movable))
    table = command_table(robot, rest)
    assert table.shape == (50, len(rest))
    np.testing.assert_allclose(table.mean(axis=0), rest, atol=1e-12)
    swung = [name for name, size in zip(robot.joint_names, np.ptp(table, axis=0), strict=True) if size > 0]
    assert "LKneePitch" in swung
    assert "RElbowRoll" in swung
    assert "LHipPitch" not in swung
    speeds = np.abs(np.diff(table, axis=0)).max(axis=0) / bench_physics.DT
    assert all(speed < joint.limits.velocity for speed, joint in zip(speeds, robot.movable, strict=True))


def test_turns_are_taken_without_the_collector() -> None:
    seen: list[tuple[int, float, bool]] = []
    sides = tuple(lambda part, k=k: seen.append((k, float(part[0]), gc.isenabled())) for k in (0, 1))
    times = bench_physics.take_turns((sides[0], sides[1]), [np.array([0.0]), np.array([1.0])], 2)
    assert [times[0].shape, times[1].shape] == [(2, 2), (2, 2)]
    assert [(k, part) for k, part, _ in seen] == [(0, 0), (1, 0), (1, 1), (0, 1), (1, 0), (0, 0), (0, 1), (1, 1)]
    assert not any(collecting for _, _, collecting in seen)
    assert gc.isenabled()


def test_startup_has_a_row_per_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_startup, "LEAST_RUNS", 1)
    rows = bench_startup.run(0.0, True)
    assert [(row.case, row.baseline, row.unit) for row in rows] == [
        ("import andante", 0.2, "s"),
        ("andante --help", 0.3, "s"),
        ("andante check, 300 links", 1.0, "s"),
    ]
    assert all(0 < row.andante < math.inf for row in rows)


def test_the_centipede_has_as_many_links_as_it_should() -> None:
    root = ET.fromstring(bench_startup.centipede(4, 5))
    assert len(root.findall("link")) == 20
    assert len(root.findall("joint")) == 19


def test_a_command_that_fails_is_told() -> None:
    case = bench_startup.Case("sad", ("-c", "raise SystemExit('it rains')"), 1.0)
    with pytest.raises(bench_startup.Failed, match="sad ended with code 1: it rains"):
        bench_startup.fastest(case, 0.0)


def test_bench_speaks_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench_startup, "run", lambda seconds, quiet: (Row("a", 1.0, 2.0, "s"),))
    app(["bench", "startup", "--json"], standalone_mode=False)
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row == {"case": "a", "andante": 1.0, "baseline": 2.0, "unit": "s", "ratio": 0.5}
