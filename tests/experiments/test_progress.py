"""The line of a run: words on a terminal, silence elsewhere."""

import io
import math
from pathlib import Path

from andante.experiments.runner import trial_line, words
from andante.search import Evaluated, Notice, Record, Started


def event(rate, left, error=""):
    record = Record(0, 0, {}, None if error else 1.0, {}, error)
    return Evaluated(record, 3, 10, rate, left, None, False)


def test_words():
    assert words(event(2.0, 75.0), 0) == "2.0 a second, 1:15 left"
    assert words(event(0.05, 4000.0), 2) == "3.0 a minute, 1:06:40 left, 2 failed"
    assert words(event(math.nan, math.nan), 0) == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_the_line_and_nobody_else(monkeypatch):
    heard = (Started(Path(), 2, 10, 1, None), event(2.0, 4.0, "bad"), Notice("versions changed"))
    for stream, wanted, shown in ((Terminal(), True, True), (Terminal(), False, False), (io.StringIO(), True, False)):
        monkeypatch.setattr("sys.stderr", stream)
        with trial_line("walk", wanted) as listen:
            for each in heard:
                listen(each)
        assert ("versions changed" in stream.getvalue()) is shown
        assert ("walk" in stream.getvalue()) is shown
