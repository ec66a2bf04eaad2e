"""Moving average and fading filters."""

import numpy as np
import pytest

from andante.errors import BadInput
from andante.localization.filters import FadingFilter1, FadingFilter2, MovingAverage, filtered


def test_moving_average_of_five():
    samples = np.arange(20.0).reshape(10, 2)
    got = filtered(MovingAverage(), samples)
    want = [samples[max(0, k - 4) : k + 1].mean(axis=0) for k in range(10)]
    np.testing.assert_allclose(got, want)


def test_fading_filter_of_first_order():
    samples = np.random.default_rng(0).normal(size=30)
    x, want = samples[0], []
    for z in samples:
        x = 0.8 * x + 0.2 * z
        want.append(x)
    np.testing.assert_allclose(filtered(FadingFilter1(0.8), samples), want)


def test_fading_filter_of_second_order_follows_a_constant_speed():
    t = np.arange(0, 30, 0.1)
    ramp = np.stack([1 + 0.5 * t, -0.2 * t], axis=1)
    second = FadingFilter2(0.9, 0.1)
    got = filtered(second, ramp)
    np.testing.assert_allclose(got[-1], ramp[-1], atol=1e-3)
    np.testing.assert_allclose(second.velocity, [0.5, -0.2], atol=1e-3)
    lag = filtered(FadingFilter1(0.9), ramp)[-1] - ramp[-1]
    assert abs(lag[0]) == pytest.approx(0.5 * 0.1 * 0.9 / 0.1, rel=1e-3)  # the first order stays behind by v T b/(1-b)


def test_second_order_by_the_formulas():
    rng = np.random.default_rng(1)
    z = rng.normal(size=20)
    b, T = 0.7, 0.25
    G, H = 1 - b**2, (1 - b) ** 2
    x, v, want = z[0], 0.0, [z[0]]
    for value in z[1:]:
        ahead = x + v * T
        x, v = ahead + G * (value - ahead), v + H / T * (value - ahead)
        want.append(x)
    np.testing.assert_allclose(filtered(FadingFilter2(b, T), z), want, atol=1e-12)


def test_all_smooth_noise():
    noise = np.random.default_rng(2).normal(size=4000)
    for made in (MovingAverage(), FadingFilter1(), FadingFilter2()):
        assert filtered(made, noise)[100:].std() < 0.6


def test_missing_samples_change_nothing_or_coast():
    for made in (MovingAverage(), FadingFilter1()):
        made.update([1.0, 2.0])
        np.testing.assert_allclose(made.update([np.nan, 2.0]), [1.0, 2.0])
    coasting = FadingFilter2(0.5, 1.0)
    for k in range(40):
        coasting.update(float(k))
    assert coasting.update(np.nan) == pytest.approx(40, abs=1e-6)
    assert np.isnan(FadingFilter2().update(np.nan))


def test_bad_settings():
    for make in (lambda: FadingFilter1(1.0), lambda: FadingFilter2(-0.1)):
        with pytest.raises(BadInput, match="memory"):
            make()
    with pytest.raises(BadInput, match="at least 1 sample"):
        MovingAverage(0)
    with pytest.raises(BadInput, match="above 0"):
        FadingFilter2(0.9, 0.0)
    with pytest.raises(BadInput, match="time must go on"):
        FadingFilter2().update(1.0, step=-1.0)
