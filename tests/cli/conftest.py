"""The command line run in this process."""

import sys

import pytest

from andante.cli import main as cli


@pytest.fixture
def andante(capsys, monkeypatch):
    """Runs a command: exit code, stdout, stderr."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["andante", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return run
