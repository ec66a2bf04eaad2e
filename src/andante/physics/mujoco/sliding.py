"""Contacts that slide and stay: MuJoCo's cones let a body that slides over the ground hop.

MuJoCo solves contacts as a convex problem, in which velocities lie in the dual of the friction cone: a contact that
slides at speed s over a friction mu leaves the ground at v_n = mu s. A thing that comes to rest does not show it.
Wheels of a base that turns by scrubbing slide all the time, hop, and turn it by a fifth of what Coulomb's law says. De
Saxcé's correction takes the speed out of the constraint's reference,

    a_n <- a_n - c b mu s,      b: damping of the constraint [1/s], s: slip at the beginning of the step

With c above 1 the contact lies on the ground, since s is that of the step before. De Saxcé and Feng (1998),
The bipotential method, Math. Comput. Modelling 28.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit
from andante.geometry import Array

MORE = 1.5  # c


def let_slide(data: Any) -> None:
    """Correct the references of all contacts with friction; between `mj_step1` and `mj_step2`."""
    contacts = data.contact
    _correct(
        contacts.efc_address, contacts.dim, contacts.friction[:, 0], data.efc_vel, data.efc_KBIP, data.efc_aref, MORE
    )  # fmt: skip


@njit()
def _correct(
    address: NDArray[np.int32],
    dim: NDArray[np.int32],
    friction: Array,
    velocity: Array,
    kbip: Array,
    reference: Array,
    more: float,
) -> None:
    for i in range(len(address)):
        row = address[i]
        if row >= 0 and dim[i] >= 3:
            slip = np.sqrt(velocity[row + 1] ** 2 + velocity[row + 2] ** 2)
            reference[row] -= more * kbip[row, 1] * friction[i] * slip
