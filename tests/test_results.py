"""The table of figures in benchmarks/figures: whole, well formed, and judged and stored as it says."""

import ast
import importlib.util
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from figures import runner  # noqa: E402
from figures.model import Asked, Figure, Run, judge, number  # noqa: E402
from figures.readers import at, least, most, over, row  # noqa: E402
from figures.render import TITLES, render  # noqa: E402
from figures.store import Stored, load, save, stale  # noqa: E402
from figures.table import FIGURES, RUNS  # noqa: E402

ENGINES = ("mujoco", "bullet", "dart", "ode")
CHAINS = ("panda-like", "ur5-like", "shell-lower-leg", "shell-upper-leg")
# Every demand of the "Speed and scale" (speed) and "Shown by" (shown) parts, and the figures that answer it.
DEMANDS: dict[tuple[int, str], dict[str, tuple[str, ...]]] = {
    (2, "speed"): {
        "0.90 of a bare loop on every engine": (
            *(f"stepping-{engine}" for engine in ENGINES), "stepping-shell-standing", "stepping-shell-folded"),
        "NAO 25 on MuJoCo, 2 on the others": tuple(f"pace-{engine}" for engine in ENGINES),
        "Shell 10 standing, 4 folded": ("pace-shell-standing", "pace-shell-folded"),
        "check of 300 links under 1 s": ("check-300",),
        "--help under 0.3 s, import under 0.2 s": ("help", "import"),
        "check of any file under 0.5 s": ("zoo-check",),
        "first starts at most 2 s above warm, of a checkout and of a wheel": tuple(
            f"{place}-{each}" for place in ("cold", "wheel") for each in (
                "walk-nao", "walk-shell", *(f"sim-nao-{engine}" for engine in ENGINES), "map", "navigate-waffle",
                "studio", "compiled")),
        "a lean install of at most 600 MB, extras named": ("lean-megabytes", "lean-unnamed"),
    },
    (2, "shown"): {
        "files of other makers": ("zoo-opens", "zoo-agrees", "zoo-engines", "zoo-heights", "zoo-mjcf"),
        "robots of other makers": ("zoo-walk", "zoo-walking-bipeds", "zoo-navigate"),
        "physics against analysis": (
            "pendulum", "friction-angle", "free-fall", "energy", "mimic", "mimic-passive", "limits", "effort",
            "contract", "sole-pressure", "sole-tipping", "standing-leg"),
        "NAO stands 10 s, dropped, pushed": ("stands", "dropped", "pushed"),
        "every robot and world renders": ("renders",),
        "convert is identical, real parsers accept": ("round-trip", "worlds-round-trip", "ign", "check-urdf"),
        "fresh clone": ("clone-test", "clone-test-minutes", "clone-run", "clone-readme"),
    },
    (3, "speed"): {
        "5x ik_LM on four chains": (*(f"ik-batch-{c}" for c in CHAINS), *(f"ik-single-{c}" for c in CHAINS)),
        "beside Pinocchio": ("ik-pinocchio",),
        "success 100 %": tuple(f"ik-success-{c}" for c in CHAINS),
        "six legs under 40 us": ("ik-legs",),
        "batch scaling 1.7": ("ik-threads",),
        "first call under 2 s": ("ik-first",),
        "real-time factor 10 walking, 4 rolling": ("pace-walking", "pace-rolling"),
    },
    (3, "shown"): {
        "Jacobians, FK of DH and URDF, RR leg": ("jacobians", "dh", "rr-leg"),
        "2 m by each gait on MuJoCo and Bullet": (
            *(f"shell-{gait}-{e}" for gait in ("tripod", "ripple", "wave") for e in ENGINES[:2]),
            *(f"shell-heading-{e}" for e in ENGINES[:2]), "shell-falls"),
        "crosses rough": ("shell-rough-tripod", "shell-rough-ripple"),
        "turns 360 within 5 %": ("shell-turn-mujoco", "shell-turn-bullet"),
        "folds, rolls 2 m, unfolds, walks": ("shell-roll-mujoco", "shell-roll-bullet", "whole-run"),
        "feet within 2 mm": ("feet-held",),
        "a quadruped and a hexapod not made by us": (
            "quadrupeds", "quadrupeds-falls", "quadrupeds-crawl", "hexapod"),
    },
    (4, "speed"): {
        "0.85 of bare stepping": tuple(f"search-{engine}" for engine in ENGINES),
        "20 candidates/s": ("search-rate", "search-rate-cpu"),
        "control step under 0.3 ms": ("control-step",),
        "NAO walking at 8": ("pace-nao-walking",),
    },
    (4, "shown"): {
        "waves, statistics and fitness": ("waves", "statistics"),
        "a study of 30 minutes finds 0.30 m in 6 s": (
            "wave-search", "wave-search-drift", "wave-search-falls", "wave-smooth", "wave-smooth-drift",
            "wave-smooth-falls", "wave-exact", "wave-exact-drift", "wave-exact-falls"),
        "walks: no fall, error and drift under 5 %": ("walk-falls", "walk-trials", "walk-error", "walk-drift"),
        "turns under 5 %": ("turn-90", "turn-360", "turn--180", "turn--270", "turn-falls"),
        "top speed 0.15 m/s": ("top-speed",),
        "1 m and 90 degrees on Bullet": ("bullet-metre", "bullet-turn", "bullet-falls"),
        "five bipeds of other makers": ("zoo-bipeds", "zoo-biped-falls", "zoo-biped-arrived", "zoo-biped-error"),
        "no command lets it fall, on four engines": tuple(
            f"streams-{what}{e}" for e in ENGINES for what in ("", "falls-", "vx-", "vy-", "wz-", "hands-")),
        "26 combinations of keys": ("keys-runs", "keys-hands", *(f"keys-falls-{e}" for e in ENGINES)),
        "40 goals on the map": ("map-goals", "map-goals-reached", "map-goals-error"),
        "the command set is large": (
            "set-vx", "set-vy", "set-wz", "set-vx-vy", "set-vx-wz", "set-steps", "set-pace", "set-falls"),
        "ground that is not flat": tuple(
            f"ground-{case}{there}"
            for case in (
                *(f"slope-{angle}-{way}" for angle in (5, 7) for way in ("up", "down", "across")),
                "bar-10", "ramp-7-up", "ramp-7-down", "edge-10-up", "edge-10-down",
            )
            for there in ("", "-there")
        ),
        "DART and ODE reported": ("dart-metre", "dart-turn", "ode-metre", "ode-turn"),
        "200 pushes, curve, 90 % and 80 %": (
            "pushes", "push-0.7", "push-1.0", "push-standing",
            *(f"push-curve-{high}" for high in (0.7, 1.0, 1.5, 2.0, 2.5, 3.0))),
        "stands after each of 20 falls": ("falls", "stands-again", "first-try", "stands-again-walking"),
        "kill -9 and Ray": ("kill-study", "ray"),
    },
    (5, "speed"): {
        "MCL": ("mcl-2000", "mcl-5000"),
        "matching": ("match-odometry", "match-alone"),
        "whole map under 30 s, the sparse log under 6 s": ("map-seconds", "map-whole-seconds"),
        "planners": ("a-star", "dijkstra", "hybrid"),
        "MPPI": ("mppi",),
        "lidar": tuple(f"lidar-{engine}" for engine in ENGINES),
        "the collision monitor under 0.2 ms a scan": ("monitor",),
        "ten waffles in real time": ("ten-waffles",),
        "6D, 500 particles x 200 rays under 20 ms": ("feet-speed",),
    },
    (5, "shown"): {
        "BARN on four bases": ("bases-collided", "bases-arrived", "bases-courier", "bases-metric", "bases-shut"),
        "people in a hall, robots at a door": ("hall-contacts", "hall-arrived", "door-2", "door-4"),
        "the NAO finds its way": ("feet-goals", "feet-falls", "feet-anywhere"),
        "Intel": ("map-dense", "map-dense-yaw", "map-dense-alone", "map-whole", "map-whole-yaw"),
        "MCL on Intel": ("mcl-tracked", "mcl-global", "mcl-global-search", "mcl-carried"),
        "BARN": ("barn-arrived", "barn-metric"),
        "rover": (
            *(f"rover-{e}{part}" for e in ENGINES[:2] for part in ("", "-end", "-estimate")), "rover-pushed",
            "replans"),
        "UWB + IMU 20 % better": ("uwb-gain", "localize-uwb"),
        "bad input": ("bad-scans", "bad-time", "bad-tf", "bad-files", "bad-goal", "bad-line"),
    },
    (6, "speed"): {
        "balance filter: 200 postures": (
            "balance-falls", "balance-free", "balance-blocked", "balance-stable", "balance-told"),
        "calls and pictures of NAOqi": ("naoqi-angles", "naoqi-vga", "naoqi-qvga", "naoqi-pace"),
        "key under 50 ms": ("key", "key-bus"),
        "page within 5 s": ("page",),
        "page and loop never block, stages are shown": (
            "tour-loop", "tour-stage", "tour-page", "tour-compiled", "tour-shown"),
        "20 fps": ("frames",),
        "20 clients, a client that stops reading": ("pace-clients", "sleeper", "sleeper-pace"),
        "10 minutes do not grow memory": ("memory", "memory-total"),
    },
    (6, "shown"): {
        "real clients of NAOqi, the filter switched": ("naoqi-clients", "balance-switch"),
        "every panel": ("drive-nao", "drive-shell", "map-goal", "search-page", "record-page", "panels", "page-look"),
        "each real client": ("roslib", "ros1", "ros2", "foxglove", "ros-body", "bags-others"),
        "fault drills": ("kill-server", "kill-client", "kill-bridge", "kill-recorder", "deadman", "access"),
        "10 of 12 balls kicked into the goal": ("goals", "goal-time"),
    },
    (7, "speed"): {
        "147 trials in 10 minutes": ("thesis-time", "thesis-trials", "thesis-failed"),
        "four engines over night": ("night",),
        "10,000 trials": ("many", "many-memory", "many-report", "streamed"),
        "report in 20 s": ("report-time",),
    },
    (7, "shown"): {
        "report on MuJoCo and Bullet, others as they do": (
            "thesis-distance", "thesis-turn", *(f"{e}-distance" for e in ENGINES[1:]),
            *(f"{e}-thesis-turn" for e in ENGINES[1:]), "report-files", "thesis-errors"),
        "63 straight walks and 84 turns on each engine": tuple(
            f"{e}-report-{what}" for e in ENGINES[1:] for what in ("distance", "turn", "falls", "turn-falls")),
        "like with like": tuple(f"{e}-open-{what}" for e in ENGINES for what in ("distance", "turn", "falls")),
        "fit": ("fit-distance", "fit-turn", "fit-deviation"),
        "identification": ("hidden-stiffness", "hidden-friction", "hidden-delay", "hidden-covered", "hidden-time"),
        "identification-torques": (
            "hidden-torques-stiffness", "hidden-torques-friction", "hidden-torques-delay", "hidden-torques-covered",
            "hidden-torques-time",
        ),
        "statistics, kill drill, corruption, bad files": (
            "statistics-scipy", "kill-experiment", "damage", "bad-experiments"),
    },
}  # fmt: skip


def script():
    """benchmarks/results.py as a module."""
    spec = importlib.util.spec_from_file_location("andante_results", BENCHMARKS / "results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- the table -------------------------------------------------------------------------------------
def test_nothing_that_was_asked_is_missing():
    mine = {figure.key: (figure.issue or run.issue, figure.kind) for run in RUNS for figure in run.figures}
    asked = {key: part for part, demands in DEMANDS.items() for keys in demands.values() for key in keys}
    assert mine == asked
    assert sum(len(keys) for demands in DEMANDS.values() for keys in demands.values()) == len(asked)


def test_the_table_is_well_formed():
    assert len({run.name for run in RUNS}) == len(RUNS)
    assert len({figure.key for figure in FIGURES}) == len(FIGURES)
    for run in RUNS:
        assert re.fullmatch(r"[a-z0-9-]+", run.name)
        assert run.figures
        assert run.issue in TITLES
        assert run.minutes > 0
        for figure in run.figures:
            assert bool(figure.tests) != bool(figure.read), figure.key
            assert bool(figure.tests) == (not run.command), figure.key
            assert figure.asked is None or not figure.tests
    assert sum(run.minutes for run in RUNS if not run.long) <= 38


@pytest.mark.parametrize("run", [run for run in RUNS if run.command], ids=lambda run: run.name)
def test_commands_can_be_understood(run, tmp_path):
    first, *rest = run.command
    assert rest[-1] == "--json"
    if first == "python":
        text = (ROOT / rest[0]).read_text(encoding="utf-8")
        for word in rest[1:]:
            assert not word.startswith("--") or f'"{word}"' in text, word
        return
    assert first == "andante"
    from typer.main import get_command

    from andante.bench.rows import benchmarks
    from andante.cli.main import app

    if rest[0] == "bench":
        assert rest[1] in benchmarks()
    command, words = get_command(app), rest
    while hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    with command.make_context(words[0], list(words)) as context:
        assert context.params["json"] is True


def test_named_tests_exist():
    named: dict[str, set[str]] = {}
    for test in (test for run in RUNS for test in run.tests):
        file, _, function = test.partition("::")
        named.setdefault(file, set()).add(function)
    for file, functions in named.items():
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert functions <= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, file


def test_what_is_stored_can_be_read():
    for run in RUNS:
        stored = load(run)
        if stored is None or stored.failure:
            continue
        assert stored.command == run.shown, run.name
        for figure in run.figures:
            verdict = judge(figure, stored.output)
            assert verdict.state != "missing", (figure.key, verdict.note)
        assert len(json.dumps(stored.output)) < 30_000, run.name
        assert not re.search(r"/(home|work|root|tmp)/", json.dumps(stored.output)), run.name


# ---- judging ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("sign", "value", "met"),
    [(">=", 5.0, True), (">=", 4.999, False), ("<=", 5.0, True), ("<", 5.0, False), (">", 5.0, False), (">", 5.1, True),
     ("=", 5.0, True), ("=", 5.001, False), (">=", math.nan, False), ("<", math.nan, False)],
)  # fmt: skip
def test_bounds(sign, value, met):
    figure = Figure("a", "speed", "a", Asked(sign, 5.0, "m"), at("a"), reason="because")
    assert Asked(sign, 5.0).met(value) is met
    verdict = judge(figure, {"a": value})
    assert verdict.state == ("met" if met else "short")
    assert verdict.note == ("" if met else "because")


def test_figures_that_are_told_missing_or_of_failed_runs():
    told = Figure("a", "speed", "a", None, at("a"), unit="m")
    assert judge(told, {"a": 2.0}) == judge(told, {"a": 2})
    assert judge(told, {"a": 2.0}).words == "2 m"
    assert judge(told, {"a": 2.0}).state == "told"
    assert judge(told, {"b": 2.0}).state == "missing"
    assert judge(told, {"a": None}).state == "missing"
    assert judge(told, None).words == "not measured"
    assert judge(told, {"a": 2.0}, "ended with code 1").note == "ended with code 1"
    busy = judge(replace(told, asked=Asked(">", 3.0), reason="slow"), {"a": 2.0}, load=7.25)
    assert busy.note == "slow; the load was 7.2 before the run"


def test_tests_pass_fail_or_are_skipped():
    figure = Figure("a", "shown", "a", tests=("tests/a.py::one", "tests/a.py::two"))
    both = {"tests/a.py::one": {"passed": 4}, "tests/a.py::two": {"passed": 1}}
    assert judge(figure, both).words == "5 passed"
    assert judge(figure, both).state == "met"
    assert judge(figure, {**both, "tests/a.py::two": {"passed": 1, "failed": 1}}).state == "short"
    assert judge(figure, {**both, "tests/a.py::two": {"skipped": 1}}).state == "short"
    assert judge(figure, {"tests/a.py::one": {"passed": 4}}).state == "missing"


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.9025570, "0.9026"), (43.8401, "43.84"), (5690.4, "5690"), (100.0, "100"), (0.018912, "0.01891"), (0.0, "0"),
     (-0.5, "-0.5"), (1234567.8, "1234568"), (1e-9, "0"), (math.nan, "not a number")],
)  # fmt: skip
def test_numbers(value, words):
    assert number(value) == words


def test_readers():
    bench = {"rows": [{"case": "x", "andante": 2.0, "ratio": 0.5}, {"case": "y", "andante": 3.0, "ratio": 4.0}]}
    assert row("x")(bench) == 2.0
    assert row("y", "ratio", scale=10)(bench) == 40.0
    assert least((row("x"), row("y")))(bench) == 2.0
    assert most((row("x"), row("y")))(bench) == 3.0
    walks = {"walks": [{"e": "m", "d": 2.0}, {"e": "m", "d": 1.5}, {"e": "b", "d": 1.0}]}
    assert over("walks", "d", min, e="m")(walks) == 1.5
    assert over("walks", lambda walk: walk["d"] ** 2, max)(walks) == 4.0
    with pytest.raises(KeyError, match="no row of walks"):
        over("walks", "d", min, e="z")(walks)
    with pytest.raises(ValueError, match="values to unpack"):
        row("z")(bench)


# ---- running and storing ---------------------------------------------------------------------------
def toy(name="toy", code='print(\'{"a": 1.5, "b": [2]}\')', **more):
    return Run(name, 2, ("python", "-c", code), 0.01, (Figure(f"{name}-a", "speed", "a|b", Asked(">", 1), at("a")),),
               **more)  # fmt: skip


def test_a_run_is_carried_out_stored_and_rendered(tmp_path):
    stored = runner.carry_out(
        toy(code="import os, json; print('a line'); print(json.dumps({'a': 1.5, 'at': os.getcwd()}))")
    )
    assert stored.failure == ""
    assert stored.output == {"a": 1.5, "at": "."}
    assert stored.machine["cores"] == str(os.cpu_count())
    save(stored, tmp_path)
    again = load(toy(), tmp_path)
    rounded = ("load", "seconds", "processor_seconds")
    assert again == replace(stored, **{name: getattr(again, name) for name in rounded})
    assert all(getattr(again, name) == pytest.approx(getattr(stored, name), rel=1e-5) for name in rounded)
    assert [path.name for path in tmp_path.iterdir()] == ["toy.json"]
    page = render([toy(), toy("other", long=True)], {"toy": stored})
    assert "| a\\|b | > 1 | 1.5 | yes | `python -c" in page
    assert "1 of 2 figures are met, 0 fall short, 1 are not shown" in page
    assert "| other (long) |" in page
    assert stored.machine["processor"] in page


@pytest.mark.parametrize(
    ("code", "words"),
    [("import sys; sys.exit('no engine')", "ended with code 1: no engine"), ("print('hello')", "no JSON but 'hello'"),
     ("pass", "no JSON but ''"), ("print('{}')", "the output has no 'a'; it has ")],
)  # fmt: skip
def test_what_goes_wrong_is_stored_in_words(code, words):
    stored = runner.carry_out(toy(code=code, keep=("a",)))
    assert stored.failure == words
    assert stored.output is None


def test_a_run_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(runner, "GRACE", 0.5)
    begin = time.monotonic()
    assert runner.carry_out(toy(code="import time; time.sleep(60)")).failure == "given up after 3 s"
    assert time.monotonic() - begin < 30


def test_what_is_finished_survives_kill_9(tmp_path):
    code = f"""
import sys
sys.path.insert(0, {str(BENCHMARKS)!r})
from pathlib import Path
from figures.model import Run, Figure
from figures.runner import run_all
figures = (Figure("a", "speed", "a", None, lambda output: 1.0),)
runs = [Run("first", 2, ("python", "-c", "print(1)"), 0.1, figures),
        Run("second", 2, ("python", "-c", "import time; time.sleep(300)"), 0.1, figures)]
run_all(runs, Path({str(tmp_path)!r}))
"""
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        for _ in range(600):
            if (tmp_path / "first.json").is_file():
                break
            time.sleep(0.1)
        time.sleep(0.3)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert [path.name for path in tmp_path.iterdir()] == ["first.json"]
    assert load(replace(toy(), name="first"), tmp_path).output == 1


def test_counts_of_a_report():
    report = ET.fromstring("""<testsuites><testsuite>
        <testcase classname="tests.physics.test_a" name="test_x[mujoco]"/>
        <testcase classname="tests.physics.test_a" name="test_x[ode]"><failure message="no"/></testcase>
        <testcase classname="tests.physics.test_a" name="test_y"><skipped message="no"/></testcase>
        <testcase classname="tests.physics.test_b" name="test_x"/>
        <testcase classname="tests.physics.test_b" name="test_z"><error message="no"/></testcase>
    </testsuite></testsuites>""")
    tests = [f"tests/physics/test_{file}.py::test_{name}" for file, name in ("ax", "ay", "bx", "bz", "bw")]
    assert runner.counted(report, tests) == {
        tests[0]: {"passed": 1, "failed": 1, "skipped": 0},
        tests[1]: {"passed": 0, "failed": 0, "skipped": 1},
        tests[2]: {"passed": 1, "failed": 0, "skipped": 0},
        tests[3]: {"passed": 0, "failed": 1, "skipped": 0},
    }


def test_tests_are_run(tmp_path, monkeypatch):
    (tmp_path / "tests").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\n")  # the root, whatever lies in the folders above
    (tmp_path / "tests" / "test_a.py").write_text(
        "import pytest\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_x(n):\n    assert n < 2\n"
    )
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(runner, "TESTS", ("-m", "pytest", "-p", "no:cacheprovider"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    there, gone = ("tests/test_a.py::test_x", "tests/test_b.py::test_x")
    run = Run("tests", 2, (), 1.0, (Figure("a", "shown", "a", tests=(there,)),))
    assert runner.tests_of(run, tmp_path) == {there: {"passed": 1, "failed": 1, "skipped": 0}}
    with pytest.raises(runner.Trouble, match="pytest ended with code 4"):
        runner.tests_of(replace(run, figures=(Figure("a", "shown", "a", tests=(gone,)),)), tmp_path)


def test_numbers_that_json_cannot_hold_become_null(tmp_path):
    stored = Stored("toy", "c", "1", "d", 0.0, 1.0, 1.0, {"a": math.nan, "b": [math.inf, 1 / 3]})
    save(stored, tmp_path)
    assert load(toy(), tmp_path).output == {"a": None, "b": [None, 0.333333]}


def test_staleness():
    assert stale(None)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    if not head:
        pytest.skip("no repository here")
    fresh = Stored("toy", "c", head, "d", 0.0, 1.0, 1.0, {})
    assert not stale(fresh)
    assert stale(replace(fresh, failure="no"))
    assert stale(replace(fresh, commit=head + "+"))
    assert stale(replace(fresh, commit="0" * 40))


# ---- the command -----------------------------------------------------------------------------------
def test_choice_of_runs(tmp_path, capsys):
    results = script()

    def listed(*words):
        assert results.main(["--list", "--folder", str(tmp_path), *words]) == 0
        return {line.split()[0] for line in capsys.readouterr().out.splitlines()[:-1]}

    assert listed() == {run.name for run in RUNS if not run.long}
    assert listed("--long") == {run.name for run in RUNS}
    assert listed("--quick") == {run.name for run in RUNS if run.minutes < 1}
    assert listed("--only", "barn", "--only", "bench-ik") == {"barn", "bench-ik"}
    assert listed("--stale") == listed()
    with pytest.raises(SystemExit):
        results.main(["--only", "nothing"])


def test_the_page_is_written_again_without_running(tmp_path):
    page = tmp_path / "page.md"
    assert script().main(["--render", "--folder", str(tmp_path / "none"), "--page", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "Nothing has been measured yet." in text
    assert f"0 of {sum(figure.asked is not None or bool(figure.tests) for figure in FIGURES)} figures are met" in text
    for title in TITLES.values():
        assert f"## {title}\n" in text
    for run in RUNS:
        assert f"| {run.name}" in text


# ---- studies that only feed the table --------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "code", "passed", "failed", "minutes"),
    [("....\n5982 passed in 637.20s (0:10:37)\n", 0, 5982, 0, 10.62),
     ("F\n2 failed, 10 passed, 3 skipped, 1 error in 60.00s\nmake: *** [test] Error 1\n", 2, 10, 3, 1.0),
     ("10 passed in 6.00s\nmake: *** Error 1\n", 2, 10, 1, 0.1), ("no space left\n", 2, 0, 1, math.nan)],
)  # fmt: skip
def test_the_last_line_of_a_clone_is_understood(text, code, passed, failed, minutes):
    from fresh_clone import environment, summary

    found = summary(text, code)
    assert (found["passed"], found["failed"]) == (passed, failed)
    assert found["test_minutes"] == pytest.approx(minutes, nan_ok=True)
    assert "VIRTUAL_ENV" not in environment(Path("clone"))


def test_slope_of_a_memory_is_that_of_most_pairs():
    from studio_memory import slope

    line = [(0.1 * k, 400.0 + 0.03 * k) for k in range(40)]
    line[7], line[20] = (0.7, 900.0), (2.0, 0.0)
    assert slope(line) == pytest.approx(0.3)


def test_jobs_side_by_side_keep_their_order():
    from side_by_side import side_by_side

    jobs = [0.2, 0.0, 0.1]
    assert list(side_by_side(time.sleep, jobs, 2)) == [None] * 3
    assert list(side_by_side(abs, [-3, 2, -1], 2)) == list(side_by_side(abs, [-3, 2, -1], 1)) == [3, 2, 1]
