from pathlib import Path

import pytest

from andante.errors import BadInput
from andante.session.launch_file import (
    BodyPlan,
    LaunchPlan,
    NavigationPlan,
    RobotPlan,
    ServerPlan,
    ThenPlan,
    launch_plan,
    read_launch,
)

EXAMPLES = Path(__file__).parents[2] / "examples" / "launch"
FILE = """robot = "nao"  # who
start = [1, 2.5, 90]
parameters."/nao/pgain" = 3.0

[server]
port = 9000

[[then]]
at = 2
do = "stop"

[[then]]
at = 1.0
do = "play Crouch"

[arguments]
side = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(FILE)
    return path


def test_reads_everything(file: Path) -> None:
    plan = read_launch(file)
    assert plan == LaunchPlan(
        robot="nao",
        start=(1.0, 2.5, 90.0),
        parameters={"/nao/pgain": 3.0},
        server=ServerPlan(port=9000),
        then=(ThenPlan(1.0, "play Crouch"), ThenPlan(2.0, "stop")),
        arguments={"side": "3"},
        source=str(file),
    )


def test_words_are_laid_over(file: Path) -> None:
    plan = read_launch(
        file,
        ["robot:=shell", "server.host:=::1", "seconds:=3", "/x/y:=true", "navigation.goal:=[1, 2]", "realtime:=false"],
    )
    assert plan.robot == "shell"
    assert plan.server == ServerPlan(port=9000, host="::1")
    assert plan.seconds == 3.0
    assert plan.parameters == {"/nao/pgain": 3.0, "/x/y": True}
    assert plan.navigation == NavigationPlan(goal=(1.0, 2.0))
    assert not plan.realtime
    assert read_launch(file, ["server:=false"]).server is None


@pytest.mark.parametrize(
    ("text", "words", "fragment"),
    [
        ("robot = 3", [], r"run.toml:1: robot is a text, got 3"),
        ('x = 1\nrobot = "nao"', [], r"run.toml:1: no key 'x'; choices: robot, world"),
        ('robot = "nao"\n\n[server]\nprt = 1', [], r"run.toml:4: no key 'prt' in \[server\]; choices: port"),
        ("[server]\nport = 1.5", [], r"run.toml:2: port is a whole number, got 1.5"),
        ("[server]\nport = 99999", [], r"run.toml:2: port is 0 to 65535"),
        ("[falls]\nlaen = 1", [], r"run.toml:2: no key 'laen' in \[falls\]; choices: step_time"),
        ("seed = 1\n[falls]\nlying = 9", [], r"run.toml:2: fall rule lying must lie between upright and pi"),
        ("start = [1, 2]", [], r"run.toml:1: start is \[x, y, yaw\]"),
        ("\nspeed = 0", [], r"run.toml:2: speed is a percentage"),
        ('[[then]]\nat = 1\ndo = "a"\n[[then]]\nat = "b"', [], r"run.toml:5: at is a number, got 'b'"),
        ("[[then]]\nat = 1", [], r"run.toml:1: every \[\[then\]\] needs do"),
        ("then = 3", [], r"run.toml:1: then is written as"),
        ("server = 3", [], r"run.toml:1: server is a section"),
        ("[record]\nformat = 'zip'", [], r"run.toml:2: format is mcap or bag"),
        ("[record]\ntopics = 'all'", [], r"run.toml:2: topics is a list of texts"),
        ("realtime = 1", [], r"run.toml:1: realtime is true or false"),
        ("seconds = nan", [], r"run.toml:1: seconds is a number"),
        ("robot = nao", [], r"run.toml:1: not valid TOML"),
        ("[navigation]\ngoal = [1]", [], r"run.toml:2: goal is \[x, y\]"),
        ("[bridges]\nros1 = 3", [], r"run.toml:2: a bridge is a section \[bridges.ros1\]"),
        ("", ["robot=x"], r"argument 'robot=x' should look like name:=value"),
        ("", ["bot:=x"], r"argument 'bot:=x': no key 'bot'"),
        ("", ["server.port:=x"], r"argument 'server.port:=x': port is a number"),
        ('robot = "nao"', ["robot.x:=1"], r"argument 'robot.x:=1': robot is not a section"),
    ],
)
def test_errors_name_line_and_key(tmp_path: Path, text: str, words: list[str], fragment: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(BadInput, match=fragment) as caught:
        read_launch(path, words)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        read_launch(tmp_path / "none.toml")
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="not a text in UTF-8"):
        read_launch(path)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_examples_are_sound(path: Path) -> None:
    assert read_launch(path).robot


def test_a_table_for_the_solver(file: Path) -> None:
    file.write_text(FILE + "\n[solver]\niterations = 40\nerp = 0.3\n")
    assert read_launch(file).solver == {"iterations": 40, "erp": 0.3}
    assert read_launch(file, ["solver.iterations:=60"]).solver["iterations"] == 60
    file.write_text(FILE + "\n[solver]\niterations = 40\nepr = 0.3\n")
    with pytest.raises(BadInput, match=r"run\.toml:\d+: no setting 'epr'; did you mean solver\.erp"):
        read_launch(file)
    file.write_text(FILE)
    with pytest.raises(BadInput, match=r"argument 'solver\.erp:=x': solver\.erp is a number"):
        read_launch(file, ["solver.erp:=x"])


def test_more_robots_are_read_and_checked() -> None:
    plan = launch_plan({"robots": [{"robot": "waffle", "start": [1, 0, 90], "goal": [2, 1]}]}, "run.toml")
    assert plan.robots == (RobotPlan("waffle", start=(1.0, 0.0, 90.0), goal=(2.0, 1.0)),)
    for entries, words in (
        ([{"name": "a"}], "needs robot"),
        ([{"robot": "waffle", "start": [1, 2]}], "start is"),
        ([{"robot": "waffle", "goal": [1]}], "goal is"),
        ([{"robot": "waffle", "name": "a"}, {"robot": "nao", "name": "a"}], "two robots are called 'a'"),
        ({"robot": "waffle"}, "[[robots]] sections"),
    ):
        with pytest.raises(BadInput, match=r"run\.toml") as told:
            launch_plan({"robots": entries}, "run.toml")
        assert words in str(told.value)


def test_a_real_robot_is_an_address_or_a_section_with_one(file: Path) -> None:
    assert read_launch(file).body == BodyPlan("sim")
    assert read_launch(file, ["body:=ws://nao.local:9090"]).body == BodyPlan("ws://nao.local:9090")
    with file.open("a") as text:
        text.write('[body]\naddress = "http://nao.local:11311"\ntargets = "angles"\n')
    assert read_launch(file).body == BodyPlan("http://nao.local:11311", {"targets": "angles"})
    for wrong, words in (("body.address:=nao", "nao"), ("body:=3", "body is an address"), ("body:={}", "with one")):
        with pytest.raises(BadInput, match=words):
            read_launch(file, [wrong])
