"""`andante gait`: try a gait, search for better ones, go on after any stop, look at the best, export, merge shards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .command import Call, Command, in_words, keeping, merging, notices
from .options import Take, group
from .words import values_of

if TYPE_CHECKING:
    from andante.tasks.gait import SearchResult

app = group("gait", "Try gaits, and search for better ones.")

TRIAL = {  # what is tried
    "variant": Take("V"),
    "fitness": Take("F"),
    "objective": Take("FILE:NAME"),
    "arguments": Take("NAME=VALUE", values_of, "--argument", "More for the objective, as in TOML."),
}
STUDY = Take("DIR", about="Folder of a study.")
KEEPING = keeping("finished candidates are kept; continue with: andante gait resume {study}")


def _evaluate(call: Call) -> Any:
    given = call.given.pop("parameters", {})
    return call.run(parameters={**given, **values_of(call.own["more"])})


def _words(result: SearchResult, call: Call) -> None:
    notices(result, call)
    in_words(result, call)


for command in (
    Command(
        "andante.tasks.gait:evaluate",
        "Try one gait. Parameters that are not given are those of the gait that ships.",
        {**TRIAL, "parameters": Take("NAME=VALUE ...", values_of, "--set", "Parameters, or solver.NAME=VALUE.")},
        {"more": Take("[NAME=VALUE ...]", about="More parameters.", kind=list[str], default=None, argument=True)},
        name="eval",
        run=_evaluate,
    ),
    Command(
        "andante.tasks.gait:search",
        "Make a study and search; any stop is safe, `gait resume` goes on.",
        {
            **TRIAL,
            "study": Take("DIR", flags="--study"),
            "freeze": Take("NAME=VALUE", values_of),
            "options": Take("NAME=VALUE", values_of, "--option", "Of the sampler, such as sigma=0.1."),
        },
        run=KEEPING,
        words=_words,
    ),
    Command(
        "andante.tasks.gait:resume",
        "Go on with a study as if it had never stopped.",
        {"study": STUDY},
        run=KEEPING,
        words=_words,
    ),
    Command(
        "andante.tasks.gait:best",
        "The best candidates of a study, also while it runs.",
        {"study": STUDY, "top": Take("K")},
        words=_words,
    ),
    Command(
        "andante.tasks.gait:export",
        "Write a gait's parameters, and the key-frames that `andante play` replays.",
        {"study": STUDY, "out": Take("OUT", about="Writes OUT.toml and OUT.motion.toml.")},
    ),
    merging("andante.tasks.gait:merge", "Put the shards of a study together.", _words),
):
    command.add_to(app)
