"""Figures of descriptions, worlds and the four physics engines."""

from __future__ import annotations

from .model import Asked, Figure, Output, Reader, Run
from .readers import at, most, row

ENGINES = ("mujoco", "bullet", "dart", "ode")
TITLES = {"mujoco": "MuJoCo", "bullet": "Bullet", "dart": "DART", "ode": "ODE"}
BUSY = "a busy neighbour slows caches and memory for both sides, not always alike"


def passed(check: str) -> Reader:
    """On how many engines a check passes."""

    def read(output: Output) -> float:
        return float(sum(bool(checks[check]["passed"]) for checks in output.values()))

    return read


def tests(file: str, *names: str) -> tuple[str, ...]:
    """Node ids of test functions of one file."""
    return tuple(f"tests/{file}.py::{name}" for name in names)


STEPPING = Run(
    "bench-physics", 2, ("andante", "bench", "physics", "--json"), 0.5,
    (
        *(
            Figure(f"stepping-{engine}", "speed", f"stepping beside a bare loop, NAO on {TITLES[engine]}",
                   Asked(">=", 0.95 if engine == "mujoco" else 0.90), row(f"nao standing ({engine})", "ratio"),
                   reason=BUSY)
            for engine in ENGINES
        ),
        *(
            Figure(f"stepping-shell-{pose}", "speed", f"stepping beside a bare loop, Shell {pose} on MuJoCo",
                   Asked(">=", 0.90), row(f"shell {pose} (mujoco)", "ratio"), reason=BUSY)
            for pose in ("standing", "folded")
        ),
        *(
            Figure(f"pace-{engine}", "speed", f"NAO on {TITLES[engine]} at 2 ms on one core",
                   Asked(">=", 25.0 if engine == "mujoco" else 2.0, "x real time"), row(f"nao standing ({engine})"))
            for engine in ENGINES
        ),
        Figure("pace-shell-standing", "speed", "Shell standing at 2 ms on one core",
               Asked(">=", 10.0, "x real time"), row("shell standing (mujoco)")),
        Figure("pace-shell-folded", "speed", "Shell folded at 2 ms on one core",
               Asked(">=", 4.0, "x real time"), row("shell folded (mujoco)")),
    ),
)  # fmt: skip

STARTUP = Run(
    "bench-startup", 2, ("andante", "bench", "startup", "--json"), 0.2,
    (
        Figure("check-300", "speed", "check of a file of 300 links", Asked("<", 1.0, "s"),
               row("andante check, 300 links"), reason="wall-clock time of a whole process"),
        Figure("help", "speed", "`andante --help`", Asked("<", 0.3, "s"), row("andante --help"),
               reason="wall-clock time of a whole process"),
        Figure("import", "speed", "`import andante`", Asked("<", 0.2, "s"), row("import andante"),
               reason="wall-clock time of a whole process"),
    ),
)  # fmt: skip

ANALYSIS = Run(
    "engine-checks", 2, ("python", "benchmarks/engine_checks.py", "--json"), 0.2,
    (
        Figure("pendulum", "shown", "pendulum period off analysis, worst of four engines", Asked("<=", 1.0, "%"),
               most(at(engine, "pendulum", "off") for engine in ENGINES)),
        Figure("friction-angle", "shown", "block slips off the friction angle, worst of four engines",
               Asked("<=", 5.0, "%"), most(at(engine, "friction_angle", "off") for engine in ENGINES)),
        *(
            Figure(key, "shown", f"{words}, engines that pass", Asked("=", 4.0), passed(check))
            for key, check, words in (
                ("free-fall", "free_fall", "free fall"),
                ("energy", "double_pendulum", "energy of a double pendulum within 2 %"),
                ("mimic", "mimic", "mimic joints held"),
                ("mimic-passive", "mimic_passive", "mimic joints without servos held"),
                ("limits", "joint_limits", "joint limits held"),
                ("effort", "effort_limit", "effort limit held"),
                ("sole-pressure", "sole_pressure", "pressure center of a loaded sole within 2 % (hulls on Bullet 4 %)"),
                ("sole-tipping", "sole_tipping",
                 "moment that tips a sole within 2 % (hulls on Bullet 4 %, on MuJoCo 10 %)"),
                ("standing-leg", "standing_leg", "pressure under a leg on servos within 2 % of the sole"),
            )
        ),
    ),
)  # fmt: skip

TESTS = Run(
    "tests-descriptions", 2, (), 1.0,
    (
        Figure("contract", "shown", "all 49 checks of `check_engine` on four engines",
               tests=tests("physics/test_check_engine", "test_engine_keeps_the_contract")),
        Figure("stands", "shown", "NAO in `StandInit` for 10 s on four engines, drift from second 1 to 10 under 1 cm",
               tests=tests("physics/test_nao_stands", "test_stands_ten_seconds_without_drifting")),
        Figure("dropped", "shown", "dropped from 5 cm it stays up, on four engines",
               tests=tests("physics/test_nao_stands", "test_dropped_from_five_centimeters_it_stays_up")),
        Figure("pushed", "shown", "pushed over it falls, on four engines",
               tests=tests("physics/test_nao_stands", "test_pushed_over_it_falls")),
        Figure("renders", "shown", "robots and worlds render on every engine (contact sheets in docs/pictures)",
               tests=tests("physics/rendering/test_renderer", "test_any_engine_is_shown_where_it_stands",
                           "test_every_shape_is_seen_in_its_color")),
        Figure("round-trip", "shown", "each robot URDF to SDF to URDF is physically the same",
               tests=(*tests("description/test_sdf_writer", "test_built_in_robots_survive",
                             "test_urdf_to_sdf_and_back_keeps_massless_links"),
                      *tests("description/test_urdf_writer", "test_built_in_robots"))),
        Figure("worlds-round-trip", "shown", "each world survives SDF, and `ign sdf -k` accepts it",
               tests=tests("description/test_sdf_writer", "test_built_in_worlds_survive")),
        Figure("ign", "shown", "`ign sdf -k` accepts our SDF",
               tests=tests("description/test_sdf_writer", "test_gazebo_accepts_a_robot",
                           "test_gazebo_accepts_equal_names_of_different_things")),
        Figure("check-urdf", "shown", "`check_urdf` accepts our URDF",
               tests=tests("description/test_urdf_writer", "test_the_reference_parser_accepts_it")),
    ),
)  # fmt: skip

CLONE = Run(
    "fresh-clone", 2, ("python", "benchmarks/fresh_clone.py", "--json"), 20.0,
    (
        Figure("clone-test", "shown", "fresh clone: tests that fail in `make test`", Asked("=", 0.0), at("failed")),
        Figure("clone-test-minutes", "shown", "fresh clone: tests alone, minutes on two cores (asked later: 12)",
               Asked("<", 12.0, "min"), at("test_minutes"), reason="the suite is judged on two quiet cores"),
        Figure("clone-run", "shown", "fresh clone: `make run` answers with the page (1: yes)", Asked("=", 1.0),
               at("page")),
        Figure("clone-readme", "shown", "fresh clone: the README's lines of Python run (1: yes)", Asked("=", 1.0),
               at("readme")),
    ),
    long=True,
)  # fmt: skip

MADE_BY_OTHERS = "python", "benchmarks/zoo_study.py"
FOREIGN_FILES = Run(
    "zoo-files", 2, (*MADE_BY_OTHERS, "files", "--json"), 45.0,
    (
        Figure("zoo-opens", "shown", "files of other makers: opened of those that the reference tool accepts",
               Asked(">=", 100.0, "%"), at("opens", "percent")),
        Figure("zoo-agrees", "shown", "`check` agrees with the reference tool on what is readable",
               Asked(">=", 100.0, "%"), at("agrees", "percent"),
               reason="what is mended for simulation is a warning here and refused there"),
        Figure("zoo-engines", "shown", "files that run on all four engines", Asked(">=", 100.0, "%"),
               at("engines", "percent")),
        Figure("zoo-heights", "shown", "heights after 3 s agree within 2 cm on four engines", Asked(">=", 95.0, "%"),
               at("heights", "percent"),
               reason="soft feet only on MuJoCo, loops on ODE, falls"),
        Figure("zoo-mjcf", "shown", "written as MJCF and loaded by plain MuJoCo", Asked(">=", 100.0, "%"),
               at("mjcf", "percent")),
        Figure("zoo-check", "speed", "`check` of files of other makers, median processor time", Asked("<", 0.5, "s"),
               at("check_seconds"), reason="processor time beside busy neighbours"),
    ),
    long=True,
)  # fmt: skip

FOREIGN_ROBOTS = Run(
    "zoo-robots", 2, (*MADE_BY_OTHERS, "robots", "--json"), 10.0,
    (
        Figure("zoo-walk", "shown", "legged robots of other makers that can carry themselves: 1 m within 10 %, 10 deg",
               Asked(">=", 90.0, "%"), at("walk", "percent"),
               reason="no ankle roll; limits that let no sole lie level behind the hips"),
        Figure("zoo-walking-bipeds", "shown", "bipeds among them, from the file alone", Asked(">=", 5.0), at("bipeds")),
        Figure("zoo-navigate", "shown", "wheeled robots that reach the goal in the lab and touch nothing",
               Asked(">=", 90.0, "%"), at("navigate", "percent")),
    ),
    long=True,
)  # fmt: skip

RUNS = (STARTUP, STEPPING, ANALYSIS, TESTS, CLONE, FOREIGN_FILES, FOREIGN_ROBOTS)
