"""Joints that somebody else commands: moves, curves in time, trajectories, streams of targets, kept in balance."""
