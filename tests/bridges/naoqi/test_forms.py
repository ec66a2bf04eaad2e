"""Argument forms: what fits, what is refused and in which words."""

import math

import pytest

from andante.bridges.naoqi.forms import CallError, read_arguments

MOVE = "x:float y:float theta:float | x:float y:float theta:float config:list | points:list config:list?"


@pytest.mark.parametrize(
    ("form", "given", "wanted"),
    [
        ("names:names angles:numbers fraction:fraction", ("HeadYaw", 1, 0.5), [["HeadYaw"], 1.0, 0.5]),
        ("names:names angles:numbers", (["A", "B"], [[1, 2], 3.5]), [["A", "B"], [[1.0, 2.0], 3.5]]),
        (MOVE, (1, 0, 0.5), [1.0, 0.0, 0.5]),
        (MOVE, (1, 0, 0.5, [["Frequency", 1.0]]), [1.0, 0.0, 0.5, [["Frequency", 1.0]]]),
        (MOVE, ([[1, 0, 0]],), [[[1, 0, 0]]]),
        ("text:text extra:any*", ("a", 1, None), ["a", 1, None]),
        ("text:text extra:any*", (b"a",), ["a"]),
        ("on:bool", (1,), [True]),
        ("", (), []),
    ],
)
def test_what_fits(form, given, wanted):
    assert read_arguments("S::m", form, given) == wanted


@pytest.mark.parametrize(
    ("form", "given", "words"),
    [
        ("names:names fraction:fraction", ("HeadYaw", 1.5), "fraction: the fraction of the maximal speed"),
        ("names:names fraction:fraction", ("HeadYaw", 0.0), "above 0"),
        ("names:names angles:numbers", ("HeadYaw", [math.nan]), "finite"),
        ("names:names angles:numbers", ("HeadYaw",), "got 1 arguments; expected (names, angles)"),
        ("names:names", (5,), "names should be a name or a list of names, got 5"),
        (MOVE, ("a", 0, 0), "x should be a number, got 'a'"),
        ("number:int", (1.5,), "whole number"),
        ("text:text", ("x" * 20_000,), "up to 10000"),
        ("values:numbers", ([[[[[[1]]]]]],), "too deep"),
        ("values:numbers", ([0.0] * 300_000,), "at once"),
    ],
)
def test_what_is_refused(form, given, words):
    with pytest.raises(CallError) as caught:
        read_arguments("ALMotion::m", form, given)
    assert str(caught.value).startswith("ALMotion::m: ")
    assert words in str(caught.value)
