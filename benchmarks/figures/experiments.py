"""Figures of the experiments."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean

from .descriptions import tests
from .model import Asked, Figure, Output, Reader, Run
from .readers import at, most

STRAIGHT, TURN = "straight-walk", "turn-in-place"
STUDY = "benchmarks/thesis_study.py"
NIGHT = 12.0  # [h]


def commanded(name: str, engine: str, measure: str, fold: Callable[[list[float]], float] = fmean) -> Reader:
    """Mean error of what was commanded over all tests, or their worst [%]."""
    return lambda output: 100 * fold(list(output[name]["commanded"][engine][measure].values()))


def beside_real(name: str, engine: str, measure: str) -> Reader:
    """Error beside the real robot, |mean - mean| / commanded, averaged over the tests [%]."""

    def read(output: Output) -> float:
        rows = output[name]["reference"]
        (found,) = (each for each in rows if (each["source"], each["measure"]) == (engine, measure))
        return 100 * float(found["error"])

    return read


def left_out(name: str, measure: str, value: str, scale: float = 1.0) -> Reader:
    """A value of the proof on tests that were left out of the fit, on MuJoCo."""

    def read(output: Output) -> float:
        proofs = output[name]["fit"]["mujoco"]["held_out"]
        (found,) = (each for each in proofs if each["measure"] == measure)
        return scale * float(found[value])

    return read


def fraction_inside(output: Output) -> float:
    """Share of the held-out tests whose lateral deviation lies within that of the real trials [%]."""
    return 100 * left_out(STRAIGHT, "y", "inside")(output) / left_out(STRAIGHT, "y", "tests")(output)


THESIS = Run(
    "thesis-mujoco", 7, ("python", STUDY, "--engines", "mujoco", "--out", "$OUT/thesis", "--json"), 2.0,
    (
        Figure("thesis-time", "speed", "both experiments on MuJoCo on two cores", Asked("<", 10.0, "min"),
               at("seconds", scale=1 / 60)),
        Figure("thesis-trials", "speed", "trials of them", Asked("=", 147.0), at("trials")),
        Figure("thesis-failed", "speed", "trials that failed", Asked("=", 0.0), at("failed")),
        Figure("report-time", "speed", "report, the slower of both", Asked("<", 20.0, "s"),
               most((at(STRAIGHT, "report_seconds"), at(TURN, "report_seconds")))),
        Figure("thesis-distance", "shown", "MuJoCo, error of the commanded distance, worst of 9 tests",
               Asked("<", 5.0, "%"), commanded(STRAIGHT, "mujoco", "planar", max)),
        Figure("thesis-turn", "shown", "MuJoCo, error of the commanded turn, worst of 12 tests", Asked("<", 5.0, "%"),
               commanded(TURN, "mujoco", "turned", max)),
    ),
    keep=("engines", "trials", "failed", "seconds", STRAIGHT, TURN),
)  # fmt: skip

MANY = Run(
    "many-trials", 7, ("python", "benchmarks/many_trials.py", "--json"), 0.6,
    (
        Figure("many", "speed", "trials run, tabled and reported in one process", Asked(">=", 10_000.0),
               at("many", "trials")),
        Figure("many-memory", "speed",
               "peak memory beside a tenth of them, in parts of the results' size (held in memory: more than 1)",
               Asked("<", 0.5), lambda output: output["growth"] / output["size"]),
        Figure("many-report", "speed", "report on them", Asked("<", 20.0, "s"), at("many", "report")),
    ),
)  # fmt: skip

NIGHTLY = Run(
    "thesis-engines", 7,
    ("python", STUDY, "--engines", "mujoco,bullet,dart,ode", "--trials", "1", "--out", "$OUT/thesis", "--json"), 3.2,
    (
        Figure("night", "speed", "both experiments on four engines, from one trial of each of the 7",
               Asked("<=", NIGHT, "h (a night)"), lambda output: 7 * output["seconds"] / 3600),
        *(
            figure
            for engine, title in (("bullet", "Bullet"), ("dart", "DART"), ("ode", "ODE"))
            for figure in (
                Figure(f"{engine}-distance", "shown", f"{title}, error of the commanded distance, one trial each", None,
                       commanded(STRAIGHT, engine, "planar"), unit="%"),
                Figure(f"{engine}-thesis-turn", "shown", f"{title}, error of the commanded turn, one trial each", None,
                       commanded(TURN, engine, "turned"), unit="%"),
            )
        ),
    ),
)  # fmt: skip


def of_engine(engine: str, title: str, falls: int, percent: float, minutes: float) -> Run:
    """Both experiments with all their trials on another engine than MuJoCo."""
    return Run(
        f"thesis-{engine}", 7, ("python", STUDY, "--engines", engine, "--out", "$OUT/thesis", "--json"), minutes,
        (
            Figure(f"{engine}-report-distance", "shown", f"{title}, 7 trials each, error of the commanded distance",
                   Asked("<", percent, "%"), commanded(STRAIGHT, engine, "planar")),
            Figure(f"{engine}-report-turn", "shown", f"{title}, 7 trials each, error of the commanded turn",
                   Asked("<", percent, "%"), commanded(TURN, engine, "turned")),
            Figure(f"{engine}-report-falls", "shown", f"{title}, falls in 63 straight walks",
                   Asked("<=", float(falls)), at(STRAIGHT, "falls", engine)),
            Figure(f"{engine}-report-turn-falls", "shown", f"{title}, falls in 84 turns", None,
                   at(TURN, "falls", engine)),
        ),
        long=True,
    )  # fmt: skip


ENGINES = (
    of_engine("bullet", "Bullet", 1, 5.0, 10.0),
    of_engine("dart", "DART", 1, 5.0, 10.0),
    of_engine("ode", "ODE", 2, 8.0, 15.0),
)


def open_loop(engine: str, title: str, minutes: float) -> Run:
    """Both experiments as the thesis walked them: at a constant velocity, nothing steers back."""
    words = ("--engines", engine, "--mode", "open-loop", "--out", "$OUT/thesis", "--json")
    return Run(
        f"thesis-open-loop-{engine}", 7, ("python", STUDY, *words), minutes,
        (
            Figure(f"{engine}-open-distance", "shown", f"{title}, open loop, distance beside the real robot", None,
                   beside_real(STRAIGHT, engine, "planar"), unit="%"),
            Figure(f"{engine}-open-turn", "shown", f"{title}, open loop, turn beside the real robot", None,
                   beside_real(TURN, engine, "turned"), unit="%"),
            Figure(f"{engine}-open-falls", "shown", f"{title}, open loop, falls in 147 trials", None,
                   lambda output: output[STRAIGHT]["falls"][engine] + output[TURN]["falls"][engine]),
        ),
        long=True,
    )  # fmt: skip


OPEN_LOOP = (
    open_loop("mujoco", "MuJoCo", 5.0),
    open_loop("bullet", "Bullet", 20.0),
    open_loop("dart", "DART", 20.0),
    open_loop("ode", "ODE", 30.0),
)

FIT = Run(
    "thesis-fit", 7,
    ("python", STUDY, "--engines", "mujoco", "--fit", "--out", "$OUT/thesis", "--json"), 20.0,
    (
        Figure("fit-distance", "shown", "tests left out of the fit, MuJoCo: planar distance beside the real robot",
               Asked("<=", 5.0, "%"), left_out(STRAIGHT, "planar", "error", 100)),
        Figure("fit-turn", "shown", "tests left out of the fit, MuJoCo: turned angle beside the real robot",
               Asked("<=", 6.0, "%"), left_out(TURN, "turned", "error", 100)),
        Figure("fit-deviation", "shown", "held-out tests whose deviation lies within the range of the real trials",
               Asked(">=", 50.0, "%"), fraction_inside),
    ),
    long=True,
)  # fmt: skip

TESTS = Run(
    "tests-experiments", 7, (), 0.6,
    (
        Figure("statistics-scipy", "shown", "statistics against closed forms and scipy",
               tests=tests("experiments/test_statistics", "test_bootstrap_is_that_of_scipy",
                           "test_comparison_is_that_of_scipy", "test_hedges_is_cohen_with_its_correction",
                           "test_holm_by_hand_and_by_rule", "test_equivalence_is_two_one_sided_tests",
                           "test_one_factor_is_the_analysis_of_variance_of_scipy",
                           "test_trials_for_a_difference_are_those_of_the_tables")),
        Figure("thesis-errors", "shown", "the thesis' own errors come out of its 735 trials again",
               tests=tests("experiments/test_reference", "test_the_735_trials_give_the_errors_of_the_thesis")),
        Figure("kill-experiment", "shown", "kill -9 drill of an experiment",
               tests=tests("experiments/test_runner", "test_kill_drill", "test_shards_make_the_whole")),
        Figure("damage", "shown", "a corrupted results file is detected and said",
               tests=(*tests("experiments/test_runner", "test_damage_is_said"),
                      *tests("search/test_record", "test_any_changed_byte_is_noticed"))),
        Figure("bad-experiments", "shown", "bad experiment files name line and key",
               tests=tests("experiments/test_definition", "test_mistakes_name_line_and_key",
                           "test_missing_entries_are_named")),
        Figure("streamed", "speed", "results are read one at a time",
               tests=tests("experiments/test_runner", "test_results_are_streamed")),
        Figure("report-files", "shown", "a report has its page, and figures and tables as PNG, PDF, CSV and LaTeX",
               tests=tests("experiments/test_report", "test_files_of_a_report")),
    ),
)  # fmt: skip


def within(kind: str) -> Reader:
    """Share of the hidden values of a kind that were found within 10 % (of delays: or half a sample) [%]."""
    return lambda output: 100 * output["summary"][kind]["good"] / output["summary"][kind]["of"]


def covered(output: Output) -> float:
    """Share of all hidden values that lie in their intervals of 95 % [%]."""
    return 100 * float(output["summary"]["covered"]["good"]) / float(output["summary"]["covered"]["of"])


def identification(name: str, prefix: str, words: str, *options: str) -> Run:
    """Disguised robots on three seeds that no setting was chosen on; words: what was recorded."""
    return Run(
        name, 7, ("python", "benchmarks/identification_study.py", "--seeds", "3", "--first", "10", *options, "--json"),
        15.0,
        (
            Figure(f"{prefix}-stiffness", "shown", f"disguised robots, {words}, hidden stiffness found within 10 %",
                   Asked(">=", 100.0, "%"), within("stiffness")),
            Figure(f"{prefix}-friction", "shown", f"disguised robots, {words}, hidden friction found within 10 %",
                   Asked(">=", 100.0, "%"), within("friction")),
            Figure(f"{prefix}-delay", "shown", f"disguised robots, {words}, delay found within 10 % or half a sample",
                   Asked(">=", 100.0, "%"), within("delay")),
            Figure(f"{prefix}-covered", "shown", f"disguised robots, {words}, hidden values in their intervals of 95 %",
                   Asked(">=", 95.0, "%"), covered),
            Figure(f"{prefix}-time", "shown", f"the slowest fit, {words}", Asked("<", 300.0, "s"),
                   at("summary", "seconds")),
        ),
        long=True,
        keep=("summary",),
    )  # fmt: skip


IDENTIFICATION = (
    identification("identification", "hidden", "positions only"),
    identification("identification-torques", "hidden-torques", "with torques", "--torques"),
)

RUNS = (THESIS, MANY, NIGHTLY, TESTS, *ENGINES, *OPEN_LOOP, FIT, *IDENTIFICATION)
