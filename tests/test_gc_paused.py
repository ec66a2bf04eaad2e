"""The collector rests inside, works afterwards, and stays off where it was off."""

import gc

import pytest

from andante.gc_paused import gc_paused


def _fail():
    with gc_paused():
        assert not gc.isenabled()
        raise KeyError


def test_it_rests_and_works_again_also_after_a_failure():
    assert gc.isenabled()
    with pytest.raises(KeyError):
        _fail()
    assert gc.isenabled()


def test_what_was_off_stays_off():
    gc.disable()
    try:
        with gc_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
