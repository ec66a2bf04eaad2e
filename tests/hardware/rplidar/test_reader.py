"""An RPLIDAR over a pseudo terminal: scans, an old one, rubbish, a motor that stands, a cable that is pulled."""

import math
import time

import numpy as np
import pytest
from tests.hardware.serial.lines import PtyCable, needs_pty, wait_until

from andante.errors import BadInput
from andante.hardware.open import make_body, open_lidar
from andante.hardware.rplidar import Reading, RpLidar, scan_of_turn

from .lidar_stand_in import StandIn

pytestmark = needs_pty


def wall(angle):
    """A wall 2 m ahead across the way, open elsewhere."""
    a = math.radians(angle)
    return 2.0 / math.cos(a) if math.cos(a) > 0.5 else 0.0


@pytest.fixture
def cable(tmp_path):
    cable = PtyCable(tmp_path)
    yield cable
    cable.pull()


@pytest.mark.parametrize("express", [True, False])
def test_its_scans_show_what_is_there(cable, express):
    lidar, said = StandIn(cable.master, express, wall), []
    with RpLidar(cable.path, say=said.append) as reader:
        reader.connect(30.0)
        scan = reader.scans(-math.inf)[-1]
        points = scan.points()
        assert len(points) > 90
        assert np.abs(points[:, 0] - 2.0).max() < 0.05
        assert points[:, 1].min() < -3.0
        assert points[:, 1].max() > 3.0
        assert 0x52 in lidar.asked
        assert "A2" in said[-1]
    lidar.close()


def test_left_and_right_are_not_swapped():
    turn = [Reading(k, 1.0 if k == 90 else 0.0) for k in range(360)]  # clockwise: to the right
    (point,) = scan_of_turn(turn, 0.0, 0.1).points()
    assert point == pytest.approx([0.0, -1.0], abs=0.02)


def test_rubbish_and_a_standing_motor_are_told_and_overcome(cable):
    lidar, said = StandIn(cable.master, True, wall), []
    with RpLidar(cable.path, say=said.append) as reader:
        reader.connect(30.0)
        lidar.rubbish = bytes(range(256))
        assert wait_until(lambda: len(reader.scans(-math.inf)) > 3, 30.0)
        lidar.turns = False
        assert wait_until(lambda: "tells nothing" in said[-1], 30.0)
        assert reader.trouble != ""
        newest = reader.scans(-math.inf)[-1].time
        lidar.turns = True
        assert wait_until(lambda: bool(reader.scans(newest)) and reader.trouble == "", 30.0)
    lidar.close()


def test_rubbish_in_which_the_plain_scan_is_lost_is_overcome(cable):
    """A lidar that stood is asked for both kinds of scan by turns; samples of 5 bytes are found in any rubbish."""
    lidar, rng = StandIn(cable.master, True, wall), np.random.default_rng(0)
    with RpLidar(cable.path) as reader:
        reader.connect(30.0)
        lidar.turns = False
        assert wait_until(lambda: lidar.asked[-1] == 0x20, 30.0)
        lidar.rubbish, lidar.turns = rng.bytes(200), True
        newest = time.monotonic()
        assert wait_until(lambda: len(reader.scans(newest)) > 3, 30.0)
        assert lidar.asked[-1] == 0x82
    lidar.close()


def test_what_is_no_lidar_is_refused_in_words(cable, tmp_path):
    with RpLidar(cable.path) as reader, pytest.raises(BadInput, match=r"no scan of an RPLIDAR at .*it tells nothing"):
        reader.connect(4.0)
    with RpLidar(str(tmp_path / "none")) as reader, pytest.raises(BadInput, match="cannot be opened"):
        reader.connect(0.5)


def test_addresses():
    for address in ("hokuyo:/dev/tty", "rplidar:", "rplidar"):
        with pytest.raises(BadInput, match="rplidar:PORT"):
            open_lidar(address)
    with pytest.raises(BadInput, match="tells its own readings"):
        make_body("ws://localhost:1", None, {"lidar": "rplidar:/dev/null"})
