"""Cars: wheelbase, top speed and joint targets of speed and steering."""

import math

import pytest

import andante as an
from andante.errors import Unsupported
from andante.hardware import Car


def test_the_rover_is_a_car_and_others_are_not():
    car = Car.of(an.robot("rover"))
    assert car.wheelbase == pytest.approx(0.33, abs=1e-3)
    assert (car.left, car.right) == ("rear_left_wheel_joint", "rear_right_wheel_joint")
    assert car.max_speed == pytest.approx(2.0, rel=0.05)
    targets = car.targets(0.0, 0.2)
    inner, outer = (targets[f"front_{side}_steering_joint"].value for side in ("left", "right"))
    assert inner > 0.2 > outer > 0  # Ackermann: cot outer - cot inner = track / wheelbase
    assert 1 / math.tan(outer) - 1 / math.tan(inner) == pytest.approx(0.25 / 0.33, rel=0.02)
    assert targets[car.left].value == 0
    at_limit = car.targets(1.0, 3.0)["front_left_steering_joint"].value
    assert at_limit == pytest.approx(0.45, abs=0.01)
    with pytest.raises(Unsupported, match="robot 'waffle' is no car"):
        Car.of(an.robot("waffle"))
