"""A session with its NAOqi bridge in processes of their own, and programs that run against it."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCE = Path(__file__).parents[3] / "src"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE), "QI_LOG_LEVEL": "1", "PYTHONUNBUFFERED": "1"}


class Host:
    """The session's process."""

    def __init__(self, world, pace=1.0):
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in the end)
        words = [sys.executable, str(HERE / "host.py"), str(world), str(pace)]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=ENVIRONMENT, text=True
        )
        self.port = self._read()["port"]
        self.url = f"tcp://127.0.0.1:{self.port}"
        self._wait()

    def _read(self):
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            pytest.fail(f"the session ended: {self.errors.read().decode()[-2000:]}")
        return json.loads(line)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self._read()

    @property
    def state(self):
        return self.ask("state")

    def _wait(self):
        end = time.monotonic() + 90
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            self.ask("state")
            time.sleep(0.1)
        pytest.fail("NAOqi does not listen")

    def close(self):
        with contextlib.suppress(OSError):
            self.process.stdin.write("end\n")
            self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()


class Program:
    """A program in a process of its own, as `andante naoqi run` starts it."""

    def __init__(self, host, file, *words, folder=None):
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "andante.bridges.naoqi.script", str(file), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
            env={**ENVIRONMENT, "ANDANTE_NAOQI_URL": host.url},
        )  # fmt: skip
        self.lines = []

    def until(self, word):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if word in line:
                return
        pytest.fail(f"the program ended: {self.process.stderr.read()}")

    def finish(self):
        out, errors = self.process.communicate(timeout=180)
        self.lines += out.splitlines()
        return self.process.returncode, "\n".join(self.lines), errors


_open = []


@pytest.fixture
def host():
    if not _open:
        _open.append(Host(HERE / "ball.sdf"))
    return _open[0]


def pytest_runtest_teardown(item, nextitem):
    """A robot that walks on in real time would take a fifth of a core from all other tests."""
    if _open and (nextitem is None or not nextitem.path.is_relative_to(HERE)):
        _open.pop().close()


@pytest.fixture
def run_program(host, tmp_path):
    return lambda file, *words: Program(host, file, *words, folder=tmp_path)
