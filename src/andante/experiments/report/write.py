"""Writing a report: the page (one HTML file with everything), and every figure and table as files of their own."""

from __future__ import annotations

import base64
import html
import io
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.errors import BadInput, MissingExtra
from andante.experiments.experiment import Experiment
from andante.experiments.objective import recording_name
from andante.experiments.reference import REAL, read_labels, read_reference
from andante.experiments.runner import arguments_of, experiment_of
from andante.experiments.table import Row, Values, rows_of, write_csv, write_parquet
from andante.files import made_folder, write_whole
from andante.search import StudyFolder
from andante.tasks.result import Result

from .analysis import FITTED, MODE, Analysis, verdict
from .figures import all_figures
from .tables import Table, all_tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1c1c1c;background:#fff;max-width:1080px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0 0 .2rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem;border-bottom:1px solid #ddd}
figure{margin:1.2rem 0}figure img{max-width:100%;height:auto}figcaption,.note{color:#555;font-size:.88rem}
table{border-collapse:collapse;font-size:.82rem}th,td{padding:.18rem .55rem;text-align:left;white-space:nowrap}
th{border-bottom:1px solid #999}tr:nth-child(even) td{background:#f6f7f8}
td.n{text-align:right;font-variant-numeric:tabular-nums}.scroll{overflow:auto;max-height:34rem}
.verdict{background:#f2f5f9;border-left:4px solid #1668b8;padding:.6rem 1rem}
pre{background:#f6f7f8;padding:.6rem .8rem;overflow-x:auto;font-size:.82rem}
details{margin:.6rem 0}summary{cursor:pointer}
"""
MOST_LINKS = 200


def page(
    analysis: Analysis,
    sentences: Sequence[str],
    figures: Mapping[str, tuple[str, bytes]],
    tables: Sequence[Table],
    facts: Mapping[str, Any],
    commands: Sequence[str],
    links: Mapping[str, str],
) -> str:
    """The report as one text. figures: caption and PNG by name; facts: of the machine; links: to recordings."""
    experiment = analysis.experiment
    title = experiment.title or experiment.name
    parts = [
        "<!doctype html><html lang=en><head><meta charset=utf-8>",
        f"<meta name=viewport content='width=device-width'><title>{html.escape(title)}</title>",
        f"<style>{STYLE}</style></head><body>",
        f"<h1>{html.escape(title)}</h1><p class=note>experiment {html.escape(_named(experiment))}</p>",
        f"<div class=verdict>{' '.join(html.escape(each) for each in sentences)}</div>",
        "<h2>What was run</h2>",
        _run_table(analysis),
    ]
    parts.append("<h2>Figures</h2>")
    for name, (caption, picture) in figures.items():
        data = base64.b64encode(picture).decode("ascii")
        parts.append(
            f"<figure><img alt='{html.escape(name)}' src='data:image/png;base64,{data}'>"
            f"<figcaption>{html.escape(caption)} (figures/{name}.png, .pdf)</figcaption></figure>"
        )
    parts.append("<h2>Tables</h2>")
    for k, table in enumerate(tables):
        opened = " open" if k < 2 or table.name == "failures" else ""
        files = f"<p class=note>tables/{table.name}.csv, .tex</p>"
        parts.append(f"<details{opened}><summary>{html.escape(table.title)}</summary>{table.html()}{files}</details>")
    if links:
        listed = "".join(
            f"<li><a href='{html.escape(path)}'>{html.escape(name)}</a></li>" for name, path in links.items()
        )
        parts.append(f"<h2>Recordings of trials that failed or fell</h2><ul>{listed}</ul>")
    parts.append("<h2>How to get it again</h2>")
    parts.append(f"<pre>{html.escape(chr(10).join(commands))}</pre>")
    parts.append(
        "<p>The same seed, engine and versions on the same kind of machine give the same bits from a fresh start; on "
        "another processor or with other versions the trials agree in distribution: that is what intervals are for.</p>"
    )
    rows = "".join(f"<tr><td>{html.escape(str(k))}</td><td>{html.escape(str(v))}</td></tr>" for k, v in facts.items())
    parts.append(f"<div class=scroll><table><tbody>{rows}</tbody></table></div></body></html>\n")
    return "\n".join(parts)


def _named(experiment: Experiment) -> str:
    """Name and mode."""
    return f"{experiment.name}, {experiment.mode}" if experiment.mode else experiment.name


def _run_table(analysis: Analysis) -> str:
    experiment, values = analysis.experiment, analysis.values
    factors = "; ".join(f"{name}: {', '.join(map(str, levels))}" for name, levels in experiment.factors.items())
    varied = ", ".join(f"{name} {value}" for name, value in experiment.vary.as_dict().items()) or "nothing"
    settings = ", ".join(f"{name} {value}" for name, value in experiment.arguments.items()) or "none"
    told = {
        "factors": factors,
        "trials of each combination": experiment.trials,
        "varied from trial to trial": varied,
        "settings": settings,
        "trial": experiment.trial.rpartition("/")[2],
        "reference": f"{experiment.reference or 'none'}",
        "carried out": f"{sum(values.counts.values()) - len(values.failures)} of {sum(values.counts.values())}",
    }
    rows = "".join(
        f"<tr><td>{html.escape(k)}</td><td style='white-space:normal'>{html.escape(str(v))}</td></tr>"
        for k, v in told.items()
    )
    return f"<table><tbody>{rows}</tbody></table>"


@dataclass(frozen=True)
class Report(Result):
    """Where a report is and what it says."""

    path: Path
    verdict: tuple[str, str, str]
    figures: tuple[str, ...]
    tables: tuple[str, ...]
    analysis: Analysis
    seconds: float
    notices: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The report as a table: verdict, files, and how far each engine is from the reference."""
        standings = [
            {"source": s.source, "measure": s.measure, "error": s.error, "inside": s.inside, "tests": len(s.tests)}
            for s in self.analysis.standings
        ]
        errors = {
            engine: {m: self.analysis.commanded_error(engine, m) for m in self.analysis.commanded_measures}
            for engine in self.analysis.engines
        }
        return {
            "report": str(self.path), "verdict": list(self.verdict), "figures": list(self.figures),
            "tables": list(self.tables), "reference": standings, "commanded": errors, "seconds": self.seconds,
            "notices": list(self.notices),
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([*self.verdict, f"wrote {self.path} in {self.seconds:.1f} s"])

    def plot(self) -> Figure:
        """The first figure of the page."""
        return first_figure(self.analysis)


def first_figure(analysis: Analysis) -> Figure:
    """The first figure of a report, without the others."""
    for _, figure in all_figures(analysis, 1).values():
        return figure
    raise NotImplementedError(f"{analysis.experiment.name} measures nothing that a figure shows")


def analysis_of(folders: Sequence[Path], reference: str | None = None, standard: str = REAL) -> Analysis:
    """The numbers of runs of one experiment; reference and standard as `write_report` takes them."""
    experiment, labels = _common(folders)
    asked = experiment.reference if reference is None else "" if reference == "none" else reference
    known = read_reference(asked, experiment) if asked else ()
    values = Values.of(experiment, _all_rows(folders, labels, experiment))
    if not values.counts:
        raise BadInput(f"{folders[0]}: no trial has ended yet")
    experiment = replace(experiment, engines=tuple(values.sources), reference=asked)
    labels_of = read_labels(asked) if asked else {}
    return Analysis(experiment, values, Values.of(experiment, known), standard, labels_of)


def write_report(
    folders: Sequence[Path], out: Path | None = None, reference: str | None = None, standard: str = REAL
) -> Report:
    """Report on the runs of one experiment in one or several folders (engines apart, say) into `out`/report.html.

    An older report in that folder is replaced when the new one is complete.

    out: by default `report` in the first folder. reference: replaces that of the experiment; "none": without.
    standard: the source of the reference that counts as the truth.
    """
    begin = time.perf_counter()
    analysis, (_, labels) = analysis_of(folders, reference, standard), _common(folders)
    experiment = analysis.experiment
    target = (folders[0] / "report") if out is None else out
    facts, sentences, tables = _facts(folders), verdict(analysis), all_tables(analysis)
    with made_folder(target), tempfile.TemporaryDirectory(dir=target, prefix=".report.") as held:
        stage = Path(held)
        pictures = _pictures(stage, analysis)
        (stage / "tables").mkdir()
        for table in tables:
            (stage / "tables" / f"{table.name}.csv").write_text(table.csv(), encoding="utf-8")
            (stage / "tables" / f"{table.name}.tex").write_text(table.latex(), encoding="utf-8")
        notices = _results(stage, experiment, folders, labels)
        text = page(analysis, sentences, pictures, tables, facts, _commands(folders),
                    _links(folders, experiment))  # fmt: skip
        write_whole(stage / "report.html", text)
        for made in sorted(stage.iterdir()):
            if made.is_dir():
                shutil.rmtree(target / made.name, ignore_errors=True)
            made.replace(target / made.name)
    names = tuple(table.name for table in tables)
    spent = time.perf_counter() - begin
    return Report(target / "report.html", sentences, tuple(pictures), names, analysis, spent, notices)


def _pictures(folder: Path, analysis: Analysis) -> dict[str, tuple[str, bytes]]:
    """Caption and PNG of every figure, which is also written into `folder`/figures, with a PDF."""
    (folder / "figures").mkdir()
    pictures: dict[str, tuple[str, bytes]] = {}
    for name, (caption, figure) in all_figures(analysis).items():
        figure.savefig(folder / "figures" / f"{name}.pdf", metadata={"CreationDate": None})
        picture = io.BytesIO()
        figure.savefig(picture, format="png")
        (folder / "figures" / f"{name}.png").write_bytes(picture.getvalue())
        pictures[name] = (caption, picture.getvalue())
    return pictures


def _common(folders: Sequence[Path]) -> tuple[Experiment, tuple[str, ...]]:
    """The experiment of all folders, and what is added to the engines' names: modes that differ, fitted models."""
    if not folders:
        raise BadInput("name the folder of a run")
    experiments = [experiment_of(folder) for folder in folders]
    first = experiments[0]
    labels, several = [], len({each.mode for each in experiments}) > 1
    for folder, each in zip(folders, experiments, strict=True):
        if dict(each.factors) != dict(first.factors) or set(each.measures) != set(first.measures):
            raise BadInput(
                f"{folder} and {folders[0]} are different experiments: factors and measures must be the same"
            )
        mode = f"{MODE}{each.mode}" if each.mode and several else ""
        labels.append(mode + (FITTED if arguments_of(folder).get("model") else ""))
    return replace(first, mode="") if several else first, tuple(labels)


def _all_rows(folders: Sequence[Path], labels: Sequence[str], experiment: Experiment) -> Iterator[Row]:
    seen: dict[tuple[str, str, int], Path] = {}
    for folder, label in zip(folders, labels, strict=True):
        for row in rows_of(folder, experiment):
            key = (row.source + label, row.test, row.trial)
            if seen.setdefault(key, folder) != folder:
                raise BadInput(f"{folder} and {seen[key]} both hold trial {row.trial} of {key[0]}, test {row.test}")
            yield replace(row, source=key[0])


def _results(target: Path, experiment: Experiment, folders: Sequence[Path], labels: Sequence[str]) -> tuple[str, ...]:
    """The rows themselves, as CSV and where pyarrow is there as Parquet."""
    write_csv(target / "results.csv", experiment, _all_rows(folders, labels, experiment))
    try:
        write_parquet(target / "results.parquet", experiment, _all_rows(folders, labels, experiment))
    except MissingExtra as error:
        return (str(error),)
    return ()


def _facts(folders: Sequence[Path]) -> dict[str, Any]:
    """Versions, processor, seeds and sessions of the runs."""
    facts: dict[str, Any] = {}
    for folder in folders:
        study = StudyFolder.open(folder)
        for session in study.manifest()["sessions"][-1:]:
            stamp = dict(session.get("stamp", {}))
            objective = _table(stamp.pop("objective", {}))
            facts |= {name: value for name, value in stamp.items() if name not in facts}
            engines = _table(objective.get("engines", {}))
            facts |= {f"engine {name}": value for name, value in engines.items()}
            facts["processor"] = objective.get("cpu")
            facts[f"{folder.name}: executor, workers"] = f"{session.get('executor')}, {session.get('workers')}"
        facts[f"{folder.name}: seed"] = study.config.seed
        facts[f"{folder.name}: fingerprint"] = study.config.fingerprint
        model = arguments_of(folder).get("model")
        if model:
            facts[f"{folder.name}: model"] = json.dumps(model)
    return facts


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _commands(folders: Sequence[Path]) -> list[str]:
    lines = []
    for folder in folders:
        each = experiment_of(folder)
        model = " --model model.toml" if arguments_of(folder).get("model") else ""
        mode = f" --mode {each.mode}" if each.mode else ""
        lines.append(
            f"andante experiment run {each.name} --engines {','.join(each.engines)} --trials {each.trials} "
            f"--seed {each.seed}{mode}{model} --out {folder.name}"
        )
    return [*lines, f"andante experiment report {' '.join(folder.name for folder in folders)}"]


def _links(folders: Sequence[Path], experiment: Experiment) -> dict[str, str]:
    """Recordings of trials that failed or fell, where there are any."""
    found: dict[str, str] = {}
    for folder in folders:
        record = arguments_of(folder).get("record")
        if record is None:
            continue
        for row in rows_of(folder, experiment):
            if row.ok and not row.measures.get("fallen"):
                continue
            file = Path(record) / recording_name(experiment, row.source, row.factors, row.trial)
            if file.is_file() and len(found) < MOST_LINKS:
                found[f"{row.source}, test {row.test}, trial {row.trial + 1}: {row.error or 'fell'}"] = file.as_uri()
    return found
