"""Gaits of robots with four legs or more: patterns, the gait, leg odometry, body motion over standing feet."""
