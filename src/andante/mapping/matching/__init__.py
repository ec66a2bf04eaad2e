"""Scan matching: scan to scan (ICP), scan to map (Gauss-Newton), and exhaustive search of a pose."""
