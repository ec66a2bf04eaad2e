"""What holds for every test."""

import os
import signal
import threading
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from andante.extras import how_to_get
from andante.physics.registry import ENGINES, installed

# How long an example takes says more about what else the machine does than about the code under test.
settings.register_profile("andante", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("andante")

# Without a store of compiled kernels (`make kernels`) every test compiles what it needs, and no more.
os.environ["ANDANTE_COMPILE_LAZILY"] = "1"

# A suite that a shell has put into the background ignores Ctrl-C, and so would every process that a test starts.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


DRILLS = tomllib.loads((Path(__file__).parent / "drills.toml").read_text())


@pytest.hookimpl(tryfirst=True)  # before marks choose what runs
def pytest_collection_modifyitems(items):
    """Mark what only `make test-all` runs, and skip tests of engines that this machine lacks."""
    for item in items:
        for entry in DRILLS.values():
            if any(fnmatchcase(item.nodeid, f"tests/{name}") for name in entry["tests"]):
                item.add_marker(pytest.mark.drill)
                if entry.get("alone"):
                    item.add_marker(pytest.mark.alone)
    skip_engines(items)


def skip_engines(items):
    """Skip tests of an engine that this machine lacks; where all has to be there, only of one without a wheel for it.

    A test tells its engine by the parameter `engine` or by `@pytest.mark.engine(NAME)`.
    """
    absent = {
        name: reason
        for name, entry in ENGINES.items()
        if not installed(entry)
        and ((reason := how_to_get(entry.extra)).startswith("no wheel") or os.environ.get("CI") != "true")
    }
    for item in items if absent else ():
        told = {getattr(getattr(item, "callspec", None), "params", {}).get("engine")}
        told |= {name for mark in item.iter_markers("engine") for name in mark.args}
        for engine in told & absent.keys():
            item.add_marker(pytest.mark.skip(reason=absent[engine]))
