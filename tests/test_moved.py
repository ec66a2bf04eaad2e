"""Modules of 0.1.0 are found under their old names, with a warning, for one version."""

import importlib
import subprocess
import sys

import pytest

from andante._moved import moved


def test_every_old_name_leads_to_a_module_that_is_there():
    for old, new in moved().items():
        assert importlib.util.find_spec(new) is not None, f"{old} leads to {new}, which is not there"
        assert old != new


@pytest.mark.parametrize("old", ["andante.runtime.simulation", "andante.runtime.live", "andante.bus.bags.recorder"])
def test_an_old_name_gives_the_new_module_and_warns(old):
    new = moved()[old]
    code = f"import {old} as a, {new} as b; assert a is b and b.__name__ == {new!r} and b.__spec__.name == {new!r}"
    done = subprocess.run([sys.executable, "-W", "default", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"DeprecationWarning: {old} is {new} now" in done.stderr


def test_what_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        importlib.import_module("andante.nothing")
