"""Spaces: the unit cube and back, grids, freezing, tables, one-line errors."""

import itertools
import json
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.errors import AndanteError
from andante.parsing import toml_text
from andante.search import Choice, Grid, Real, Space

number = st.floats(-1e6, 1e6)


@st.composite
def parameters(draw):
    kind = draw(st.sampled_from(["real", "step", "levels", "grid", "choice"]))
    if kind == "grid":
        return Grid(tuple(sorted(draw(st.sets(number, min_size=1, max_size=6)))))
    if kind == "choice":
        return Choice(tuple(draw(st.lists(st.text(max_size=4), min_size=1, max_size=5, unique=True))))
    low = draw(st.floats(-1e3, 1e3))
    width = draw(st.floats(1e-3, 1e3))
    if kind == "step":
        return Real(low, low + width, step=width / draw(st.integers(1, 50)) * (1 - 1e-9))
    levels = (low, low + width / 2) if kind == "levels" else ()
    return Real(low, low + width, levels=levels)


spaces = st.dictionaries(st.text("abcdefg .é", min_size=1, max_size=3), parameters(), min_size=1, max_size=5).map(Space)


@given(spaces, st.data())
def test_decoded_places_lie_in_the_space_and_come_back(space, data):
    unit = data.draw(st.lists(st.floats(-0.5, 1.5), min_size=space.dimensions, max_size=space.dimensions))
    values = space.decode(unit)
    assert list(values) == list(space.parameters)
    again = space.decode(space.encode(values))
    for name, kind in space.parameters.items():
        if isinstance(kind, Real):
            assert kind.low <= values[name] <= kind.high
            assert again[name] == pytest.approx(values[name], abs=1e-9 * (kind.high - kind.low) + 1e-9)
        else:
            assert values[name] in kind.values
            assert again[name] == values[name]
        if getattr(kind, "count", 0):
            assert again[name] == values[name]


@given(spaces)
def test_tables_give_the_same_space(space):
    assert Space.from_dict(json.loads(json.dumps(space.as_dict()))) == space
    assert Space.from_dict(tomllib.loads(toml_text(space.as_dict()))) == space


def test_steps_reach_the_end_of_the_range():
    assert Real(0.0, 3.0, step=0.1).count == 31
    assert Real(0.0, 1.0, step=0.3).grid == pytest.approx((0.0, 0.3, 0.6, 0.9))
    assert Real(0.0, 3.0, step=0.1).clip(2.96) == pytest.approx(3.0)
    assert Real(0.0, 3.0, step=0.1).decode(1.0) == 3.0
    assert Grid((0, 1, 4)).clip(2.5) == 1.0


def test_the_cells_of_the_grid_are_all_combinations():
    space = Space({"a": Grid((1, 2)), "b": Real(0, 5, levels=(0, 3, 4)), "c": Choice(("x", "y"))})
    cells = [tuple(space.cell(k).values()) for k in range(space.cells)]
    assert cells == list(itertools.product((1, 2), (0, 3, 4), ("x", "y")))


def test_frozen_parameters_stay():
    space = Space({"a": Real(0, 1), "b": Grid((1, 2)), "c": Real(0, 1)}).freeze({"c": 7.5})
    assert (space.names, space.cells) == (("a", "b"), 0)
    assert space.decode([0.25, 0.9]) == {"a": 0.25, "b": 2.0, "c": 7.5}
    assert space.freeze({"a": 0.5}).cell(1) == {"a": 0.5, "b": 2.0, "c": 7.5}
    assert space.clip({"a": 9, "b": 0})["c"] == 7.5
    assert Space.from_dict(space.as_dict()) == space
    all_held = space.freeze({"a": 0, "b": 1})
    assert all_held.decode(np.zeros(0)) == {"a": 0.0, "b": 1.0, "c": 7.5}
    assert all_held.cells == 1


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Real(1, 1), "low < high"),
        (lambda: Real(0, float("inf")), "finite low < high"),
        (lambda: Real(0, 1, step=0), "step of a range"),
        (lambda: Real(0, 1, step=1e-9), "levels"),
        (lambda: Real(0, 1, levels=(1, 0)), "growing order"),
        (lambda: Grid(()), "growing order"),
        (lambda: Grid((1, float("nan"))), "finite number"),
        (lambda: Choice(("a", "a")), "differ"),
        (lambda: Choice((None,)), "words, finite numbers"),
        (lambda: Choice(("a",)).clip("b"), "choices: a"),
        (lambda: Space({}), "at least one"),
        (lambda: Space({"a": Real(0, 1)}).freeze({"b": 1}), "no parameter 'b'; choices: a"),
        (lambda: Space({"a": Real(0, 1)}).freeze({"a": "x"}), "a needs a finite number"),
        (lambda: Space({"a": Real(0, 1)}).complete({}), "parameter a is missing"),
        (lambda: Space({"a": Real(0, 1)}).complete({"z": 1}), "choices: a"),
        (lambda: Space({"a": Real(0, 1)}).decode([1, 2]), "1 numbers"),
        (lambda: Space({"a": Grid((1, 2))}).cell(2), "2 combinations"),
        (lambda: Space.from_dict({"a": 3}), "needs a table"),
        (lambda: Space.from_dict({"a": {"low": 1}}), "parameter a has low and high"),
        (lambda: Space.from_dict({"a": {"low": 1, "high": 0}}), "parameter a: a range"),
        (lambda: Space.from_dict({"a": {"grid": 3}}), "parameter a"),
    ],
)
def test_mistakes_are_named(make, told):
    with pytest.raises(AndanteError) as error:
        make()
    assert told in str(error.value)
    assert "\n" not in str(error.value)
