"""Settings filled from tables."""

from dataclasses import dataclass, field

import pytest

from andante.errors import BadInput, UnknownName
from andante.localization import MclParameters
from andante.settings import check_fields, is_fraction, is_positive, is_size, settings_from


@pytest.mark.parametrize(
    ("values", "kind", "said"),
    [
        ({"colour": 1}, UnknownName, "colour"),
        ({"beams": 1.5}, BadInput, "whole number"),
        ({"beams": True}, BadInput, "must be a number"),
        ({"recovery": 1}, BadInput, "true or false"),
        ({"sensor_model": 3}, BadInput, "a word"),
        ({"beams": float("inf")}, BadInput, "whole number"),
    ],
)
def test_settings_are_checked(values, kind, said):
    with pytest.raises(kind, match=said):
        settings_from(MclParameters(), values, "localization parameter")


def test_settings_keep_their_types():
    made = settings_from(
        MclParameters(), {"beams": 30.0, "sigma_hit": 1, "recovery": False, "sensor_model": "beam"}, "p"
    )
    assert (made.beams, made.sigma_hit, made.recovery, made.sensor_model) == (30, 1.0, False, "beam")
    assert isinstance(made.beams, int)
    assert isinstance(made.sigma_hit, float)


@dataclass(frozen=True)
class Drive:
    """Settings of kinds that the filter has not."""

    reach: tuple[float, float] = (0.3, 0.9)
    inner: MclParameters = field(default_factory=MclParameters)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"reach": 0.5}, "a list of 2"),
        ({"reach": [1.0]}, "a list of 2"),
        ({"reach": [1.0, "far"]}, "must be a number"),
        ({"inner": 1.0}, "cannot be set"),
    ],
)
def test_pairs_and_tables_are_checked(values, said):
    with pytest.raises(BadInput, match=said):
        settings_from(Drive(), values, "parameter")
    assert settings_from(Drive(), {"reach": [1, 2.5]}, "parameter").reach == (1.0, 2.5)


@dataclass(frozen=True)
class Renamed:
    """Settings of which one had another name before."""

    max_speed: float = field(default=1.0, metadata={"was": "speed"})


def test_old_names_are_taken_with_a_warning():
    with pytest.warns(FutureWarning, match="'speed' is now called 'max_speed'"):
        assert settings_from(Renamed(), {"speed": 0.5}, "parameter").max_speed == 0.5


def test_fields_out_of_range_are_named():
    check_fields(Renamed(), "drive", "> 0", is_positive, "max_speed")
    with pytest.raises(BadInput, match=r"^drive max_speed must be > 0, got -1$"):
        check_fields(Renamed(-1), "drive", "> 0", is_positive, "max_speed")


@pytest.mark.parametrize(
    ("sound", "good", "bad"),
    [
        (is_positive, (1e-9, float("inf")), (0.0, -1.0, float("nan"))),
        (is_size, (0.0, 5.0), (-1e-9, float("inf"), float("nan"))),
        (is_fraction, (0.0, 1.0), (-0.1, 1.1, float("nan"))),
    ],
)
def test_ranges(sound, good, bad):
    assert all(map(sound, good))
    assert not any(map(sound, bad))
