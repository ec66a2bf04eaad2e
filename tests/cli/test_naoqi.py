"""`andante naoqi run` and `andante bridge naoqi`: what they refuse, and a program with all that is told of it."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from andante.cli.main import app
from andante.errors import AndanteError

PROGRAM = """
import sys
from naoqi import ALProxy
motion = ALProxy("ALMotion", sys.argv[1], 9559)
motion.moveTo(0.1, 0, 0)
motion.setMotionProfile(1)
ALProxy("ALTextToSpeech", sys.argv[1], 9559).say("there")
print 7 / 2
sys.exit(3)
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["naoqi", "run", "nothing.py"], "nothing.py: no such program"),
        (["naoqi", "run", "FILE", "--seconds", "-1"], "seconds should be a number above 0"),
        (["naoqi", "run", "FILE", "--pace", "0"], "pace should be a number above 0"),
        (["naoqi", "run", "FILE", "--port", "99999"], "port 99999"),
        (["bridge", "naoqi", "8000", "--port", "0"], "port 0 is not from 1 to 65535"),
        (["bridge", "naoqi", "8000", "--host", "a b"], "host 'a b'"),
    ],
)
def test_bad_command_lines(tmp_path, words, told):
    file = tmp_path / "program.py"
    file.write_text("pass")
    outcome = CliRunner().invoke(app, [str(file) if word == "FILE" else word for word in words])
    assert isinstance(outcome.exception, AndanteError)
    assert told in str(outcome.exception)


@pytest.mark.drill
def test_a_program_of_python_2_with_what_is_told_of_it(tmp_path):
    """Session, server, bridge and program, each a process: ten seconds."""
    file = tmp_path / "old.py"
    file.write_text(PROGRAM)
    words = [sys.executable, "-m", "andante", "naoqi", "run", str(file), "192.168.1.5", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["exit"] == 3
    assert told["distance"] == pytest.approx(0.1, abs=0.03)
    assert not told["fallen"]
    assert told["calls"] == {"ALMotion.moveTo": 1, "ALMotion.setMotionProfile": 1, "ALTextToSpeech.say": 1}
    assert told["stubs"] == {"ALMotion.setMotionProfile": 1}
    assert told["said"] == ["there"]
    assert not told["interrupted"]


@pytest.mark.drill
def test_a_program_without_end_is_interrupted(tmp_path):
    """As above."""
    file = tmp_path / "loop.py"
    file.write_text("import time\nwhile True:\n    time.sleep(0.1)\n")
    words = [sys.executable, "-m", "andante", "naoqi", "run", str(file), "--seconds", "1", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=180, check=False)
    told = json.loads(done.stdout)
    assert told["interrupted"]
    assert told["exit"] == 130
