"""UWB filters side by side: what each of them is for, on one log."""

import numpy as np
import pytest

from andante.errors import UnknownName
from andante.experiments.setup import Setup
from andante.experiments.trials.uwb import uwb_trial
from andante.localization.compared import FILTERS, filtered_log
from andante.localization.synthetic import uwb_drive


@pytest.fixture(scope="module")
def trials():
    return {name: uwb_trial(Setup("none", {"filter": name, "seconds": 25.0}, 0, 77)) for name in FILTERS}


def test_smoother_ones_are_smoother_and_the_tight_one_is_nearest(trials) -> None:
    plain, tight = trials["trilateration"], trials["tight"]
    for name in ("average", "fading1", "fading2", "kalman", "tight"):
        assert trials[name]["roughness"] < 0.5 * plain["roughness"], name
    assert tight["rms"] < min(trials[name]["rms"] for name in FILTERS if name != "tight")
    assert trials["fading1"]["lag"] > trials["fading2"]["lag"] + 0.3  # the second order follows a constant speed


def test_all_get_the_same_log() -> None:
    one, two = (uwb_drive(3, 10.0) for _ in range(2))
    assert np.array_equal(one.log.ranges, two.log.ranges)
    with pytest.raises(UnknownName, match="UWB filter"):
        filtered_log("magic", one.log, one.setup)
