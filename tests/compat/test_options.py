"""Every command and option of 0.1.0 is still taken."""

from pathlib import Path

import pytest
import typer.main

from andante.cli.main import app

ROWS = [line.split("\t") for line in (Path(__file__).parent / "files" / "options.tsv").read_text().splitlines()]


@pytest.mark.parametrize(("command", "options"), [(row[0], row[1:]) for row in ROWS], ids=lambda value: str(value)[:20])
def test_the_options_of_a_command_are_still_taken(command, options):
    found = typer.main.get_command(app)
    for word in command.split():
        assert word in found.commands, f"{command} is gone"
        found = found.commands[word]
    taken = {name for parameter in found.params for name in (*parameter.opts, *parameter.secondary_opts)}
    assert not set(options) - taken
