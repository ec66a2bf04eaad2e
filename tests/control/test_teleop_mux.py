import math

import pytest

from andante.control.teleop_mux import TeleopMux, TeleopSettings
from andante.errors import BadInput, UnknownName
from andante.locomotion import Command


class Wall:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def ask(teleop: TeleopMux, now: float) -> Command:
    return teleop.command(now, 0.2, 1.0, 0.01)


def test_a_velocity_lasts_for_the_deadman() -> None:
    teleop = TeleopMux()
    teleop.velocity(1.0, 0.1, 0.0, 0.2)
    assert ask(teleop, 1.0 + TeleopSettings.velocity_timeout - 0.01) == Command(0.1, 0.0, 0.2)
    assert not ask(teleop, 1.0 + TeleopSettings.velocity_timeout).moving
    assert teleop.source == ""


def test_in_a_paced_session_the_wall_clock_counts_too() -> None:
    wall = Wall()
    teleop = TeleopMux(wall)
    teleop.velocity(1.0, 0.1, 0.0, 0.0)
    wall.now = 2.0  # simulated time has hardly moved
    assert ask(teleop, 1.01).moving
    teleop.velocity(1.01, 0.1, 0.0, 0.0)
    teleop.pace = 1.0
    wall.now = 2.0 + TeleopSettings.velocity_timeout + 0.01
    assert not ask(teleop, 1.02).moving


def test_keys_scale_with_max_speed_and_percent() -> None:
    teleop = TeleopMux()
    teleop.speed = 50.0
    assert teleop.keys(0.0, ["w", "q"]) == ["w", "q"]
    command = ask(teleop, 0.0)
    assert (command.vx, command.wz) == pytest.approx((0.1, 0.5))
    assert teleop.keys(0.1, ["w", "q", "e"]) == ["e"]
    assert ask(teleop, 0.1).wz == 0.0
    assert teleop.keys(0.2, []) == []
    assert not ask(teleop, 0.2).moving


def test_height_and_tilt_stay_where_keys_brought_them() -> None:
    teleop = TeleopMux()
    teleop.keys(0.0, ["u"])
    for k in range(20):
        ask(teleop, 0.01 * k)
    lifted = ask(teleop, 0.2).height
    assert lifted > 0.003
    assert ask(teleop, 5.0).height == pytest.approx(lifted, abs=1e-3)
    teleop.velocity(6.0, 0.1, 0.0, 0.0)
    assert ask(teleop, 6.0).height == pytest.approx(lifted, abs=1e-3)


def test_the_navigator_leads_when_nobody_else_does() -> None:
    teleop = TeleopMux()
    teleop.navigate = lambda now: Command(vx=0.05)
    assert ask(teleop, 0.0).vx == 0.05
    teleop.velocity(0.0, 0.2, 0.0, 0.0)
    assert ask(teleop, 0.0).vx == 0.2
    assert ask(teleop, 1.0).vx == 0.05


@pytest.mark.parametrize("values", [(math.nan, 0, 0), (0, math.inf, 0), (0, 0, 1e6)])
def test_refuses_what_is_no_velocity(values) -> None:
    with pytest.raises(BadInput, match="three finite numbers"):
        TeleopMux().velocity(0.0, *values)


def test_refuses_unknown_keys() -> None:
    with pytest.raises(UnknownName, match="no key 'x'"):
        TeleopMux().keys(0.0, ["x"])


def test_settings_say_how_long_a_velocity_is_followed_and_how_fast_keys_drive():
    teleop = TeleopMux(settings=TeleopSettings(velocity_timeout=1.0, key_speed=50.0, side_fraction=1.0))
    teleop.velocity(0.0, 0.1, 0.0, 0.0)
    assert ask(teleop, 0.9).moving
    assert not ask(teleop, 1.0).moving
    assert teleop.speed == 50.0
