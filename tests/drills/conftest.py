"""The drills of benchmarks/ as modules."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """Runs cases in this process; the command tree is given back afterwards."""
    from hardening.runner import Runner

    from andante.cli import main as cli

    app = cli.app
    yield Runner(tmp_path_factory.mktemp("fuzz") / "w0")
    cli.app = app
