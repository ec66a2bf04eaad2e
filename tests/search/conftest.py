"""Objectives by name, and one Ray for the whole test run."""

import sys
from pathlib import Path

import pytest

from andante.search import ObjectiveSpec, StudyConfig

FILE = Path(__file__).parent / "objectives.py"


@pytest.fixture
def spec():
    """Makes the specification of a test objective."""
    return lambda name="Sphere", **arguments: ObjectiveSpec(f"{FILE}:{name}", arguments)


@pytest.fixture
def study(spec):
    """Makes the configuration of a study of a test objective."""

    def make(sampler="cmaes", budget=60, objective="Sphere", arguments=None, **more):
        wanted = spec(objective, **(arguments or {}))
        return StudyConfig(wanted, more.pop("space", None) or wanted.build().space, sampler, budget=budget, **more)

    return make


@pytest.fixture
def sorted_lines():
    """The lines of a study's results, in an order that does not depend on timing."""
    return lambda folder: sorted((Path(folder) / "results.jsonl").read_bytes().splitlines())


@pytest.fixture(scope="session")
def ray_cluster():
    """One local Ray with two workers."""
    ray = pytest.importorskip("ray")
    if sys.platform == "win32":
        pytest.skip("Ray is tested on Linux and macOS")
    import logging

    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=100 * 1024 * 1024,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )
    yield ray
    ray.shutdown()
