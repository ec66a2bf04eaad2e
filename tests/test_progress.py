"""Progress on stderr: a bar on a terminal, lines now and then elsewhere, silence when it is not wanted."""

import io
import math
import sys
from pathlib import Path

import pytest

from andante import progress
from andante.experiments.runner import trial_line
from andante.progress import bar, percent, tracked
from andante.search import Ended, Evaluated, Notice, Record, Started
from andante.search.progress import progress_line


class Clock:
    """Four seconds pass between two looks at it."""

    now = 0.0

    def monotonic(self):
        self.now += 4.0
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Closed(io.StringIO):
    def write(self, text):
        raise BrokenPipeError(32, "Broken pipe")


@pytest.fixture
def written(monkeypatch, capsys):
    """What has come on stderr since the last look, with a clock that runs fast."""
    monkeypatch.setattr(progress, "time", Clock())
    return lambda: capsys.readouterr().err


def test_a_pipe_gets_a_line_every_ten_seconds(written):
    assert list(tracked(range(10), "nao on mujoco", True)) == list(range(10))
    assert written().splitlines() == [f"andante: nao on mujoco: {percent} %" for percent in (20, 50, 80)]


def test_nothing_unless_it_is_wanted(written):
    assert list(tracked(range(10), "nao on mujoco", False)) == list(range(10))
    assert written() == ""


def test_a_job_that_is_done_soon_says_nothing(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(tracked(range(100), "nao on mujoco", True)) == list(range(100))
    assert stream.getvalue() == ""


@pytest.mark.parametrize("stream", [None, Closed()])
def test_a_stream_that_nobody_reads_stops_no_job(written, monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(tracked(range(10), "nao on mujoco", True)) == list(range(10))


def test_words_take_the_place_of_the_label(written):
    with bar("looking around", True, every=1.0) as report:
        report(3, 12, "to the left\nof it")
        report(6, 12, "")
    assert written() == "andante: to the left of it: 25 %\nandante: looking around: 50 %\n"


def test_a_terminal_gets_a_bar(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with bar("tracking", True) as report:
        report(30, 60, "")
    assert "tracking" in screen.getvalue()
    assert "50%" in screen.getvalue()
    assert "andante:" not in screen.getvalue()


def test_fractions():
    assert percent("a", 199, 200) == "a: 99 %"
    assert percent("a", 3, 2) == "a: 100 %"
    assert percent("a", 0, 0) == "a"


def results(*errors):
    """The events of a study whose best is its first candidate."""
    best = Record(0, 0, {}, 0.31, {}, "")
    yield Started(Path(), 0, 400, 1, None)
    yield Notice("told at the end")
    for k, error in enumerate(errors):
        record = Record(k, 0, {}, None if error else 0.5, {}, error)
        yield Evaluated(record, k + 1, 400, math.nan if k == 0 else 2.0, math.nan if k == 0 else 75.0, best, False)
    yield Ended(len(errors), len(errors), 1.0, 2.0, best)


def test_a_study_tells_how_far_it_is(written):
    with progress_line(True) as listen:
        for event in results("", "", "", ""):
            listen(event)
    assert written() == "andante: searched 3 of 400, 2.0/s, 1:15 left, best 0.31 (candidate 0)\n"


def test_an_experiment_tells_how_far_it_is(written):
    with trial_line("turns", True) as listen:
        for event in results("bad", "", ""):
            listen(event)
    assert written() == "andante: turns: 3 of 400 trials, 2.0 a second, 1:15 left, 1 failed\n"


@pytest.mark.parametrize("line", [progress_line, lambda wanted: trial_line("turns", wanted)])
def test_studies_and_experiments_are_silent_unless_wanted(written, line):
    with line(False) as listen:
        for event in results(*[""] * 20):
            listen(event)
    assert written() == ""
