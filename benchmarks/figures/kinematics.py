"""Figures of kinematics, motion and the Shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .descriptions import TITLES, tests
from .model import Asked, Figure, Reader, Run
from .readers import over, row

CHAINS = {
    "panda-like": "Panda-like arm", "ur5-like": "UR5-like arm", "shell lower leg": "Shell lower leg",
    "shell upper leg": "Shell upper leg",
}  # fmt: skip
GAITS = ("tripod", "ripple", "wave")
CALL = "a call from Python adds 4 to 5 µs to the few that the solver needs (3 to 4 for a leg of two or three joints)"
WALKED = ("mujoco", "bullet")


def walked(value: str | Callable[[Any], float], fold: Callable[[Iterable[float]], float] = max, **where: Any) -> Reader:
    """A value of the walks with these entries."""
    return over("walks", value, fold, **where)


IK = Run(
    "bench-ik", 3, ("andante", "bench", "ik", "--json"), 0.6,
    (
        *(
            Figure(f"ik-batch-{key.replace(' ', '-')}", "speed", f"{words}, 10,000 targets in one batch beside `ik_LM`",
                   Asked(">=", 5.0, "times"), row(f"{key}: one batch beside ik_LM", "ratio"))
            for key, words in CHAINS.items()
        ),
        *(
            Figure(f"ik-single-{key.replace(' ', '-')}", "speed",
                   f"{words}, the same by single calls (asked without saying how)", Asked(">=", 5.0, "times"),
                   row(f"{key}: single calls beside ik_LM", "ratio"), reason=CALL)
            for key, words in CHAINS.items()
        ),
        *(
            Figure(f"ik-success-{key.replace(' ', '-')}", "speed", f"{words}, targets reached to 1e-6",
                   Asked("=", 100.0, "%"), row(f"{key}: reached beside ik_LM"))
            for key, words in CHAINS.items()
        ),
        Figure("ik-pinocchio", "speed", "Panda-like arm beside a loop with Pinocchio", None,
               row("panda-like: one batch beside Pinocchio loop", "ratio"), unit="times"),
        Figure("ik-legs", "speed", "all six legs of the Shell in one Python call", Asked("<", 40.0, "µs"),
               row("six shell legs, one call beside six of ik_LM (less is better)"), reason="wall-clock time"),
        Figure("ik-threads", "speed", "a batch on two threads beside one", Asked(">=", 1.7, "times"),
               row("panda-like: batch on 2 threads beside 1", "ratio"),
               reason="wall-clock time: it needs both cores for itself, and reaches 1.76 to 1.90 when it has them"),
        Figure("ik-first", "speed", "import and first call in a fresh process", Asked("<", 2.0, "s"),
               row("import and first call in a fresh process (less is better)"), reason="wall-clock time"),
    ),
)  # fmt: skip

WALK = Run(
    "bench-walk", 3, ("andante", "bench", "walk", "--json"), 0.5,
    (
        Figure("pace-walking", "speed", "Shell walking with its full control loop on MuJoCo",
               Asked(">=", 10.0, "x real time"), row("shell tripod walking"),
               reason="caches shared with busy neighbours slow it"),
        Figure("pace-rolling", "speed", "Shell rolling on MuJoCo", Asked(">=", 4.0, "x real time"),
               row("shell rolling")),
        Figure("pace-nao-walking", "speed", "NAO walking with all sensors but the cameras on MuJoCo",
               Asked(">=", 8.0, "x real time"), row("nao walking, all sensors"), issue=4),
    ),
)  # fmt: skip

LEGGED = Run(
    "legged-shell", 3, ("python", "benchmarks/legged_study.py", "shell", "--two", "--json"), 1.6,
    (
        *(
            Figure(f"shell-{gait}-{engine}", "shown", f"Shell, 2 m (within 5 %) by {gait} on {TITLES[engine]}",
                   Asked(">=", 1.9, "m"), walked("distance", min, gait=gait, engine=engine, world="empty", turn=False))
            for gait in GAITS for engine in WALKED
        ),
        *(
            Figure(f"shell-heading-{engine}", "shown",
                   f"heading error after 2 m on {TITLES[engine]}, worst of three gaits", Asked("<", 5.0, "deg"),
                   over("walks", lambda walk: abs(walk["turned"]) if walk["gait"] in GAITS else 0.0, max,
                        engine=engine, world="empty", turn=False))
            for engine in WALKED
        ),
        Figure("shell-falls", "shown", "falls in all these walks", Asked("=", 0.0), walked("fallen", sum)),
        *(
            Figure(f"shell-turn-{engine}", "shown", f"turn of 360 degrees on the spot on {TITLES[engine]}: error",
                   Asked("<=", 5.0, "%"),
                   walked(lambda walk: abs(walk["turned"] - 360) / 3.6, engine=engine, turn=True))
            for engine in WALKED
        ),
        *(
            Figure(f"shell-rough-{gait}", "shown", f"2 m (within 5 %) over `rough` with steps of 2 cm by {gait}",
                   Asked(">=", 1.9, "m"), walked("distance", min, gait=gait, world="rough"))
            for gait in ("tripod", "ripple")
        ),
        *(
            Figure(f"shell-roll-{engine}", "shown",
                   f"folds, rolls, unfolds and walks again in one run on {TITLES[engine]}: distance",
                   Asked(">=", 2.0, "m"), walked("distance", min, gait="roll", engine=engine),
                   reason="rolling is chaotic: where the ball comes to rest differs from run to run")
            for engine in WALKED
        ),
    ),
)  # fmt: skip

OTHERS = Run(
    "legged-others", 3, ("python", "benchmarks/legged_study.py", "others", "--two", "--json"), 0.8,
    (
        Figure("quadrupeds", "shown",
               "six quadrupeds of `pybullet_data`, rigged by themselves, 1 m (within 5 %) by trot: least",
               Asked(">=", 0.95, "m"), walked("distance", min, gait="trot")),
        Figure("quadrupeds-falls", "shown", "falls of them, by trot", Asked("=", 0.0),
               walked("fallen", sum, gait="trot")),
        Figure("quadrupeds-crawl", "shown", "the same by crawl: least", None, walked("distance", min, gait="crawl"),
               unit="m"),
        Figure("hexapod", "shown", "a hexapod by the figures of another maker, rigged by itself, 1 m (within 5 %)",
               Asked(">=", 0.95, "m"), walked("distance", min, robot="phantomx")),
    ),
)  # fmt: skip

TESTS = Run(
    "tests-kinematics", 3, (), 0.6,
    (
        Figure("jacobians", "shown", "Jacobians against finite differences for every chain of every robot",
               tests=tests("kinematics/test_jacobians", "test_geometric_jacobian_of_every_chain",
                           "test_analytic_jacobians_of_every_chain")),
        Figure("dh", "shown", "forward kinematics by DH and by URDF of the same leg agree",
               tests=tests("kinematics/test_dh", "test_shell_legs_by_dh_and_by_description",
                           "test_dh_rows_and_a_robot_of_the_same_rows_agree")),
        Figure("rr-leg", "shown", "inverse kinematics agrees with the law of cosines for the RR leg",
               tests=tests("kinematics/ik/test_ik", "test_rr_leg_by_the_law_of_cosines")),
        Figure("feet-held", "shown", "feet held within 2 mm while the body traces a circle and tilts, under physics",
               tests=tests("locomotion/legged/test_body_motion",
                           "test_feet_stay_within_two_millimeters_while_the_body_traces_a_circle_and_tilts")),
        Figure("whole-run", "shown", "folds, rolls, unfolds and stands again by its key commands",
               tests=tests("robots/shell/test_controller", "test_stands_folds_rolls_unfolds_and_stands_again",
                           "test_a_rolled_way_ends_on_its_line")),
    ),
)  # fmt: skip

RUNS = (IK, WALK, LEGGED, OTHERS, TESTS)
