"""What a fit may claim."""

from __future__ import annotations

import numpy as np

from andante.experiments.identification.estimate import Fitted
from andante.experiments.identification.parameters import make_parameter
from andante.experiments.identification.verdict import (
    correlated,
    loosest,
    reversals,
    undetermined,
    with_model_error,
)

PAIR = (make_parameter("stiffness", ("hinge",), 60.0, 1.0), make_parameter("friction", ("hinge",), 0.0, 0.1))


def test_a_joint_that_never_turns_back_does_not_excite_friction():
    assert reversals(np.linspace(0, 1, 50)) == 0
    assert reversals(np.sin(np.linspace(0, 6 * np.pi, 500))) == 6


def test_a_value_is_known_by_its_size_or_when_it_does_not_matter():
    assert loosest(PAIR, np.array([0.3, 4.0])).tolist() == [0.15, 0.6]
    assert loosest(PAIR, np.array([0.3, 0.0])).tolist() == [0.15, 0.1]


def test_no_recording_makes_a_model_true():
    sharp = Fitted(np.array([0.0, 2.0]), np.zeros((2, 2)), {}, 0)
    assert (np.sqrt(np.diag(with_model_error(PAIR, sharp))) >= [0.03, 0.06]).all()


def test_open_directions_name_their_members():
    limits = np.array([0.1, 0.1, 0.1])
    tied = np.array([[4.0, 3.9, 0.0], [3.9, 4.0, 0.0], [0.0, 0.0, 0.01]]) * 1e-2
    assert undetermined(tied, limits) == [[0, 1]]
    assert undetermined(1e-6 * np.eye(3), limits) == []
    assert [pair[:2] for pair in correlated(np.zeros(3), tied, limits)] == [(1, 0)]
