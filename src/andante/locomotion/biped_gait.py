"""The walk on two legs as a gait: from a robot's file, its rig and a request to something that walks."""

from __future__ import annotations

from dataclasses import fields

from andante.description import Robot
from andante.errors import BadInput, UnknownName

from .biped import BipedWalk
from .biped_settings import BipedSettings
from .gaits import Prepared, Request
from .io.rig_file import rig_for
from .rig import with_rig


def make_walk(robot: Robot, request: Request) -> Prepared:
    """A robot on two legs, standing as its walk begins; `request.parameters` are those of `BipedSettings`."""
    known = [each.name for each in fields(BipedSettings)]
    for key in request.parameters or {}:
        if key not in known:
            raise UnknownName.among("gait parameter", key, known, "gait 'walk'")
    try:
        settings = BipedSettings(**(request.parameters or {}))
    except TypeError as error:
        raise BadInput(f"gait 'walk': {error}") from None
    rig = rig_for(robot, request.rig)
    rigged = with_rig(robot, rig)
    walker = BipedWalk(rigged, rig, settings)
    return Prepared(rigged, walker.pose, walker, rig.forward, "walk")
