"""Buckets and throttles against their definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.bridges.server.access import Bucket, Throttle


def test_a_bucket_gives_its_burst_and_then_its_rate():
    bucket = Bucket(10.0, 5.0, 0.0)
    assert [bucket.take(1, 0.0) for _ in range(6)] == [True] * 5 + [False]
    assert bucket.take(1, 0.1)
    assert not bucket.take(1, 0.1)
    assert [bucket.take(1, 100.0) for _ in range(6)] == [True] * 5 + [False]


@given(st.lists(st.floats(0.0, 0.1), min_size=1, max_size=200))
def test_a_bucket_never_gives_more_than_burst_and_rate(gaps):
    bucket, now, given = Bucket(20.0, 4.0, 0.0), 0.0, 0
    for gap in gaps:
        now += gap
        given += bucket.take(1.0, now)
    assert given <= 4.0 + 20.0 * now + 1e-6


@pytest.mark.parametrize("jitter", [0.0, 0.004])
def test_a_throttle_keeps_the_rate_of_a_source_as_fast_as_itself(jitter):
    throttle = Throttle(0.05)
    passed = sum(throttle.ready(0.05 * n + (jitter if n % 2 else -jitter)) for n in range(100))
    assert passed == 100


def test_a_throttle_thins_a_fast_source():
    throttle = Throttle(0.1)
    times = [t for t in (0.01 * n for n in range(1000)) if throttle.ready(t)]
    assert 95 <= len(times) <= 105
    assert throttle.wait(times[-1]) == pytest.approx(0.08, abs=0.021)
    assert Throttle(0.0).ready(1.0)
