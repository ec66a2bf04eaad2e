"""A study that was killed goes on where it was: finished runs stay, a line that was cut off is made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

JOBS = [{"seed": n} for n in range(4)]


def journal(file: Path, code: str = "a") -> Any:
    from journal import Journal

    return Journal(file, code)


def run(file: Path, code: str = "a", stop: int = 99) -> tuple[list[int], Any]:
    """Seeds that were worked on, and what came of all."""
    worked: list[int] = []

    def work(job: dict[str, int]) -> dict[str, int]:
        if len(worked) == stop:
            raise KeyboardInterrupt
        worked.append(job["seed"])
        return {"square": job["seed"] ** 2}

    told: list[tuple[int, int]] = []
    try:
        done = journal(file, code).carry_out(work, JOBS, 1, lambda n, of, job, row: told.append((n, of)))
    except KeyboardInterrupt:
        return worked, None
    assert told == [(len(JOBS) - len(worked) + n + 1, len(JOBS)) for n in range(len(worked))]
    return worked, done


def test_a_study_goes_on_after_a_stop_and_does_nothing_twice(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "runs.jsonl"
    assert run(file, stop=2) == ([0, 1], None)
    whole = [(job, {"square": job["seed"] ** 2}) for job in JOBS]
    assert run(file) == ([2, 3], whole)
    assert run(file) == ([], whole)


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_line_that_was_cut_off_is_made_again(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "runs.jsonl"
    run(file)
    file.write_bytes(file.read_bytes()[:-cut])
    worked, done = run(file)
    assert worked == ([3] if cut > 1 else [])
    assert [row["square"] for _, row in done] == [0, 1, 4, 9]
    assert run(file)[0] == []


def test_runs_of_other_code_are_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    run(file, "a")
    assert run(file, "b")[0] == [0, 1, 2, 3]
    assert run(file, "a")[0] == []
