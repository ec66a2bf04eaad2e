"""The five BARN worlds driven in the flat test world: `python benchmarks/barn_flat.py [seeds]`.

No map, 0.42 x 0.33 m, up to 2 m/s, 720 beams over 270 degrees with 1 cm of noise, 5 mm of pose noise. Prints time,
metric and clearance of each run, and the mean. The data are looked for in $ANDANTE_DATASETS.
"""

import json
import math
import os
import sys
from pathlib import Path

import numpy as np

from andante.navigation import GoalChecker, LayerSettings, Navigator, NavigatorSettings, Vehicle, rectangle

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "navigation"))
from world2d import World, drive  # noqa: E402

JACKAL = Vehicle(rectangle(0.42, 0.33), "differential", 2.0, 2.0, max_acceleration=2.0, max_turn_acceleration=6.0)
SETTINGS = NavigatorSettings(layers=LayerSettings(resolution=0.04, window=24.0))


def main(seeds: int) -> None:
    """All worlds with so many seeds each."""
    folder = Path(os.environ.get("ANDANTE_DATASETS", ROOT.parent / "shared" / "datasets"))
    results = []
    for data in json.loads((folder / "barn" / "worlds.json").read_text()):
        for seed in range(seeds):
            navigator = Navigator(JACKAL, settings=SETTINGS, seed=seed)
            navigator.set_goal([*data["goal"], math.nan], GoalChecker(1.0))
            world = World(np.array(data["cylinders"], dtype=float))
            view = math.radians(270)
            run = drive(
                navigator, world, data["start"], timeout=100, beams=720, field_of_view=view, seed=seed, pose_noise=0.005
            )
            best = data["optimal_time"]
            metric = run.success * best / np.clip(run.time, 2 * best, 8 * best)
            results.append((run.success, metric))
            end = "arrived" if run.success else "collided" if run.collided else run.last.reason
            print(f"world {data['world']:3d} seed {seed}: {end}, {run.time:.2f} s, metric {metric:.3f}, "
                  f"clearance {run.least_clearance:.3f} m", flush=True)  # fmt: skip
    done, mean = sum(r[0] for r in results), np.mean([r[1] for r in results])
    print(f"{done} of {len(results)} arrived without collision, mean metric {mean:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
