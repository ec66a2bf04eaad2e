"""Readings of a robot that does not exist anywhere: what its sensors would say in a given attitude."""

import numpy as np

import andante as an
from andante.geometry import so3
from andante.locomotion import Readings

NAO = an.robot("nao")
WEIGHT = 9.81 * sum(link.inertia.mass for link in NAO.links if link.inertia)


def positions(pose="StandInit"):
    whole = NAO.complete(NAO.pose(pose))
    return np.array([whole[name] for name in NAO.joint_names])


def felt(time, roll=0.0, pitch=0.0, gyro=(0.0, 0.0), load=1.0, q=None):
    """Readings of a body tilted by roll and pitch [rad], turning about x and y [rad/s], with a fraction of its weight
    on its feet."""
    up = so3.from_rpy((roll, pitch, 0.0)).T @ np.array([0.0, 0.0, 1.0])
    q = positions() if q is None else q
    forces = {name: np.full(4, load * WEIGHT / 8) for name in ("l_ankle", "r_ankle")}
    return Readings(time, q, np.zeros_like(q), np.array([*gyro, np.nan]), 9.81 * up, forces)


DOWN = {  # roll, pitch of a body that lies on that side
    "belly": (0.0, np.pi / 2),
    "back": (0.0, -np.pi / 2),
    "left": (-np.pi / 2, 0.0),
    "right": (np.pi / 2, 0.0),
}
