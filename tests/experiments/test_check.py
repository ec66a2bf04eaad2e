"""The check of users' trials, and changes of their files that are told."""

from dataclasses import replace

import pytest

from andante.experiments import RunJob, check_trial, load_experiment, run_experiment
from andante.search import Evaluated

OWN = """
import itertools
COUNT = itertools.count()

def good(setup):
    return {"x": setup.seed % 7, "path": [[0.0, 1.0, 2.0]]}

def moody(setup):
    return {"x": next(COUNT)}

def endless(setup):
    return {"x": float("inf")}

def bent(setup):
    return {"x": 1.0, "path": [[0.0, 1.0]]}

def broken(setup):
    raise RuntimeError("no luck")
"""
FILE = """
name = "own"
trial = "own.py:good"
trials = 2
[factors]
a = [1, 2]
[measures]
x = {}
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "own.toml").write_text(FILE)
    return load_experiment(str(tmp_path / "own.toml"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("moody", "the same seed gives other values the second time: x"),
        ("endless", "measure x is not a finite number"),
        ("bent", "the path should have rows of t, x, y"),
        ("broken", "the trial fails: RuntimeError: no luck"),
    ],
)
def test_what_is_wrong_is_said(own, name, words):
    assert check_trial(own) == []
    (problem,) = check_trial(replace(own, trial=own.trial.replace("good", name)))
    assert problem.startswith(words)


def stop(event):
    if isinstance(event, Evaluated):
        raise KeyboardInterrupt


def test_a_changed_file_is_told_when_a_run_goes_on(own, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_experiment(RunJob(own, tmp_path / "run", workers=0), listen=stop)
    (tmp_path / "own.py").write_text(OWN + "# changed")
    whole = run_experiment(RunJob(own, tmp_path / "run", workers=0))
    assert (whole.trials, whole.evaluated) == (4, 3)
    assert "own.py" in " ".join(whole.notices)
