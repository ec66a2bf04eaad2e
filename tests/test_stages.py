"""What a command does is told while one waits, once per stage, and not beside a bar that shows itself."""

from __future__ import annotations

import queue
import re
import time

import pytest

from andante import stages
from andante.progress import bar
from andante.stages import QUIET, Teller, present, stage


def test_the_innermost_stage_is_the_present_one_also_after_a_failure() -> None:
    def fail() -> None:
        with stage("inner"):
            assert present() == "inner"
            raise ValueError

    assert present() == QUIET
    with stage("outer"):
        with pytest.raises(ValueError):
            fail()
        assert present() == "outer"
    assert present() == QUIET


def test_stages_are_told_in_turn_and_each_once() -> None:
    lines: queue.Queue[str] = queue.Queue()
    teller = Teller(0.01, lines.put)
    try:
        for words in ("reading", "building", "walking"):
            with stage(words):
                assert re.fullmatch(rf"andante: \d+\.\d s: {words}", lines.get(timeout=120.0))
                time.sleep(0.05)  # it looks again
                with stage(QUIET):  # as a bar
                    time.sleep(0.05)
    finally:
        teller.stop()
    assert lines.empty()


def test_a_bar_is_a_stage_that_shows_itself() -> None:
    with stage("walking"):
        with bar("nao", wanted=True):
            assert present() == QUIET
        with bar("nao", wanted=False):
            assert present() == "walking"
    assert stages._running == []
