"""A disk that takes no more: recordings say which file ended early, and none that holds nothing is left behind.

A limit on the size of files stands in for the full disk: the system refuses to write beyond it.
"""

import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource", reason="limits of the size of files are those of POSIX")

KINDS = ("mcap", "bag", "csv")


def recorded(folder: Path, kind: str, most: int | None) -> tuple[int, str]:
    """Code and words of a run that is recorded, where files hold so many bytes at most."""

    def limit() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    words = ["sim", "waffle", "--seconds", "0.2", "--record", f"run.{kind}", "--json"]
    ran = subprocess.run(
        [sys.executable, "-m", "andante", *words], cwd=folder, capture_output=True, text=True, preexec_fn=limit,
        check=False,
    )  # fmt: skip
    return ran.returncode, ran.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_a_recording_whose_end_is_not_taken_says_so(tmp_path: Path, kind: str) -> None:
    """The last bytes are written when it is closed: that failed without a word, and with exit 0."""
    assert recorded(tmp_path, kind, None) == (0, "")
    path = tmp_path / f"run.{kind}"
    size = path.stat().st_size
    path.unlink()
    assert recorded(tmp_path, kind, size - 64) == (
        2, f"andante: the recording ended early: run.{kind}: File too large\n",
    )  # fmt: skip
    assert 0 < path.stat().st_size < size


@pytest.mark.parametrize("kind", ["mcap", "bag"])
def test_a_recording_that_cannot_begin_leaves_nothing(tmp_path: Path, kind: str) -> None:
    code, said = recorded(tmp_path, kind, 0)
    assert (code, said) == (2, f"andante: run.{kind}: File too large\n")
    assert not list(tmp_path.iterdir())
