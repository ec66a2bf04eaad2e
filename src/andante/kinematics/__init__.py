"""Chains, wheels and parallel robots: forward and inverse kinematics over plain arrays."""
