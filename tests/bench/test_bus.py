"""`andante bench bus`: sound rows, and both sides do the same work. No times are judged."""

from __future__ import annotations

import math

import pytest

from andante.bags import messages
from andante.bench import bus as bench_bus


def test_rows_are_sound_and_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = bench_bus.run(0.0, True)
    assert capsys.readouterr() == ("", "")
    assert len(rows) == 7
    for row in rows:
        assert row.unit == "us"
        assert all(math.isfinite(value) and value > 0 for value in (row.andante, row.baseline, row.ratio))


@pytest.mark.parametrize("message", [bench_bus.joint_state(), bench_bus.frames()], ids=["joints", "frames"])
def test_both_sides_pack_the_same_bytes(message: object) -> None:
    ours, theirs = bench_bus.packed(message)
    assert bytes(ours()) == bytes(theirs())  # type: ignore[call-overload]
    ours, theirs = bench_bus.ros1(message)
    assert bytes(ours()) == bytes(theirs())  # type: ignore[call-overload]
    assert messages.from_cdr(messages.type_of(message), messages.to_cdr(message)) is not None
