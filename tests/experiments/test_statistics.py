"""Statistics beside closed forms and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from andante.errors import BadInput
from andante.experiments.statistics import (
    agreement,
    bootstrap_interval,
    compare,
    effects,
    equivalence,
    hedges_g,
    holm,
    mean_error,
    summarize,
    trials_for_difference,
    trials_for_width,
)

RNG = np.random.default_rng(5)
A, B = RNG.normal(1.0, 0.5, 9), RNG.normal(1.4, 0.2, 12)
samples = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30)


def test_summary_is_mean_spread_and_range():
    s = summarize([1.0, 2.0, 3.0, 10.0, math.nan])
    assert (s.count, s.mean, s.median, s.least, s.most) == (4, 4.0, 2.5, 1.0, 10.0)
    assert s.deviation == pytest.approx(math.sqrt(50 / 3))
    assert s.low < 4.0 < s.high
    assert summarize([]).count == 0
    assert math.isnan(summarize([]).mean)
    one = summarize([2.0])
    assert (one.mean, math.isnan(one.deviation), math.isnan(one.low)) == (2.0, True, True)
    assert summarize([3.0] * 5).low == summarize([3.0] * 5).high == 3.0


@pytest.mark.parametrize("values", [A, B, RNG.exponential(1.0, 25)])
def test_bootstrap_is_that_of_scipy(values):
    ours = bootstrap_interval(values, resamples=20_000)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=1).confidence_interval
    width = theirs.high - theirs.low
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.03 * width)


def test_bootstrap_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    hits = 0
    for k in range(400):
        low, high = bootstrap_interval(rng.normal(2.0, 1.0, 20), 0.9, seed=k, resamples=500)
        hits += low <= 2.0 <= high
    assert 0.83 <= hits / 400 <= 0.94  # 90 % less what small samples cost; three deviations about it


@pytest.mark.parametrize("scale", [1e-241, 5e-324, 1e150])
def test_bootstrap_of_tiny_and_huge_values_is_an_interval(scale):
    low, high = bootstrap_interval(np.array([0.0, 1.0, 3.0]) * scale, resamples=200)
    assert 0.0 <= low <= high <= 3.0 * scale


@given(samples, st.floats(0.1, 10.0), st.floats(-100.0, 100.0))
@settings(max_examples=60, deadline=None)
def test_bootstrap_moves_and_grows_with_the_sample(values, factor, shift):
    x = np.array(values)
    low, high = bootstrap_interval(x, resamples=200)
    other = bootstrap_interval(factor * x + shift, resamples=200)
    assert low <= high
    assert other == pytest.approx((factor * low + shift, factor * high + shift), rel=1e-6, abs=1e-4 * (1 + np.ptp(x)))


def test_comparison_is_that_of_scipy():
    ours, theirs = compare(A, B), stats.ttest_ind(A, B, equal_var=False)
    assert ours.welch == pytest.approx(theirs.pvalue)
    interval = theirs.confidence_interval(0.95)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high))
    assert ours.rank == pytest.approx(stats.mannwhitneyu(A, B).pvalue)
    assert ours.difference == pytest.approx(A.mean() - B.mean())
    assert compare([1.0], [2.0, 3.0]).difference == -1.5
    assert math.isnan(compare([1.0], [2.0, 3.0]).welch)
    assert math.isnan(compare([], [2.0]).difference)


def test_samples_without_spread_are_equal_or_not():
    same, other = compare([1.0, 1.0], [1.0, 1.0]), compare([1.0, 1.0], [2.0, 2.0])
    assert (same.welch, same.effect, same.size) == (1.0, 0.0, "negligible")
    assert (other.welch, other.effect, other.size) == (0.0, -math.inf, "large")


def test_hedges_is_cohen_with_its_correction():
    pooled = math.sqrt((8 * A.var(ddof=1) + 11 * B.var(ddof=1)) / 19)
    cohen = (A.mean() - B.mean()) / pooled
    assert hedges_g(A, B) == pytest.approx(cohen * (1 - 3 / (4 * 19 - 1)), rel=2e-3)  # the usual approximation of J
    assert hedges_g(B, A) == pytest.approx(-hedges_g(A, B))
    assert math.isnan(hedges_g([1.0], [2.0]))


def test_holm_by_hand_and_by_rule():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    got = holm([math.nan, 0.5, 0.2])
    assert math.isnan(got[0])
    assert got[1:] == pytest.approx([0.5, 0.4])
    assert holm([]).shape == (0,)
    with pytest.raises(BadInput, match="p values are a list"):
        holm([[0.1]])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
@settings(max_examples=80, deadline=None)
def test_holm_lies_between_bare_and_bonferroni_and_keeps_the_order(p):
    x = np.array(p)
    got = holm(x)
    assert (got >= x - 1e-12).all()
    assert (got <= np.minimum(1.0, len(x) * x) + 1e-12).all()
    order = np.argsort(x, kind="stable")
    assert (np.diff(got[order]) >= -1e-12).all()


def test_equivalence_is_two_one_sided_tests():
    margin = 0.8
    found = equivalence(A, B, margin)
    upper = stats.ttest_ind(A - margin, B, equal_var=False, alternative="less").pvalue
    lower = stats.ttest_ind(A + margin, B, equal_var=False, alternative="greater").pvalue
    assert found.p == pytest.approx(max(upper, lower))
    interval = stats.ttest_ind(A, B, equal_var=False).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.equivalent == (interval.low > -margin and interval.high < margin)
    assert equivalence(A, A + 1e-3, 1.0).equivalent
    assert not equivalence(A, A + 2.0, 1.0).equivalent
    assert equivalence([1.0, 1.0], [1.5, 1.5], 1.0).equivalent
    assert not equivalence([1.0], [1.0, 1.1], 1.0).equivalent
    with pytest.raises(BadInput, match="margin of equivalence"):
        equivalence(A, B, 0.0)


def test_effects_of_a_balanced_design_are_the_usual_sums_of_squares():
    rng = np.random.default_rng(2)
    one, two = np.repeat([0, 1, 2], 20), np.tile(np.repeat([0, 1], 10), 3)
    y = 2.0 * one + 0.5 * two + rng.normal(0, 0.3, 60)
    found = {each.factor: each for each in effects(y, {"one": one.tolist(), "two": two.tolist()})}
    means = np.array([y[one == k].mean() for k in range(3)])
    between = 20 * ((means - y.mean()) ** 2).sum()
    whole = ((y - y.mean()) ** 2).sum()
    assert found["one"].fraction == pytest.approx(between / whole)
    assert found["one"].range == pytest.approx(np.ptp(means))
    assert found["one"].p < 1e-20
    assert found["two"].fraction < 0.1


def test_one_factor_is_the_analysis_of_variance_of_scipy():
    rng = np.random.default_rng(7)
    groups = [rng.normal(m, 1.0, n) for m, n in ((0.0, 8), (0.5, 5), (1.0, 11))]
    levels = [name for name, group in zip("abc", groups, strict=True) for _ in group]
    (found,) = effects(np.concatenate(groups), {"group": levels})
    theirs = stats.f_oneway(*groups)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_effects_without_anything_to_explain():
    (found,) = effects([1.0, 1.0, 1.0], {"a": [1, 2, 2]})
    assert math.isnan(found.fraction)
    assert math.isnan(found.p)
    (sure,) = effects([1.0, 1.0, 2.0, 2.0], {"a": ["u", "u", "v", "v"]})
    assert (sure.fraction, sure.p) == (pytest.approx(1.0), 0.0)
    with pytest.raises(BadInput, match="factor a has 1 levels for 2 values"):
        effects([1.0, 2.0], {"a": [1]})


def test_trials_for_a_width():
    n = trials_for_width(1.0, 0.5)
    assert stats.t.ppf(0.975, n - 1) / math.sqrt(n) <= 0.5 < stats.t.ppf(0.975, n - 2) / math.sqrt(n - 1)
    assert n == 18  # 1.96² / 0.25 = 15.4, and some for the unknown spread
    assert trials_for_width(0.0, 0.1) == 2
    assert trials_for_width(1e9, 1e-9) == 1_000_000
    with pytest.raises(BadInput, match="a width > 0"):
        trials_for_width(1.0, 0.0)


def test_trials_for_a_difference_are_those_of_the_tables():
    assert trials_for_difference(1.0, 0.5) == 64  # Cohen 1988: d 0.5, power 0.8
    assert trials_for_difference(1.0, 0.8) == 26
    assert trials_for_difference(2.0, 1.0) == 64
    assert trials_for_difference(0.0, 1.0) == 2
    with pytest.raises(BadInput, match="a difference > 0"):
        trials_for_difference(1.0, -1.0)


def test_agreement_is_the_error_of_the_thesis():
    ours = {"A": np.array([1.0, 1.2]), "B": np.array([3.0]), "C": np.array([])}
    real = {"A": np.array([1.0, 1.0]), "B": np.array([2.0, 3.5]), "C": np.array([1.0])}
    found = agreement(ours, real, {"A": -2.0, "B": None, "C": 1.0})
    assert [each.test for each in found] == ["A", "B"]
    assert found[0].error == pytest.approx(0.05)
    assert not found[0].inside
    assert math.isnan(found[1].error)
    assert found[1].inside
    assert mean_error(found) == pytest.approx(0.05)
    assert math.isnan(mean_error([]))
