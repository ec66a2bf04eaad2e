"""Parts of the drills: mutated files through the command line (fuzz.py) and kill -9 (kill_drill.py)."""
