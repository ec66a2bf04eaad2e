"""The toy experiment, and references in a folder of their own."""

from pathlib import Path

import pytest

from andante.experiments import load_experiment
from andante.experiments.report import write

TOYS = Path(__file__).parent / "toys.py"


@pytest.fixture
def toys():
    return TOYS


@pytest.fixture
def toy():
    return load_experiment(f"{TOYS}:TOY")


@pytest.fixture
def no_figures(monkeypatch):
    """Reports without figures, which take most of their time."""
    monkeypatch.setattr(write, "all_figures", lambda analysis: {})


@pytest.fixture(autouse=True)
def _own_references(tmp_path, monkeypatch):
    monkeypatch.setenv("ANDANTE_REFERENCES", str(tmp_path / "references"))
