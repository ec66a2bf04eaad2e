"""The list of drills names tests that exist, each with a reason."""

import re
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMES = [
    (reason, name)
    for reason, entry in tomllib.loads((HERE / "drills.toml").read_text()).items()
    for name in entry["tests"]
]


@pytest.mark.parametrize(("reason", "name"), NAMES, ids=[name for _, name in NAMES])
def test_a_drill_is_a_test(reason, name):
    file, _, test = name.partition("::")
    begin = re.match(r"\w*", test).group()
    assert len(reason) > 20
    assert re.search(rf"def {begin or 'test_'}", (HERE / file).read_text()), f"no test begins with {begin!r} in {file}"
    assert sum(name == other for _, other in NAMES) == 1
