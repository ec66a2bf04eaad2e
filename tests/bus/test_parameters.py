"""Parameters: types, bounds, checks, who is told."""

from __future__ import annotations

from typing import Any

import pytest

from andante.bus import Parameter, Parameters
from andante.errors import BadInput, UnknownName


def test_declare_get_set_list() -> None:
    parameters = Parameters()
    told: list[Any] = []
    parameters.declare("/nao/pgain", 20, changed=told.append, help="stiffness", low=0, high=100, node="servos")
    parameters.declare("nao/name", "x")
    assert parameters.set("nao/pgain", 30.0) == 30
    assert isinstance(parameters.get("/nao/pgain"), int)
    assert told == [30]
    assert "/nao/pgain" in parameters
    assert parameters.list() == [
        Parameter("/nao/name", "x"),
        Parameter("/nao/pgain", 30, "stiffness", 0, 100, "servos"),
    ]
    assert [p.name for p in parameters.list("/nao/p*")] == ["/nao/pgain"]
    parameters.remove("/nao/*")
    assert parameters.list() == []


@pytest.mark.parametrize(
    ("first", "given", "expected"),
    [
        (1.0, 2, 2.0),
        (1, 2.0, 2),
        (True, 0, False),
        ("a", "b", "b"),
        ([1.0], (1, 2), [1.0, 2.0]),
        (["a"], ["b", "c"], ["b", "c"]),
        ([], [1], [1]),
    ],
)
def test_values_take_the_type_of_the_first(first: Any, given: Any, expected: Any) -> None:
    parameters = Parameters()
    parameters.declare("/p", first)
    parameters.set("/p", given)
    found = parameters.get("/p")
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("first", "given", "fragment"),
    [
        (1.0, "fast", "'/p' is a number, got 'fast'"),
        (1.0, True, "'/p' is a number, got True"),
        (1.0, float("nan"), "'/p' is a number, got nan"),
        (1, 2.5, "'/p' is a whole number, got 2.5"),
        (1.0, 10**400, "'/p' is a number, got 1000"),
        (1, float("inf"), "'/p' is a whole number, got inf"),
        (True, 2, "'/p' is true or false, got 2"),
        ("a", 1, "'/p' is a text, got 1"),
        ([1.0], 3, "'/p' is a list, got 3"),
        ([1.0], ["a"], "'/p' is a number, got 'a'"),
    ],
)
def test_other_types_are_refused(first: Any, given: Any, fragment: str) -> None:
    parameters = Parameters()
    parameters.declare("/p", first)
    with pytest.raises(BadInput, match=fragment):
        parameters.set("/p", given)
    assert parameters.get("/p") == first


def test_bounds_and_checks() -> None:
    def even(value: int) -> None:
        if value % 2:
            raise BadInput("must be even")

    parameters = Parameters()
    parameters.declare("/p", 4, check=even, low=2)
    parameters.declare("/list", [1.0, 2.0], low=0.0, high=3.0)
    for name, value, fragment in (
        ("/p", 0, "goes from 2 to inf, got 0"),
        ("/p", 3, "must be even"),
        ("/list", [1, 4], "goes from 0 to 3, got 4"),
    ):
        with pytest.raises(BadInput, match=fragment):
            parameters.set(name, value)
    with pytest.raises(BadInput, match="goes from"):
        parameters.declare("/q", 5.0, high=1.0)
    assert parameters.get("/p") == 4


def test_a_change_that_fails_is_taken_back() -> None:
    def fail(value: float) -> None:
        raise BadInput("the robot refuses")

    parameters = Parameters()
    parameters.declare("/p", 1.0, changed=fail)
    told: list[Any] = []
    parameters.watch(lambda name, value: told.append(name))
    with pytest.raises(BadInput, match="the robot refuses"):
        parameters.set("/p", 2.0)
    assert parameters.get("/p") == 1.0
    assert told == []


def test_watchers_hear_every_change_until_they_stop() -> None:
    parameters = Parameters()
    parameters.declare("/a", 1)
    told: list[tuple[str, Any]] = []
    stop = parameters.watch(lambda name, value: told.append((name, value)))
    parameters.set("a", 2)
    stop()
    parameters.set("a", 3)
    assert told == [("/a", 2)]


def test_lists_are_copies() -> None:
    parameters = Parameters()
    parameters.declare("/p", [1.0])
    parameters.get("/p").append(2.0)  # type: ignore[union-attr,arg-type]
    assert parameters.get("/p") == [1.0]


def test_names_are_checked() -> None:
    parameters = Parameters()
    parameters.declare("/a", 1)
    with pytest.raises(BadInput, match="'/a' exists already"):
        parameters.declare("a", 2)
    with pytest.raises(UnknownName, match="no parameter '/b'; choices: /a"):
        parameters.get("/b")
    for name in ("", "/", "a b"):
        with pytest.raises(BadInput, match="looks like /robot/name"):
            parameters.declare(name, 1)
