"""Zones as a file beside a map."""

from pathlib import Path

import pytest

from andante.errors import AndanteError
from andante.mobile.zone_files import read_zones, zones_beside, zones_text

TEXT = """
[[keep_out]]
name = "stairs"
outline = [[1.0, 2.0], [2.0, 2.0], [2.0, 3.0]]
[[slow]]
outline = [[3, 0], [5, 0], [5, 2], [3, 2]]
speed = 0.15
"""


def test_zones_are_read_and_written_alike(tmp_path: Path) -> None:
    (tmp_path / "hall.zones.toml").write_text(TEXT)
    zones = zones_beside(tmp_path / "hall.yaml")
    assert [(zone.kind, zone.name) for zone in zones] == [("keep_out", "stairs"), ("slow", "slow_1")]
    assert zones_beside(tmp_path / "hall") == zones
    assert zones[1].speed == 0.15
    assert repr(read_zones(zones_text(zones))) == repr(zones)
    assert zones_beside(tmp_path / "other.yaml") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[closed]]\noutline = []", "kind of zone"),
        ("[[keep_out]]\noutline = [[0, 0], [1, 1]]", "three corners"),
        ("[[keep_out]]\noutline = 3", "outline is"),
        ("[[slow]]\noutline = [[0, 0], [1, 0], [1, 1]]", "speed > 0"),
        ("[[keep_out]]\nspeed = 1", "speed"),
        ("[keep_out]\nx = 1", "sections"),
        ("[[keep_out", "TOML"),
    ],
)
def test_rubbish_is_told_with_its_place(text: str, words: str) -> None:
    with pytest.raises(AndanteError, match=r"a\.zones\.toml") as told:
        read_zones(text, "a.zones.toml")
    assert words in str(told.value)
