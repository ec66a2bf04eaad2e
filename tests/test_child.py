"""Modules of Andante in processes of their own."""

import sys
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
