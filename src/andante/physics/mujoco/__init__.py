"""MuJoCo behind the `Engine` contract."""
