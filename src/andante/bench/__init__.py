"""The project's own benchmarks: every figure beside a baseline measured in the same run; `an.bench("ik")` runs one."""

from andante.lazy import callable_package

callable_package(__name__, "andante.bench.rows:bench")
