"""The page of a report: one HTML file with everything in it."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from typing import Any

from .analysis import Analysis
from .tables import Table

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
        f"<h1>{html.escape(title)}</h1><p class=note>experiment {html.escape(experiment.name)}</p>",
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
