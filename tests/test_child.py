"""Modules of Andante in processes of their own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from andante.child import Child

ECHO = """import sys
print("first", flush=True)
print(sys.stdin.readline().strip().upper(), flush=True)
print("a word\\nandante: the last one\\n", file=sys.stderr)
sys.exit(3)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "echoing.py").write_text(ECHO)
    (tmp_path / "sleeping.py").write_text("import time\nprint('up', flush=True)\ntime.sleep(600)\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    return "echoing"


def test_it_is_told_and_heard(module: str) -> None:
    child = Child(module, told=True, heard=True)
    assert child.said.get(timeout=30) == b"first\n"
    assert child.alive
    child.tell("hello\n")
    child.tell("nobody listens any more\n")
    assert [child.said.get(timeout=30), child.said.get(timeout=30)] == [b"HELLO\n", b""]
    assert child.process.wait(30) == 3
    assert not child.alive
    assert child.last_words() == "andante: the last one"
    assert child.end() == 3


@pytest.mark.parametrize("ask", [True, False])
def test_it_is_ended(module: str, ask: bool) -> None:
    child = Child("sleeping", heard=True)
    assert child.said.get(timeout=30) == b"up\n"
    assert child.last_words() == ""
    assert child.end(5.0 if ask else 0.05, ask) != 0
    assert not child.alive


def test_it_runs_where_no_temporary_file_can_be_made(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder for such files that was cleared away must not end a session that starts its server anew."""
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    child = Child(module, told=True, heard=True)
    child.tell("hello\n")
    assert child.process.wait(30) == 3
    assert child.last_words() == "andante: the last one"
    assert child.end() == 3


def test_only_the_end_of_many_words_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import sys\nsys.stderr.write(('x' * 99 + chr(10)) * 5000)\nprint('done', file=sys.stderr)\n"
    (tmp_path / "talking.py").write_text(text)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    child = Child("talking")
    assert child.process.wait(30) == 0  # it was never held up
    assert child.last_words() == "done"
    assert len(child._errors) <= 4000
    child.end()


PARENT = """import sys, time
from andante.child import Child
child = Child("sleeping", heard=True)
child.said.get()
print(child.process.pid, flush=True)
time.sleep(600)
"""


def gone(pid: int, patience: float = 20.0) -> bool:
    """Whether a process ends within some time [s]; one that nobody has waited for counts as ended."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")
def test_it_ends_when_its_parent_is_killed(module: str, tmp_path: Path) -> None:
    """A bridge whose session was killed was alive an hour later, and tried to connect again."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tmp_path)])}
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not gone(pid, 0.2)
        parent.send_signal(signal.SIGKILL)
    assert gone(pid)


def test_one_that_does_not_heed_is_ended_by_force(tmp_path: Path) -> None:
    stubborn = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\n"
    (tmp_path / "stubborn.py").write_text(stubborn + "time.sleep(600)\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tmp_path)])}
    words = [sys.executable, "-c", "from andante import child; child.FAREWELL = 0.1; child.main(['stubborn'])"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.stdin.close()
        assert process.wait(30) == 1
