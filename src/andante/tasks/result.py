"""What every task returns: a value that prints in a line, plots itself and shows itself in a notebook."""

from __future__ import annotations

from dataclasses import asdict, fields, is_dataclass
from html import escape
from io import BytesIO
from typing import Any

from andante import viz
from andante.description import Problem

HIDDEN = {"hidden": True}  # metadata of a field that is neither printed nor part of the JSON
REAL = {"real": True}  # ... of one that only a real robot has; None: it was simulated


class Result:
    """Base of the results of all tasks, which are frozen dataclasses. A subclass gives `__str__` and `plot`."""

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract, as `--json` prints them."""
        return {name: _plain(getattr(self, name)) for name in self._shown()}

    def _shown(self) -> list[str]:
        shown = [field for field in fields(self) if not field.metadata.get("hidden")]  # type: ignore[arg-type]
        return [f.name for f in shown if not (f.metadata.get("real") and getattr(self, f.name) is None)]

    def plot(self) -> viz.Figure:
        """A figure of what happened."""
        raise NotImplementedError(f"{type(self).__name__} has nothing to plot")

    def _repr_png_(self) -> bytes | None:
        try:
            figure = self.plot()
        except NotImplementedError:
            return None
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
        return buffer.getvalue()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{_cell(value)}</td></tr>"
            for name, value in self.as_dict().items()
        )
        picture = self._repr_png_()
        image = ""
        if picture is not None:
            from base64 import b64encode

            image = f"<img src='data:image/png;base64,{b64encode(picture).decode()}' style='max-width:100%'>"
        return f"<p>{escape(str(self))}</p><table>{rows}</table>{image}"


def _plain(value: Any) -> Any:
    """A value of a result as JSON carries it: what knows its own table as that, other dataclasses as theirs."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Problem):
        return value.as_dict()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple) and all(isinstance(v, float) for v in value):
        return escape(" ".join(f"{v:.4g}" for v in value))
    return escape(str(value))
