"""`andante experiment`: JSON by the contract, runs that go on, one-line errors."""

import json
from pathlib import Path

import pytest

from andante.experiments.report import write

TOYS = Path(__file__).parents[1] / "experiments" / "toys.py"
TOY = f"{TOYS}:TOY"


@pytest.fixture(autouse=True)
def _own_references(tmp_path, monkeypatch):
    monkeypatch.setenv("ANDANTE_REFERENCES", str(tmp_path / "references"))
    monkeypatch.setattr(write, "all_figures", lambda analysis: {})  # they take time and are tested elsewhere


def told(result):
    code, out, err = result
    assert (code, err) == (0, "")
    return json.loads(out)


def test_list(andante):
    listed = told(andante("experiment", "list", "--json"))
    assert {"straight-walk", "turn-in-place", "engine-parity"} <= {each["name"] for each in listed["experiments"]}
    assert "nao-straight-walk" in listed["references"]
    code, out, _ = andante("experiment", "list")
    assert code == 0
    assert "rover-trials" in out


def test_run_report_and_merge(andante, tmp_path):
    words = ("experiment", "run", TOY, "--engines", "mujoco", "--trials", 3, "--workers", 0, "--json")
    first = told(andante(*words, "--out", tmp_path / "a", "--shard", "0/2"))
    second = told(andante(*words, "--out", tmp_path / "b", "--shard", "1/2"))
    assert first["trials"] + second["trials"] == 12
    assert first["complete"]
    merged = told(andante("experiment", "merge", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "all", "--json"))
    assert (merged["trials"], merged["wanted"], merged["failed"]) == (12, 12, 0)
    again = told(andante("experiment", "merge", tmp_path / "all2", tmp_path / "a", tmp_path / "b", "--json"))
    assert again["trials"] == 12
    made = told(andante("experiment", "report", tmp_path / "all", "--json"))
    assert Path(made["report"]).exists()
    assert len(made["verdict"]) == 3
    code, out, _ = andante("experiment", "report", tmp_path / "all")
    assert code == 0
    assert "12 trials on MuJoCo" in out
    code, out, _ = andante("experiment", "run", TOY, "--engines", "mujoco", "--trials", 3, "--workers", 0, "--out",
                           tmp_path / "c")  # fmt: skip
    assert code == 0
    assert "12 of 12 trials" in out


def test_import_and_fit(andante, tmp_path):
    lines = [
        f"{pace},{way},{1.2 * way + 0.01 * k}" for pace in ("slow", "fast") for way in (1.0, 2.0) for k in (-1, 0, 1)
    ]
    (tmp_path / "real.csv").write_text("pace,way,x\n" + "\n".join(lines) + "\n")
    kept = told(andante("experiment", "import", tmp_path / "real.csv", "--as", "mine", "--experiment", TOY, "--json"))
    assert (kept["trials"], kept["sources"]) == (12, ["real"])
    words = ("experiment", "fit", TOY, "--engine", "mujoco", "--reference", "mine", "--budget", 32, "--workers", 0)
    found = told(andante(*words, "--hold-out", "pace=slow way=1", "--out", tmp_path / "fit", "--json"))
    assert found["held_out_tests"] == ["pace=slow way=1"]
    assert found["held_out"][0]["error"] < found["before"][0]["error"]
    model = tmp_path / "fit" / "model.toml"
    ran = told(andante("experiment", "run", TOY, "--engines", "mujoco", "--workers", 0, "--model", model, "--out",
                       tmp_path / "run", "--json"))  # fmt: skip
    assert ran["failed"] == 0
    code, out, _ = andante(*words, "--hold-out", "pace=slow way=1", "--out", tmp_path / "fit")
    assert code == 0
    assert "left out, before" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "nothing", "--out", "x"), "no experiment 'nothing'; choices: engine-parity"),
        (("run", TOY, "--out", "x", "--engines", "foo"), "no engine 'foo'"),
        (("run", TOY, "--out", "x", "--trials", "0"), "trials: a whole number from 1"),
        (("run", TOY, "--out", "x", "--shard", "2/2"), "a shard is i/n"),
        (("run", TOY, "--out", "x", "--executor", "moon"), "no executor 'moon'"),
        (("run", TOY, "--out", "x", "--model", "gone.toml"), "gone.toml: "),
        (("run", TOY), "Missing option '-o' / '--out'"),
        (("report", "gone"), "gone: no experiment was run there"),
        (("merge", "gone"), "name the folders of the shards"),
        (("merge", ".", "gone"), "exists already; name a new folder with --out"),
        (("import", "gone.csv", "--as", "a", "--experiment", TOY), "gone.csv: no such file"),
        (("fit", TOY, "--out", "x"), "has no reference; name one with `reference`"),
        (("fit", "straight-walk", "--out", "x", "--hold-out", "Q"), "no test 'Q'"),
    ],
)
def test_bad_input_is_one_line(andante, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = andante("experiment", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "x").exists()
