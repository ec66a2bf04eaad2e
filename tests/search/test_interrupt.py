"""Ctrl-C while workers start: none is left running, and nothing but the interruption is told."""

import io
import os
import queue
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from andante.errors import BadInput
from andante.search import StudyFolder, events
from andante.search.executors import local
from andante.search.executors.base import InlineExecutor

STARTS = """
import os, random, signal, subprocess, sys, time
from andante.search import ObjectiveSpec
from andante.search.executors.local import LocalExecutor

rude = subprocess.Popen(
    [sys.executable, "-S", "-c",
     "import os, random, sys, time\\n"
     "for line in sys.stdin:\\n"
     "    time.sleep(random.uniform(0.0, 0.03)); os.killpg(int(sys.argv[1]), 2)", str(os.getpgid(0))],
    stdin=subprocess.PIPE, bufsize=0, start_new_session=True,
)
for _ in range(int(sys.argv[2])):
    pool = None
    try:
        rude.stdin.write(b"now\\n")
        pool = LocalExecutor(ObjectiveSpec(sys.argv[1]), 3)
        time.sleep(30)
    except KeyboardInterrupt:
        print("stopped")
    if pool is not None:
        pool.close()
rude.kill()
"""


@pytest.fixture
def started(monkeypatch):
    """Processes that the executor starts."""
    found = []

    class Noted(subprocess.Popen):
        def __init__(self, *words, **options):
            super().__init__(*words, **options)
            found.append(self)

    monkeypatch.setattr(local.subprocess, "Popen", Noted)
    return found


def interrupted(*_words, **_options):
    raise KeyboardInterrupt


def test_a_worker_is_ended_when_its_start_is_interrupted(started, monkeypatch, spec):
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        local.LocalExecutor(spec(), 2)
    assert len(started) == 1
    assert started[0].poll() is not None
    assert started[0].stdin.closed
    assert started[0].stdout.closed


def test_a_worker_that_has_died_too_does_not_hide_the_interruption(study, tmp_path):
    """Ctrl-C may meet workers that start: then they are dead when the study looks for what is finished."""

    class Broken(InlineExecutor):
        waits = 0

        def wait(self, timeout):
            self.waits += 1
            raise KeyboardInterrupt if self.waits == 1 else BadInput("a worker process could not start (signal 2)")

    folder = StudyFolder.create(tmp_path / "s", study("random"))
    with pytest.raises(KeyboardInterrupt):
        list(events(folder, make=Broken))


@pytest.mark.skipif(os.name == "nt", reason="sends signals to a process group")
def test_ctrl_c_at_many_moments_is_quiet(tmp_path, spec):
    file = tmp_path / "starts.py"
    file.write_text(STARTS)
    words = [sys.executable, str(file), spec().factory, "5"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100, start_new_session=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n" * 5, "")


@pytest.mark.parametrize("said", [None, b'{"ready": true}\nnonsense\n', b'{"ready": true}\n{"fig'])
def test_a_listener_tells_of_every_end(said):
    """Closed before it listens, by an interruption while the thread starts; no answer at all; half an answer."""
    answers = queue.SimpleQueue()
    worker = local._Worker.__new__(local._Worker)
    worker._answers, stdout = answers, io.BytesIO(said or b"")
    if said is None:
        stdout.close()
    worker.process = SimpleNamespace(stdout=stdout)
    worker._listen()
    told = [answers.get_nowait()[1] for _ in range(answers.qsize())]
    assert told == ([None] if said is None else [{"ready": True}, None])
    assert stdout.closed
