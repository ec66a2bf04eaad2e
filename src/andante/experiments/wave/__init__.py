"""Trials of the coupled-wave gait under physics: scenes, objective, statistics."""
