"""Figures of the NAO's walks, the gait search and the falls."""

from __future__ import annotations

from collections.abc import Callable

from .descriptions import ENGINES, TITLES, tests
from .model import Asked, Figure, Output, Run
from .readers import at, least, over, row

STUDY = "benchmarks/biped_study.py"
COMMANDS = "benchmarks/command_study.py"
STREAMS = {"mujoco": (300, 0), "dart": (60, 0), "bullet": (60, 1), "ode": (60, 1)}  # and how many of them may fall
TURNS = (90.0, 360.0, -180.0, -270.0)
SEARCH = (
    "andante", "gait", "search", "nao", "--study", "$OUT/study", "--budget", "1200", "--batch", "16", "--seed", "1",
    "--minutes", "30", "--option", "sigma=0.15", "--argument", 'extras=["f_r","w_k","c_a","p_h"]', "--json",
)  # fmt: skip
WHY_DART = "0.849 on a quiet machine, a hair below; where the rest goes has not been found out"
WHY_OTHERS = "the walk is tuned on MuJoCo and not tuned again for another engine"


def sideways(output: Output) -> float:
    """Lateral drift of a gait in percent of the way ahead."""
    best = output.get("best", output)
    return 100 * abs(best["drift"]) / best["distance"]


def upright(output: Output) -> float:
    """Whether a gait ended in a fall."""
    return float(bool(output.get("best", output)["fallen"]))


def ahead(output: Output) -> float:
    """The way ahead of a gait [m]."""
    return float(output.get("best", output)["distance"])


GAIT = Run(
    "bench-gait", 4, ("andante", "bench", "gait", "--json"), 0.7,
    (
        *(
            Figure(f"search-{engine}", "speed", f"a trial beside bare stepping of the same motion on {TITLES[engine]}",
                   Asked(">=", 0.85), row(f"trial ({engine})", "ratio"), reason=WHY_DART if engine == "dart" else "")
            for engine in ENGINES
        ),
        Figure("search-rate", "speed", "candidates a second on two cores when half of them fall, by the wall clock",
               Asked(">=", 20.0, "candidates/s"), row("search, half fall (wall clock)"),
               reason="wall-clock time: it needs both cores for itself"),
        Figure("search-rate-cpu", "speed", "the same by processor time", None,
               row("search, half fall (CPU time of two)"), unit="candidates/s"),
    ),
)  # fmt: skip

STEP = Run(
    "biped-step", 4, ("python", STUDY, "step", "speed", "--json"), 0.3,
    (
        Figure("control-step", "speed", "one control step of the walk, mean", Asked("<", 0.3, "ms"),
               at("step", "mean"), reason="0.18 ms when the machine was quiet"),
        Figure("top-speed", "shown", "top speed, start and stop included", Asked(">=", 0.15, "m/s"),
               over("speed", "pace", max)),
    ),
)  # fmt: skip

WAVE = Run(
    "wave-shipped", 4, ("andante", "gait", "eval", "nao", "--json"), 0.1,
    (
        Figure("wave-smooth", "shown", "the wave gait that ships (smooth), way ahead in 6 s", Asked(">=", 0.30, "m"),
               ahead),
        Figure("wave-smooth-drift", "shown", "its lateral drift", Asked("<", 10.0, "% of the way"), sideways),
        Figure("wave-smooth-falls", "shown", "its falls", Asked("=", 0.0), upright),
    ),
)  # fmt: skip

WAVE_EXACT = Run(
    "wave-exact", 4, ("andante", "gait", "eval", "nao", "--variant", "exact", "--json"), 0.1,
    (
        Figure("wave-exact", "shown", "the gait of the exact model that ships, way ahead in 6 s",
               Asked(">=", 0.30, "m"), ahead),
        Figure("wave-exact-drift", "shown", "its lateral drift", Asked("<", 10.0, "% of the way"), sideways),
        Figure("wave-exact-falls", "shown", "its falls", Asked("=", 0.0), upright),
    ),
)  # fmt: skip

WAVE_SEARCH = Run(
    "wave-search", 4, SEARCH, 6.0,
    (
        Figure("wave-search", "shown", "best of a study of at most 30 minutes on 2 cores, way ahead in 6 s",
               Asked(">=", 0.30, "m"), ahead),
        Figure("wave-search-drift", "shown", "its lateral drift", Asked("<", 10.0, "% of the way"), sideways),
        Figure("wave-search-falls", "shown", "its falls", Asked("=", 0.0), upright),
    ),
    long=True,
)  # fmt: skip

MATRIX = Run(
    "biped-matrix", 4, ("python", STUDY, "matrix", "turns", "--json"), 1.5,
    (
        Figure("walk-falls", "shown", "falls in 63 walks (0.5, 1, 3 m at 40, 80, 100 %, 7 seeds)", Asked("=", 0.0),
               over("matrix", "falls", sum)),
        Figure("walk-trials", "shown", "trials of each of them", Asked(">=", 7.0), over("matrix", "trials", min)),
        Figure("walk-error", "shown", "worst distance error of these walks", Asked("<", 5.0, "%"),
               over("matrix", "worst_error", max)),
        Figure("walk-drift", "shown", "worst drift of these walks", Asked("<", 5.0, "% of the way"),
               over("matrix", "worst_drift", max)),
        *(
            Figure(f"turn-{turn:.0f}", "shown", f"turns of {turn:.0f} degrees, worst error of 7 seeds",
                   Asked("<", 5.0, "%"), over("turns", "worst_error", max, turn=turn))
            for turn in TURNS
        ),
        Figure("turn-falls", "shown", "falls in 28 turns", Asked("=", 0.0), over("turns", "falls", sum)),
    ),
)  # fmt: skip

OTHER_ENGINES = Run(
    "biped-engines", 4, ("python", STUDY, "engines", "--json"), 0.7,
    (
        Figure("bullet-metre", "shown", "1 m on Bullet: error", Asked("<", 5.0, "%"),
               at("engines", "bullet", "1 m", "error"), reason=WHY_OTHERS),
        Figure("bullet-turn", "shown", "90 degrees on Bullet: error", Asked("<", 5.0, "%"),
               at("engines", "bullet", "90 deg", "error"), reason=WHY_OTHERS),
        Figure("bullet-falls", "shown", "falls on Bullet", Asked("=", 0.0),
               lambda output: sum(bool(walk["fallen"]) for walk in output["engines"]["bullet"].values())),
        *(
            Figure(f"{engine}-{key}", "shown", f"{words} on {TITLES[engine]}: error (to be reported)", None,
                   at("engines", engine, words, "error"), unit="%")
            for engine in ("dart", "ode") for key, words in (("metre", "1 m"), ("turn", "90 deg"))
        ),
    ),
)  # fmt: skip

PUSHES = Run(
    "biped-pushes", 4, ("python", STUDY, "pushes", "--json"), 1.6,
    (
        Figure("pushes", "shown", "random pushes of 0.3 to 3 N s at the torso while walking", Asked(">=", 200.0),
               at("pushes", "walking", "pushes")),
        Figure("push-0.7", "shown", "up after pushes up to 0.7 N s", Asked(">=", 90.0, "%"),
               at("pushes", "walking", "up_to", "0.7")),
        Figure("push-1.0", "shown", "up after pushes up to 1.0 N s", Asked(">=", 80.0, "%"),
               at("pushes", "walking", "up_to", "1.0")),
        *(
            Figure(f"push-curve-{high}", "shown", f"survival curve, {low} to {high} N s", None,
                   lambda output, low=low: next(  # type: ignore[misc]
                       100 * up / all_ for edge, _, up, all_ in output["pushes"]["walking"]["curve"] if edge == low),
                   unit="%")
            for low, high in ((0.3, 0.7), (0.7, 1.0), (1.0, 1.5), (1.5, 2.0), (2.0, 2.5), (2.5, 3.0))
        ),
        Figure("push-standing", "shown", "up after pushes up to 1.0 N s, on the spot and standing: least", None,
               least((at("pushes", "on the spot", "up_to", "1.0"), at("pushes", "standing", "up_to", "1.0"))),
               unit="%"),
    ),
)  # fmt: skip

ZOO = Run(
    "biped-zoo", 4, ("python", "benchmarks/biped_zoo_study.py", "--json"), 4.0,
    (
        Figure("zoo-bipeds", "shown", "bipeds of five other makers, a stance given by hand: 1 m and 90 degrees, walks",
               Asked(">=", 100.0), over("walks", "trials", sum)),
        Figure("zoo-biped-falls", "shown", "falls of them", Asked("=", 0.0), over("walks", "falls", sum)),
        Figure("zoo-biped-arrived", "shown", "of them stood again at their goal", Asked(">=", 100.0),
               over("walks", "arrived", sum)),
        Figure("zoo-biped-error", "shown", "worst error of all distances and turns (to be reported)", None,
               over("walks", "worst_error", max), unit="%"),
    ),
)  # fmt: skip

COMMAND_STREAMS = tuple(
    Run(
        f"commands-{engine}", 4, ("python", COMMANDS, "streams", "--engine", engine, "--json"), minutes,
        (
            Figure(f"streams-{engine}", "shown", f"random command streams of 20 s on {TITLES[engine]}",
                   Asked(">=", float(STREAMS[engine][0])), over("streams", "runs", sum)),
            Figure(f"streams-falls-{engine}", "shown", "falls of them", Asked("<=", float(STREAMS[engine][1])),
                   over("streams", "falls", sum)),
            *(
                Figure(f"streams-{axis}-{engine}", "shown", f"mean {axis} of them, of what the shaped command was",
                       Asked(">=", 80.0, "%"), lambda output, axis=axis: min(  # type: ignore[misc]
                           each["walked"][axis] for each in output["streams"]))
                for axis in ("vx", "vy", "wz")
            ),
            Figure(f"streams-hands-{engine}", "shown", "of them in which an arm touched leg or trunk", Asked("=", 0.0),
                   over("streams", "arms", sum)),
        ),
        long=True,
    )
    for engine, minutes in (("mujoco", 7.0), ("dart", 5.0), ("bullet", 5.0), ("ode", 12.0))
)  # fmt: skip

COMMAND_KEYS = Run(
    "commands-keys", 4, ("python", COMMANDS, "keys", "--json"), 8.0,
    (
        *(
            Figure(f"keys-falls-{engine}", "shown",
                   f"falls under the 26 combinations of keys at 100 % for 10 s on {TITLES[engine]}", Asked("=", 0.0),
                   over("keys", "falls", sum, engine=engine))
            for engine in ENGINES
        ),
        Figure("keys-runs", "shown", "combinations and engines of them", Asked(">=", 104.0),
               over("keys", "runs", sum)),
        Figure("keys-hands", "shown", "of them in which an arm touched leg or trunk", Asked("=", 0.0),
               over("keys", "arms", sum)),
    ),
    long=True,
)  # fmt: skip

COMMAND_GOALS = Run(
    "commands-goals", 4, ("python", COMMANDS, "goals", "--json"), 2.5,
    (
        Figure("map-goals", "shown", "goals on the map of lab, arena and empty, given to the NAO", Asked(">=", 40.0),
               over("goals", "goals", sum)),
        Figure("map-goals-reached", "shown", "of them reached without a fall", Asked(">=", 40.0),
               over("goals", "reached", sum)),
        Figure("map-goals-error", "shown", "worst true distance from them (to be reported)", None,
               over("goals", "worst", max), unit="m"),
    ),
    long=True,
)  # fmt: skip

COMMAND_SET = Run(
    "commands-set", 4, ("python", COMMANDS, "set", "--json"), 0.8,
    (
        *(
            Figure(f"set-{axis}", "shown", f"what the command set holds of the {axis} of 0.1.0",
                   Asked(">=", 90.0, "%"), at("set", "axes", axis))
            for axis in ("vx", "vy", "wz")
        ),
        *(
            Figure(f"set-{box}", "shown", f"what it holds of the box of {box}", Asked(">=", 50.0, "%"),
                   at("set", "boxes", box))
            for box in ("vx-vy", "vx-wz")
        ),
        Figure("set-steps", "shown", "steps until a steady command is reached, most of 26 directions",
               Asked("<=", 4.0), at("set", "most_steps")),
        Figure("set-pace", "shown", "3 m at 100 %, start and stop included", Asked(">=", 0.28, "m/s"),
               at("set", "pace")),
        Figure("set-falls", "shown", "falls of these walks", Asked("=", 0.0), at("set", "falls")),
    ),
)  # fmt: skip

GROUND_CASES: dict[str, float] = {
    "slope 5 up": 20.0, "slope 5 down": 20.0, "slope 5 across": 20.0, "bar 10": 20.0, "slope 7 up": 18.0,
    "slope 7 down": 18.0, "slope 7 across": 18.0, "ramp 7 up": 18.0, "ramp 7 down": 18.0, "edge 10 up": 20.0,
    "edge 10 down": 20.0,
}  # fmt: skip


def still_up(case: str) -> Callable[[Output], float]:
    """Trials of a case in which the robot has not fallen."""
    return lambda output: float(output[case]["trials"] - len(output[case]["falls"]))


GROUND = Run(
    "biped-ground", 4, ("python", "benchmarks/ground_study.py", *GROUND_CASES, "--seeds", "20", "--json"), 6.0,
    tuple(
        figure
        for case, least_up in GROUND_CASES.items()
        for figure in (
            Figure(f"ground-{case.replace(' ', '-')}", "shown", f"{case} (degrees or mm) at 40 %: up of 20 seeds",
                   Asked(">=", least_up), still_up(case)),
            Figure(f"ground-{case.replace(' ', '-')}-there", "shown", f"{case}: of them at the goal", None,
                   at(case, "arrived")),
        )
    ),
    long=True,
)  # fmt: skip

FALLS = Run(
    "falls", 4, ("python", "benchmarks/fall_study.py", "--workers", "2", "--json"), 0.7,
    (
        Figure("falls", "shown", "random falls", Asked(">=", 20.0), at("summary", "fell"),
               reason="a push that it survives is no fall"),
        Figure("stands-again", "shown", "of them stands again", Asked(">=", 20.0), at("summary", "stands again")),
        Figure("first-try", "shown", "of them at the first try", None, at("summary", "at the first try")),
    ),
    keep=("summary",),
)  # fmt: skip

FALLS_WALKING = Run(
    "falls-walking", 4, ("python", "benchmarks/fall_study.py", "--gait", "walk", "--workers", "2", "--json"), 0.8,
    (
        Figure("stands-again-walking", "shown", "20 falls with the walk in charge: stands again", Asked(">=", 20.0),
               at("summary", "stands again")),
    ),
    keep=("summary",),
)  # fmt: skip

TESTS = Run(
    "tests-walking", 4, (), 1.0,
    (
        Figure("waves", "shown", "waves equal the published formulas at sampled points",
               tests=tests("locomotion/wave/test_model", "test_exact_waves_are_the_published_formulas")),
        Figure("statistics", "shown", "statistics and fitness equal cases computed by hand",
               tests=tests("locomotion/wave/test_fitness", "test_statistics_of_a_straight_way",
                           "test_only_cycles_that_began_count", "test_the_source_by_hand",
                           "test_the_better_one_by_hand")),
        Figure("kill-study", "shown", "kill -9 drill of a study",
               tests=tests("search/test_kill", "test_kill_drill", "test_workers_end_when_their_study_is_killed",
                           "test_two_processes_cannot_write_one_study")),
        Figure("ray", "shown", "Ray and local processes give the same results",
               tests=tests("search/test_ray", "test_one_cluster_does_what_local_processes_do")),
    ),
)  # fmt: skip

RUNS = (
    GAIT, STEP, WAVE, WAVE_EXACT, MATRIX, OTHER_ENGINES, PUSHES, ZOO, COMMAND_SET, GROUND, FALLS, FALLS_WALKING, TESTS,
    WAVE_SEARCH, COMMAND_GOALS, COMMAND_KEYS, *COMMAND_STREAMS,
)  # fmt: skip
