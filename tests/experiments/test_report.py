"""Reports: numbers, words, figures and files of a run beside a reference."""

import csv
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from andante.errors import BadInput
from andante.experiments import RunJob, Values, load_experiment, rows_of, run_experiment
from andante.experiments.report import Analysis, verdict, write_report
from andante.experiments.report.figures import all_figures, color_of
from andante.experiments.report.tables import Table, all_tables, shown

REFERENCE = "source,pace,way,x,planar\n" + "".join(
    f"{source},{pace},{way},{gain * way + 0.01 * k},{gain * way + 0.01 * k}\n"
    for source, gain in (("real", 1.0), ("old_sim", 0.5))
    for pace in ("slow", "fast")
    for way in (1.0, 2.0)
    for k in range(-2, 3)
)


@pytest.fixture
def run(toy, tmp_path):
    run_experiment(RunJob(toy, tmp_path / "run", workers=0))
    (tmp_path / "real.csv").write_text(REFERENCE)
    return tmp_path / "run"


@pytest.fixture
def analysis(toy, run, tmp_path):
    from andante.experiments.reference import read_reference

    reference = Values.of(toy, read_reference(str(tmp_path / "real.csv"), toy))
    return Analysis(toy, Values.of(toy, rows_of(run, toy)), reference)


def test_standings_are_the_error_formula(analysis):
    found = {(s.source, s.measure): s for s in analysis.standings}
    assert set(found) == {(s, m) for s in ("old_sim", "mujoco", "bullet") for m in ("x", "planar")}
    assert found["old_sim", "x"].error == pytest.approx(0.5)
    assert found["bullet", "x"].error == pytest.approx(0.2, abs=0.02)
    assert found["mujoco", "x"].error < 0.02
    assert (found["mujoco", "x"].inside, found["old_sim", "x"].inside) == (4, 0)
    assert all(each.equivalent for each in found["mujoco", "x"].equivalent.values())
    assert not any(each.equivalent for each in found["bullet", "x"].equivalent.values())


def test_pairs_are_corrected_per_measure(analysis):
    pairs = [pair for pair in analysis.pairs if pair.measure == "x"]
    assert {(p.a, p.b) for p in pairs} == {("mujoco", "bullet"), ("mujoco", "real"), ("bullet", "real")}
    assert all(p.p >= p.comparison.welch for p in pairs)
    assert all(p.p < 0.05 for p in pairs if p.a == "mujoco" and p.b == "bullet")


def test_effects_and_trials_wanted(analysis):
    fractions = {each.factor: each.fraction for each in analysis.factor_effects("mujoco", "x")}
    assert fractions["way"] > 0.99 > 0.01 > fractions["pace"]
    deviation, wanted = analysis.trials_wanted("mujoco", "x")
    assert 0.003 < deviation < 0.03
    assert 2 <= wanted <= 12
    assert analysis.falls("mujoco")[1] == 20


def test_millions_of_trials_are_asked_of_nobody(toy, run):
    """Nothing commanded and a mean near zero: no interval is a small fraction of that mean."""
    plain = replace(toy, measures={"x": replace(toy.measures["x"], commanded="")})
    drifts = (1.0, -1.0, 1.0, -1.0, 1e-4)
    rows = [replace(row, measures={"x": drifts[row.trial]}) for row in rows_of(run, plain)]
    odd = Analysis(plain, Values.of(plain, rows), Values(plain))
    deviation, wanted = odd.trials_wanted("mujoco", "x")
    assert deviation == pytest.approx(1.0, abs=1e-3)
    assert wanted is None
    table = next(table for table in all_tables(odd) if table.name == "enough")
    assert [row[4:] for row in table.rows] == [("more than 10,000", False)] * 2
    assert '"more than 10,000",False' in table.csv()
    assert "<td>more than 10,000</td>" in table.html()


def test_the_verdict_is_three_sentences(analysis):
    said = verdict(analysis)
    assert all(sentence.endswith(".") for sentence in said)
    assert "20 trials on MuJoCo" in said[0]
    assert re.search(r"is off by 0\.\d % on average and .* on MuJoCo and by \d+\.\d % .* on Bullet\.$", said[1])
    assert "of the others, old_sim 50.0 %" in said[2]
    assert "equal within 5% in 4 of 4 tests" in said[2]


def test_the_verdict_without_reference_or_command(toy, run):
    bare = replace(toy, measures={n: replace(m, commanded="") for n, m in toy.measures.items()})
    values = Values.of(bare, rows_of(run, bare))
    said = verdict(Analysis(bare, values, Values(bare)))
    assert re.search(r"on MuJoCo way explains \d+ % of its variation", said[1])
    assert "Between engines, " in said[2]
    real = [replace(row, source="real") for row in rows_of(run, bare) if row.source == "mujoco"]
    beside = verdict(Analysis(bare, values, Values.of(bare, real), "real"))[2]
    assert re.search(
        r"Beside the real robot, the .* is off by 0 m on MuJoCo \(within the range .* in 4 of 4 tests\)", beside
    )
    one = replace(bare, engines=("mujoco",))
    alone = Values.of(one, (row for row in rows_of(run, bare) if row.source == "mujoco"))
    assert "There is no reference" in verdict(Analysis(one, alone, Values(one)))[2]


def test_files_of_a_report(run, tmp_path):
    made = write_report([run], None, str(tmp_path / "real.csv"))
    folder = run / "report"
    assert made.path == folder / "report.html"
    assert {"trajectories", "planar_by_factor", "x_by_factor", "y_by_factor", "planar_agreement"} <= set(made.figures)
    for name in made.figures:
        assert (folder / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    for name in made.tables:
        rows = list(csv.reader((folder / "tables" / f"{name}.csv").open()))
        assert len({len(row) for row in rows}) == 1
        assert (folder / "tables" / f"{name}.tex").read_text().count(r"\\") == len(rows)
    page = made.path.read_text()
    assert page.count("<img") == len(made.figures)
    assert not re.search(r"(src|href)=['\"]?https?:", page)
    assert "andante experiment run toy --engines mujoco,bullet --trials 5 --seed 3" in page
    assert all(sentence.split(",")[0] in page for sentence in made.verdict)
    assert len(list(csv.reader((folder / "results.csv").open()))) == 41
    assert (folder / "results.parquet").exists()
    told = made.as_dict()
    assert told["commanded"]["mujoco"]["x"]["pace=slow way=1"] < 0.05


@pytest.mark.usefixtures("no_figures")
def test_runs_of_several_folders_and_models(toy, run, tmp_path):
    run_experiment(RunJob(toy, tmp_path / "fitted", workers=0, model={"gain": 0.9}))
    made = write_report([run, tmp_path / "fitted"], tmp_path / "out", str(tmp_path / "real.csv"))
    assert set(made.analysis.engines) == {"mujoco", "bullet", "mujoco fitted", "bullet fitted"}
    assert "--model model.toml" in made.path.read_text()
    quiet = replace(toy, modes={"usual": {}, "quiet": {"wait": 0.0}}, mode="quiet")
    run_experiment(RunJob(quiet, tmp_path / "quiet", workers=0))
    both = write_report([run, tmp_path / "quiet"], tmp_path / "both", str(tmp_path / "real.csv"))
    assert set(both.analysis.engines) == {"mujoco", "bullet", "mujoco, quiet", "bullet, quiet"}
    assert both.analysis.label("mujoco, quiet") == "MuJoCo, quiet"
    assert "--mode quiet" in both.path.read_text()
    alone = write_report([tmp_path / "quiet"], tmp_path / "alone", "none")
    assert set(alone.analysis.engines) == {"mujoco", "bullet"}
    assert "experiment toy, quiet" in alone.path.read_text()
    run_experiment(RunJob(replace(toy, seed=4), tmp_path / "again", workers=0))
    with pytest.raises(BadInput, match="both hold trial"):
        write_report([run, tmp_path / "again"], tmp_path / "bad")
    other = replace(toy, factors={"pace": ("slow", "fast"), "way": (1.0,)})
    run_experiment(RunJob(other, tmp_path / "other", workers=0))
    with pytest.raises(BadInput, match="are different experiments"):
        write_report([run, tmp_path / "other"], tmp_path / "bad")
    with pytest.raises(BadInput, match="name the folder of a run"):
        write_report([])


@pytest.mark.usefixtures("no_figures")
def test_failures_are_told(toy, tmp_path):
    bad = replace(toy, arguments={"bad": 1.0}, engines=("mujoco",))
    run_experiment(RunJob(bad, tmp_path / "run", workers=0))
    made = write_report([tmp_path / "run"])
    assert "10 failed" in made.verdict[0]
    rows = list(csv.reader((tmp_path / "run" / "report" / "tables" / "failures.csv").open()))
    assert len(rows) == 11
    assert rows[1][3] == "ValueError: no way of 1"
    empty = replace(toy, trials=1, engines=("mujoco",))
    run_experiment(RunJob(empty, tmp_path / "empty", workers=0, shard="0/9"))
    assert write_report([tmp_path / "empty"]).analysis.engines == ("mujoco",)


def test_colors_are_kept_and_figures_follow_the_values(analysis):
    assert color_of(analysis, "real") == "#111111"
    assert len({color_of(analysis, source) for source in analysis.sources}) == 4
    figures = all_figures(analysis)
    _, figure = figures["x_by_factor"]
    drawn = figure.axes[0].containers
    labels = [container.get_label() for container in drawn]
    assert labels == ["real robot", "old_sim", *(n for n in labels[2:])]
    means = {c.get_label(): c.lines[0].get_ydata() for c in drawn}
    assert means["real robot"] == pytest.approx([1.0, 1.0])
    assert means["old_sim"] == pytest.approx([0.5, 0.5])


def test_turns_are_drawn_over_time_without_jumps(toys, tmp_path):
    from andante.experiments.reference import read_reference

    experiment = load_experiment(f"{toys}:TURNING")
    run_experiment(RunJob(experiment, tmp_path / "run", workers=0))
    (tmp_path / "real.csv").write_text(
        "source,angle,turned\n" + "".join(f"real,{a},{a - 5 * k}\n" for a in (90, 360) for k in (1, 2))
    )
    reference = Values.of(experiment, read_reference(str(tmp_path / "real.csv"), experiment))
    words, figure = all_figures(
        Analysis(experiment, Values.of(experiment, rows_of(tmp_path / "run", experiment)), reference)
    )["trajectories"]
    assert "Heading" in words
    ax = figure.axes[1]
    commanded, *trials = [line.get_ydata() for line in ax.lines]
    assert commanded[0] == 360
    assert len(trials) == 2
    for turned in trials:
        assert np.abs(np.diff(turned)).max() < 30
        assert turned[-1] == pytest.approx(1.02 * 360)
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert (band.ymin, band.ymax) == pytest.approx((350, 355))


def test_tables_as_text():
    table = Table("t", "Title with 5 %", ("a_b", "n"), (("x & y", 1.23456), ("z", math.nan), ("w", None)))
    assert table.csv() == "a_b,n\nx & y,1.23456\nz,\nw,\n"
    assert r"x \& y & 1.235 \\" in table.latex()
    assert r"\caption{Title with 5 \%}" in table.latex()
    assert r"a\_b & n \\" in table.latex()
    assert "<td>x &amp; y</td><td class=n>1.235</td>" in table.html()
    assert [shown(v) for v in (0.0, 1e-5, 12345.6, True, np.bool_(False), 7, "w")] == [
        "0",
        "1e-05",
        "12346",
        "yes",
        "no",
        "7",
        "w",
    ]


def test_long_tables_are_cut_on_the_page_only(analysis):
    long = Table("t", "T", ("n",), tuple((k,) for k in range(1000)))
    assert "600 more rows in tables/t.csv" in long.html()
    assert len(long.csv().splitlines()) == 1001
    assert {table.name for table in all_tables(analysis)} == {
        "agreement", "summary", "comparisons", "effects", "enough", "trials"
    }  # fmt: skip


@pytest.mark.usefixtures("no_figures")
def test_a_run_in_which_all_failed_says_why(toy, tmp_path):
    bad = replace(toy, arguments={"bad": 1.0}, engines=("mujoco",), factors={"pace": ("slow", "fast"), "way": (1.0,)})
    run_experiment(RunJob(bad, tmp_path / "run", workers=0))
    made = write_report([tmp_path / "run"])
    assert made.verdict[1] == "No trial gave a measure; 10 of them ended with: ValueError: no way of 1"
    assert "nothing to compare" in made.verdict[2]


@pytest.mark.usefixtures("no_figures")
def test_a_report_that_fails_leaves_the_older_one(run):
    made = write_report([run])
    before = {path: path.read_bytes() for path in made.path.parent.rglob("*") if path.is_file()}
    manifest = run / "manifest.json"
    sound = json.loads(manifest.read_text())
    manifest.write_text("{}")
    with pytest.raises(BadInput, match="missing or damaged"):
        write_report([run])
    with pytest.raises(BadInput, match="missing or damaged"):
        write_report([run], run.parent / "never")
    assert not (run.parent / "never").exists()
    assert {path: path.read_bytes() for path in made.path.parent.rglob("*") if path.is_file()} == before
    last = sound["sessions"][-1]
    for changed in ({"stamp": {"objective": 3}}, {"stamp": {"objective": {"engines": "x"}}}, {}):
        kept = {name: value for name, value in last.items() if name not in ("stamp", "executor", "workers")}
        manifest.write_text(json.dumps({**sound, "sessions": [kept | changed]}))
        assert write_report([run]).verdict == made.verdict
