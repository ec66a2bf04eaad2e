"""Trajectories, time scaling, key-frame motions and actions over plain values."""
