"""DART behind the `Engine` contract."""
