"""Every figure that was asked of Andante, as data: what, by which command, how much, and how it is read.

`table.RUNS` is the whole; `python benchmarks/results.py` runs it and writes benchmarks/RESULTS.md.
"""
