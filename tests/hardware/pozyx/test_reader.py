"""Pozyx tags over pseudo terminals: ranges, an anchor that is silent, rubbish, a cable that is pulled, what is none."""

import math

import numpy as np
import pytest
from tests.hardware.serial.lines import PtyCable, needs_pty, wait_until

from andante.errors import BadInput
from andante.hardware.open import open_uwb
from andante.hardware.pozyx import PozyxTags
from andante.localization import UwbSetup

from .pozyx_stand_in import StandIn

pytestmark = needs_pty
ANCHORS = (0x6902, 0x6E7A, 0x6E44, 0x6E6C)
FRONT = {0x6902: 1.0, 0x6E7A: 2.5, 0x6E44: 3.25, 0x6E6C: None}
REAR = {0x6902: 1.5, 0x6E7A: 2.0, 0x6E44: 3.0, 0x6E6C: 4.0}


@pytest.fixture
def cables(tmp_path):
    made = []
    for name in ("front", "rear"):
        (tmp_path / name).mkdir()
        made.append(PtyCable(tmp_path / name))
    yield made
    for cable in made:
        cable.pull()


def test_two_tags_tell_their_ranges(cables):
    stands = [StandIn(cable.master, ranges) for cable, ranges in zip(cables, (FRONT, REAR), strict=True)]
    said = []
    with PozyxTags([cable.path for cable in cables], ANCHORS, said.append) as tags:
        tags.connect(30.0)
        stands[0].rubbish = b"hello\r\n"
        newest = max(each.time for each in tags.ranges(-math.inf))
        assert wait_until(lambda: {each.tag for each in tags.ranges(newest)} == {0, 1}, 30.0)
        told = {each.tag: each.ranges for each in tags.ranges(newest)}
        assert told[0][:3] == pytest.approx([1.0, 2.5, 3.25])
        assert np.isnan(told[0][3])
        assert told[1] == pytest.approx([1.5, 2.0, 3.0, 4.0])
        assert any("3 of 4 anchors answer" in words for words in said)
        stands[1].mute = True
        assert wait_until(lambda: tags.tags[1].trouble == "it does not answer", 30.0)
        stands[1].mute = False
        assert wait_until(lambda: tags.tags[1].trouble == "", 30.0)
    for stand in stands:
        stand.close()


def test_what_is_no_tag_is_refused_in_words(cables, tmp_path):
    stand = StandIn(cables[0].master, FRONT, who=0x11)
    with PozyxTags([cables[0].path], ANCHORS) as tags, pytest.raises(BadInput, match="does not answer as a Pozyx"):
        tags.connect(2.0)
    stand.close()
    with PozyxTags([str(tmp_path / "none")], ANCHORS) as tags, pytest.raises(BadInput, match="cannot be opened"):
        tags.connect(0.5)


def test_addresses():
    setup = UwbSetup({f"0x{n:x}": (float(n % 7), float(n % 5), float(k)) for k, n in enumerate(ANCHORS)})
    for address in ("decawave:/dev/tty", "pozyx:", "pozyx"):
        with pytest.raises(BadInput, match="pozyx:PORT"):
            open_uwb(address, setup)
    with pytest.raises(BadInput, match="2 ports for 1 tags"):
        open_uwb("pozyx:/dev/null,/dev/zero", setup)
    with pytest.raises(BadInput, match="file of anchors"):
        open_uwb("pozyx:/dev/null", None)
    named = UwbSetup({"north": (0.0, 0.0, 0.0), "east": (1.0, 0.0, 0.0), "west": (0.0, 1.0, 0.0)})
    with pytest.raises(BadInput, match="network ids"):
        open_uwb("pozyx:/dev/null", named)
