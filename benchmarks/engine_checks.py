"""Every installed engine against analysis: `python benchmarks/engine_checks.py [CHECK ...] [--json]`.

One line per engine and check of `check_engine`: what was measured, what is expected, and how much of the tolerance is
used up. Without names: those that physics has a formula for. `--json`: one object, engine by engine.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from andante.physics import ENGINES, check_engine, installed

ANALYTIC = (
    "free_fall", "pendulum", "double_pendulum", "friction_angle", "mimic", "mimic_passive", "joint_limits",
    "effort_limit", "sole_pressure", "sole_tipping", "sole_grip", "sole_lands", "standing_leg",
)  # fmt: skip


def main() -> None:
    """Check and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    told: dict[str, dict[str, Any]] = {}
    for engine, entry in ENGINES.items():
        if not installed(entry):
            continue
        for result in check_engine(engine, asked.checks or ANALYTIC):
            off = abs(result.measured - result.expected)
            told.setdefault(engine, {})[result.name] = {
                "passed": result.passed,
                "measured": result.measured,
                "expected": result.expected,
                "off": 100 * off / abs(result.expected) if result.expected else None,  # [%]
                "strain": off / result.tolerance if result.tolerance else None,
            }
            if not asked.json:
                print(f"{engine:7} {result}", flush=True)
    if asked.json:
        print(json.dumps(told))


if __name__ == "__main__":
    main()
