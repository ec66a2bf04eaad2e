"""Commands that are declared once: their options are the arguments of the functions that they call."""

import importlib
import inspect
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from andante.cli import bag, bridge, catalog, describe, experiment, gait, naoqi, navigate, studio, walk
from andante.cli.command import Call, Command
from andante.cli.main import app
from andante.cli.options import CALLBACKS, Take
from andante.cli.signature import REQUIRED, read_arguments
from andante.errors import BadInput

MODULES = (bag, bridge, catalog, describe, experiment, gait, naoqi, navigate, studio, walk)
PATHS = [
    "andante.tasks.walk:walk", "andante.tasks.sim:sim", "andante.tasks.play:play", "andante.tasks.navigate:navigate",
    "andante.tasks.explore:explore", "andante.tasks.maps.map_space:make_map", "andante.tasks.maps.localize:localize",
    "andante.tasks.describe.check:check", "andante.tasks.describe.convert:convert", "andante.tasks.describe.rig:rig",
    "andante.tasks.mesh:mesh", "andante.tasks.ik:ik", "andante.tasks.gait:evaluate", "andante.tasks.gait:search",
    "andante.tasks.gait:resume", "andante.tasks.gait:export", "andante.experiments.commands:run",
    "andante.experiments.commands:fit", "andante.tasks.bag:record", "andante.tasks.bag:play",
    "andante.tasks.bridge:ros1", "andante.studio.open:studio", "andante.tasks.tune:tune",
]  # fmt: skip

COMMANDS_WITH_BODY = [
    ("walk", "nao", "--distance", "1"), ("play", "nao", "wave_hand"), ("behave", "nao", "greet"),
    ("navigate", "waffle", "--goal", "1 0 0"), ("explore", "waffle", "-o", "map"), ("tune", "waffle"),
    ("studio", "nao"), ("experiment", "excite", "nao", "-o", "sweep"),
]  # fmt: skip


@pytest.mark.parametrize("reference", PATHS)
def test_the_source_tells_what_the_function_says(reference):
    module, _, name = reference.partition(":")
    real = inspect.signature(getattr(importlib.import_module(module), name)).parameters
    read = read_arguments(reference)
    assert [each.name for each in read] == list(real)
    for each in read:
        told = real[each.name]
        assert each.annotation == told.annotation
        assert each.positional == (told.kind is told.POSITIONAL_OR_KEYWORD)
        assert each.default == told.default or (each.default is None and told.default is not REQUIRED)


def test_every_argument_has_a_line_of_help():
    def commands(group):
        for each in group.commands.values():
            yield from commands(each) if isinstance(each, typer.core.TyperGroup) else [each]

    for command in commands(typer.main.get_command(app)):
        assert all(parameter.help for parameter in command.params if parameter.name != "help"), command.name


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_what_a_command_takes_in_its_own_way_is_an_argument(module):
    for each in vars(module).values():
        if isinstance(each, Command):
            names = {argument.name for argument in read_arguments(each.function)}
            assert set(each.takes) <= names
            assert not set(each.own) & names


@pytest.mark.parametrize("words", COMMANDS_WITH_BODY, ids=" ".join)
def test_whatever_may_move_a_real_robot_asks_first(words):
    """Without a terminal nobody can be asked: the command is refused before anything is opened."""
    address = ["--body", "serial:/dev/no-such-port"]
    done = CliRunner().invoke(app, [*words, *address], input="y\n")
    assert isinstance(done.exception, BadInput)
    assert "would move and nobody can be asked here" in str(done.exception)
    assert "name one with --body" in str(CliRunner().invoke(app, [*words, "--dry-run"]).exception)


def test_all_of_them_are_known_here():
    """Every command that takes a body has what asks before that moves, and what shows it without moving it."""

    def with_body(group, *above):
        for name, each in group.commands.items():
            if isinstance(each, typer.core.TyperGroup):
                yield from with_body(each, *above, name)
            elif "body" in (flags := {parameter.name for parameter in each.params}):
                assert {"dry_run", "yes"} <= flags, name
                yield (*above, name)

    found = set(with_body(typer.main.get_command(app)))
    assert found == {words[: 2 if words[0] == "experiment" else 1] for words in COMMANDS_WITH_BODY}


def test_help_of_a_command_imports_nothing_heavy():
    lines = (
        "import sys\nfrom andante.cli.main import main\nsys.argv = ['andante', 'explore', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numpy', 'mujoco', 'numba', 'andante.tasks.explore'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert "--waypoints FILE" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def run(command, *words):
    made = typer.Typer()
    made.command("other")(lambda: None)
    command.add_to(made)
    typer.main.get_command(made)(["ik", *words], standalone_mode=False)


def test_a_call_gets_the_words_as_values():
    calls = []
    command = Command(
        "andante.tasks.ik:ik",
        "Solve.",
        {"target": Take("T", lambda text: text.split())},
        {"quiet": Take(about="Say nothing.")},
        run=calls.append,
    )
    run(command, "nao", "a:=1", "--tip", "hand", "--target", "1 2", "--no-limits", "--quiet", "--hold", "x=0.5")
    (call,) = calls
    assert call.own == {"quiet": True, "json": False}
    assert call.given == {
        "robot": "nao", "tip": "hand", "target": ["1", "2"], "hold": {"x": 0.5}, "axes": "base", "limits": False,
        "restarts": 300, "arguments": {"a": "1"}, "seed": 0,
    }  # fmt: skip


def test_another_function_gets_what_it_takes():
    call = Call("math:hypot", {"text": "  a", "name": "unused"}, {}, json=False)
    assert call.by("textwrap:dedent") == "a"


def test_callbacks_are_no_options():
    assert not CALLBACKS & {parameter.name for parameter in typer.main.get_command(bridge.app).commands["ros1"].params}


def test_help_of_an_argument_that_is_told_elsewhere():
    about = {each.name: each.about for each in read_arguments("andante.tasks.gait:search")}
    assert about["variant"] == "exact (as published) or smooth."
    assert about["workers"] == "Processes; by default one per processor, 0: none."


@pytest.mark.parametrize(
    ("about", "doing"),
    [
        ("Let a robot walk and tell how far it came.", "working: let a robot walk and tell how far it came"),
        ("Infer a rig: what gaits must know.", "working: infer a rig"),
        ("Convert a robot; .xacro too.", "working: convert a robot"),
        ("Read v1.2 files", "working: read v1.2 files"),
    ],
)
def test_what_a_command_does_is_told_where_nothing_closer_is_known(about, doing):
    assert Command("andante.tasks.walk:walk", about).doing == doing
