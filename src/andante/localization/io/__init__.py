"""Files of UWB positioning: logs of ranges, and where anchors and tags are."""

from .uwb_logs import read_uwb_log, write_table
from .uwb_setup import read_uwb_setup

__all__ = ["read_uwb_log", "read_uwb_setup", "write_table"]
