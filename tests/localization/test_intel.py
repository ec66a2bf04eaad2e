"""The Intel Research Lab log on its map: 910 key scans, 0.7 m and 0.4 rad apart."""

import numpy as np
import pytest

from andante.geometry import se2
from andante.localization import LikelihoodField, MonteCarloLocalizer, localize_log
from andante.mapping.io.logs import read_log
from andante.mapping.io.map_files import load_map
from andante.mapping.io.trajectories import read_trajectory
from andante.mapping.records import odometry_at_scans

pytestmark = pytest.mark.dataset


@pytest.fixture(scope="module")
def lab(intel):
    log = read_log(intel / "intel.clf.gz")
    field = LikelihoodField(load_map(intel / "intel-map.yaml"))
    return log, field, read_trajectory(intel / "intel.ref.txt").poses, odometry_at_scans(log)


@pytest.mark.parametrize("seed", range(10))
def test_whole_run_within_half_a_meter(lab, seed):
    log, field, truth, _ = lab
    result = localize_log(log, field, truth[0], seed=seed)
    away = np.hypot(*(result.trajectory.poses - truth)[:, :2].T)
    assert away.max() < 0.5
    assert away.mean() < 0.08
    assert result.converged


@pytest.mark.parametrize("searched", [True, False])
def test_global_start_converges(lab, searched):
    log, field, truth, wheels = lab
    good = 0
    for seed in range(10):
        first = int(np.random.default_rng(seed).integers(0, 800))
        localizer = MonteCarloLocalizer(field, seed=seed)
        localizer.start_anywhere(log.scans[first] if searched else None)
        for k in range(first, first + 60):
            made = localizer.update(log.scans[k], wheels[k])
        good += made.converged and np.hypot(*(made.pose - truth[k])[:2]) < 0.5
    assert good >= 8


@pytest.mark.parametrize("seed", range(4))
def test_a_robot_that_is_carried_away_recovers(lab, seed):
    log, field, truth, wheels = lab
    rng = np.random.default_rng(100 + seed)
    lifted, put = int(rng.integers(30, 300)), int(rng.integers(400, 800))
    localizer = MonteCarloLocalizer(field, seed=seed)
    localizer.start_at(truth[lifted - 20])
    for k in range(lifted - 20, lifted):
        localizer.update(log.scans[k], wheels[k])
    carried = se2.compose(wheels[lifted - 1], se2.inverse(wheels[put]))
    away = []
    for k in range(put, put + 40):
        made = localizer.update(log.scans[k], se2.compose(carried, wheels[k]))
        away.append(np.hypot(*(made.pose - truth[k])[:2]))
    assert away[1] > 0.5 or away[0] > 0.5  # it was somewhere else
    assert max(away[15:]) < 0.5
