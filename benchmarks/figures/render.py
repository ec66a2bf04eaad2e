"""The stored runs as a page of Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .model import Run, State, Verdict, judge
from .store import Stored

TITLES = {
    2: "Descriptions, worlds and four physics engines",
    3: "Kinematics, motion and the Shell",
    4: "The NAO walks",
    5: "Maps, localisation and navigation",
    6: "Live: bus, bridges and the studio",
    7: "Experiments",
}
KINDS = {"speed": "Speed and scale", "shown": "Shown by"}
MARKS: Mapping[State, str] = {"met": "yes", "short": "**no**", "told": "told", "missing": "**not shown**"}
HEAD = """# What was asked, and what is measured

Written by `make results` (`python benchmarks/results.py`); each run is kept in [results](results), and
`python benchmarks/results.py --render` writes this page from them again. "Asked" is what the project was asked to
reach; "shown by" is the command that measures it, here without `--json`. Commands that need the Intel and BARN data
find them by `$ANDANTE_DATASETS`.
"""


def render(runs: Sequence[Run], stored: Mapping[str, Stored]) -> str:
    """The whole page; `stored` by the names of the runs."""
    verdicts = {run.name: verdicts_of(run, stored.get(run.name)) for run in runs}
    every = [verdict for some in verdicts.values() for verdict in some]
    asked = [verdict for verdict in every if verdict.figure.asked is not None or verdict.figure.tests]
    counts = {state: sum(verdict.state == state for verdict in asked) for state in MARKS}
    parts = [HEAD, machines(stored)]
    parts.append(
        f"{counts['met']} of {len(asked)} figures are met, {counts['short']} fall short, {counts['missing']} are not "
        f"shown; {len(every) - len(asked)} more are told without a bound.\n"
    )
    parts += [shortfalls(runs, verdicts)]
    for issue, title in TITLES.items():
        parts.append(f"## {title}\n")
        for kind, words in KINDS.items():
            rows = [
                (run, verdict)
                for run in runs
                for verdict in verdicts[run.name]
                if (verdict.figure.issue or run.issue) == issue and verdict.figure.kind == kind
            ]
            if rows:
                parts.append(f"### {words}\n\n" + table_of(rows))
    parts.append(runs_table(runs, stored))
    return "\n".join(parts)


def verdicts_of(run: Run, stored: Stored | None) -> list[Verdict]:
    """What is said of each figure of a run."""
    if stored is None:
        return [judge(figure, None) for figure in run.figures]
    return [judge(figure, stored.output, stored.failure, stored.load) for figure in run.figures]


def machines(stored: Mapping[str, Stored]) -> str:
    """The machine, or the machines, with the dates and commits of their runs."""
    groups: dict[str, list[Stored]] = {}
    for each in stored.values():
        groups.setdefault(", ".join(_fact(name, value) for name, value in each.machine.items()), []).append(each)
    lines = []
    for words, some in groups.items():
        dates, commits = sorted(each.date for each in some), sorted({each.commit for each in some})
        when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
        lines.append(f"Measured on: {words}. {when} UTC, commit {', '.join(commits)}.\n")
    return "\n".join(lines) or "Nothing has been measured yet.\n"


def _fact(name: str, value: str) -> str:
    if name in ("processor", "system"):
        return value
    return f"{value} {name}" if name in ("cores", "memory") else f"{name} {value}"


def shortfalls(runs: Sequence[Run], verdicts: Mapping[str, Sequence[Verdict]]) -> str:
    """What falls short, with the reason, and what is not shown: figure by figure, or by the run that gave nothing."""
    short, missing = ["## What falls short\n"], ["## What is not shown\n"]
    for run in runs:
        some = verdicts[run.name]
        for verdict in some:
            if verdict.state == "short":
                figure, title = verdict.figure, TITLES[verdict.figure.issue or run.issue]
                why = _sentence(verdict.note or "the reason is not known")
                short.append(f"- {title}: {figure.what}: {verdict.words}, asked: {figure.asked_words}. {why}")
        gone = [verdict for verdict in some if verdict.state == "missing"]
        if len(gone) == len(some) > 0:
            missing.append(f"- `{run.shown}` ({len(some)} figures). {_sentence(gone[0].note)}")
        else:
            missing += [f"- {verdict.figure.what}. {_sentence(verdict.note)}" for verdict in gone]
    parts = [lines if len(lines) > 1 else [*lines, "Nothing."] for lines in (short, missing)]
    return "\n".join("\n".join(lines) + "\n" for lines in parts)


def _sentence(text: str) -> str:
    return cell(text[:1].upper() + text[1:].rstrip(".") + ".")


def table_of(rows: Sequence[tuple[Run, Verdict]]) -> str:
    """Figures with what is asked, the value of today, whether it is met, and the command."""
    lines = ["| figure | asked | today | met | shown by |", "|---|---|---|---|---|"]
    for run, verdict in rows:
        figure = verdict.figure
        shown = ", ".join(f"`{test}`" for test in figure.tests) or f"`{run.shown}`"
        words = (cell(figure.what), figure.asked_words, cell(verdict.words), MARKS[verdict.state], cell(shown))
        lines.append(f"| {' | '.join(words)} |")
    return "\n".join(lines) + "\n"


def cell(text: str) -> str:
    """Text that does not break a table."""
    return " ".join(text.split()).replace("|", "\\|")


def runs_table(runs: Sequence[Run], stored: Mapping[str, Stored]) -> str:
    """Every run: when, how long, and how busy the machine was."""
    lines = [
        "## Runs\n",
        "Load: average over the minute before the run. Long runs are made with `--long` only.\n",
        "| run | command | date (UTC) | commit | load | wall clock | processor |",
        "|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        name = run.name + (" (long)" if run.long else "")
        command = f"`{run.shown}`" if run.command else f"{len(run.tests)} test functions by `pytest -n 2`"
        each = stored.get(run.name)
        if each is None:
            lines.append(f"| {name} | {cell(command)} | not run | | | | |")
            continue
        used = "not counted" if each.processor_seconds is None else f"{each.processor_seconds:.0f} s"
        times = f"{each.seconds:.0f} s | {used}"
        lines.append(f"| {name} | {cell(command)} | {each.date} | {each.commit} | {each.load:.1f} | {times} |")
    return "\n".join(lines) + "\n"
