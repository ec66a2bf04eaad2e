"""What a plain `pip install andante` brings is enough for its commands; those that need an extra name it first."""

import subprocess
import sys

import pytest

LEAN = """
import sys
from andante.extras import EXTRAS

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {*EXTRAS, "mcap", "zstandard"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from andante.cli.main import main
sys.argv = ["andante", *sys.argv[1:]]
main()
"""


def lean(folder, *words):
    """A command where no extra is installed."""
    return subprocess.run(
        [sys.executable, "-c", LEAN, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def test_drives_are_recorded_and_read_again_without_any_extra(tmp_path):
    drive = ("navigate", "waffle", "--world", "lab", "--goal", "0.4 0 0", "--record", "way.mcap")
    done = lean(tmp_path, *drive)
    assert done.returncode == 0, done.stderr
    assert "arrived" in done.stdout
    told = lean(tmp_path, "bag", "info", "way.mcap")
    assert "/scan" in told.stdout, told.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("sim", "nao", "--engine", "bullet"), "bullet"),
        (("bridge", "ros2", "ws://127.0.0.1:9"), "ros2"),
        (("bridge", "foxglove", "ws://127.0.0.1:9"), "foxglove"),
        (("bridge", "naoqi", "ws://127.0.0.1:9"), "naoqi"),
    ],
)
def test_a_command_that_needs_an_extra_names_it_first(tmp_path, words, extra):
    done = lean(tmp_path, *words)
    assert done.returncode == 2
    assert f"pip install 'andante[{extra}]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
