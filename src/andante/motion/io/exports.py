"""A key-frame motion as text: TOML, JSON, a Python program that plays it, key-frame code of Choregraphe."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import inf

from andante.errors import UnknownName
from andante.motion.keyframes import Keyframes

from .choregraphe import choregraphe_text
from .library import keyframes_table, toml_text


def json_text(motion: Keyframes) -> str:
    """The motion as JSON; `read_keyframes_json` gives it back."""
    return json.dumps(keyframes_table(motion), indent=1) + "\n"


def python_text(motion: Keyframes) -> str:
    """A program that makes the motion and plays it on the robot that it is meant for, in simulation."""
    keys = [f"    Key({key.time!r}, {dict(key.positions)!r})," for key in motion.keys]
    loop = "inf" if motion.loop == inf else repr(int(motion.loop))
    repeat = motion.repeat
    more = "" if repeat is None else f", repeat=Repeat({repeat.start!r}, {repeat.end!r}, {repeat.count!r})"
    names = ", ".join(("Key", "Keyframes", *(["Repeat"] if repeat is not None else []), "fit", "play_from"))
    top = ["from math import inf", ""] if motion.loop == inf else []
    limit = "min(10.0, played.duration)" if motion.loop == inf else "played.duration"
    return "\n".join(
        [
            f"# {motion.name}: key-frames [s, rad or m] as a program",
            *top,
            "import andante as an",
            "from andante.control.activities import Playing",
            f"from andante.motion.keyframes import {names}",
            "",
            "keys = (",
            *keys,
            ")",
            f"motion = Keyframes({motion.name!r}, keys, {motion.interpolation!r}, loop={loop}{more})",
            "",
            f"robot = an.robot({motion.robot or 'nao'!r})",
            "sim = an.simulate(robot, pose=robot.standing, sensors=True)",
            "start = sim.read().position",
            "played = play_from(fit(motion, robot).motion, robot, dict(zip(robot.joint_names, start.tolist())))",
            "an.ControlLoop(sim, Playing(played, robot.joint_names, start, motion.name)).run(1.0 + " + limit + ")",
            'print("fallen" if sim.fallen else "up")',
            "",
        ]
    )


FORMS: Mapping[str, tuple[str, Callable[[Keyframes], str]]] = {
    "toml": (".toml", toml_text),
    "json": (".json", json_text),
    "python": (".py", python_text),
    "choregraphe": (".py", choregraphe_text),
}


def motion_text(motion: Keyframes, form: str) -> tuple[str, str]:
    """The text of a motion in one of the forms, and the ending of its file."""
    if form not in FORMS:
        raise UnknownName.among("form of a motion", form, FORMS)
    suffix, write = FORMS[form]
    return write(motion), suffix
