"""The kill drill: a real study killed at random moments and resumed has the results of one that never stopped."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from andante.errors import AndanteError
from andante.search import StudyFolder, search, summarize
from andante.search.folder import FolderLock

SCRIPT = Path(__file__).parent / "run_study.py"
BUDGET = 240
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="other signals there")


def start(folder, sampler="random", budget=100_000, workers=2):
    words = [sys.executable, SCRIPT, folder, sampler, budget, workers]
    return subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE, text=True)


def lines_in(folder):
    file = folder / "results.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def wait_for(ready, what):
    end = time.monotonic() + 300.0  # as long as a busy machine may need
    while not ready():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


@pytest.mark.parametrize(("sampler", "wanted"), [("cmaes", 3), ("elites", 3), ("random", 5)])
def test_kill_drill(sampler, wanted, study, tmp_path, sorted_lines):
    folder = tmp_path / "killed"
    dice = random.Random(sampler)
    for _ in range(wanted):
        known = lines_in(folder)
        run = start(folder, sampler, BUDGET)
        aim = known + dice.randint(1, 14)
        wait_for(lambda run=run, aim=aim: lines_in(folder) >= aim or run.poll() is not None, "results")
        time.sleep(dice.random() * 0.05)
        assert run.poll() is None, run.communicate()[1]
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=300)
        assert lines_in(folder) >= aim
        with (folder / "results.jsonl").open("ab") as file:  # as if killed in the midst of a line
            file.write(b'{"crc":"0123'[: dice.randint(0, 12)])
    finishing = start(folder, sampler, BUDGET)
    _, said = finishing.communicate(timeout=300)
    assert finishing.returncode == 0, said
    search(tmp_path / "whole", study(sampler, budget=BUDGET, batch=8), workers=0)
    assert sorted_lines(folder) == sorted_lines(tmp_path / "whole")
    indices = [json.loads(line)["index"] for line in (folder / "results.jsonl").open()]
    assert sorted(indices) == list(range(BUDGET))
    sessions = StudyFolder.open(folder).manifest()["sessions"]
    assert [session["ended"] is None for session in sessions] == [True] * wanted + [False]
    assert summarize(StudyFolder.open(folder)).rate > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_leaves_no_worker_and_a_study_that_goes_on(number, tmp_path):
    folder = tmp_path / "stopped"
    run = start(folder)
    try:
        wait_for(lambda: lines_in(folder) > 10, "results")
        children = subprocess.run(
            ["pgrep", "-P", str(run.pid)], capture_output=True, text=True, check=False
        ).stdout.split()
        assert len(children) == 2
    finally:
        run.send_signal(number)
        run.communicate(timeout=300)
    wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children), "the workers' end")
    FolderLock(folder).release()
    scan = StudyFolder.open(folder).records()
    assert len(list(scan)) > 10
    assert not scan.torn


def test_workers_end_when_their_study_is_killed(tmp_path):
    folder = tmp_path / "killed"
    run = start(folder)
    wait_for(lambda: lines_in(folder) > 4, "results")
    children = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True, check=False).stdout.split()
    run.kill()
    run.communicate(timeout=300)
    assert len(children) == 2
    wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children), "the workers' end")


def test_two_processes_cannot_write_one_study(tmp_path):
    folder = tmp_path / "wanted"
    first = start(folder)
    try:
        wait_for(lambda: lines_in(folder) > 2, "results")
        second = start(folder)
        _, said = second.communicate(timeout=300)
        assert second.returncode != 0
        assert f"is in use by process {first.pid} on" in said
        assert summarize(StudyFolder.open(folder)).candidates > 2  # readers need no lock
        with pytest.raises(AndanteError, match=f"in use by process {first.pid}"):
            StudyFolder.create(folder, StudyFolder.open(folder).config)
    finally:
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=300)
    indices = [record.index for record in StudyFolder.open(folder).records()]
    assert len(set(indices)) == len(indices) > 2
    with pytest.raises(AndanteError, match="holds a study already"):
        StudyFolder.create(folder, StudyFolder.open(folder).config)
