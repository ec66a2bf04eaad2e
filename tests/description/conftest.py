"""Lets the tests of this folder import the helpers that stand beside them (`same_physics`, samples)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
