"""`map` and `localize` on a lidar at a pseudo terminal, and on what answers nothing."""

import math
import threading
import time

import numpy as np
import pytest
from tests.hardware.rplidar.lidar_stand_in import StandIn
from tests.hardware.serial.lines import PtyCable, needs_pty
from tests.hardware.stand_in import Rover

import andante as an
from andante.errors import BadInput

pytestmark = needs_pty


def room(angle):
    """Distance to the walls of a room of 4 x 3 m around its middle, clockwise [m]."""
    a = math.radians(angle)
    return min(2.0 / max(abs(math.cos(a)), 1e-9), 1.5 / max(abs(math.sin(a)), 1e-9))


@pytest.fixture
def lidar(tmp_path):
    cable = PtyCable(tmp_path)
    cable.stand = StandIn(cable.master, True, room)
    yield cable
    cable.stand.close()
    cable.pull()


def test_a_lidar_is_mapped_and_localized_live(lidar, tmp_path):
    made = an.map_log(f"rplidar:{lidar.path}", tmp_path / "room", seconds=4.0)
    assert made.scans >= 3
    cells = made.grid.point_of(np.argwhere(made.grid.occupied()).astype(float))
    assert np.ptp(cells, axis=0) == pytest.approx([4.0, 3.0], abs=0.2)
    found = an.localize(f"rplidar:{lidar.path}", map=tmp_path / "room.yaml", initial_pose=(0.1, 0.0, 0.0), seconds=2.0)
    assert math.hypot(*found.pose[:2]) < 0.1


def test_a_lidar_that_stops_turning_and_comes_back_is_told(lidar):
    def turns():  # stands from its 3rd to its 5th second
        time.sleep(3.0)
        lidar.stand.turns = False
        time.sleep(2.5)
        lidar.stand.turns = True

    motor = threading.Thread(target=turns)
    motor.start()
    made = an.map_log(f"rplidar:{lidar.path}", seconds=9.0)
    motor.join()
    (told,) = [words for words in made.warnings if "no scan for" in words]
    assert "turn" in told or "nothing" in told
    assert made.trajectory.times[-1] - made.trajectory.times[0] > 5.0


def test_what_is_not_there_is_told_in_words(tmp_path):
    with pytest.raises(BadInput, match="name the robot there too"):
        an.map_log("serial:/dev/null", seconds=1.0)
    with pytest.raises(BadInput, match="for a robot at an address"):
        an.map_log(tmp_path / "drive.log", seconds=1.0)
    with pytest.raises(BadInput, match="seconds must be"):
        an.map_log("rplidar:/dev/null", seconds=-1.0)
    with pytest.raises(BadInput, match="give both or none"):
        an.localize("serial:/dev/null", model="rover", tags="pozyx:/dev/null", map="room.yaml", initial_pose=(0, 0, 0))
    anchors = tmp_path / "anchors.txt"
    anchors.write_text("0x1 0 0 2\n0x2 4 0 2\n0x3 0 3 2\ntag front 0.3 0 0.2\n")
    with pytest.raises(BadInput, match="tags are those of a car"):
        an.localize("rplidar:/dev/null", tags="pozyx:/dev/null", uwb=anchors)
    with pytest.raises(BadInput, match="tags and seconds are for a robot at an address"):
        an.localize(tmp_path / "drive.log", tags="pozyx:/dev/null", uwb=anchors, map=_plain(tmp_path))


def _plain(folder):
    """A map of one occupied cell."""
    cells = np.zeros((20, 20), dtype=np.int8)
    cells[10, 10] = 100
    an.mapping.save_map(an.mapping.OccupancyGrid(0.1, (0.0, 0.0, 0.0), cells), folder / "plain")
    return folder / "plain.yaml"


@pytest.mark.drill  # a car in a process of its own, by the clock
def test_a_car_is_localized_by_its_tags_with_and_without_a_map(started, tmp_path):
    car = started(Rover(tmp_path, world="lab"))
    an.mapping.save_map(an.mapping.map_of_world(an.world("lab"), height=0.2), tmp_path / "lab")
    given = {
        "model": "rover", "uwb": tmp_path / "anchors.txt", "tags": f"pozyx:{car.told['tag0']},{car.told['tag1']}",
        "seconds": 4.0,
    }  # fmt: skip
    told = an.localize(car.address, **given)
    assert told.pose == pytest.approx([0.0, 0.0, 0.0], abs=0.15)
    assert told.details["imu"] > 20
    seen = an.localize(car.address, lidar=f"rplidar:{car.told['lidar']}", map=tmp_path / "lab.yaml", **given)
    assert seen.pose == pytest.approx([0.0, 0.0, 0.0], abs=0.1)
