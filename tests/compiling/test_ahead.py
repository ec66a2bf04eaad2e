"""Kernels are compiled by a helper before a live loop begins, once, where the installation brings none that serve."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from andante.compiling import ahead, cache, place, store
from andante.compiling.ahead import LAZILY, WORDS, compile_ahead
from andante.stages import present


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine that the store does not serve, with a cache of its own; a helper stands in for the compiler."""
    monkeypatch.delenv(LAZILY)
    monkeypatch.setenv(place.CHOSEN, str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "serves", lambda: False)
    monkeypatch.setattr(store, "sources", lambda: "these sources")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_it_is_done_once_for_sources_and_versions(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "standin.py").write_text(f"import os; print('a part'); print(); print(os.environ['{LAZILY}'])")
    assert compile_ahead(["standin"])
    assert not compile_ahead(["standin"])
    monkeypatch.setattr(store, "versions", lambda: "another numba")
    assert compile_ahead(["standin"])
    monkeypatch.setattr(store, "sources", lambda: "other sources")
    assert compile_ahead(["standin"])


def test_a_helper_that_fails_is_run_again_next_time(elsewhere: Path) -> None:
    (elsewhere / "standin.py").write_text("raise SystemExit(3)")
    assert compile_ahead(["standin"])
    assert compile_ahead(["standin"])


def test_each_part_is_told_as_a_stage(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Spoken:
        def __init__(self, *words: str, **options: object) -> None:
            self.lines = iter([b"engine ode: compiled\n", b""])
            self.said = self

        def get(self) -> bytes:
            seen.append(present())
            return next(self.lines)

        def end(self, ask: bool) -> int:
            assert not ask
            return 0

    monkeypatch.setattr(ahead, "Child", Spoken)
    assert compile_ahead()
    assert seen == [f"{WORDS}: starting", f"{WORDS}: engine ode: compiled"]


def test_nothing_is_done_where_the_store_serves(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "serves", lambda: True)
    assert not compile_ahead([sys.executable, "-c", "never run"])
