"""A picture is also shown where the command was typed, when that is a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from pathlib import Path


def test_a_terminal_shows_the_picture(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    seen: list[bytes] = []

    def read() -> None:
        try:
            while part := os.read(ours, 65536):
                seen.append(part)
        except OSError:  # the last to write has closed the terminal
            pass

    reader = threading.Thread(target=read)
    reader.start()
    words = ["sim", "waffle", "--seconds", "0.05", "--picture", str(tmp_path / "waffle.png")]
    done = subprocess.run(
        [sys.executable, "-m", "andante", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "60", "TERM": "xterm-256color", "COLORTERM": "truecolor"},
        timeout=120,
    )
    os.close(theirs)
    reader.join(30)
    os.close(ours)
    assert done.returncode == 0
    rows = [line for line in b"".join(seen).decode().splitlines() if "▀" in line]
    assert {row.count("▀") for row in rows} == {60}
    assert len(rows) > 10
    assert len({part for row in rows for part in row.split("\x1b[")}) > 20  # colours of a picture, not of one plane
