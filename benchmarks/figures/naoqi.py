"""Figures of programs that were written for a NAO, and of its balance."""

from __future__ import annotations

from .descriptions import tests
from .model import Asked, Figure, Run
from .readers import at

CLIENTS, FILTER = "bridges/naoqi/test_clients", "control/joints/test_balance_filter"

BALANCE = Run(
    "balance-filter", 6, ("python", "benchmarks/balance_study.py", "--json"), 4.0,
    (
        Figure("balance-falls", "speed", "200 random postures of arms and legs commanded while standing: falls",
               Asked("=", 0.0), at("falls")),
        Figure("balance-free", "speed", "joints that do not carry and are more than 2 degrees off their targets",
               Asked("=", 0.0), at("free_joints_missed")),
        Figure("balance-blocked", "speed", "postures in which an arm met another part of the robot on its way", None,
               at("arms_blocked_by_the_body")),
        Figure("balance-stable", "speed", "all joints within 2 degrees in postures that a center-of-mass test calls "
               "stable", Asked(">=", 95.0, "%"), at("stable_reached_percent")),
        Figure("balance-told", "speed", "refused postures that were not told", Asked("=", 0.0), at("refused_untold")),
    ),
    long=True,
)  # fmt: skip

CALLS = Run(
    "naoqi-calls", 6, ("python", "benchmarks/naoqi_calls.py", "--json"), 1.0,
    (
        Figure("naoqi-angles", "speed", "`setAngles` returns on loopback, session in real time, median",
               Asked("<", 2.0, "ms"), at("set_angles_ms")),
        Figure("naoqi-vga", "speed", "`getImageRemote` VGA while the robot walks on MuJoCo", Asked(">=", 15.0, "Hz"),
               at("image_vga_hz"), reason="every picture is drawn by the processor, on the same two cores as session, "
               "server, bridge and client"),
        Figure("naoqi-pace", "speed", "pace of that session", None, at("pace_vga"), unit="of real time"),
        Figure("naoqi-qvga", "speed", "the same in QVGA", None, at("image_qvga_hz"), unit="Hz"),
    ),
    long=True,
)  # fmt: skip

TESTS = Run(
    "tests-naoqi", 6, (), 0.8,
    (
        Figure("naoqi-clients", "shown", "ten qi clients at once, two for one joint; calls that cannot be done raise",
               tests=tests(CLIENTS, "test_ten_clients_at_once_and_two_for_one_joint",
                           "test_calls_that_cannot_be_done_raise_as_on_a_nao")),
        Figure("balance-switch", "shown", "the balance filter is switched off and on; motions are left alone",
               tests=tests(FILTER, "test_without_the_filter_the_same_command_tips_it_over",
                           "test_it_can_be_switched_while_joints_are_commanded",
                           "test_motions_under_way_are_left_alone")),
    ),
)  # fmt: skip

RUNS = (BALANCE, CALLS, TESTS)
