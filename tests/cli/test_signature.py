import ast
from pathlib import Path

import pytest

from andante.cli.signature import REQUIRED, Argument, read_arguments


def test_arguments_are_those_of_the_source():
    found = {each.name: each for each in read_arguments("andante.tasks.walk:walk")}
    assert found["robot"].default is REQUIRED
    assert found["robot"].positional
    assert found["seed"].kind is int
    assert found["seed"].default == 0
    assert not found["seed"].positional
    assert found["distance"].kind is float
    assert found["distance"].default is None
    assert "[m]" in found["distance"].about


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("bool", bool),
        ("float | None", float),
        ("Path | str", Path),
        ("Robot | str | Path", str),
        ("Sequence[str]", list[str]),
    ],
)
def test_words_have_the_type_of_the_annotation(annotation, kind):
    ast.parse(annotation, mode="eval")
    assert Argument("x", annotation, None, False, "").kind == kind
