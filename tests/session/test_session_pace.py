import pytest

from andante.session.pacer import BEHIND, Pacer


class Watch:
    """A clock that moves when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_sleeps_what_is_left_and_tells_factor_and_load() -> None:
    watch = Watch()
    pacer = Pacer(watch, watch.sleep)
    pacer.start()
    for k in range(300):
        watch.now += 0.004
        pacer.mark(0.01 * k)
        pacer.wait(0.01)
    assert pacer.factor == pytest.approx(1.0, abs=1e-6)
    assert pacer.load == pytest.approx(0.4, abs=0.01)
    assert watch.slept[-1] == pytest.approx(0.006)


def test_catches_up_small_delays_and_forgets_long_ones() -> None:
    watch = Watch()
    pacer = Pacer(watch, watch.sleep)
    pacer.start()
    watch.now += 0.05
    pacer.wait(0.01)
    assert watch.slept == []
    pacer.wait(0.05)  # 60 ms are due, 50 have passed
    assert watch.slept == [pytest.approx(0.01)]
    watch.now += BEHIND + 1.0
    pacer.wait(0.01)
    assert pacer.missed > 1.0
    pacer.wait(0.01)
    assert watch.slept[-1] == pytest.approx(0.01)


def test_a_slow_loop_says_so() -> None:
    watch = Watch()
    pacer = Pacer(watch, watch.sleep)
    pacer.start()
    for k in range(100):
        watch.now += 0.02
        pacer.mark(0.01 * k)
        pacer.wait(0.01)
    assert pacer.factor == pytest.approx(0.5, abs=0.01)
    assert pacer.load == pytest.approx(1.0, abs=0.01)
