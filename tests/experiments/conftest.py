"""The toy experiment, and references in a folder of their own."""

from pathlib import Path

import pytest

from andante.experiments import load_experiment

TOYS = Path(__file__).parent / "toys.py"


@pytest.fixture
def toys():
    return TOYS


@pytest.fixture
def toy():
    return load_experiment(f"{TOYS}:TOY")


@pytest.fixture(autouse=True)
def _own_references(tmp_path, monkeypatch):
    monkeypatch.setenv("ANDANTE_REFERENCES", str(tmp_path / "references"))
