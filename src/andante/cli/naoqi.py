"""`andante naoqi`: programs that were written for a NAO."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .command import Call, Command
from .options import Take, group
from .output import console, warn

app = group("naoqi", "Run programs that were written for a NAO.")


def _run(call: Call) -> Any:
    def say(text: str) -> None:
        if not call.json:
            sys.stderr.write(f"{text}\n")

    if not call.json and Path(call.given["script"]).is_file():
        warn(f"{call.given['script']} is foreign code: it runs as you, with all your rights")
    quiet = call.json or call.given.pop("quiet", False)
    call.given.pop("quiet", None)
    return call.run(say=say, quiet=quiet)


def _words(result: Any, call: Call) -> None:
    if result.exit and result.errors:
        sys.stderr.write(result.errors + "\n")
    console().print(str(result), markup=False)


Command(
    "andante.session.naoqi:run",
    "Run a program of a NAO, Python 2 or 3, with a simulated one. It is foreign code and runs with your rights.",
    {
        "script": Take("SCRIPT.py"),
        "arguments": Take("[ARGS]...", about="Arguments of the program; after -- where they begin with -.",
                          kind=list[str], default=None, argument=True, convert=lambda words: tuple(words or ())),
        "folder": Take("DIR"),
    },
    run=_run,
    words=_words,
).add_to(app)  # fmt: skip

Command(
    "andante.session.naoqi:export",
    "Write a motion as key-frame code for a real NAO, as Choregraphe exports it.",
    {"motion": Take("MOTION"), "file": Take("FILE.py")},
).add_to(app)
