"""Identification from joint-level recordings: servo gains, friction, delay, play and masses of a robot on a held base.

`identify` finds them, `excitation` moves joints so that they can be found, `Identification` tells how sure they are.
"""
