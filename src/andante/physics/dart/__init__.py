"""DART behind the `Engine` contract."""

from andante.physics.registry import EngineEntry

ENGINE = EngineEntry(
    "dart",
    "andante.physics.dart.engine:DartEngine",
    "dartpy",
    "dartpy",
    "dart",
    "reduced coordinates, contacts by LCP",
    solver=("iterations", "method", "tolerance"),
    methods=("dantzig", "pgs"),
    surface=("rolling", "restitution"),
)
