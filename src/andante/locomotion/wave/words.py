"""The numbers of a wave gait in words: name, unit and what a larger one does."""

from __future__ import annotations

from .model import SYMBOLS

ABOUT: dict[str, tuple[str, str]] = {  # symbol -> unit, what it does
    "T": ("s", "time of one full cycle, two steps; larger: slower steps"),
    "A_h": ("deg", "how far the hips swing ahead and back; larger: longer steps"),
    "s_h": ("deg", "mean angle of the hips; more negative: the trunk leans ahead"),
    "A_k": ("deg", "how far a knee bends while its leg swings; larger: the foot lifts higher"),
    "f_k": ("rad", "when in the cycle the knee bends, after the hip"),
    "s_k": ("deg", "mean angle of the knees; larger: the robot walks lower"),
    "A_a": ("deg", "how far the ankles pitch in the swing"),
    "f_a": ("rad", "when in the cycle the ankle pitches, after the hip"),
    "s_a": ("deg", "mean angle of the ankles; leans the whole robot"),
    "b": ("", "how far hips and ankles roll, so that the weight goes over the standing leg"),
    "f_r": ("rad", "when the roll comes, beside the published pi/3"),
    "w_k": ("", "fraction of the cycle in which a knee bends"),
    "c_a": ("", "how much of hip and knee the ankle takes back; 1 keeps the foot level"),
    "p_h": ("", "height of the pulse in the hip's swing; 1 as published"),
    "ramp": ("s", "time in which the swings grow at the start and die at the stop"),
}


def parameter_words() -> dict[str, str]:
    """Every symbol with a line "hip amplitude [deg]: what it does"."""
    lines = {}
    for symbol, (unit, what) in ABOUT.items():
        name = SYMBOLS[symbol].replace("_", " ")
        lines[symbol] = f"{name} [{unit}]: {what}" if unit else f"{name}: {what}"
    return lines
