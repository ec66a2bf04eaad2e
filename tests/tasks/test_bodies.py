"""Parameter files of the commands that move a robot: their tables, and what is refused."""

from dataclasses import fields
from pathlib import Path

import pytest

from andante.control.joints.following import FollowSettings
from andante.control.start import StartSettings
from andante.control.teleop_mux import TeleopSettings
from andante.control.walking import WalkSettings
from andante.errors import BadInput, UnknownName
from andante.locomotion import FallRules
from andante.studio import open_studio
from andante.tasks.bodies import read_params
from andante.tasks.explore import explore
from andante.tasks.navigate import ArrivalSettings, navigate
from andante.tasks.play import PlaySettings, play
from andante.tasks.walk import walk

TABLES = {
    "walk": WalkSettings,
    "play": PlaySettings,
    "arrival": ArrivalSettings,
    "falls": FallRules,
    "start": StartSettings,
    "teleop": TeleopSettings,
    "follow": FollowSettings,
}
PAGE = Path(__file__).parents[2] / "docs" / "files.md"


def write(folder: Path, text: str) -> Path:
    file = folder / "params.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_without_a_file_everything_keeps_its_value() -> None:
    given = read_params(None)
    assert (given.body, given.rest, given.start) == ({}, {}, StartSettings())
    assert given.settings("walk", WalkSettings()) == WalkSettings()


def test_tables_are_taken_out_and_the_rest_is_left(tmp_path: Path) -> None:
    text = "step_height = 0.02\n[body]\nscan = '/lidar'\n[start]\npose_tolerance = 0.5\n[walk]\nsettle = 2\n"
    given = read_params(write(tmp_path, text))
    assert given.body == {"scan": "/lidar"}
    assert given.start == StartSettings(pose_tolerance=0.5)
    assert given.settings("walk", WalkSettings()) == WalkSettings(settle=2.0)
    assert given.rest == {"step_height": 0.02}


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("start = 3\n", BadInput, "[start] is a table"),
        ("[start]\npose = 1\n", UnknownName, "[start] parameter"),
        ("[start]\npose_tolerance = 'wide'\n", BadInput, "pose_tolerance must be a number"),
        ("body = []\n", BadInput, "[body] is a table"),
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path: Path, text: str, error: type[Exception], words: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(error) as told:
        read_params(file)
    assert words in str(told.value)
    assert str(file) in str(told.value)


def test_a_walk_heeds_its_table(tmp_path: Path) -> None:
    file = write(tmp_path, "[walk]\npatience = 0.01\ngrace = 0.3\n")
    hurried = walk("nao", distance=3.0, params=file)
    assert not hurried.arrived
    assert 0.1 < hurried.distance < 2.0
    with pytest.raises(UnknownName, match="stride"):
        walk("nao", distance=0.3, params=write(tmp_path, "[walk]\nstride = 1.0\n"))


def test_play_heeds_its_table(tmp_path: Path) -> None:
    usual = play("nao", "Crouch")
    brief = play("nao", "Crouch", params=write(tmp_path, "[play]\nsettle = 0.1\n"))
    assert usual.seconds - brief.seconds == pytest.approx(0.9, abs=0.02)
    with pytest.raises(BadInput, match=r"tables \[body\], \[falls\], \[play\], \[robot\] and \[start\] only, got walk"):
        play("nao", "Crouch", params=write(tmp_path, "[walk]\nsettle = 0.1\n"))


def test_every_command_that_moves_a_robot_heeds_the_table_of_falls(tmp_path: Path) -> None:
    file = write(tmp_path, "[falls]\nupright = 0.0\nlying = 0.001\n")  # whoever sways has fallen
    assert walk("nao", distance=0.3, params=file).fallen
    assert not walk("nao", distance=0.3).fallen
    assert play("nao", "Crouch", params=file).fallen
    assert not play("nao", "Crouch").fallen
    sunk = write(tmp_path, "[falls]\nheight_fraction = 1.1\n")
    assert navigate("waffle", world="lab", goal=(0.5, 0.0), params=sunk).fallen
    assert explore("waffle", world="lab", timeout=0.5, params=sunk).scans > 0
    with pytest.raises(BadInput, match="lying must lie between upright and pi"):
        explore("waffle", world="lab", params=write(tmp_path, "[falls]\nlying = 4\n"))


def test_the_studio_heeds_the_table_of_falls(tmp_path: Path) -> None:
    rules = "[falls]\ncertain_lean = 1.2\nlying = 1.3\n"
    with open_studio("nao", port=0, folder=tmp_path, params=write(tmp_path, rules)) as studio:
        for _ in range(2):  # a scene that is built anew keeps them
            stage = studio.session.stage
            assert stage.supervisor.detector.rules == FallRules(certain_lean=1.2, lying=1.3)
            assert stage.sim.fall_rule.lean == 1.3
            studio.session.reset()
    with pytest.raises(BadInput, match=r"studio takes the tables .*\[falls\].* only, got fall"):
        open_studio("nao", port=0, folder=tmp_path, params=write(tmp_path, "[fall]\nlean = 1\n"))


@pytest.mark.parametrize("table", TABLES)
def test_every_setting_is_on_the_page(table: str) -> None:
    row = next(line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `[{table}]`"))
    assert all(f"`{each.name}`" in row for each in fields(TABLES[table]))
