"""Reports: analysis, verdict, figures, tables, and the page that holds them."""

from .analysis import Analysis, verdict
from .write import Report, write_report

__all__ = ["Analysis", "Report", "verdict", "write_report"]
